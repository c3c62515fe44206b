//! Expressions of primitives that several tables of operations use: elements of registers, bit
//! masks, and float helpers.

pub(super) use crate::inner::words::*;
use crate::mode::Mode;

/// The type of an element of a register: its width, and whether it is signed.
#[derive(Clone, Copy)]
pub(super) struct Part {
    bits: u32,
    signed: bool,
}

pub(super) const U8: Part = Part { bits: 8, signed: false };
pub(super) const S8: Part = Part { bits: 8, signed: true };
pub(super) const U16: Part = Part { bits: 16, signed: false };
pub(super) const S16: Part = Part { bits: 16, signed: true };

/// The low `bits` bits of a value, zero-extended.
#[inline(always)]
pub(super) fn zeros<V: B32>(a: V, bits: u32) -> V {
    a.and(lit((1 << bits) - 1))
}

/// The low `bits` bits of a value, sign-extended.
pub(super) fn signs<V: B32>(a: V, bits: u32) -> V {
    let unused = u64::from(32 - bits);
    a.shl(lit(unused)).shr_s(lit(unused))
}

#[inline(always)]
pub(super) fn low16<V: B32>(a: V) -> V {
    zeros(a, 16)
}

pub(super) fn signed16<V: B32>(a: V) -> V {
    signs(a, 16)
}

pub(super) fn low24<V: B32>(a: V) -> V {
    zeros(a, 24)
}

pub(super) fn signed24<V: B32>(a: V) -> V {
    signs(a, 24)
}

/// The element of a register with this index, zero- or sign-extended.
pub(super) fn element<V: B32>(part: Part, a: V, place: u32) -> V {
    let below = u64::from(part.bits * place);
    match (place, part.signed) {
        (0, true) => signs(a, part.bits),
        (0, false) => zeros(a, part.bits),
        // The uppermost element needs no masking, because the shift leaves no other bits.
        (_, false) if part.bits * (place + 1) == 32 => a.shr_u(lit(below)),
        (_, true) if part.bits * (place + 1) == 32 => a.shr_s(lit(below)),
        (_, false) => zeros(a.shr_u(lit(below)), part.bits),
        (_, true) => signs(a.shr_u(lit(below)), part.bits),
    }
}

/// Applies `f` to each pair of elements of two registers.
pub(super) fn elements<V: B32>(part: Part, a: V, b: V, f: impl Fn(V, V) -> V) -> V {
    let value = |k: u32| {
        let value = f(element(part, a, k), element(part, b, k));
        let last = part.bits * (k + 1) == 32;
        let cut = if last { value } else { zeros(value, part.bits) };
        if k == 0 { cut } else { cut.shl(lit(u64::from(part.bits * k))) }
    };
    let mut result = value(0);
    for k in 1..32 / part.bits {
        result = result.or(value(k));
    }
    result
}

/// Limits a value to the range of signed numbers of `bits` bits.
pub(super) fn clamp<V: B32>(a: V, bits: u32) -> V {
    let most = (1u64 << (bits - 1)) - 1;
    a.min_s(lit(most)).max_s(lit(!most))
}

/// A mask of the low `len` bits; all bits if `len` ≥ 32.
pub(super) fn ones<V: B32>(len: V) -> V {
    B32::shl(lit::<V>(u64::from(u32::MAX)), len).not()
}

/// Infinity as f32.
pub(super) const INF: u64 = 0x7f80_0000;

/// The magnitude of an f32, as bits.
pub(super) fn magnitude<V: B32>(a: V) -> V {
    a.and(lit(0x7fff_ffff))
}

/// Whether one of two f32 is a NaN.
pub(super) fn is_nan<V: B32>(a: V, b: V) -> V::Holds {
    magnitude(a).max_u(magnitude(b)).gt_u(lit(INF))
}

/// Whether neither of two f32 is a NaN.
pub(super) fn is_num<V: B32>(a: V, b: V) -> V::Holds {
    magnitude(a).max_u(magnitude(b)).le_u(lit(INF))
}

/// The number of set bits.
pub(super) fn ones_of<V: B32>(a: V) -> V {
    let pairs = a.sub(a.shr_u(lit(1)).and(lit(0x5555_5555)));
    let fours = pairs.and(lit(0x3333_3333)).add(pairs.shr_u(lit(2)).and(lit(0x3333_3333)));
    let bytes = fours.add(fours.shr_u(lit(4))).and(lit(0x0f0f_0f0f));
    bytes.mul_lo(lit(0x0101_0101)).shr_u(lit(24))
}

/// The sum of two f64, rounded to odd: rounding it again to a shorter format, in any mode, gives
/// what rounding the exact sum would give. Knuth's two-sum gives the rounding error.
pub(super) fn sum_odd<W>(a: W, b: W) -> W
where
    W: B64,
    W::Narrow: B32,
{
    let sum = a.f_add(b);
    let other = sum.f_sub(a);
    let error = a.f_sub(sum.f_sub(other)).f_add(b.f_sub(other));
    // If the last bit is 0, the sum moves by one unit in the last place, away from zero or toward
    // zero.
    let place = sum.xor(error).shr_s(lit(63)).or(lit(1));
    let odd = sum.add(place.and(sum.and(lit(1)).sub(lit(1))));
    odd.when(error.f_ne(lit(0)), sum)
}

/// The sum of two f32, rounded to odd.
pub(super) fn sum_odd32<V: B32>(a: V, b: V) -> V {
    let sum = a.f_add(b, IEEE);
    let other = sum.f_sub(a, IEEE);
    let error = a.f_sub(sum.f_sub(other, IEEE), IEEE).f_add(b.f_sub(other, IEEE), IEEE);
    let place = sum.xor(error).shr_s(lit(31)).or(lit(1));
    let odd = sum.add(place.and(sum.and(lit(1)).sub(lit(1))));
    odd.when(error.f_ne(lit(0)), sum)
}

/// Rounds an f32 to the nearest bf16. NaNs become canonical.
pub(super) fn bf16_of<V: B32>(a: V) -> V {
    let odd = a.shr_u(lit(16)).and(lit(1));
    let nearest = a.add(lit(0x7fff)).add(odd).shr_u(lit(16));
    B32::when(lit(0x7fff), is_nan(a, a), nearest)
}

/// The smaller f32. If one source is a NaN, the result is the other source or, with `.NaN`, a NaN.
pub(super) fn lesser<V: B32>(nan: bool, m: Mode, a: V, b: V) -> V {
    let value = a.f_min(b, m);
    if nan { lit::<V>(NAN32).when(is_nan(a, b), value) } else { value }
}

/// The larger f32. If one source is a NaN, the result is the other source or, with `.NaN`, a NaN.
pub(super) fn greater<V: B32>(nan: bool, m: Mode, a: V, b: V) -> V {
    let value = a.f_max(b, m);
    if nan { lit::<V>(NAN32).when(is_nan(a, b), value) } else { value }
}
