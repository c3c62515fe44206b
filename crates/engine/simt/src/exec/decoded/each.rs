//! Applies functions of one to three sources to all lanes. Function parameters are known not to
//! overlap, so that these loops are vectorised. The result has a buffer of its own, because the
//! destination of an instruction may be a source.

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

#[inline(always)]
pub(in crate::exec) fn one<D, A: Copy>(d: &mut [D; 32], a: &[A; 32], f: impl Fn(A) -> D) {
    for i in 0..32 {
        d[i] = f(a[i]);
    }
}

#[inline(always)]
pub(in crate::exec) fn two<D, A: Copy, B: Copy>(
    d: &mut [D; 32],
    a: &[A; 32],
    b: &[B; 32],
    f: impl Fn(A, B) -> D,
) {
    for i in 0..32 {
        d[i] = f(a[i], b[i]);
    }
}

#[inline(always)]
pub(in crate::exec) fn three<D, A: Copy, B: Copy, C: Copy>(
    d: &mut [D; 32],
    a: &[A; 32],
    b: &[B; 32],
    c: &[C; 32],
    f: impl Fn(A, B, C) -> D,
) {
    for i in 0..32 {
        d[i] = f(a[i], b[i], c[i]);
    }
}

/// Copies the values of the lanes in `mask`.
#[inline(always)]
pub(in crate::exec) fn merge<T: Copy>(to: &mut [T; 32], value: &[T; 32], mask: u32) {
    for i in 0..32 {
        to[i] = if mask & (1 << i) != 0 { value[i] } else { to[i] };
    }
}

/// Mask of the lanes in which `f` holds.
#[inline(always)]
pub(in crate::exec) fn holds<T: Copy>(a: &[T; 32], b: &[T; 32], f: impl Fn(T, T) -> bool) -> u32 {
    let mut mask = 0;
    for i in 0..32 {
        mask |= u32::from(f(a[i], b[i])) << i;
    }
    mask
}
