//! Arithmetic of f32 in each rounding mode, NaN results of f64, and `min` and `max`.

use super::round::{Format, RM, RN, RP, RZ, narrow};
use super::{L64, soft};
use texunit_jit::Rounding;

/// Replaces a subnormal f32 by a zero of its sign.
#[inline(always)]
pub(super) fn flush32(x: u32) -> u32 {
    if x & 0x7f80_0000 == 0 { x & 0x8000_0000 } else { x }
}

/// Converts the low half of a register, an f16, to f32 exactly. A NaN keeps its payload.
#[inline(always)]
pub(super) fn f16_to_f32(x: u32) -> f32 {
    let magnitude = x & 0x7fff;
    // If an f16 is shifted to the position that the bits have in an f32, it is an f32 that is too
    // small by a factor of 2^112, also if it is subnormal.
    let scaled = (f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000)).to_bits();
    let special = magnitude << 13 | 0x7f80_0000;
    let bits = if magnitude >= 0x7c00 { special } else { scaled };
    f32::from_bits(bits | (x & 0x8000) << 16)
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

/// Defines f32 functions with a rounding at run time. The processor rounds to nearest; directed
/// roundings are computed on integers.
macro_rules! in_rounding {
    ($($name:ident($($arg:ident),*) = $near:expr, $directed:path;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(rounding: Rounding, $($arg: f32),*) -> f32 {
            match rounding {
                Rounding::Near => $near,
                _ => {
                    let mode = mode_of(rounding);
                    f32::from_bits($directed(Format::F32, mode, $($arg.to_bits().into()),*) as u32)
                }
            }
        }
    )*};
}

in_rounding! {
    add_in(a, b) = a + b, soft::add;
    fma_in(a, b, c) = a.mul_add(b, c), soft::fma;
    div_in(a, b) = a / b, soft::div;
    sqrt_in(a) = a.sqrt(), soft::sqrt;
}

/// The product of two f32, which an f64 holds exactly.
#[inline(always)]
pub(super) fn mul_in(rounding: Rounding, a: f32, b: f32) -> f32 {
    match rounding {
        Rounding::Near => a * b,
        _ => {
            let product = f64::from(a) * f64::from(b);
            f32::from_bits(narrow(Format::F32, mode_of(rounding), product) as u32)
        }
    }
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
