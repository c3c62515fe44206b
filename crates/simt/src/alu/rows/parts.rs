//! Parts of registers in primitives, and the words that rows are written in.

pub(super) use super::super::inner::words::*;

/// An element of a register: its width, and whether it has a sign.
#[derive(Clone, Copy)]
pub(super) struct Part {
    bits: u32,
    signed: bool,
}

pub(super) const U8: Part = Part { bits: 8, signed: false };
pub(super) const S8: Part = Part { bits: 8, signed: true };
pub(super) const U16: Part = Part { bits: 16, signed: false };
pub(super) const S16: Part = Part { bits: 16, signed: true };

/// The low bits, extended by zeros.
#[inline(always)]
pub(super) fn zeros<V: B32>(a: V, bits: u32) -> V {
    a.and(lit((1 << bits) - 1))
}

/// The low bits, extended by their sign.
#[inline(always)]
pub(super) fn signs<V: B32>(a: V, bits: u32) -> V {
    let unused = u64::from(32 - bits);
    a.shl(lit(unused)).shr_s(lit(unused))
}

#[inline(always)]
pub(super) fn low16<V: B32>(a: V) -> V {
    zeros(a, 16)
}

#[inline(always)]
pub(super) fn signed16<V: B32>(a: V) -> V {
    signs(a, 16)
}

#[inline(always)]
pub(super) fn low24<V: B32>(a: V) -> V {
    zeros(a, 24)
}

#[inline(always)]
pub(super) fn signed24<V: B32>(a: V) -> V {
    signs(a, 24)
}

/// An element by its place, extended.
#[inline(always)]
pub(super) fn element<V: B32>(part: Part, a: V, place: u32) -> V {
    let below = u64::from(part.bits * place);
    match (place, part.signed) {
        (0, true) => signs(a, part.bits),
        (0, false) => zeros(a, part.bits),
        // The uppermost one needs no cutting.
        (_, false) if part.bits * (place + 1) == 32 => a.shr_u(lit(below)),
        (_, true) if part.bits * (place + 1) == 32 => a.shr_s(lit(below)),
        (_, false) => zeros(a.shr_u(lit(below)), part.bits),
        (_, true) => signs(a.shr_u(lit(below)), part.bits),
    }
}

/// Each pair of elements through `f`.
#[inline(always)]
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

/// Limited to signed numbers of so many bits.
#[inline(always)]
pub(super) fn clamp<V: B32>(a: V, bits: u32) -> V {
    let most = (1u64 << (bits - 1)) - 1;
    a.min_s(lit(most)).max_s(lit(!most))
}

/// `len` low ones; all of them from 32 on.
#[inline(always)]
pub(super) fn ones<V: B32>(len: V) -> V {
    B32::shl(lit::<V>(u64::from(u32::MAX)), len).not()
}
