//! Arithmetic of f16, bf16 and packed pairs of them.
//!
//! Sums and products are computed in f32 and rounded again to the short format. This gives the
//! result of one rounding, because f32 has more than twice as many significant bits plus two
//! (Figueroa). Products of subnormal bf16 have 16 significant bits, which f32 does not lose where
//! they matter. `fma` computes the exact product, and rounds the sum with the addend to odd. NaN
//! results are 0x7fff.

use super::family;
use super::parts::*;
use crate::mode::{Variant, ftz, nan, pair, variants};
use crate::mufu;
use crate::round::{self, Format, RN};
use crate::row::Row;
use texunit_isa::ScalarType as Ty;

/// The families of both formats, for one number and for a pair in a register.
pub(super) fn families() -> Vec<Row> {
    let mut all = of_format::<F16>();
    all.extend(of_format::<Bf16>());
    all
}

fn of_format<H: Half>() -> Vec<Row> {
    let plain = variants(&[Near], &[ftz, pair]);
    let limited =
        plain.iter().flat_map(|&v| [v, Variant { sat: true, ..v }, Variant { relu: true, ..v }]);
    let mut all = sums::<H>().of(limited.collect());
    let guards = variants(&[Near], &[pair]).into_iter();
    all.extend(guarded::<H>().of(guards.flat_map(|v| [v, Variant { relu: true, ..v }]).collect()));
    all.extend(signs::<H>().of(plain));
    all.extend(extremes::<H>().of(variants(&[Near], &[ftz, pair, nan])));
    all.extend(functions::<H, false>().of(variants(&[Near], &[ftz])));
    all.extend(
        functions::<H, true>().of(variants(&[Near], &[ftz]).into_iter().map(paired).collect()),
    );
    all.extend(rounded::<H, false, false>().of(vec![Variant::PLAIN]));
    all.extend(rounded::<H, true, false>().of(vec![paired(Variant::PLAIN)]));
    all.extend(rounded::<H, false, true>().of(vec![Variant { ftz: true, ..Variant::PLAIN }]));
    all.extend(
        rounded::<H, true, true>().of(vec![paired(Variant { ftz: true, ..Variant::PLAIN })]),
    );
    all
}

/// The properties in which the formats f16 and bf16 differ: their conversions, and their `fma`, as
/// expressions of primitives.
pub(super) trait Half {
    /// The type of a single number, and the type of a packed pair.
    const TYPES: [Ty; 2];
    const FORMAT: Format;
    /// Truncates an f32 to the format, except that 2^16 and more become infinity in f16. NaNs
    /// become canonical.
    fn cut<V: B32>(x: V) -> V;
    /// Converts the low half to f32 exactly.
    fn read<V: B32>(x: V) -> V;
    /// Rounds an f32 to the format, to nearest. NaNs become canonical.
    fn round<V: B32>(x: V) -> V;
    /// The product a * b plus c, as an f32 that rounds to the same result as the exact value.
    fn fused<V: B32>(a: V, b: V, c: V) -> V
    where
        V::Wide: B64<Narrow = V, Holds = V::Holds>;
}

pub(super) struct F16;
impl Half for F16 {
    const TYPES: [Ty; 2] = [Ty::F16, Ty::F16x2];
    const FORMAT: Format = Format::F16;

    #[inline(always)]
    fn cut<V: B32>(x: V) -> V {
        const TWO_16: u64 = 0x4780_0000;
        let is_large = x.sub(lit(TWO_16)).lt_u(lit(0x7f80_0001 - TWO_16));
        lit::<V>(0x7c00).when(is_large, x.f_to_half(Trunc))
    }

    #[inline(always)]
    fn read<V: B32>(x: V) -> V {
        x.f_from_half()
    }

    #[inline(always)]
    fn round<V: B32>(x: V) -> V {
        x.f_to_half(Near)
    }

    /// An f32 holds the product exactly.
    #[inline(always)]
    fn fused<V: B32>(a: V, b: V, c: V) -> V
    where
        V::Wide: B64<Narrow = V, Holds = V::Holds>,
    {
        sum_odd32(a.f_mul(b, IEEE), c)
    }
}

pub(super) struct Bf16;
impl Half for Bf16 {
    const TYPES: [Ty; 2] = [Ty::Bf16, Ty::Bf16x2];
    const FORMAT: Format = Format::BF16;

    #[inline(always)]
    fn cut<V: B32>(x: V) -> V {
        x.shr_u(lit(16))
    }

    #[inline(always)]
    fn read<V: B32>(x: V) -> V {
        x.shl(lit(16))
    }

    #[inline(always)]
    fn round<V: B32>(x: V) -> V {
        bf16_of(x)
    }

    /// An f64 holds the product exactly. The sum is rounded to odd twice: to f64, and to f32, where
    /// the last bit is set if the truncation was inexact.
    #[inline(always)]
    fn fused<V: B32>(a: V, b: V, c: V) -> V
    where
        V::Wide: B64<Narrow = V, Holds = V::Holds>,
    {
        let sum = sum_odd(a.d_from_f().f_mul(b.d_from_f()), c.d_from_f());
        let short = sum.d_to_f(Trunc);
        short.or(lit(1)).when(short.d_from_f().f_ne(sum), short)
    }
}

family! { sums [H: Half] |v|
    with |key| key.of_type(ty::<H>(v)).flag("ftz", v.ftz).flag("sat", v.sat).flag("relu", v.relu); rows
    b32 {
        ["add"] |a, b| each(v.pair, a, b, b, |a, b, _| {
            limited::<H, _>(v, get::<H, _>(v.ftz, a).f_add(get::<H, _>(v.ftz, b), IEEE))
        });
        ["sub"] |a, b| each(v.pair, a, b, b, |a, b, _| {
            limited::<H, _>(v, get::<H, _>(v.ftz, a).f_sub(get::<H, _>(v.ftz, b), IEEE))
        });
        ["mul"] |a, b| each(v.pair, a, b, b, |a, b, _| {
            limited::<H, _>(v, get::<H, _>(v.ftz, a).f_mul(get::<H, _>(v.ftz, b), IEEE))
        });
        ["fma"] |a, b, c| each(v.pair, a, b, c, |a, b, c| {
            limited::<H, _>(v, H::fused(get::<H, _>(v.ftz, a), get::<H, _>(v.ftz, b), get::<H, _>(v.ftz, c)))
        });
    }
}

family! { guarded [H: Half] |v|
    with |key| key.of_type(ty::<H>(v)).flag("relu", v.relu); rows
    b32 {
        ["fma.oob"] |a, b, c| each(v.pair, a, b, c, |a, b, c| {
            let value = limited::<H, _>(v, H::fused(get::<H, _>(false, a), get::<H, _>(false, b), get::<H, _>(false, c)));
            B32::when(lit(0), is_outside(a), B32::when(lit(0), is_outside(b), value))
        });
    }
}

family! { signs [H: Half] |v|
    with |key| key.of_type(ty::<H>(v)).flag("ftz", v.ftz); rows
    b32 {
        ["abs"] |a| each(v.pair, a, a, a, |a, _, _| limited::<H, _>(v, get::<H, _>(v.ftz, a).f_abs(IEEE)));
        ["neg"] |a| each(v.pair, a, a, a, |a, _, _| limited::<H, _>(v, get::<H, _>(v.ftz, a).f_neg(IEEE)));
    }
}

// The functions of the special function unit for f32, with the result truncated. `.ftz` has no
// effect, because the unit keeps f16 subnormals, and flushes other subnormals anyway.
family! { functions [H: Half, const PAIR: bool] |v|
    with |key| key.of_type(ty::<H>(v)).flag("ftz", v.ftz); both
    b32 {
        ["ex2.approx"] |a| each(PAIR, a, a, a, |a, _, _| H::cut(mufu::ex2(H::read(a))));
        ["tanh.approx"] |a| each(PAIR, a, a, a, |a, _, _| H::cut(mufu::tanh(H::read(a))));
    }
}

// The correctly rounded results that `--approx rounded` selects, by functions of the math library.
family! { rounded [H: Half, const PAIR: bool, const FTZ: bool] |v|
    with |key| key.of_type(ty::<H>(v)).flag("ftz", v.ftz); calls
    b32 {
        ["ex2.approx.rounded"] |a| in_f64::<H, FTZ>(PAIR, a, f64::exp2);
        ["tanh.approx.rounded"] |a| in_f64::<H, FTZ>(PAIR, a, f64::tanh);
    }
}

family! { extremes [H: Half] |v|
    with |key| key.of_type(ty::<H>(v)).flag("ftz", v.ftz).flag("NaN", v.nan); rows
    b32 {
        ["min"] |a, b| each(v.pair, a, b, b, |a, b, _| {
            limited::<H, _>(v, lesser(v.nan, IEEE, get::<H, _>(v.ftz, a), get::<H, _>(v.ftz, b)))
        });
        ["max"] |a, b| each(v.pair, a, b, b, |a, b, _| {
            limited::<H, _>(v, greater(v.nan, IEEE, get::<H, _>(v.ftz, a), get::<H, _>(v.ftz, b)))
        });
        // The magnitude of the result is the minimum or maximum of the magnitudes, and its sign is
        // the exclusive or of the signs.
        ["min.xorsign.abs"] |a, b| each(v.pair, a, b, b, |a, b, _| {
            let (x, y) = (magnitude(get::<H, _>(v.ftz, a)), magnitude(get::<H, _>(v.ftz, b)));
            with_sign(limited::<H, _>(v, lesser(v.nan, IEEE, x, y)), a.xor(b))
        });
        ["max.xorsign.abs"] |a, b| each(v.pair, a, b, b, |a, b, _| {
            let (x, y) = (magnitude(get::<H, _>(v.ftz, a)), magnitude(get::<H, _>(v.ftz, b)));
            with_sign(limited::<H, _>(v, greater(v.nan, IEEE, x, y)), a.xor(b))
        });
    }
}

/// The variant for packed pairs with the same other modifiers.
fn paired(v: Variant) -> Variant {
    Variant { pair: true, ..v }
}

/// The type of a single number, or of a packed pair if the variant has one.
fn ty<H: Half>(v: Variant) -> Ty {
    H::TYPES[usize::from(v.pair)]
}

/// Applies `f`, which reads the low halves of its sources, to a number or to both numbers of a
/// pair.
#[inline(always)]
fn each<V: B32>(pair: bool, a: V, b: V, c: V, f: impl Fn(V, V, V) -> V) -> V {
    let low = f(a, b, c);
    if !pair {
        return low;
    }
    let upper = |x: V| x.shr_u(lit(16));
    low.or(f(upper(a), upper(b), upper(c)).shl(lit(16)))
}

/// Applies `.ftz` to an f16 or bf16 in the low half.
fn flushed<H: Half, V: B32>(ftz: bool, x: V) -> V {
    if ftz { x.and(lit(0x8000)).when(x.and(lit(H::FORMAT.inf)).eq(lit(0)), x) } else { x }
}

/// Converts the low half, with `.ftz` if `ftz` is true, to f32 exactly.
pub(super) fn get<H: Half, V: B32>(ftz: bool, x: V) -> V {
    H::read(flushed::<H, V>(ftz, x))
}

/// Applies `.sat`, `.relu` and `.ftz` to an f32, and rounds it to the format.
fn limited<H: Half, V: B32>(v: Variant, x: V) -> V {
    let x = if v.sat { x.f_copy(SAT) } else { x };
    let x = if v.relu { lit::<V>(0).when(x.f_le(lit(0)), x) } else { x };
    H::round(if v.ftz { without_tiny::<H, V>(x) } else { x })
}

/// Replaces an f32 by a zero of its sign if it is tiny in the format, which means less than the
/// smallest normal number after rounding with an unbounded exponent (docs/numerics.md, 13.3). That
/// is the case below the middle between the smallest normal number and the next smaller number.
fn without_tiny<H: Half, V: B32>(x: V) -> V {
    let (emin, ones) = (H::FORMAT.emin(), H::FORMAT.frac + 1);
    let middle = ((126 + emin) as u64) << 23 | ((1 << ones) - 1) << (23 - ones);
    x.and(lit(1 << 31)).when(magnitude(x).lt_u(lit(middle)), x)
}

/// Whether an f16 is the NaN that means "out of bounds" (docs/numerics.md, 13.12).
fn is_outside<V: B32>(x: V) -> V::Holds {
    x.and(lit(0x7fff)).eq(lit(0x7ff7))
}

/// The f16 or bf16 `value` with this sign; a NaN stays canonical.
fn with_sign<V: B32>(value: V, sign: V) -> V {
    value.when(value.eq(lit(0x7fff)), value.or(sign.and(lit(0x8000))))
}

#[inline(always)]
fn in_f64<H: Half, const FTZ: bool>(pair: bool, a: u32, f: impl Fn(f64) -> f64) -> u32 {
    each(pair, a, a, a, |a, _, _| {
        let value = f(f32::from_bits(get::<H, u32>(FTZ, a)).into());
        flushed::<H, u32>(FTZ, round::narrow(H::FORMAT, RN, value) as u32)
    })
}
