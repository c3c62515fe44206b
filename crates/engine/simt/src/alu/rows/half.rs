//! Arithmetic of f16, bf16 and their packed pairs.
//!
//! Sums and products of f32 are rounded once more to the short format: f32 has more than twice its bits and two
//! (Figueroa), so that the result is that of one rounding; of bf16 that are subnormal, products have 16 bits and lose none
//! that matters. `fma` adds to an exact product, rounded to odd. NaN results are 0x7fff.

use super::family;
use super::parts::*;
use crate::alu::Row;
use crate::alu::approx::{ex2_64, tanh_64};
use crate::alu::half::{Bf16, F16, Half, flush, put};

/// Families of the four types: one number or two in a register.
pub(super) const FAMILIES: &[&[Row]] = &[
    sums::<F16, false, false, false, false>(),
    sums::<F16, false, false, true, false>(),
    sums::<F16, false, false, false, true>(),
    signs::<F16, false, false>(),
    functions::<F16, false, false>(),
    extremes::<F16, false, false, false>(),
    extremes::<F16, false, false, true>(),
    sums::<F16, false, true, false, false>(),
    sums::<F16, false, true, true, false>(),
    sums::<F16, false, true, false, true>(),
    signs::<F16, false, true>(),
    functions::<F16, false, true>(),
    extremes::<F16, false, true, false>(),
    extremes::<F16, false, true, true>(),
    sums::<F16, true, false, false, false>(),
    sums::<F16, true, false, true, false>(),
    sums::<F16, true, false, false, true>(),
    signs::<F16, true, false>(),
    functions::<F16, true, false>(),
    extremes::<F16, true, false, false>(),
    extremes::<F16, true, false, true>(),
    sums::<F16, true, true, false, false>(),
    sums::<F16, true, true, true, false>(),
    sums::<F16, true, true, false, true>(),
    signs::<F16, true, true>(),
    functions::<F16, true, true>(),
    extremes::<F16, true, true, false>(),
    extremes::<F16, true, true, true>(),
    sums::<Bf16, false, false, false, false>(),
    sums::<Bf16, false, false, true, false>(),
    sums::<Bf16, false, false, false, true>(),
    signs::<Bf16, false, false>(),
    functions::<Bf16, false, false>(),
    extremes::<Bf16, false, false, false>(),
    extremes::<Bf16, false, false, true>(),
    sums::<Bf16, false, true, false, false>(),
    sums::<Bf16, false, true, true, false>(),
    sums::<Bf16, false, true, false, true>(),
    signs::<Bf16, false, true>(),
    functions::<Bf16, false, true>(),
    extremes::<Bf16, false, true, false>(),
    extremes::<Bf16, false, true, true>(),
    sums::<Bf16, true, false, false, false>(),
    sums::<Bf16, true, false, true, false>(),
    sums::<Bf16, true, false, false, true>(),
    signs::<Bf16, true, false>(),
    functions::<Bf16, true, false>(),
    extremes::<Bf16, true, false, false>(),
    extremes::<Bf16, true, false, true>(),
    sums::<Bf16, true, true, false, false>(),
    sums::<Bf16, true, true, true, false>(),
    sums::<Bf16, true, true, false, true>(),
    signs::<Bf16, true, true>(),
    functions::<Bf16, true, true>(),
    extremes::<Bf16, true, true, false>(),
    extremes::<Bf16, true, true, true>(),
];

/// A format in primitives.
trait InSteps: Half {
    /// The low half as f32. Exact.
    fn read<V: B32>(x: V) -> V;
    /// f32 to the nearest, with one NaN.
    fn round<V: B32>(x: V) -> V;
    /// The product and an addend as an f32 that, once rounded, is what the exact one would be.
    fn fused<V: B32>(a: V, b: V, c: V) -> V
    where
        V::Wide: B64<Narrow = V, Holds = V::Holds>;
}

impl InSteps for F16 {
    #[inline(always)]
    fn read<V: B32>(x: V) -> V {
        x.f_from_half()
    }

    #[inline(always)]
    fn round<V: B32>(x: V) -> V {
        x.f_to_half(Near)
    }

    /// f32 has the product.
    #[inline(always)]
    fn fused<V: B32>(a: V, b: V, c: V) -> V
    where
        V::Wide: B64<Narrow = V, Holds = V::Holds>,
    {
        sum_odd32(a.f_mul(b, IEEE), c)
    }
}

impl InSteps for Bf16 {
    #[inline(always)]
    fn read<V: B32>(x: V) -> V {
        x.shl(lit(16))
    }

    #[inline(always)]
    fn round<V: B32>(x: V) -> V {
        bf16_of(x)
    }

    /// f64 has the product; what f32 has not of the sum is its last bit.
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

family! { sums [H: InSteps, const PAIR: bool, const FTZ: bool, const SAT: bool, const RELU: bool]
    with |key| key.of_type(H::TYPES[PAIR as usize]).flag("ftz", FTZ).flag("sat", SAT).flag("relu", RELU); rows
    b32 {
        ["add"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            limited::<H, _>(FTZ, SAT, RELU, get::<H, _>(FTZ, a).f_add(get::<H, _>(FTZ, b), IEEE))
        });
        ["sub"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            limited::<H, _>(FTZ, SAT, RELU, get::<H, _>(FTZ, a).f_sub(get::<H, _>(FTZ, b), IEEE))
        });
        ["mul"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            limited::<H, _>(FTZ, SAT, RELU, get::<H, _>(FTZ, a).f_mul(get::<H, _>(FTZ, b), IEEE))
        });
        ["fma"] |a, b, c| each(PAIR, a, b, c, |a, b, c| {
            limited::<H, _>(FTZ, SAT, RELU, H::fused(get::<H, _>(FTZ, a), get::<H, _>(FTZ, b), get::<H, _>(FTZ, c)))
        });
    }
}

family! { signs [H: InSteps, const PAIR: bool, const FTZ: bool]
    with |key| key.of_type(H::TYPES[PAIR as usize]).flag("ftz", FTZ); rows
    b32 {
        ["abs"] |a| each(PAIR, a, a, a, |a, _, _| limited::<H, _>(FTZ, false, false, get::<H, _>(FTZ, a).f_abs(IEEE)));
        ["neg"] |a| each(PAIR, a, a, a, |a, _, _| limited::<H, _>(FTZ, false, false, get::<H, _>(FTZ, a).f_neg(IEEE)));
    }
}

// Calls of the math library.
family! { functions [H: Half, const PAIR: bool, const FTZ: bool]
    with |key| key.of_type(H::TYPES[PAIR as usize]).flag("ftz", FTZ); calls
    b32 {
        ["ex2.approx"] |a| in_f64::<H, FTZ>(PAIR, a, ex2_64);
        ["tanh.approx"] |a| in_f64::<H, FTZ>(PAIR, a, tanh_64);
    }
}

family! { extremes [H: InSteps, const PAIR: bool, const FTZ: bool, const NAN: bool]
    with |key| key.of_type(H::TYPES[PAIR as usize]).flag("ftz", FTZ).flag("NaN", NAN); rows
    b32 {
        ["min"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            limited::<H, _>(FTZ, false, false, lesser(NAN, IEEE, get::<H, _>(FTZ, a), get::<H, _>(FTZ, b)))
        });
        ["max"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            limited::<H, _>(FTZ, false, false, greater(NAN, IEEE, get::<H, _>(FTZ, a), get::<H, _>(FTZ, b)))
        });
        // Of the magnitudes, with the exclusive or of the signs.
        ["min.xorsign.abs"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            let (x, y) = (magnitude(get::<H, _>(FTZ, a)), magnitude(get::<H, _>(FTZ, b)));
            with_sign(limited::<H, _>(FTZ, false, false, lesser(NAN, IEEE, x, y)), a.xor(b))
        });
        ["max.xorsign.abs"] |a, b| each(PAIR, a, b, b, |a, b, _| {
            let (x, y) = (magnitude(get::<H, _>(FTZ, a)), magnitude(get::<H, _>(FTZ, b)));
            with_sign(limited::<H, _>(FTZ, false, false, greater(NAN, IEEE, x, y)), a.xor(b))
        });
    }
}

/// A number, or both of a pair, through `f`, which looks at low halves.
#[inline(always)]
fn each<V: B32>(pair: bool, a: V, b: V, c: V, f: impl Fn(V, V, V) -> V) -> V {
    let low = f(a, b, c);
    if !pair {
        return low;
    }
    let upper = |x: V| x.shr_u(lit(16));
    low.or(f(upper(a), upper(b), upper(c)).shl(lit(16)))
}

/// `.ftz` of a half in the low bits.
#[inline(always)]
fn flushed<H: Half, V: B32>(ftz: bool, x: V) -> V {
    if ftz { x.and(lit(0x8000)).when(x.and(lit(H::FORMAT.inf)).eq(lit(0)), x) } else { x }
}

#[inline(always)]
fn get<H: InSteps, V: B32>(ftz: bool, x: V) -> V {
    H::read(flushed::<H, V>(ftz, x))
}

/// An f32 with `.sat` and `.relu`, rounded, with `.ftz`.
#[inline(always)]
fn limited<H: InSteps, V: B32>(ftz: bool, sat: bool, relu: bool, x: V) -> V {
    let x = if sat { x.f_copy(SAT) } else { x };
    let x = if relu { lit::<V>(0).when(x.f_le(lit(0)), x) } else { x };
    flushed::<H, V>(ftz, H::round(x))
}

/// A NaN stays the canonical one.
#[inline(always)]
fn with_sign<V: B32>(value: V, sign: V) -> V {
    value.when(value.eq(lit(0x7fff)), value.or(sign.and(lit(0x8000))))
}

#[inline(always)]
fn in_f64<H: Half, const FTZ: bool>(pair: bool, a: u32, f: impl Fn(f64) -> f64) -> u32 {
    each(pair, a, a, a, |a, _, _| put::<H, FTZ>(f(H::get(flush::<H, FTZ>(a)))))
}
