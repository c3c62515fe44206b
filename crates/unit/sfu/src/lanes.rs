//! Branch-free forms of the `MUFU` instructions. One generic description of each serves three uses:
//! plain numbers, loops over lanes that the compiler vectorizes ([`Function::warp`]), and a
//! recorder from which compiled code is generated.
//!
//! Functions whose result is the truncated polynomial use a [`Curve`]. Logarithms, sines and
//! tangents keep their low bits when the leading ones cancel. For these three, the polynomial V is
//! a sum in f64, which is exact below 2^53, and the conversion to f32 toward zero is the unit's
//! truncation. In comments, C0, C1 and C2 are the coefficients of a segment, X is the operand bits
//! below the segment, and Q is the square of X ([`square`](crate::square)).

pub use crate::curve::{Curve, EX2_CURVE, Entry, RCP_CURVE, RSQ_CURVE, SQRT_CURVE};
use crate::mufu;
use crate::tables::{LG2, SIN, TANH};
use crate::{INFINITY, NAN, ONE, SIGN, Table};
use texunit_simd::Build;

/// A table of 32-bit words, whose length is a power of two.
#[derive(Clone, Copy, Debug)]
pub struct Words(&'static [u32]);

/// Two tables are equal if they have the same address.
impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Words {}

impl Words {
    const fn new(words: &'static [u32]) -> Self {
        assert!(words.len().is_power_of_two());
        Self(words)
    }

    /// The word at an index. Bits of the index above the table's length are ignored.
    #[inline(always)]
    pub fn at(self, index: u32) -> u32 {
        self.0[index as usize & (self.0.len() - 1)]
    }

    /// All words of the table.
    pub fn all(self) -> &'static [u32] {
        self.0
    }
}

/// A vector of 32-bit numbers, or a single 32-bit number.
pub trait Lane: Copy {
    /// The corresponding vector of f64.
    type Double: Double<Lane = Self>;
    /// A mask with a truth value per lane.
    type Holds: Copy;

    /// The same number in all lanes.
    fn all(bits: u32) -> Self;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The difference.
    fn minus(self, other: Self) -> Self;
    /// The low 32 bits of the product.
    fn times(self, other: Self) -> Self;
    /// The product of two numbers below 2^15.
    fn times_short(self, other: Self) -> Self;
    /// Bitwise and.
    fn mask(self, other: Self) -> Self;
    /// Bitwise or.
    fn with(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn differ(self, other: Self) -> Self;
    /// Shifts to the left by a count per lane; counts of 32 and more give 0.
    fn up(self, by: Self) -> Self;
    /// Shifts to the right by a count per lane, filling with zeros; counts of 32 and more give 0.
    fn down(self, by: Self) -> Self;
    /// Shifts to the right by a count per lane, filling with the sign.
    fn down_signed(self, by: Self) -> Self;
    /// Looks up the word of a table whose index is this number.
    fn of(self, words: Words) -> Self;
    /// Evaluates a [`Curve`] for this operand.
    fn on(self, curve: &'static Curve) -> Self;
    /// The unit's truncated [`square`](crate::square) of a number of 17 bits.
    fn square(self) -> Self;
    /// |x| * 2^23 of an f32 x as a signed integer: truncated, saturated, and 0 for a NaN.
    fn fixed(self) -> Self;
    /// The mask of the lanes in which both numbers are equal.
    fn is(self, other: Self) -> Self::Holds;
    /// The mask of the lanes in which this unsigned number is less than `other`.
    fn below(self, other: Self) -> Self::Holds;
    /// Selects this number in lanes where the mask holds, and `other` in all others.
    fn where_(self, holds: Self::Holds, other: Self) -> Self;
    /// Converts the signed 32-bit number to f64.
    fn double(self) -> Self::Double;
}

/// A vector of f64 numbers, or a single f64 number.
pub trait Double: Copy {
    /// The corresponding vector of 32-bit numbers.
    type Lane;

    /// The same number in all lanes.
    fn all(number: f64) -> Self;
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// Rounds down to an integer.
    fn floor(self) -> Self;
    /// The magnitude of `self` with the sign of `other`.
    fn with_sign_of(self, other: Self) -> Self;
    /// Converts to f32 by truncation toward zero.
    fn cut(self) -> Self::Lane;
}

impl Lane for u32 {
    type Double = f64;
    type Holds = bool;

    #[inline(always)]
    fn all(bits: u32) -> Self {
        bits
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }
    #[inline(always)]
    fn times_short(self, other: Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn mask(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn with(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn differ(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn up(self, by: Self) -> Self {
        if by < 32 { self << (by & 31) } else { 0 }
    }
    #[inline(always)]
    fn down(self, by: Self) -> Self {
        if by < 32 { self >> (by & 31) } else { 0 }
    }
    #[inline(always)]
    fn down_signed(self, by: Self) -> Self {
        (self as i32 >> by.min(31)) as u32
    }
    #[inline(always)]
    fn of(self, words: Words) -> Self {
        words.at(self)
    }
    #[inline(always)]
    fn on(self, curve: &'static Curve) -> Self {
        curve.at(self)
    }
    #[inline(always)]
    fn square(self) -> Self {
        crate::square(self)
    }
    #[inline(always)]
    fn fixed(self) -> Self {
        (f32::from_bits(self & !SIGN) * 8_388_608.0) as i32 as u32
    }
    #[inline(always)]
    fn is(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn below(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn where_(self, holds: bool, other: Self) -> Self {
        if holds { self } else { other }
    }
    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self as i32)
    }
}

impl Double for f64 {
    type Lane = u32;

    #[inline(always)]
    fn all(number: f64) -> Self {
        number
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        // Both roundings are exact for the operands that occur, so that the result is that of a
        // fused operation. Without FMA instructions a product and a sum are faster than `mul_add`.
        if cfg!(target_feature = "fma") { self.mul_add(b, c) } else { self * b + c }
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn floor(self) -> Self {
        f64::floor(self)
    }
    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        self.copysign(other)
    }
    #[inline(always)]
    fn cut(self) -> u32 {
        // The bits that an f32 cannot hold are cleared, so that the conversion is exact. Subnormal
        // results, which have fewer bits, do not occur.
        (f64::from_bits(self.to_bits() & !0x1fff_ffff) as f32).to_bits()
    }
}

#[inline(always)]
fn n<L: Lane>(bits: u32) -> L {
    L::all(bits)
}

#[inline(always)]
fn d<L: Lane>(number: f64) -> L::Double {
    <L::Double as Double>::all(number)
}

/// The coefficients C0 of all segments.
const fn constants<const N: usize>(table: &Table<N>) -> [u32; N] {
    let (mut words, mut i) = ([0; N], 0);
    while i < N {
        words[i] = table.coefficients[i][0] as u32;
        i += 1;
    }
    words
}

/// For each segment, |C1| in the low half and |C2| in the upper half of a word.
const fn others<const N: usize>(table: &Table<N>) -> [u32; N] {
    let (mut words, mut i) = ([0; N], 0);
    while i < N {
        let [_, c1, c2] = table.coefficients[i];
        assert!(c1.unsigned_abs() < 1 << 16 && c2.unsigned_abs() < 1 << 16);
        words[i] = c1.unsigned_abs() | c2.unsigned_abs() << 16;
        i += 1;
    }
    words
}

/// A table of one coefficient of `MUFU.TANH`. The index is the lowest four bits of the operand's
/// exponent, followed by the upper four bits of its mantissa. The word of C0 also holds, in its top
/// four bits, how many mantissa bits selected the segment.
const fn of_tanh(coefficient: usize) -> [u32; 256] {
    let (mut words, mut i) = ([0; 256], 119 << 4);
    while i < 130 << 4 {
        let (segment, _, bits) = mufu::of_tanh((i >> 4) as u32, ((i & 15) as u32) << 19);
        let value = TANH.coefficients[segment][coefficient].unsigned_abs();
        words[i & 255] = if coefficient == 0 { value | bits << 28 } else { value };
        i += 1;
    }
    words
}

/// Defines a table of 32-bit words as a constant.
macro_rules! words {
    ($name:ident = $words:expr) => {
        #[doc = concat!("Words of the table of `", stringify!($name), "`.")]
        pub const $name: Words = {
            static WORDS: [u32; { $words }.len()] = $words;
            Words::new(&WORDS)
        };
    };
}
words!(LG2_0 = constants(&LG2));
words!(LG2_12 = others(&LG2));
words!(SIN_0 = constants(&SIN));
words!(SIN_12 = others(&SIN));
words!(TANH_0 = of_tanh(0));
words!(TANH_1 = of_tanh(1));
words!(TANH_2 = of_tanh(2));

/// Returns `NAN` in lanes where the f32 `x` is a NaN, and the value in all others.
#[inline(always)]
fn or_nan<L: Lane>(x: L, value: L) -> L {
    n::<L>(NAN).where_(n::<L>(INFINITY).below(x.mask(n(!SIGN))), value)
}

/// Returns the value in lanes where the f32 `x` is positive and normal. Zeros and subnormals give
/// `zero`, +infinity gives `infinity`, negative numbers and NaNs give `NAN`.
#[inline(always)]
fn of_positive<L: Lane>(x: L, value: L, zero: L, infinity: L) -> L {
    let special = infinity.where_(x.is(n(INFINITY)), n(NAN));
    let special = zero.where_(x.mask(n(INFINITY)).is(n(0)), special);
    value.where_(x.minus(n(0x0080_0000)).below(n(0x7f00_0000)), special)
}

/// Computes `MUFU.RCP` of an f32 whose magnitude is from 2^-126 to 2^126.
#[inline(always)]
pub fn rcp_of_normal<L: Lane>(x: L) -> L {
    x.plus(x).on(&RCP_CURVE).with(x.mask(n(SIGN)))
}

/// Computes `MUFU.RCP`.
#[inline(always)]
pub fn rcp<L: Lane>(x: L) -> L {
    let magnitude = x.mask(n(!SIGN));
    let result = x.plus(x).on(&RCP_CURVE);
    // The reciprocal of an operand beyond 2^126 would be subnormal, so it is a zero.
    let result = n::<L>(0).where_(n::<L>(253 << 23).below(magnitude), result);
    let result = n::<L>(INFINITY).where_(magnitude.below(n(0x0080_0000)), result);
    or_nan(x, result.with(x.mask(n(SIGN))))
}

/// Computes `MUFU.RSQ`.
#[inline(always)]
pub fn rsq<L: Lane>(x: L) -> L {
    of_positive(x, x.on(&RSQ_CURVE), x.mask(n(SIGN)).with(n(INFINITY)), n(0))
}

/// Computes `MUFU.SQRT`.
#[inline(always)]
pub fn sqrt<L: Lane>(x: L) -> L {
    of_positive(x, x.on(&SQRT_CURVE), x.mask(n(SIGN)), n(INFINITY))
}

/// Converts an operand of `MUFU.EX2` to fixed point with 23 fractional bits.
#[inline(always)]
fn fixed<L: Lane>(x: L) -> L {
    let (magnitude, negative) = (x.fixed(), x.down_signed(n(31)));
    // The unit takes the two's complement of a negative integer, but the ones' complement of any
    // other negative number.
    let is_integral = magnitude.mask(n(0x007f_ffff)).is(n(0));
    magnitude.differ(negative).minus(negative.where_(is_integral, n(0)))
}

/// Computes `MUFU.EX2` of a number from -126 to 127.
#[inline(always)]
pub fn ex2_of_normal<L: Lane>(x: L) -> L {
    fixed(x).on(&EX2_CURVE)
}

/// Computes `MUFU.EX2`.
#[inline(always)]
pub fn ex2<L: Lane>(x: L) -> L {
    let (fixed, negative) = (fixed(x), x.down_signed(n(31)));
    let exponent = fixed.down_signed(n(23)).plus(n(126));
    let outside = n::<L>(INFINITY).mask(negative.differ(n(u32::MAX)));
    let result = fixed.on(&EX2_CURVE).where_(exponent.below(n(254)), outside);
    or_nan(x, result)
}

/// Computes `MUFU.LG2` of a positive normal number.
#[inline(always)]
pub fn lg2_of_normal<L: Lane>(x: L) -> L {
    let (segment, below) = (x.down(n(17)), x.mask(n(0x1_ffff)));
    let both = segment.of(LG2_12);
    // V / 8 = 2^12 C0 + 837 + C1 X - 2 abs(C2) Q, where V is the polynomial of the logarithm, C0 to
    // C2 are the coefficients of the segment, X the operand bits below it, and Q the truncated
    // square of X.
    let square = both.down(n(16)).times_short(below.square()).up(n(1));
    let rest = n::<L>(837).minus(square).double();
    let value = segment.of(LG2_0).double().fma(d::<L>(4096.0), rest);
    let value = both.mask(n(0xffff)).double().fma(below.double(), value);
    let exponent = x.down(n(23)).minus(n(127)).double();
    const UNIT: f64 = 1.0 / (1u64 << 36) as f64;
    let sum = value.times(d::<L>(0.25)).floor().fma(d::<L>(UNIT), exponent);
    // The unit takes the ones' complement for the magnitude of a negative sum, which is 2^-36 less
    // than the magnitude. Adding half of 2^-36 to the signed sum, and then subtracting it from the
    // magnitude, has this effect on negative sums and none on others.
    let magnitude =
        sum.plus(d::<L>(UNIT / 2.0)).with_sign_of(d::<L>(1.0)).plus(d::<L>(-UNIT / 2.0));
    let result = magnitude.with_sign_of(sum).cut();
    n::<L>(0).where_(x.is(n(ONE)), result)
}

/// Computes `MUFU.LG2`.
#[inline(always)]
pub fn lg2<L: Lane>(x: L) -> L {
    of_positive(x, lg2_of_normal(x), n(SIGN | INFINITY), n(INFINITY))
}

/// The sine of a phase in units of 2^-25 turns. Bit 31 of `sign` is the sign of the result in the
/// first half turn. The result is a NaN if `x` is not finite.
#[inline(always)]
fn wave<L: Lane>(x: L, phase: L, sign: L) -> L {
    let turned = phase.up(n(8)).down_signed(n(31));
    let within = phase.differ(turned);
    let (segment, below) = (within.down(n(17)), within.mask(n(0x1_ffff)));
    let both = segment.of(SIN_12);
    // V / 16 = 2^12 C0 + C1 X - abs(C2) Q, where V is the polynomial of the sine, C0 to C2 are the
    // coefficients of the segment, X the phase bits below it, and Q the truncated square of X.
    let square = n::<L>(0).minus(both.down(n(16)).times_short(below.square())).double();
    let value = segment.of(SIN_0).double().fma(d::<L>(4096.0), square);
    let value = both.mask(n(0xffff)).double().fma(below.double(), value);
    let magnitude = value.times(d::<L>(1.0 / (1u64 << 37) as f64)).cut();
    let result = magnitude.with(sign.differ(phase.up(n(7))).mask(n(SIGN)));
    n::<L>(NAN).where_(x.mask(n(INFINITY)).is(n(INFINITY)), result)
}

/// The magnitude of an angle in turns, in fixed point with 25 fractional bits.
#[inline(always)]
fn turns<L: Lane>(x: L) -> L {
    let significand = x.mask(n(0x007f_ffff)).with(n(0x0080_0000));
    let exponent = x.down(n(23)).mask(n(0xff));
    // One of the two shift counts is 32 or more, so that one of the shifted numbers is 0.
    let up = significand.up(exponent.minus(n(125)));
    up.with(significand.down(n::<L>(125).minus(exponent)))
}

/// Computes `MUFU.SIN`.
#[inline(always)]
pub fn sin<L: Lane>(x: L) -> L {
    wave(x, turns(x), x)
}

/// Computes `MUFU.COS`.
#[inline(always)]
pub fn cos<L: Lane>(x: L) -> L {
    wave(x, turns(x).plus(n(1 << 23)), n(0))
}

/// Computes `MUFU.TANH`.
#[inline(always)]
pub fn tanh<L: Lane>(x: L) -> L {
    let segment = x.down(n(19));
    let constant = segment.of(TANH_0);
    let below = x.up(constant.down(n(28))).mask(n(0x007f_ffff)).down(n(6));
    // V / 4 = 2^15 C0 + C1 X - 2 abs(C2) Q, where V is the polynomial of the tangent, C0 to C2 are
    // the coefficients of the segment, X the operand bits below it, and Q the truncated square of
    // X.
    let square = segment.of(TANH_2).times(below.square()).double();
    let value = constant.mask(n(0x0fff_ffff)).double().times(d::<L>(32768.0));
    let value = segment.of(TANH_1).double().fma(below.double(), value);
    let value = square.fma(d::<L>(-2.0), value);
    let cut = value.times(d::<L>(1.0 / (1u64 << 39) as f64)).cut();
    // For an operand below 1/2, the table has the result times a power of two, so that it lies from
    // 1/2 to 1.
    let magnitude = x.mask(n(!SIGN));
    let scale = n::<L>(126 << 23).minus(x.mask(n(INFINITY)));
    let scale = scale.mask(scale.down_signed(n(31)).differ(n(u32::MAX)));
    let result = cut.minus(scale);
    let result = result.where_(magnitude.below(n(130 << 23)), n(ONE));
    let result = result.where_(n::<L>((119 << 23) - 1).below(magnitude), magnitude);
    or_nan(x, result.with(x.mask(n(SIGN))))
}

/// Computes `MUFU.RCP64H`.
#[inline(always)]
pub fn rcp64h<L: Lane>(x: L) -> L {
    // The operand's significand, as an f32 from 1 to 2. Its reciprocal has the biased exponent 126
    // or 127.
    let mantissa = x.mask(n(0x000f_ffff)).up(n(4)).with(n(254 << 23));
    let value = mantissa.on(&RCP_CURVE).minus(n(125 << 23)).down(n(3));
    let exponent = x.mask(n(0x7ff0_0000));
    let result = value.plus(n::<L>(2044 << 20).minus(exponent));
    let is_small = result.plus(n(SIGN)).below(n(SIGN + 0x0010_0000));
    let result = n::<L>(0).where_(is_small, result);
    let result = n::<L>(0x7ff0_0000).where_(exponent.is(n(0)), result);
    let result = result.with(x.mask(n(SIGN)));
    n::<L>(NAN).where_(n::<L>(0x7ff0_0000).below(x.mask(n(!SIGN))), result)
}

/// Computes `MUFU.RSQ64H`.
#[inline(always)]
pub fn rsq64h<L: Lane>(x: L) -> L {
    // The operand's significand gets the biased exponent 126 or 127, whichever has the parity of
    // the operand's exponent. Its reciprocal square root then has the biased exponent 126 or 127,
    // too.
    let mantissa = x.mask(n(0x001f_ffff)).up(n(3));
    let value = mantissa.with(n(126 << 23)).on(&RSQ_CURVE).minus(n(126 << 23));
    let value = value.plus(mantissa.mask(n(0x0080_0000))).down(n(3));
    let half = x.plus(n(0x0010_0000)).down(n(1)).mask(n(0x7ff0_0000));
    let result = value.plus(n(1533 << 20)).minus(half);
    let special = n::<L>(0).where_(x.is(n(0x7ff0_0000)), n(NAN));
    let zero = x.mask(n(SIGN)).with(n(0x7ff0_0000));
    let is_nan = n::<L>(0x7ff0_0000).below(x.mask(n(!SIGN)));
    let special = zero.where_(x.mask(n(0x7ff0_0000)).is(n(0)), special);
    let result = result.where_(x.minus(n(0x0010_0000)).below(n(0x7fe0_0000)), special);
    n::<L>(NAN).where_(is_nan, result)
}

/// A `MUFU` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `MUFU.RCP`
    Rcp,
    /// `MUFU.RSQ`
    Rsq,
    /// `MUFU.SQRT`
    Sqrt,
    /// `MUFU.EX2`
    Ex2,
    /// `MUFU.LG2`
    Lg2,
    /// `MUFU.SIN`
    Sin,
    /// `MUFU.COS`
    Cos,
    /// `MUFU.TANH`
    Tanh,
    /// `MUFU.RCP64H`
    Rcp64h,
    /// `MUFU.RSQ64H`
    Rsq64h,
}

impl Function {
    /// All functions, in the order of declaration.
    pub const ALL: [Self; 10] = [
        Self::Rcp,
        Self::Rsq,
        Self::Sqrt,
        Self::Ex2,
        Self::Lg2,
        Self::Sin,
        Self::Cos,
        Self::Tanh,
        Self::Rcp64h,
        Self::Rsq64h,
    ];

    /// The result of the instruction for one operand, by the scalar reference ([`mufu`]).
    pub fn of(self, x: u32) -> u32 {
        match self {
            Self::Rcp => mufu::rcp(x),
            Self::Rsq => mufu::rsq(x),
            Self::Sqrt => mufu::sqrt(x),
            Self::Ex2 => mufu::ex2(x),
            Self::Lg2 => mufu::lg2(x),
            Self::Sin => mufu::sin(x),
            Self::Cos => mufu::cos(x),
            Self::Tanh => mufu::tanh(x),
            Self::Rcp64h => mufu::rcp64h(x),
            Self::Rsq64h => mufu::rsq64h(x),
        }
    }

    /// Applies the function to the 32 lanes of a warp. `build` is the build for a SIMD level.
    pub fn warp(self, build: Build, x: &[u32; 32]) -> [u32; 32] {
        match self {
            Self::Rcp => each(build, x, rcp),
            Self::Rsq => each(build, x, rsq),
            Self::Sqrt => each(build, x, sqrt),
            Self::Ex2 => each(build, x, ex2),
            Self::Lg2 => each(build, x, lg2),
            Self::Sin => each(build, x, sin),
            Self::Cos => each(build, x, cos),
            Self::Tanh => each(build, x, tanh),
            Self::Rcp64h => each(build, x, rcp64h),
            Self::Rsq64h => each(build, x, rsq64h),
        }
    }
}

/// Applies a function to all 32 lanes.
#[inline(always)]
fn each(build: Build, x: &[u32; 32], function: impl Fn(u32) -> u32) -> [u32; 32] {
    build.run(
        #[inline(always)]
        || {
            let mut lanes = [0; 32];
            for i in 0..32 {
                lanes[i] = function(x[i]);
            }
            lanes
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test operands of all exponents and both signs. Their mantissas are at the ends of segments
    /// and between them.
    fn operands() -> impl Iterator<Item = u32> {
        let tops = (0..1 << 16).map(|top: u32| top << 16);
        tops.flat_map(|top| {
            let hash = (top >> 16).wrapping_mul(0x9e37_79b9);
            [0, 1, 2, 3, 0xffff, 0x8000, hash >> 16, hash & 0xffff].map(|low| top | low)
        })
    }

    #[test]
    fn lanes_are_as_the_reference() {
        let operands: Vec<u32> = operands().collect();
        for function in Function::ALL {
            for build in Build::all() {
                for warp in operands.as_chunks::<32>().0 {
                    let got = function.warp(build, warp);
                    for (&x, got) in warp.iter().zip(got) {
                        let wanted = function.of(x);
                        assert_eq!(
                            got,
                            wanted,
                            "{function:?}({x:#010x}), {:?}: {got:#x}",
                            build.level()
                        );
                    }
                }
            }
        }
    }
}
