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
fn map<A: Copy, T>(a: [A; N], f: impl Fn(A) -> T) -> [T; N] {
    std::array::from_fn(|lane| f(a[lane]))
}

#[inline(always)]
fn zip<A: Copy, B: Copy, T>(a: [A; N], b: [B; N], f: impl Fn(A, B) -> T) -> [T; N] {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

#[inline(always)]
fn all(yes: bool) -> i32 {
    -i32::from(yes)
}

impl Simd for Portable {
    const LANES: usize = N;
    type I = I;
    type F = F;
    type D = D;
    type M = M;

    #[inline(always)]
    fn splat(self, x: i32) -> I {
        [x; N]
    }
    #[inline(always)]
    fn splat_f32(self, x: f32) -> F {
        [x; N]
    }
    #[inline(always)]
    fn splat_f64(self, x: f64) -> D {
        [x; N]
    }
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
        [0, 32, 64, 96].map(|shift| map(all, |x| (x >> shift) as i32))
    }

    #[inline(always)]
    fn unzip(a: I, b: I) -> [I; 2] {
        let all = [a, b];
        [0, 1].map(|odd| std::array::from_fn(|lane| all.as_flattened()[2 * lane + odd]))
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
        [0, 1].map(|word| map(found, |pair| pair[word]))
    }
    #[inline(always)]
    fn add(a: I, b: I) -> I {
        zip(a, b, i32::wrapping_add)
    }
    #[inline(always)]
    fn sub(a: I, b: I) -> I {
        zip(a, b, i32::wrapping_sub)
    }
    #[inline(always)]
    fn mul(a: I, b: I) -> I {
        zip(a, b, i32::wrapping_mul)
    }
    #[inline(always)]
    fn mul_small(a: I, b: I) -> I {
        dot16(a, b)
    }
    #[inline(always)]
    fn dot16(a: I, b: I) -> I {
        dot16(a, b)
    }
    #[inline(always)]
    fn mul_shift<const BITS: u32, const HALF: bool>(a: I, b: I) -> I {
        let half = if HALF { 1 << (BITS - 1) } else { 0 };
        // SSE2 multiplies unsigned numbers; the product of a negative one is too large by 2^32 times
        // the other number.
        zip(a, b, |a, b| {
            let excess = ((a >> 31) & b).wrapping_add((b >> 31) & a);
            let product = u64::from(a as u32) * u64::from(b as u32);
            let product = product.wrapping_sub(u64::from(excess as u32) << 32);
            (product.wrapping_add(half) >> BITS) as i32
        })
    }
    #[inline(always)]
    fn and(a: I, b: I) -> I {
        zip(a, b, |a, b| a & b)
    }
    #[inline(always)]
    fn or(a: I, b: I) -> I {
        zip(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn xor(a: I, b: I) -> I {
        zip(a, b, |a, b| a ^ b)
    }
    #[inline(always)]
    fn min(a: I, b: I) -> I {
        zip(a, b, i32::min)
    }
    #[inline(always)]
    fn max(a: I, b: I) -> I {
        zip(a, b, i32::max)
    }
    #[inline(always)]
    fn shl(a: I, bits: u32) -> I {
        map(a, |a| a << bits)
    }
    #[inline(always)]
    fn shr(a: I, bits: u32) -> I {
        map(a, |a| (a as u32 >> bits) as i32)
    }
    #[inline(always)]
    fn sar(a: I, bits: u32) -> I {
        map(a, |a| a >> bits)
    }
    #[inline(always)]
    fn shl_each(a: I, bits: I) -> I {
        zip(a, bits, |a, bits| a.wrapping_shl(bits as u32))
    }
    #[inline(always)]
    fn shr_each(a: I, bits: I) -> I {
        zip(a, bits, |a, bits| (a as u32).checked_shr(bits as u32).unwrap_or(0) as i32)
    }
    #[inline(always)]
    fn sar_each(a: I, bits: I) -> I {
        zip(a, bits, |a, bits| a >> (bits as u32).min(31))
    }
    #[inline(always)]
    fn rotate_each(a: I, bits: I) -> I {
        zip(a, bits, |a, bits| (a as u32).rotate_left(bits as u32) as i32)
    }
    #[inline(always)]
    fn add16(a: I, b: I) -> I {
        const LOW: u32 = 0xffff;
        zip(a, b, |a, b| {
            let (a, b) = (a as u32, b as u32);
            let low = (a & LOW).wrapping_add(b & LOW) & LOW;
            ((a & !LOW).wrapping_add(b & !LOW) | low) as i32
        })
    }
    #[inline(always)]
    fn mul16(a: I, b: I) -> I {
        zip(a, b, |a, b| {
            let (a, b) = (a as u32, b as u32);
            let low = (a & 0xffff).wrapping_mul(b & 0xffff) & 0xffff;
            ((a >> 16).wrapping_mul(b >> 16) << 16 | low) as i32
        })
    }
    #[inline(always)]
    fn mul16_high(a: I, b: I) -> I {
        mul16_high(a, b)
    }
    #[inline(always)]
    fn mul16_round(a: I, b: I) -> I {
        let round = |a: i32, b: i32| (a * b + (1 << 14)) >> 15 & 0xffff;
        zip(a, b, |a, b| {
            let low = round(i32::from(a as i16), i32::from(b as i16));
            round(a >> 16, b >> 16) << 16 | low
        })
    }
    #[inline(always)]
    fn shr16_8(a: I) -> I {
        map(a, |a| (a as u32 >> 8 & 0x00ff_00ff) as i32)
    }
    #[inline(always)]
    fn lt(a: I, b: I) -> M {
        zip(a, b, |a, b| all(a < b))
    }
    #[inline(always)]
    fn eq(a: I, b: I) -> M {
        zip(a, b, |a, b| all(a == b))
    }
    #[inline(always)]
    fn select(m: M, a: I, b: I) -> I {
        std::array::from_fn(|lane| m[lane] & a[lane] | !m[lane] & b[lane])
    }

    #[inline(always)]
    fn bits(m: M) -> u32 {
        bits(m)
    }
    #[inline(always)]
    fn both(a: M, b: M) -> M {
        Self::and(a, b)
    }
    #[inline(always)]
    fn either(a: M, b: M) -> M {
        Self::or(a, b)
    }

    #[inline(always)]
    fn from_bits(x: I) -> F {
        map(x, |x| f32::from_bits(x as u32))
    }
    #[inline(always)]
    fn to_bits(x: F) -> I {
        map(x, |x| x.to_bits() as i32)
    }
    #[inline(always)]
    fn half(code: I) -> F {
        // The multiplication changes the bias of the exponent, and is exact.
        map(code, |code| {
            let magnitude = f32::from_bits((code as u32 & 0x7fff) << 13);
            let value = magnitude * f32::from_bits(0x7780_0000);
            let special = if code & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
            f32::from_bits(value.to_bits() | special | (code as u32 & 0x8000) << 16)
        })
    }
    #[inline(always)]
    fn to_f32(x: I) -> F {
        map(x, |x| x as f32)
    }
    #[inline(always)]
    fn floor(x: F) -> I {
        // SSE2 has no instruction that rounds down: the number is truncated, and one is subtracted
        // where the result is above the number.
        let cut = cut(x);
        zip(cut, x, |cut, x| cut.wrapping_add(all(x < cut as f32)))
    }
    #[inline(always)]
    fn to_int(x: F) -> I {
        cut(x)
    }
    #[inline(always)]
    fn add_f32(a: F, b: F) -> F {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub_f32(a: F, b: F) -> F {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul_f32(a: F, b: F) -> F {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div_f32(a: F, b: F) -> F {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn fused(a: F, b: F, c: F) -> F {
        // The product is exact. Without an instruction, `f32::mul_add` is a call for each lane.
        Self::add_f32(Self::mul_f32(a, b), c)
    }
    #[inline(always)]
    fn ratio(k: F, n: f32) -> F {
        map(k, |k| k / n)
    }
    #[inline(always)]
    fn lt_f32(a: F, b: F) -> M {
        lt_f32(a, b)
    }

    #[inline(always)]
    fn to_f64(x: I) -> D {
        map(x, f64::from)
    }
    #[inline(always)]
    fn narrow(x: D) -> F {
        map(x, |x| x as f32)
    }
    #[inline(always)]
    fn add_f64(a: D, b: D) -> D {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn mul_f64(a: D, b: D) -> D {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn floor_f64(x: D) -> D {
        map(x, f64::floor)
    }
    #[inline(always)]
    fn power_of_two(exponent: I) -> D {
        map(exponent, |exponent| f64::from_bits(((1023 + exponent) as u64) << 52))
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
