//! The newer forms of f32 arithmetic: pairs (`.f32x2`) and sources of 16 bits (`add.f32.f16`).

use super::family;
use super::parts::*;
use crate::alu::Row;
use crate::alu::float::{add, fma, mul};
use crate::alu::half::{bf16_to_f32, f16_to_f32};
use crate::alu::mode::Mode;
use crate::alu::round::{RM, RN, RP, RZ};

/// Families of pairs and of short sources.
pub(super) const FAMILIES: &[&[Row]] = &[
    nearest::<false>(),
    nearest::<true>(),
    directed::<RZ, false>(),
    directed::<RZ, true>(),
    directed::<RM, false>(),
    directed::<RM, true>(),
    directed::<RP, false>(),
    directed::<RP, true>(),
    short::<RN, false>(),
    short::<RN, true>(),
    short::<RZ, false>(),
    short::<RZ, true>(),
    short::<RM, false>(),
    short::<RM, true>(),
    short::<RP, false>(),
    short::<RP, true>(),
];

family! { nearest [const FTZ: bool]
    with |key| key.flag("ftz", FTZ); rows
    b64 {
        ["add.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_add(b, flushing(FTZ)));
        ["sub.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_sub(b, flushing(FTZ)));
        ["mul.f32x2"] |a, b| both(a, b, b, |a, b, _| a.f_mul(b, flushing(FTZ)));
        ["fma.f32x2"] |a, b, c| both(a, b, c, |a, b, c| a.f_fma(b, c, flushing(FTZ)));
    }
}

family! { directed [const R: u8, const FTZ: bool]
    with |key| key.rounded(R).flag("ftz", FTZ); calls
    b64 {
        ["add.f32x2"] |a, b| both(a, b, b, |a, b, _| of(flushing(FTZ), a, b, b, |a, b, _| add::<R>(a, b)));
        ["sub.f32x2"] |a, b| both(a, b, b, |a, b, _| of(flushing(FTZ), a, b, b, |a, b, _| add::<R>(a, -b)));
        ["mul.f32x2"] |a, b| both(a, b, b, |a, b, _| of(flushing(FTZ), a, b, b, |a, b, _| mul::<R>(a, b)));
        ["fma.f32x2"] |a, b, c| both(a, b, c, |a, b, c| of(flushing(FTZ), a, b, c, fma::<R>));
    }
}

family! { short [const R: u8, const SAT: bool]
    with |key| key.rounded(R).flag("sat", SAT); calls
    b32 {
        ["add.f32.f16"] |a, c| limited(SAT, add::<R>(f16_to_f32(a), f32::from_bits(c)));
        ["sub.f32.f16"] |a, c| limited(SAT, add::<R>(f16_to_f32(a), -f32::from_bits(c)));
        ["fma.f32.f16"] |a, b, c| limited(SAT, fma::<R>(f16_to_f32(a), f16_to_f32(b), f32::from_bits(c)));
        ["add.f32.bf16"] |a, c| limited(SAT, add::<R>(bf16_to_f32(a), f32::from_bits(c)));
        ["sub.f32.bf16"] |a, c| limited(SAT, add::<R>(bf16_to_f32(a), -f32::from_bits(c)));
        ["fma.f32.bf16"] |a, b, c| limited(SAT, fma::<R>(bf16_to_f32(a), bf16_to_f32(b), f32::from_bits(c)));
    }
}

/// Both halves of the sources, each through `f`; the first number is in the low half.
#[inline(always)]
fn both<W, V>(a: W, b: W, c: W, f: impl Fn(V, V, V) -> V) -> W
where
    W: B64<Narrow = V>,
    V: B32<Wide = W>,
{
    let high = |x: W| x.shr_u(lit(32)).low();
    let low = f(a.low(), b.low(), c.low()).extend_u();
    low.or(f(high(a), high(b), high(c)).extend_u().shl(lit(32)))
}

#[inline(always)]
const fn flushing(ftz: bool) -> Mode {
    Mode { ftz, sat: false }
}

#[inline(always)]
fn of(m: Mode, a: u32, b: u32, c: u32, f: impl Fn(f32, f32, f32) -> f32) -> u32 {
    m.put(f(m.get(a), m.get(b), m.get(c)))
}

#[inline(always)]
fn limited(sat: bool, x: f32) -> u32 {
    Mode { ftz: false, sat }.put(x)
}
