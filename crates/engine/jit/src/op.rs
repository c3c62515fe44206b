//! What is computed in a lane.

use crate::operand::Predicate;
use texunit_sfu::lanes::Words;

/// How a float becomes an integral one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, ties to even.
    Near,
    /// Down.
    Floor,
    /// Up.
    Ceil,
    /// Toward zero.
    Trunc,
}

/// Operations on f32, rounded to nearest even.
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
    /// Square root.
    Sqrt,
    /// The lesser one; -0 is less than +0, one NaN gives the other source.
    Min,
    /// The greater one, likewise.
    Max,
    /// The other sign.
    Neg,
    /// Without sign.
    Abs,
    /// An integral value.
    Round(Rounding),
    /// The value itself.
    Copy,
}

/// With `flush`, what says whether a product, a quotient, or a product and an addend, is less than the smallest normal number after
/// rounding with an unbounded exponent: the same operation with a factor or dividend, and the addend, that are 2^24 times as large.
/// It is asked where the result is a subnormal or that number: no other one is tiny. A sum of two f32 never is unless it is subnormal.
pub(crate) mod tiny {
    /// 2^24.
    pub(crate) const LARGER: u32 = 0x4b80_0000;
    /// The smallest normal number, as large: 2^(24 - 126).
    pub(crate) const LEAST: u32 = 0x0c80_0000;
}

/// What is computed in a lane. Integers wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// a
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
    /// |a| of a signed number; the lowest one stays.
    Abs,
    /// Bits by a table: bit `4a + 2b + c` of it.
    Bits(u8),
    /// a << b; 0 from 32 on.
    ShiftLeft,
    /// a >> b of unsigned numbers; 0 from 32 on.
    ShiftRightU,
    /// a >> b of signed numbers; signs from 32 on.
    ShiftRightS,
    /// Upper half of (b, a) << (c mod 32).
    FunnelLeft,
    /// Lower half of (b, a) >> (c mod 32).
    FunnelRight,
    /// An operation on f32. `flush`: subnormal sources and results are zeros of their sign, a result also where it would be
    /// less than the smallest normal number after rounding with an unbounded exponent; `saturate`: the result is limited to [+0, 1], a NaN becomes +0. A NaN result is 0x7fffffff.
    Float {
        /// Which one.
        op: Float,
        /// Whether subnormals are zeros.
        flush: bool,
        /// Whether the result is limited.
        saturate: bool,
    },
    /// To f32, from these low bits of an unsigned number.
    FromU(u32),
    /// To f32, from a signed number.
    FromS,
    /// From f32 to an unsigned number: limited, 0 of a NaN.
    ToU(Rounding),
    /// From f32 to a signed number: limited, 0 of a NaN.
    ToS(Rounding),
    /// a where the predicate holds, else b.
    Select(Predicate),
    /// a, of 64 bits.
    CopyWide,
    /// a + b of 64 bits.
    AddWide,
    /// a - b of 64 bits.
    SubWide,
    /// a * b of 64 bits.
    MulWide,
    /// Bits of 64-bit numbers by a table.
    BitsWide(u8),
    /// a << b of 64 bits, b of 32; 0 from 64 on.
    ShiftLeftWide,
    /// a >> b, unsigned.
    ShiftRightWideU,
    /// a >> b, signed.
    ShiftRightWideS,
    /// a where the predicate holds, else b, of 64 bits.
    SelectWide(Predicate),
    /// 64-bit product of unsigned 32-bit numbers.
    ProductU,
    /// 64-bit product of signed 32-bit numbers.
    ProductS,
    /// The same and a 64-bit addend c.
    ProductAddU,
    /// The same and a 64-bit addend c.
    ProductAddS,
    /// 32 bits to 64, with zeros.
    ExtendU,
    /// 32 bits to 64, with signs.
    ExtendS,
    /// The low 32 of 64 bits.
    Low,
    /// Sums, products, quotients and roots of f32 in another rounding; the rest as [`Op::Float`].
    Directed {
        /// Add, Sub, Mul, Fma, Div or Sqrt.
        op: Float,
        /// Which one.
        rounding: Rounding,
        /// Whether subnormals are zeros.
        flush: bool,
        /// Whether the result is limited.
        saturate: bool,
    },
    /// The word of a table at the index a, of which the low bits count.
    LookUp(Words),
    /// a * b of numbers below 2^15.
    MulShort,
    /// The square of 17 bits as the special function unit has it: [`texunit_sfu::square`]. Other bits are zeros.
    Square,
    /// The low half, an f16, as f32. A NaN result is 0x7fffffff.
    FromHalf,
    /// From f32 to f16 in the low half, with zeros above. A NaN result is 0x7fff.
    ToHalf(Rounding),
    /// The bits in the other order.
    Reverse,
    /// Bytes of a: each is the one that two bits of the same byte of b name, or zero where its highest bit is set.
    Bytes,
    /// The number of zeros above the highest bit that is set.
    LeadingZeros,
    /// Upper half of the product of unsigned numbers of 64 bits.
    MulHighWide,
    /// An operation on f64. A NaN result is the first one among the sources,
    /// quiet, or else 0xfff8000000000000; of `Min` and `Max` it is that one if both sources are NaNs.
    Double(Float),
    /// Sums, products, quotients and roots of f64 in another rounding, NaNs as of [`Op::Double`].
    DoubleDirected(Float, Rounding),
    /// From f32 to f64; a NaN has its sign and payload, quiet.
    DoubleFromF,
    /// From f64 to f32; a NaN has its sign and the top of its payload, quiet.
    FromDouble(Rounding),
    /// From f64 to a signed number of 32 bits, toward zero: limited, the lowest one of a NaN.
    DoubleToS,
    /// From f64 to an unsigned number of 32 bits, toward zero: limited, 0x80000000 of a NaN.
    DoubleToU,
    /// From f64 to a signed number of 64 bits, toward zero: limited, the lowest one of a NaN.
    DoubleToWideS,
    /// From f64 to an unsigned number of 64 bits, toward zero: limited, 1 << 63 of a NaN.
    DoubleToWideU,
    /// To f64, from an unsigned number of 32 bits.
    DoubleFromU,
    /// To f64, from a signed number of 32 bits.
    DoubleFromS,
    /// To f64, from an unsigned number of 64 bits.
    DoubleFromWideU,
    /// To f64, from a signed number of 64 bits.
    DoubleFromWideS,
}

impl Op {
    /// How many sources it has.
    #[cfg(all(feature = "jit", target_arch = "x86_64"))]
    pub(crate) fn sources(self) -> usize {
        match self {
            Self::Copy
            | Self::Abs
            | Self::FromU(_)
            | Self::FromS
            | Self::ToU(_)
            | Self::ToS(_)
            | Self::CopyWide
            | Self::ExtendU
            | Self::ExtendS
            | Self::Low
            | Self::DoubleFromU
            | Self::DoubleFromS
            | Self::DoubleFromWideU
            | Self::DoubleFromWideS
            | Self::LookUp(_)
            | Self::Square
            | Self::FromHalf
            | Self::ToHalf(_)
            | Self::Reverse
            | Self::LeadingZeros
            | Self::DoubleFromF
            | Self::FromDouble(_)
            | Self::DoubleToS
            | Self::DoubleToU
            | Self::DoubleToWideS
            | Self::DoubleToWideU => 1,
            Self::Float { op, .. }
            | Self::Double(op)
            | Self::Directed { op, .. }
            | Self::DoubleDirected(op, _) => match op {
                Float::Fma => 3,
                Float::Add | Float::Sub | Float::Mul | Float::Div | Float::Min | Float::Max => 2,
                _ => 1,
            },
            Self::Bits(table) | Self::BitsWide(table) => {
                let without_c = (table ^ table >> 1) & 0x55 == 0;
                let without_b = (table ^ table >> 2) & 0x33 == 0;
                if !without_c {
                    3
                } else if !without_b {
                    2
                } else {
                    1
                }
            }
            Self::MulAdd
            | Self::FunnelLeft
            | Self::FunnelRight
            | Self::ProductAddU
            | Self::ProductAddS => 3,
            _ => 2,
        }
    }
}
