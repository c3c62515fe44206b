//! IEEE arithmetic of f32 in each rounding, NaNs of f64, `min` and `max`.

use super::L64;
use super::round::{Format, RM, RN, RP, RZ, narrow32, sum_odd, to_odd};
use texunit_jit::Rounding;

/// Subnormals become zeros of their sign.
#[inline(always)]
pub(super) fn flush32(x: u32) -> u32 {
    if x & 0x7f80_0000 == 0 { x & 0x8000_0000 } else { x }
}

/// The bit that tells a quiet NaN of f64 from a signalling one.
pub(super) const QUIET64: u64 = 1 << 51;

/// The NaN that an f64 instruction gives: the first one among its sources in the order in which it prefers them, sign and
/// payload as they are, or the one that arithmetic makes (docs/numerics.md, 13.2 and 13.7). A signalling one is quiet
/// afterwards.
pub fn nan64<const N: usize>(sources: [u64; N]) -> u64 {
    let is_nan = |x: &u64| f64::from_bits(*x).is_nan();
    sources.into_iter().find(is_nan).map_or(Format::F64.nan, |x| x | QUIET64)
}

/// Puts the NaNs that [`nan64`] gives into the lanes of a result that are NaN; sources in the order of preference.
#[cold]
pub(super) fn put_nans(lanes: &mut L64, sources: &[&L64]) {
    for (i, lane) in lanes.iter_mut().enumerate().filter(|(_, x)| f64::from_bits(**x).is_nan()) {
        let mut three = [0; 3];
        three.iter_mut().zip(sources).for_each(|(to, source)| *to = source[i]);
        *lane = nan64(three);
    }
}

/// A result of an f64 instruction with one NaN for all.
#[inline(always)]
pub(super) fn result64(x: f64) -> u64 {
    if x.is_nan() { Format::F64.nan } else { x.to_bits() }
}

/// The result of `min` or `max` of f64 with this second source, whose NaN is that of two.
#[inline(always)]
pub(super) fn extreme64(x: f64, second: u64) -> u64 {
    if x.is_nan() { second | QUIET64 } else { x.to_bits() }
}

/// The sum of an exact product and an addend, rounded to f32.
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
    // The product of two f32 is exact in f64.
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

/// The mode of a rounding.
#[inline(always)]
pub(super) const fn mode_of(rounding: Rounding) -> u8 {
    match rounding {
        Rounding::Near => RN,
        Rounding::Trunc => RZ,
        Rounding::Floor => RM,
        Rounding::Ceil => RP,
    }
}

/// Functions of roundings that rows choose.
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

/// `min` and `max`: the source that stands before the other. Of equal ones, which may be zeros of
/// both signs, the bits combined: -0 is less than +0. One NaN gives the other source.
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
