//! The portable SIMD level. Its vectors are arrays of four lanes, with loops that compilers
//! vectorize for SSE2, NEON and simd128.

use super::{Arguments, Pairs, Simd, Stage};
use crate::request::Lanes;
use texunit_memory::Window;

#[derive(Clone, Copy)]
pub(in crate::warp) struct Portable;

const N: usize = 4;
type I = [i32; N];
type F = [f32; N];
type D = [f64; N];
/// A mask, in which each lane is all ones or zero.
type M = [i32; N];

#[inline(always)]
fn map<A: Copy, T: Copy + Default>(a: [A; N], f: impl Fn(A) -> T) -> [T; N] {
    // The compiler takes longer for the iterators of the standard library.
    let mut results = [T::default(); N];
    for lane in 0..N {
        results[lane] = f(a[lane]);
    }
    results
}

#[inline(always)]
fn zip<A: Copy, B: Copy, T: Copy + Default>(a: [A; N], b: [B; N], f: impl Fn(A, B) -> T) -> [T; N] {
    let mut results = [T::default(); N];
    for lane in 0..N {
        results[lane] = f(a[lane], b[lane]);
    }
    results
}

#[inline(always)]
fn all(yes: bool) -> i32 {
    -i32::from(yes)
}

/// Defines operations that treat all lanes alike.
macro_rules! lanes {
    ($($name:ident($($a:ident: $t:ty),*) -> $r:ty = $body:expr;)*) => {
        $(#[inline(always)]
        fn $name($($a: $t),*) -> $r {
            let mut results = <$r>::default();
            for lane in 0..N {
                $(let $a = $a[lane];)*
                results[lane] = $body;
            }
            results
        })*
    };
}

/// Defines operations that are functions of this module, or the same number in each lane.
macro_rules! functions {
    ($($name:ident($($a:ident: $t:ty),*) -> $r:ty = $body:expr;)*) => {
        $(#[inline(always)]
        fn $name($($a: $t),*) -> $r {
            $body
        })*
    };
}

/// See [`Simd::mul16_round`].
#[inline(always)]
fn rounded(a: i32, b: i32) -> i32 {
    (a * b + (1 << 14)) >> 15 & 0xffff
}

impl Simd for Portable {
    const LANES: usize = N;
    type I = I;
    type F = F;
    type D = D;
    type M = M;

    #[inline(always)]
    fn load(self, from: &Lanes, chunk: usize) -> I {
        map(from.as_chunks::<N>().0[chunk], |x| x as i32)
    }
    #[inline(always)]
    fn mask(self, bits: u32, chunk: usize) -> M {
        std::array::from_fn(|lane| all(bits >> (chunk * N + lane) & 1 == 1))
    }
    #[inline(always)]
    fn call<A: Arguments, K: Stage<A>>(self, arguments: A::Args<'_>) {
        K::portable(arguments);
    }
    #[inline(always)]
    fn gather(self, window: Window<'_>, offsets: I) -> I {
        map(offsets, |offset| window.load_u32(offset as u32) as i32)
    }
    #[inline(always)]
    fn gather2(self, window: Window<'_>, offsets: I) -> [I; 2] {
        let both = map(offsets, |offset| window.load_u64(offset as u32));
        [map(both, |x| x as i32), map(both, |x| (x >> 32) as i32)]
    }
    #[inline(always)]
    fn gather4(self, window: Window<'_>, offsets: I) -> [I; 4] {
        let all = map(offsets, |offset| window.load_u128(offset as u32));
        let word = |shift: u32| map(all, |x| (x >> shift) as i32);
        [word(0), word(32), word(64), word(96)]
    }

    #[inline(always)]
    fn unzip(a: I, b: I) -> [I; 2] {
        [[a[0], a[2], b[0], b[2]], [a[1], a[3], b[1], b[3]]]
    }
    #[inline(always)]
    fn fence(_: &mut I, _: &mut I) {}
    #[inline(always)]
    fn store(x: I, to: &mut Lanes, chunk: usize) {
        to.as_chunks_mut::<N>().0[chunk] = map(x, |x| x as u32);
    }
    #[inline(always)]
    fn look_up(table: &Lanes, index: I) -> I {
        map(index, |index| table[index as usize % 32] as i32)
    }
    #[inline(always)]
    fn look_up_pairs(table: &Pairs, index: I) -> [I; 2] {
        let found = map(index, |index| table.together[index as usize % 128]);
        [map(found, |pair| pair[0]), map(found, |pair| pair[1])]
    }
    functions! {
        splat(self: Self, x: i32) -> I = [x; N];
        splat_f32(self: Self, x: f32) -> F = [x; N];
        splat_f64(self: Self, x: f64) -> D = [x; N];
        mul_small(a: I, b: I) -> I = dot16(a, b);
        dot16(a: I, b: I) -> I = dot16(a, b);
        mul16_high(a: I, b: I) -> I = mul16_high(a, b);
        shl(a: I, bits: u32) -> I = map(a, |a| a << bits);
        shr(a: I, bits: u32) -> I = map(a, |a| (a as u32 >> bits) as i32);
        sar(a: I, bits: u32) -> I = map(a, |a| a >> bits);
        bits(m: M) -> u32 = bits(m);
        to_int(x: F) -> I = cut(x);
        ratio(k: F, n: f32) -> F = map(k, |k| k / n);
        lt_f32(a: F, b: F) -> M = lt_f32(a, b);
    }
    lanes! {
        add(a: I, b: I) -> I = a.wrapping_add(b);
        sub(a: I, b: I) -> I = a.wrapping_sub(b);
        mul(a: I, b: I) -> I = a.wrapping_mul(b);
        and(a: I, b: I) -> I = a & b;
        or(a: I, b: I) -> I = a | b;
        xor(a: I, b: I) -> I = a ^ b;
        min(a: I, b: I) -> I = a.min(b);
        max(a: I, b: I) -> I = a.max(b);
        shl_each(a: I, bits: I) -> I = a.wrapping_shl(bits as u32);
        shr_each(a: I, bits: I) -> I = (a as u32).checked_shr(bits as u32).unwrap_or(0) as i32;
        sar_each(a: I, bits: I) -> I = a >> (bits as u32).min(31);
        rotate_each(a: I, bits: I) -> I = (a as u32).rotate_left(bits as u32) as i32;
        add16(a: I, b: I) -> I = {
            let (high, low) = ((a & !0xffff).wrapping_add(b & !0xffff), a.wrapping_add(b) & 0xffff);
            high | low
        };
        mul16_round(a: I, b: I) -> I = {
            let low = rounded(i32::from(a as i16), i32::from(b as i16));
            rounded(a >> 16, b >> 16) << 16 | low
        };
        select(m: M, a: I, b: I) -> I = m & a | !m & b;
        both(a: M, b: M) -> M = a & b;
        either(a: M, b: M) -> M = a | b;
        // The multiplication changes the bias of the exponent, and is exact.
        half(code: I) -> F = {
            let value = f32::from_bits((code as u32 & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
            let special = if code & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
            f32::from_bits(value.to_bits() | special | (code as u32 & 0x8000) << 16)
        };
        // The product is exact. Without an instruction, `f32::mul_add` is a call for each lane.
        fused(a: F, b: F, c: F) -> F = a * b + c;
        mul16(a: I, b: I) -> I = {
            let (a, b) = (a as u32, b as u32);
            let low = (a & 0xffff).wrapping_mul(b & 0xffff) & 0xffff;
            ((a >> 16).wrapping_mul(b >> 16) << 16 | low) as i32
        };
        shr16_8(a: I) -> I = (a as u32 >> 8 & 0x00ff_00ff) as i32;
        lt(a: I, b: I) -> M = all(a < b);
        eq(a: I, b: I) -> M = all(a == b);
        from_bits(x: I) -> F = f32::from_bits(x as u32);
        to_bits(x: F) -> I = x.to_bits() as i32;
        to_f32(x: I) -> F = x as f32;
        add_f32(a: F, b: F) -> F = a + b;
        sub_f32(a: F, b: F) -> F = a - b;
        mul_f32(a: F, b: F) -> F = a * b;
        div_f32(a: F, b: F) -> F = a / b;
        to_f64(x: I) -> D = f64::from(x);
        narrow(x: D) -> F = x as f32;
        add_f64(a: D, b: D) -> D = a + b;
        mul_f64(a: D, b: D) -> D = a * b;
        floor_f64(x: D) -> D = f64::floor(x);
        power_of_two(exponent: I) -> D = f64::from_bits(((1023 + exponent) as u64) << 52);
    }
    #[inline(always)]
    fn mul_shift<const BITS: u32, const HALF: bool>(a: I, b: I) -> I {
        let half = if HALF { 1 << (BITS - 1) } else { 0 };
        // SSE2 multiplies unsigned numbers; the product of a negative one is too large by 2^32
        // times the other number.
        zip(a, b, |a, b| {
            let excess = ((a >> 31) & b).wrapping_add((b >> 31) & a);
            let product = u64::from(a as u32) * u64::from(b as u32);
            let product = product.wrapping_sub(u64::from(excess as u32) << 32);
            (product.wrapping_add(half) >> BITS) as i32
        })
    }
    #[inline(always)]
    fn floor(x: F) -> I {
        // SSE2 has no instruction that rounds down: the number is truncated, and one is subtracted
        // where the result is above the number.
        let cut = cut(x);
        zip(cut, x, |cut, x| cut.wrapping_add(all(x < cut as f32)))
    }
}

/// Defines operations as instructions of SSE2, for which the compiler would make several times as
/// many from a loop.
#[cfg(target_arch = "x86_64")]
macro_rules! instruction {
    ($($name:ident($($a:ident: $t:ty),*) -> $r:ty = $instruction:ident;)*) => {
        $(#[inline(always)]
        fn $name($($a: $t),*) -> $r {
            // SAFETY: SSE2 is part of x86-64.
            bytemuck::cast(unsafe { std::arch::x86_64::$instruction($(bytemuck::cast($a)),*) })
        })*
    };
}

#[cfg(target_arch = "x86_64")]
instruction! {
    cut(x: F) -> I = _mm_cvttps_epi32;
    dot16(a: I, b: I) -> I = _mm_madd_epi16;
    mul16_high(a: I, b: I) -> I = _mm_mulhi_epu16;
    lt_f32(a: F, b: F) -> M = _mm_cmplt_ps;
    bits(m: M) -> u32 = _mm_movemask_ps;
}

/// Truncates f32 numbers to integers. Numbers outside the range of an i32 give arbitrary ones.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn cut(x: F) -> I {
    // The conversion saturates; it is a vector instruction on aarch64 and wasm32.
    map(x, |x| x as i32)
}

/// See [`Simd::dot16`].
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn dot16(a: I, b: I) -> I {
    zip(a, b, |a, b| {
        let low = i32::from(a as i16) * i32::from(b as i16);
        low.wrapping_add((a >> 16) * (b >> 16))
    })
}

/// See [`Simd::mul16_high`].
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn mul16_high(a: I, b: I) -> I {
    zip(a, b, |a, b| {
        let (a, b) = (a as u32, b as u32);
        let (high, low) = ((a >> 16) * (b >> 16), (a & 0xffff) * (b & 0xffff));
        (high >> 16 << 16 | low >> 16) as i32
    })
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn lt_f32(a: F, b: F) -> M {
    zip(a, b, |a, b| all(a < b))
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn bits(m: M) -> u32 {
    let mut bits = 0;
    for (lane, m) in m.into_iter().enumerate() {
        bits |= u32::from(m < 0) << lane;
    }
    bits
}
