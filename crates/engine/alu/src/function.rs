//! Implements the interface of the special function unit's formulas ([`texunit_sfu::lanes`]) on
//! primitives, so that the formulas can be recorded as steps.

use crate::mode::IEEE;
use crate::primitive::{B32, B64, lit};
use crate::term::Term;
use texunit_jit::Rounding::{Floor, Trunc};
use texunit_sfu::lanes::{Curve, Double, Lane, Words};

impl<'r> Lane for Term<'r, 32> {
    type Double = Term<'r, 64>;
    type Holds = Term<'r, 1>;

    fn all(bits: u32) -> Self {
        lit(bits.into())
    }
    fn plus(self, other: Self) -> Self {
        B32::add(self, other)
    }
    fn minus(self, other: Self) -> Self {
        B32::sub(self, other)
    }
    fn times(self, other: Self) -> Self {
        self.mul_lo(other)
    }
    fn times_short(self, other: Self) -> Self {
        self.mul_short(other)
    }
    fn mask(self, other: Self) -> Self {
        B32::and(self, other)
    }
    fn with(self, other: Self) -> Self {
        B32::or(self, other)
    }
    fn differ(self, other: Self) -> Self {
        B32::xor(self, other)
    }
    fn up(self, by: Self) -> Self {
        B32::shl(self, by)
    }
    fn down(self, by: Self) -> Self {
        B32::shr_u(self, by)
    }
    fn down_signed(self, by: Self) -> Self {
        B32::shr_s(self, by)
    }
    fn of(self, words: Words) -> Self {
        self.look_up(words)
    }
    fn on(self, curve: &'static Curve) -> Self {
        self.on_curve(curve)
    }
    fn square(self) -> Self {
        self.folded_square()
    }
    fn fixed(self) -> Self {
        let magnitude = B32::and(self, lit(0x7fff_ffff));
        B32::f_mul(magnitude, lit(8_388_608_f32.to_bits().into()), IEEE).f_to_s(Trunc)
    }
    fn is(self, other: Self) -> Self::Holds {
        B32::eq(self, other)
    }
    fn below(self, other: Self) -> Self::Holds {
        B32::lt_u(self, other)
    }
    fn where_(self, holds: Self::Holds, other: Self) -> Self {
        B32::when(self, holds, other)
    }
    fn double(self) -> Self::Double {
        B32::d_from_s(self)
    }
}

impl<'r> Double for Term<'r, 64> {
    type Lane = Term<'r, 32>;

    fn all(number: f64) -> Self {
        lit(number.to_bits())
    }
    fn fma(self, b: Self, c: Self) -> Self {
        B64::f_fma(self, b, c)
    }
    fn plus(self, other: Self) -> Self {
        B64::f_add(self, other)
    }
    fn times(self, other: Self) -> Self {
        B64::f_mul(self, other)
    }
    fn floor(self) -> Self {
        B64::f_round(self, Floor)
    }
    fn with_sign_of(self, other: Self) -> Self {
        B64::pick(other, self, lit(1 << 63))
    }
    fn cut(self) -> Self::Lane {
        self.d_to_f(Trunc)
    }
}
