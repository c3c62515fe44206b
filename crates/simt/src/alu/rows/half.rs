//! Arithmetic of f16, bf16 and their packed pairs.
//!
//! Values are computed in f64, rounded to odd where they are not exact, and rounded once more to
//! the short format. NaN results are 0x7fff.

use super::family;
use crate::alu::Row;
use crate::alu::approx::{ex2_64, tanh_64};
use crate::alu::half::{Bf16, F16, Half, flush, min, put, strict};
use crate::alu::round::sum_odd;

/// Families of the four types: one number or two in a register.
pub(super) const FAMILIES: &[&[Row]] = &[
    sums::<F16, false, false, false, false>(),
    sums::<F16, false, false, true, false>(),
    sums::<F16, false, false, false, true>(),
    functions::<F16, false, false>(),
    extremes::<F16, false, false, false>(),
    extremes::<F16, false, false, true>(),
    sums::<F16, false, true, false, false>(),
    sums::<F16, false, true, true, false>(),
    sums::<F16, false, true, false, true>(),
    functions::<F16, false, true>(),
    extremes::<F16, false, true, false>(),
    extremes::<F16, false, true, true>(),
    sums::<F16, true, false, false, false>(),
    sums::<F16, true, false, true, false>(),
    sums::<F16, true, false, false, true>(),
    functions::<F16, true, false>(),
    extremes::<F16, true, false, false>(),
    extremes::<F16, true, false, true>(),
    sums::<F16, true, true, false, false>(),
    sums::<F16, true, true, true, false>(),
    sums::<F16, true, true, false, true>(),
    functions::<F16, true, true>(),
    extremes::<F16, true, true, false>(),
    extremes::<F16, true, true, true>(),
    sums::<Bf16, false, false, false, false>(),
    sums::<Bf16, false, false, true, false>(),
    sums::<Bf16, false, false, false, true>(),
    functions::<Bf16, false, false>(),
    extremes::<Bf16, false, false, false>(),
    extremes::<Bf16, false, false, true>(),
    sums::<Bf16, false, true, false, false>(),
    sums::<Bf16, false, true, true, false>(),
    sums::<Bf16, false, true, false, true>(),
    functions::<Bf16, false, true>(),
    extremes::<Bf16, false, true, false>(),
    extremes::<Bf16, false, true, true>(),
    sums::<Bf16, true, false, false, false>(),
    sums::<Bf16, true, false, true, false>(),
    sums::<Bf16, true, false, false, true>(),
    functions::<Bf16, true, false>(),
    extremes::<Bf16, true, false, false>(),
    extremes::<Bf16, true, false, true>(),
    sums::<Bf16, true, true, false, false>(),
    sums::<Bf16, true, true, true, false>(),
    sums::<Bf16, true, true, false, true>(),
    functions::<Bf16, true, true>(),
    extremes::<Bf16, true, true, false>(),
    extremes::<Bf16, true, true, true>(),
];

family! { sums [H: Half, const PAIR: bool, const FTZ: bool, const SAT: bool, const RELU: bool]
    with |key| key.of_type(H::TYPES[PAIR as usize]).flag("ftz", FTZ).flag("sat", SAT).flag("relu", RELU); calls
    b32 {
        ["add"] |a, b| each(PAIR, a, b, b, |a, b, _| put::<H, FTZ, SAT, RELU>(sum_odd(get::<H, FTZ>(a), get::<H, FTZ>(b))));
        ["sub"] |a, b| each(PAIR, a, b, b, |a, b, _| put::<H, FTZ, SAT, RELU>(sum_odd(get::<H, FTZ>(a), -get::<H, FTZ>(b))));
        ["mul"] |a, b| each(PAIR, a, b, b, |a, b, _| put::<H, FTZ, SAT, RELU>(get::<H, FTZ>(a) * get::<H, FTZ>(b)));
        ["fma"] |a, b, c| each(PAIR, a, b, c, |a, b, c| {
            let product = get::<H, FTZ>(a) * get::<H, FTZ>(b);
            put::<H, FTZ, SAT, RELU>(sum_odd(product, get::<H, FTZ>(c)))
        });
    }
}

family! { functions [H: Half, const PAIR: bool, const FTZ: bool]
    with |key| key.of_type(H::TYPES[PAIR as usize]).flag("ftz", FTZ); calls
    b32 {
        ["abs"] |a| each(PAIR, a, a, a, |a, _, _| plain::<H, FTZ>(get::<H, FTZ>(a).abs()));
        ["neg"] |a| each(PAIR, a, a, a, |a, _, _| plain::<H, FTZ>(-get::<H, FTZ>(a)));
        ["ex2.approx"] |a| each(PAIR, a, a, a, |a, _, _| plain::<H, FTZ>(ex2_64(get::<H, FTZ>(a))));
        ["tanh.approx"] |a| each(PAIR, a, a, a, |a, _, _| plain::<H, FTZ>(tanh_64(get::<H, FTZ>(a))));
    }
}

family! { extremes [H: Half, const PAIR: bool, const FTZ: bool, const NAN: bool]
    with |key| key.of_type(H::TYPES[PAIR as usize]).flag("ftz", FTZ).flag("NaN", NAN); calls
    b32 {
        ["min"] |a, b| each(PAIR, a, b, b, |a, b, _| plain::<H, FTZ>(lesser::<NAN>(get::<H, FTZ>(a), get::<H, FTZ>(b))));
        ["max"] |a, b| each(PAIR, a, b, b, |a, b, _| plain::<H, FTZ>(greater::<NAN>(get::<H, FTZ>(a), get::<H, FTZ>(b))));
        // Of the magnitudes, with the exclusive or of the signs.
        ["min.xorsign.abs"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            with_sign::<H, FTZ>(lesser::<NAN>(get::<H, FTZ>(a).abs(), get::<H, FTZ>(b).abs()), a ^ b)
        });
        ["max.xorsign.abs"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            with_sign::<H, FTZ>(greater::<NAN>(get::<H, FTZ>(a).abs(), get::<H, FTZ>(b).abs()), a ^ b)
        });
    }
}

/// A number, or both of a pair, through `f`.
#[inline(always)]
fn each(pair: bool, a: u32, b: u32, c: u32, f: impl Fn(u32, u32, u32) -> u32) -> u32 {
    let low = f(a, b, c);
    if pair { low | f(a >> 16, b >> 16, c >> 16) << 16 } else { low }
}

#[inline(always)]
fn get<H: Half, const FTZ: bool>(x: u32) -> f64 {
    H::get(flush::<H, FTZ>(x))
}

#[inline(always)]
fn plain<H: Half, const FTZ: bool>(x: f64) -> u32 {
    put::<H, FTZ, false, false>(x)
}

#[inline(always)]
fn lesser<const NAN: bool>(a: f64, b: f64) -> f64 {
    if NAN { strict(a, b, min(a, b)) } else { min(a, b) }
}

#[inline(always)]
fn greater<const NAN: bool>(a: f64, b: f64) -> f64 {
    if NAN { strict(a, b, -min(-a, -b)) } else { -min(-a, -b) }
}

/// A NaN stays the canonical one.
#[inline(always)]
fn with_sign<H: Half, const FTZ: bool>(value: f64, sign: u32) -> u32 {
    plain::<H, FTZ>(value) | if value.is_nan() { 0 } else { sign & 0x8000 }
}
