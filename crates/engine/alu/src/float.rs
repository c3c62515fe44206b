//! IEEE arithmetic of f32 in each rounding mode, NaN results of f64, and `min` and `max`.

use super::L64;
use super::round::{Format, RM, RN, RP, RZ, narrow32, sum_odd, to_odd};
use texunit_jit::Rounding;

/// Replaces a subnormal f32 by a zero of its sign.
#[inline(always)]
pub(super) fn flush32(x: u32) -> u32 {
    if x & 0x7f80_0000 == 0 { x & 0x8000_0000 } else { x }
}

/// The bit that distinguishes a quiet NaN of f64 from a signalling NaN.
pub(super) const QUIET64: u64 = 1 << 51;

/// The NaN result of an f64 instruction. It is the first NaN among the sources, made quiet, or the
/// default NaN of an invalid operation if no source is a NaN. Sources are given in the order of the
/// instruction's preference (docs/numerics.md, 13.2 and 13.7).
pub fn nan64<const N: usize>(sources: [u64; N]) -> u64 {
    let is_nan = |x: &u64| f64::from_bits(*x).is_nan();
    sources.into_iter().find(is_nan).map_or(Format::F64.nan, |x| x | QUIET64)
}

/// Replaces the NaNs among the lanes of a result by those of [`nan64`]. Sources are given in the
/// order of preference.
#[cold]
pub(super) fn put_nans(lanes: &mut L64, sources: &[&L64]) {
    for (i, lane) in lanes.iter_mut().enumerate().filter(|(_, x)| f64::from_bits(**x).is_nan()) {
        let mut three = [0; 3];
        three.iter_mut().zip(sources).for_each(|(to, source)| *to = source[i]);
        *lane = nan64(three);
    }
}

/// The bits of an f64 result, in which every NaN is the default NaN.
#[inline(always)]
pub(super) fn result64(x: f64) -> u64 {
    if x.is_nan() { Format::F64.nan } else { x.to_bits() }
}

/// The bits of `x`, the result of `min` or `max` of two f64. `x` is a NaN only if both sources are
/// NaNs; the result then is `second`, the NaN of the second source, made quiet.
#[inline(always)]
pub(super) fn extreme64(x: f64, second: u64) -> u64 {
    if x.is_nan() { second | QUIET64 } else { x.to_bits() }
}

/// The sum of an exact product and an addend, both in f64, rounded once to f32.
#[inline(always)]
fn sum<const R: u8>(product: f64, c: f64) -> f32 {
    let sum = sum_odd(product, c);
    if R == RM && sum == 0.0 && (product.is_sign_negative() || c.is_sign_negative()) {
        return -0.0;
    }
    narrow32::<R>(sum)
}

#[inline(always)]
fn add<const R: u8>(a: f32, b: f32) -> f32 {
    if R == RN { a + b } else { sum::<R>(a.into(), b.into()) }
}

#[inline(always)]
fn mul<const R: u8>(a: f32, b: f32) -> f32 {
    // An f64 holds the product of two f32 exactly.
    if R == RN { a * b } else { narrow32::<R>(f64::from(a) * f64::from(b)) }
}

#[inline(always)]
fn fma<const R: u8>(a: f32, b: f32, c: f32) -> f32 {
    if R == RN { a.mul_add(b, c) } else { sum::<R>(f64::from(a) * f64::from(b), c.into()) }
}

#[inline(always)]
fn div<const R: u8>(a: f32, b: f32) -> f32 {
    if R == RN {
        return a / b;
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let quotient = a / b;
    let rest = (-quotient).mul_add(b, a);
    narrow32::<R>(to_odd(quotient, if b < 0.0 { -rest } else { rest }))
}

#[inline(always)]
fn sqrt<const R: u8>(a: f32) -> f32 {
    if R == RN {
        return a.sqrt();
    }
    let a = f64::from(a);
    let root = a.sqrt();
    narrow32::<R>(to_odd(root, (-root).mul_add(root, a)))
}

/// The constant of this module for a rounding mode.
#[inline(always)]
pub(super) const fn mode_of(rounding: Rounding) -> u8 {
    match rounding {
        Rounding::Near => RN,
        Rounding::Trunc => RZ,
        Rounding::Floor => RM,
        Rounding::Ceil => RP,
    }
}

/// Defines functions that select, by a rounding at run time, the functions compiled for each
/// rounding mode.
macro_rules! in_rounding {
    ($($name:ident = $of:ident($($arg:ident),*);)*) => {$(
        #[inline(always)]
        pub(super) fn $name(rounding: Rounding, $($arg: f32),*) -> f32 {
            match rounding {
                Rounding::Near => $of::<RN>($($arg),*),
                Rounding::Trunc => $of::<RZ>($($arg),*),
                Rounding::Floor => $of::<RM>($($arg),*),
                Rounding::Ceil => $of::<RP>($($arg),*),
            }
        }
    )*};
}

in_rounding! {
    add_in = add(a, b);
    mul_in = mul(a, b);
    fma_in = fma(a, b, c);
    div_in = div(a, b);
    sqrt_in = sqrt(a);
}

/// Defines `min` or `max` of two floats. If the sources are equal, which includes zeros of both
/// signs, their bits are combined, so that -0 is less than +0. If one source is a NaN, the result
/// is the other source.
macro_rules! extreme {
    ($name:ident, $float:ty, $before:tt, $combine:tt) => {
        #[inline(always)]
        pub(crate) fn $name(a: $float, b: $float) -> $float {
            let equal = <$float>::from_bits(a.to_bits() $combine b.to_bits());
            let first = if a $before b {
                a
            } else if b $before a {
                b
            } else {
                equal
            };
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else {
                first
            }
        }
    };
}

extreme!(min, f32, <, |);
extreme!(max, f32, >, &);
extreme!(min64, f64, <, |);
extreme!(max64, f64, >, &);
