//! The operations of compute steps, as the result that one lane gets. `emit` has code for each of
//! them.

use crate::operand::Predicate;
use texunit_sfu::lanes::{Curve, Words};

/// How a float is rounded to an integral value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Rounds to the nearest integral value, ties to even.
    Near,
    /// Rounds toward negative infinity.
    Floor,
    /// Rounds toward positive infinity.
    Ceil,
    /// Rounds toward zero.
    Trunc,
}

/// Float operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// a + b
    Add,
    /// a - b
    Sub,
    /// a * b
    Mul,
    /// a * b + c, rounded once
    Fma,
    /// a / b
    Div,
    /// √a
    Sqrt,
    /// The smaller source; -0 is less than +0, and if one source is a NaN, the result is the other
    /// source.
    Min,
    /// The larger source; -0 is less than +0, and if one source is a NaN, the result is the other
    /// source.
    Max,
    /// The negated operand: its sign bit is inverted.
    Neg,
    /// The absolute value of the operand: its sign bit is cleared.
    Abs,
    /// The operand a, rounded to an integral value.
    Round(Rounding),
    /// The first operand, unchanged.
    Copy,
}

/// Constants for the test whether a result is tiny: less than the smallest normal number after
/// rounding with an unbounded exponent (`flush` makes tiny results zeros). A subnormal result is
/// tiny, except that the smallest normal number can be the rounded form of a tiny value. In that
/// doubtful case the same operation is repeated with one factor (or the dividend) and the addend
/// multiplied by 2^24, and its result is compared with `LEAST`. Sums of two f32 are exact where
/// they are subnormal, and need no test.
pub(crate) mod tiny {
    /// The bits of 2^24 as f32, the factor by which small operands are multiplied.
    pub(crate) const LARGER: u32 = 0x4b80_0000;
    /// The smallest normal number times 2^24, which is 2^(24 - 126), as f32.
    pub(crate) const LEAST: u32 = 0x0c80_0000;
}

/// The operation of a compute step on the sources a, b and c of one lane. Integers wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The first operand, unchanged.
    Copy,
    /// a + b
    Add,
    /// a - b
    Sub,
    /// a * b
    Mul,
    /// a * b + c
    MulAdd,
    /// Upper half of the product of unsigned numbers.
    MulHighU,
    /// Upper half of the product of signed numbers.
    MulHighS,
    /// The lesser signed number.
    MinS,
    /// The greater signed number.
    MaxS,
    /// The lesser unsigned number.
    MinU,
    /// The greater unsigned number.
    MaxU,
    /// |a| of a signed number; the lowest number stays as it is.
    Abs,
    /// A Boolean function of each bit of a, b and c (`lop3`): the result is bit `4a + 2b + c` of
    /// this truth table.
    Bits(u8),
    /// a << b; 0 if b ≥ 32.
    ShiftLeft,
    /// a >> b, unsigned; 0 if b ≥ 32.
    ShiftRightU,
    /// a >> b, signed; all sign bits if b ≥ 32.
    ShiftRightS,
    /// Upper half of (b, a) << (c mod 32).
    FunnelLeft,
    /// Lower half of (b, a) >> (c mod 32).
    FunnelRight,
    /// An operation on f32. With `flush`, subnormal sources are zeros of their sign, and so are
    /// results that are less than the smallest normal number after rounding with an unbounded
    /// exponent. With `saturate`, the result is limited to [+0, 1], and a NaN becomes +0. A NaN
    /// result is 0x7fffffff.
    Float {
        /// The operation.
        op: Float,
        /// The rounding of a sum, product, quotient or root.
        rounding: Rounding,
        /// Whether subnormal sources and tiny results become zeros.
        flush: bool,
        /// Whether the result is limited to [+0, 1].
        saturate: bool,
    },
    /// Converts the bits of an unsigned number that the mask selects to f32.
    FromU(u32),
    /// Converts a signed number to f32.
    FromS,
    /// Converts f32 to an unsigned number, limited to its range; a NaN becomes 0.
    ToU(Rounding),
    /// Converts f32 to a signed number, limited to its range; a NaN becomes 0.
    ToS(Rounding),
    /// a where the predicate is true, else b.
    Select(Predicate),
    /// The 64-bit operand a, unchanged.
    CopyWide,
    /// a + b (64 bits)
    AddWide,
    /// a - b (64 bits)
    SubWide,
    /// a * b (64 bits)
    MulWide,
    /// [`Op::Bits`] on 64 bits.
    BitsWide(u8),
    /// a << b with a of 64 bits and b of 32; 0 if b ≥ 64.
    ShiftLeftWide,
    /// a >> b of 64 bits, unsigned.
    ShiftRightWideU,
    /// a >> b of 64 bits, signed.
    ShiftRightWideS,
    /// a where the predicate is true, else b (64 bits).
    SelectWide(Predicate),
    /// 64-bit product of unsigned 32-bit numbers.
    ProductU,
    /// 64-bit product of signed 32-bit numbers.
    ProductS,
    /// The product of unsigned 32-bit numbers plus a 64-bit addend c.
    ProductAddU,
    /// The product of signed 32-bit numbers plus a 64-bit addend c.
    ProductAddS,
    /// Zero-extends 32 bits to 64.
    ExtendU,
    /// Sign-extends 32 bits to 64.
    ExtendS,
    /// The low 32 bits of a 64-bit operand.
    Low,
    /// The entry of a table of constants at index a, whose high bits are ignored.
    LookUp(Words),
    /// The result of a function of the special function unit on the operand's bits, without special
    /// cases ([`Curve::at`]). A NaN gives any result.
    Curve(&'static Curve),
    /// a * b of numbers below 2^15 (the product fits into 32 bits).
    MulShort,
    /// The square of a 17-bit number as the special function unit computes it
    /// ([`texunit_sfu::square`]); higher bits of the source are ignored.
    Square,
    /// Converts the low half, an f16, to f32. A NaN result is 0x7fffffff.
    FromHalf,
    /// Converts f32 to an f16 in the low half, and zeros the upper half. A NaN result is 0x7fff.
    ToHalf(Rounding),
    /// The bits in reverse order (`brev`).
    Reverse,
    /// Selects bytes of a: byte i of b has the number of a byte of a in its two low bits; if the
    /// highest bit of byte i is set, the result's byte is zero.
    Bytes,
    /// The number of leading zeros (`clz`).
    LeadingZeros,
    /// Upper half of the product of unsigned 64-bit numbers.
    MulHighWide,
    /// An operation on f64, and the rounding of a sum, product, quotient or root. A NaN result is
    /// the first NaN among the sources, made quiet, or 0xfff8000000000000 if no source is a NaN.
    /// `Min` and `Max` return a NaN only if both sources are NaNs.
    Double(Float, Rounding),
    /// Converts f32 to f64; a NaN keeps its sign and payload, and becomes quiet.
    DoubleFromF,
    /// Converts f64 to f32; a NaN keeps its sign and the top of its payload, and becomes quiet.
    FromDouble(Rounding),
    /// Converts f64 to a signed 32-bit number, toward zero and limited to its range; a NaN becomes
    /// the lowest number.
    DoubleToS,
    /// Converts f64 to an unsigned 32-bit number, toward zero and limited to its range; a NaN
    /// becomes 0x80000000.
    DoubleToU,
    /// Converts f64 to a signed 64-bit number, toward zero and limited to its range; a NaN becomes
    /// the lowest number.
    DoubleToWideS,
    /// Converts f64 to an unsigned 64-bit number, toward zero and limited to its range; a NaN
    /// becomes 1 << 63.
    DoubleToWideU,
    /// Converts an unsigned 32-bit number to f64.
    DoubleFromU,
    /// Converts a signed 32-bit number to f64.
    DoubleFromS,
    /// Converts an unsigned 64-bit number to f64.
    DoubleFromWideU,
    /// Converts a signed 64-bit number to f64.
    DoubleFromWideS,
}

impl Op {
    /// The number of sources that the operation reads.
    pub(crate) fn sources(self) -> usize {
        match self {
            Self::Copy | Self::CopyWide | Self::Abs | Self::ExtendU | Self::ExtendS => 1,
            Self::FromU(_) | Self::FromS | Self::ToU(_) | Self::ToS(_) | Self::Low => 1,
            Self::DoubleFromU | Self::DoubleFromS | Self::DoubleFromF => 1,
            Self::DoubleFromWideU | Self::DoubleFromWideS | Self::FromDouble(_) => 1,
            Self::DoubleToU | Self::DoubleToS | Self::DoubleToWideU | Self::DoubleToWideS => 1,
            Self::LookUp(_) | Self::Curve(_) | Self::Square | Self::LeadingZeros => 1,
            Self::FromHalf | Self::ToHalf(_) | Self::Reverse => 1,
            Self::Float { op, .. } | Self::Double(op, _) => match op {
                Float::Fma => 3,
                Float::Add | Float::Sub | Float::Mul | Float::Div | Float::Min | Float::Max => 2,
                _ => 1,
            },
            Self::Bits(table) | Self::BitsWide(table) => {
                let without_c = (table ^ table >> 1) & 0x55 == 0;
                let without_b = (table ^ table >> 2) & 0x33 == 0;
                match (without_b, without_c) {
                    (_, false) => 3,
                    (false, true) => 2,
                    (true, true) => 1,
                }
            }
            Self::MulAdd | Self::ProductAddU | Self::ProductAddS => 3,
            Self::FunnelLeft | Self::FunnelRight => 3,
            _ => 2,
        }
    }
}
