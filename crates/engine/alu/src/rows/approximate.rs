//! The `.approx` and `.full` instructions: ptxas's code with the special function unit's
//! instructions, bit for bit as on a GPU ([`texunit_sfu::ptx`]), and the correctly rounded results
//! that `--approx rounded` selects (`approx`).

use super::parts::*;
use super::{family, table};
use crate::approx;
use crate::mode::{Mode, Variant};
use crate::mufu::{self, Unit};
use crate::primitive::Rarely;
use crate::round::{Format, RN};
use crate::row::Row;
use crate::soft;
use texunit_sfu::lanes::{RSQ_CURVE, SQRT_CURVE};

const HALF: u64 = 0x3f00_0000;
const QUARTER: u64 = 0x3e80_0000;
const TWO_12: u64 = 0x4580_0000;
const TWO_24: u64 = 0x4b80_0000;
const TWO_MINUS_12: u64 = 0x3980_0000;
const ONE_64: u64 = 1f64.to_bits();
const HALF_64: u64 = 0.5f64.to_bits();
const THREE_EIGHTHS_64: u64 = 0.375f64.to_bits();
const TWO_27: u64 = 0x41a0 << 48;
const TWO_54: u64 = 0x4350 << 48;

table! { CARD both
    b32 {
        ["rcp.approx.f32"] |a| reciprocal(a, || {
            let scale = divisor_scale(a);
            mufu::rcp(a.f_mul(scale, IEEE)).f_mul(scale, IEEE)
        });
        ["rcp.approx.ftz.f32"] |a| reciprocal(a, || mufu::rcp(a));
        ["rsqrt.approx.f32"] |a| a.on_curve(&RSQ_CURVE).unless(a.f_special(), || {
            let root = mufu::rsq(scaled(a));
            root.f_mul(lit(TWO_12), IEEE).when(is_small(a), root)
        });
        ["rsqrt.approx.ftz.f32"] |a| {
            a.on_curve(&RSQ_CURVE).unless(a.f_special(), || mufu::rsq(a))
        };
        ["sqrt.approx.f32"] |a| a.on_curve(&SQRT_CURVE).unless(a.f_special(), || {
            let root = mufu::sqrt(scaled(a));
            root.f_mul(lit(TWO_MINUS_12), IEEE).when(is_small(a), root)
        });
        ["sqrt.approx.ftz.f32"] |a| {
            a.on_curve(&SQRT_CURVE).unless(a.f_special(), || mufu::sqrt(a))
        };
        ["lg2.approx.f32"] |a| mufu::lg2_of_normal(a).unless(a.f_special(), || {
            let logarithm = mufu::lg2(scaled(a));
            logarithm.f_sub(lit(24f32.to_bits().into()), IEEE).when(is_small(a), logarithm)
        });
        ["lg2.approx.ftz.f32"] |a| mufu::lg2_of_normal(a).unless(a.f_special(), || mufu::lg2(a));
        ["ex2.approx.f32"] |a| power(a, || {
            // Below -126 the result is the square of 2^(x / 2), because the unit's result would be
            // zero instead of subnormal.
            let low = a.f_ltu(lit((-126f32).to_bits().into()));
            let power = mufu::ex2(a.f_mul(lit(HALF), IEEE).when(low, a));
            power.f_mul(power, IEEE).when(low, power)
        });
        ["ex2.approx.ftz.f32"] |a| power(a, || mufu::ex2(a));
        ["sin.approx.f32", "sin.approx.ftz.f32"] |a| mufu::sin(turns(a));
        ["cos.approx.f32", "cos.approx.ftz.f32"] |a| mufu::cos(turns(a));
        ["tanh.approx.f32", "tanh.approx.ftz.f32"] |a| mufu::tanh(a);
        ["div.approx.f32"] |a, b| {
            let usual = a.f_mul(mufu::rcp_of_normal(b), IEEE);
            usual.unless(has_special_reciprocal(b), || {
                let scale = scale_if(is_small(b), TWO_24);
                a.f_mul(scale, IEEE).f_mul(mufu::rcp(b.f_mul(scale, IEEE)), IEEE)
            })
        };
        ["div.approx.ftz.f32"] |a, b| a.f_mul(reciprocal(b, || mufu::rcp(b)), FTZ);
        ["div.full.f32"] |a, b| {
            let usual = a.f_mul(mufu::rcp_of_normal(b), IEEE);
            usual.unless(has_special_reciprocal(b), || {
                let scale = divisor_scale(b);
                a.f_mul(scale, IEEE).f_mul(mufu::rcp(b.f_mul(scale, IEEE)), IEEE)
            })
        };
        ["div.full.ftz.f32"] |a, b| {
            let usual = a.f_mul(mufu::rcp_of_normal(b), FTZ);
            usual.unless(has_special_reciprocal(b), || {
                let scale = scale_if(is_large(b), QUARTER);
                a.f_mul(scale, FTZ).f_mul(mufu::rcp(b.f_mul(scale, FTZ)), FTZ)
            })
        };
    }
}

table! { CARD_HIGH both
    b64 {
        ["rsqrt.approx.f64"] |a| {
            // The instruction's approximation of the root is improved by one iteration if it is a
            // normal number.
            let is_subnormal = a.sub(lit(1)).lt_u(lit((1 << 52) - 1));
            let x = a.f_mul(lit(TWO_54)).when(is_subnormal, a);
            let y = mufu::rsq64h(x.shr_u(lit(32)).low()).extend_u().shl(lit(32));
            let rest = x.f_fma(y.f_mul(y).f_neg(), lit(ONE_64));
            let part = rest.f_fma(lit(THREE_EIGHTHS_64), lit(HALF_64));
            let root = part.f_fma(y.f_mul(rest), y);
            let root = root.f_mul(lit(TWO_27)).when(is_subnormal, root);
            let is_normal = x.sub(lit(1 << 52)).lt_u(lit(0x7fe << 52));
            let root = root.when(is_normal, y);
            let root = B64::when(lit(0xfff8 << 48), a.f_lt(lit(0)), root);
            a.or(lit(1 << 51)).when(a.f_ltu(a), root)
        };
        ["rsqrt.approx.ftz.f64"] |a| mufu::rsq64h(a.shr_u(lit(32)).low()).extend_u().shl(lit(32));
        ["rcp.approx.ftz.f64"] |a| mufu::rcp64h(a.shr_u(lit(32)).low()).extend_u().shl(lit(32));
    }
}

table! { ROUNDED rows
    b32 {
        ["div.approx.rounded.f32"] |a, b| quotient(a, b, IEEE);
        ["div.approx.rounded.ftz.f32"] |a, b| quotient(a, b, FTZ);
    }
}

table! { ROUNDED_64 calls
    f64 {
        ["rsqrt.approx.rounded.f64"] |a| soft::rsqrt(Format::F64, RN, a);
    }
    // The `.ftz.f64` forms read and write only the upper 32 bits of a register.
    b64 {
        ["rsqrt.approx.rounded.ftz.f64"] |a| gross(a, |x| 1.0 / x.sqrt());
        ["rcp.approx.rounded.ftz.f64"] |a| gross(a, |x| 1.0 / x);
    }
}

/// Families of f32 functions.
pub(super) fn families() -> Vec<Row> {
    let mut all = rounded::<false>().of(vec![Variant::PLAIN]);
    all.extend(rounded::<true>().of(vec![Variant::PLAIN]));
    all
}

// These operations are functions, because correctly rounded results need the math library and
// 100-bit arithmetic, which steps cannot express.
family! { rounded [const FTZ: bool] |_v|
    with |key| key.flag("ftz", FTZ); calls
    b32 {
        ["rsqrt.approx.rounded.f32"] |a| unary::<FTZ>(a, approx::rsqrt);
        ["sin.approx.rounded.f32"] |a| unary::<FTZ>(a, approx::sin);
        ["cos.approx.rounded.f32"] |a| unary::<FTZ>(a, approx::cos);
        ["ex2.approx.rounded.f32"] |a| unary::<FTZ>(a, approx::ex2);
        ["lg2.approx.rounded.f32"] |a| unary::<FTZ>(a, approx::lg2);
        ["tanh.approx.rounded.f32"] |a| unary::<FTZ>(a, approx::tanh);
    }
}

#[inline(always)]
fn unary<const FTZ: bool>(a: u32, f: impl Fn(f32) -> f32) -> u32 {
    let m = Mode { ftz: FTZ, sat: false };
    m.put(f(m.get(a)))
}

#[inline(always)]
fn gross(a: u64, f: impl Fn(f64) -> f64) -> u64 {
    let flush = |x: u64| if x >> 52 & 0x7ff == 0 { x & 1 << 63 } else { x };
    let upper = 0xffff_ffff_0000_0000;
    let value = f(f64::from_bits(flush(a & upper)));
    if f64::from_bits(a).is_nan() || value.is_nan() {
        return 0x7fff_ffff_0000_0000;
    }
    flush(value.to_bits()) & upper
}

/// Whether the magnitude of an f32 is not from 2^-126 to 2^126, where numbers and their reciprocals
/// are normal.
#[inline(always)]
fn has_special_reciprocal<V: B32>(a: V) -> V::Holds {
    a.add(a).sub(lit(0x0100_0000)).gt_u(lit(0xfc00_0000))
}

/// The reciprocal of an f32; the value of `other` if the operand or its reciprocal may not be
/// normal.
#[inline(always)]
fn reciprocal<V: Rarely + Unit>(a: V, other: impl FnOnce() -> V) -> V {
    mufu::rcp_of_normal(a).unless(has_special_reciprocal(a), other)
}

/// The power 2^a of an f32; the value of `other` if the result may not be normal.
#[inline(always)]
fn power<V: Rarely + Unit>(a: V, other: impl FnOnce() -> V) -> V {
    mufu::ex2_of_normal(a).unless(magnitude(a).ge_u(lit(126f32.to_bits().into())), other)
}

/// Whether the magnitude of an f32 is below 2^-126.
#[inline(always)]
fn is_small<V: B32>(a: V) -> V::Holds {
    magnitude(a).lt_u(lit(0x0080_0000))
}

/// Whether an f32 is above 2^126 in magnitude, or a NaN.
#[inline(always)]
fn is_large<V: B32>(a: V) -> V::Holds {
    lit::<V>(0x7e80_0000).lt_u(magnitude(a))
}

/// An operand, multiplied by 2^24 if its magnitude is below 2^-126.
#[inline(always)]
fn scaled<V: B32>(a: V) -> V {
    a.f_mul(lit(TWO_24), IEEE).when(is_small(a), a)
}

/// The factor for divisor and dividend with which the divisor and its reciprocal are normal
/// numbers.
#[inline(always)]
fn divisor_scale<V: B32>(a: V) -> V {
    lit::<V>(TWO_24).when(is_small(a), lit::<V>(QUARTER).when(is_large(a), lit(ONE)))
}

/// The factor `scale` if the predicate is true, else 1.
#[inline(always)]
fn scale_if<V: B32>(holds: V::Holds, scale: u64) -> V {
    lit::<V>(scale).when(holds, lit(ONE))
}

/// Converts an angle from radians to turns.
#[inline(always)]
fn turns<V: B32>(a: V) -> V {
    const TURN: u64 = 0x3e22_f983;
    a.f_mul_in(lit(TURN), Trunc, IEEE)
}

/// The dividend times the reciprocal of the divisor, each rounded. A divisor above 2^126 has a
/// reciprocal of zero (PTX ISA, div).
fn quotient<V: B32>(a: V, b: V, m: Mode) -> V {
    const ABOVE: u64 = 0x7e80_0001;
    let is_big = magnitude(b).sub(lit(ABOVE)).lt_u(lit(0x7f80_0000 - ABOVE));
    let zero = b.and(lit(1 << 31));
    a.f_mul(zero.when(is_big, B32::f_div(lit(ONE), b, m)), m)
}
