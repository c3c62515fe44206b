//! The AVX2 level, whose vectors have eight lanes. It needs FMA and F16C, too.

use super::{Arguments, Pairs, Simd, Stage};
use crate::request::Lanes;
use std::arch::asm;
use std::arch::x86_64::*;
use texunit_memory::Window;

/// Proof that this machine supports AVX2: a value exists only inside functions compiled for AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Makes the proof. Only for functions that are compiled for AVX2.
    #[inline]
    #[target_feature(enable = "avx2,fma,f16c")]
    pub(super) fn new() -> Self {
        Self(())
    }
}

/// Defines vector operations that are single instructions.
macro_rules! instruction {
    ($($name:ident($($a:ident: $t:ty),*) -> $r:ty = $body:expr;)*) => {
        $(#[inline(always)]
        fn $name($($a: $t),*) -> $r {
            // SAFETY: vectors, and values of the level, exist only on machines with AVX2;
            // references have the bytes of a vector, and offsets are clamped to the window.
            unsafe { $body }
        })*
    };
}

type Pair = (__m256d, __m256d);

impl Simd for Avx2 {
    const LANES: usize = 8;
    type I = __m256i;
    type F = __m256;
    /// A pair of vectors, with lanes 0 to 3 and lanes 4 to 7.
    type D = Pair;
    /// A mask, in which each lane is all ones or zero.
    type M = __m256i;

    #[inline(always)]
    fn call<A: Arguments, K: Stage<A>>(self, arguments: A::Args<'_>) {
        // SAFETY: `self` exists only on machines that support this level.
        unsafe { K::avx2(arguments) }
    }
    #[inline(always)]
    fn fence(a: &mut __m256i, b: &mut __m256i) {
        // SAFETY: vectors exist only on machines with AVX2.
        unsafe { (*a, *b) = fence(*a, *b) }
    }

    #[inline(always)]
    fn store(x: __m256i, to: &mut Lanes, chunk: usize) {
        let to: &mut [u32; 8] = &mut to.as_chunks_mut().0[chunk];
        // SAFETY: vectors exist only on machines with AVX2; the reference has 32 bytes.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), x) }
    }
    #[inline(always)]
    fn look_up(table: &Lanes, index: __m256i) -> __m256i {
        let mut at = [0_u32; 8];
        // SAFETY: vectors exist only on machines with AVX2; the local array has 32 bytes.
        unsafe { _mm256_storeu_si256(at.as_mut_ptr().cast(), index) };
        let found = at.map(|at| table[at as usize % 32]);
        // SAFETY: vectors exist only on machines with AVX2; the local array has 32 bytes.
        unsafe { _mm256_loadu_si256(found.as_ptr().cast()) }
    }

    instruction! {
        splat(self: Self, x: i32) -> __m256i = _mm256_set1_epi32(x);
        splat_f32(self: Self, x: f32) -> __m256 = _mm256_set1_ps(x);
        splat_f64(self: Self, x: f64) -> Pair = (_mm256_set1_pd(x), _mm256_set1_pd(x));
        load(self: Self, from: &Lanes, chunk: usize) -> __m256i = {
            let from: &[u32; 8] = &from.as_chunks().0[chunk];
            _mm256_loadu_si256(from.as_ptr().cast())
        };
        mask(self: Self, bits: u32, chunk: usize) -> __m256i = {
            let each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let bits = _mm256_set1_epi32((bits >> (8 * chunk)) as i32);
            _mm256_cmpeq_epi32(_mm256_and_si256(bits, each), each)
        };
        gather(self: Self, window: Window<'_>, offsets: __m256i) -> __m256i =
            gather(window.base(), limit(offsets, window.last(4)));
        gather2(self: Self, window: Window<'_>, offsets: __m256i) -> [__m256i; 2] =
            gather2(window.base(), limit(offsets, window.last(8)));
        gather4(self: Self, window: Window<'_>, offsets: __m256i) -> [__m256i; 4] =
            gather4(window.base(), limit(offsets, window.last(16)));
        unzip(a: __m256i, b: __m256i) -> [__m256i; 2] = unzip(a, b);
        look_up_pairs(table: &Pairs, index: __m256i) -> [__m256i; 2] = {
            let index = _mm256_and_si256(index, _mm256_set1_epi32(127));
            gather2(table.together.as_ptr().cast(), _mm256_slli_epi32::<3>(index))
        };
        add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b);
        sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32(a, b);
        mul(a: __m256i, b: __m256i) -> __m256i = _mm256_mullo_epi32(a, b);
        mul_small(a: __m256i, b: __m256i) -> __m256i = _mm256_madd_epi16(a, b);
        dot16(a: __m256i, b: __m256i) -> __m256i = _mm256_madd_epi16(a, b);
        and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
        or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
        xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256(a, b);
        min(a: __m256i, b: __m256i) -> __m256i = _mm256_min_epi32(a, b);
        max(a: __m256i, b: __m256i) -> __m256i = _mm256_max_epi32(a, b);
        shl(a: __m256i, bits: u32) -> __m256i = _mm256_sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
        shr(a: __m256i, bits: u32) -> __m256i = _mm256_srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
        sar(a: __m256i, bits: u32) -> __m256i = _mm256_sra_epi32(a, _mm_cvtsi32_si128(bits as i32));
        shl_each(a: __m256i, bits: __m256i) -> __m256i = _mm256_sllv_epi32(a, bits);
        shr_each(a: __m256i, bits: __m256i) -> __m256i = _mm256_srlv_epi32(a, bits);
        sar_each(a: __m256i, bits: __m256i) -> __m256i = _mm256_srav_epi32(a, bits);
        rotate_each(a: __m256i, bits: __m256i) -> __m256i = {
            let rest = _mm256_srlv_epi32(a, _mm256_sub_epi32(_mm256_set1_epi32(32), bits));
            _mm256_or_si256(_mm256_sllv_epi32(a, bits), rest)
        };
        add16(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi16(a, b);
        mul16(a: __m256i, b: __m256i) -> __m256i = _mm256_mullo_epi16(a, b);
        mul16_high(a: __m256i, b: __m256i) -> __m256i = _mm256_mulhi_epu16(a, b);
        mul16_round(a: __m256i, b: __m256i) -> __m256i = _mm256_mulhrs_epi16(a, b);
        shr16_8(a: __m256i) -> __m256i = _mm256_srli_epi16::<8>(a);
        lt(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpgt_epi32(b, a);
        eq(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpeq_epi32(a, b);
        select(m: __m256i, a: __m256i, b: __m256i) -> __m256i = _mm256_blendv_epi8(b, a, m);
        bits(m: __m256i) -> u32 = _mm256_movemask_ps(_mm256_castsi256_ps(m)) as u32;
        both(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
        either(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
        from_bits(x: __m256i) -> __m256 = _mm256_castsi256_ps(x);
        to_bits(x: __m256) -> __m256i = _mm256_castps_si256(x);
        half(code: __m256i) -> __m256 = {
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(code, code));
            _mm256_cvtph_ps(_mm256_castsi256_si128(packed))
        };
        to_f32(x: __m256i) -> __m256 = _mm256_cvtepi32_ps(x);
        floor(x: __m256) -> __m256i = _mm256_cvttps_epi32(_mm256_floor_ps(x));
        to_int(x: __m256) -> __m256i = _mm256_cvttps_epi32(x);
        add_f32(a: __m256, b: __m256) -> __m256 = _mm256_add_ps(a, b);
        sub_f32(a: __m256, b: __m256) -> __m256 = _mm256_sub_ps(a, b);
        mul_f32(a: __m256, b: __m256) -> __m256 = _mm256_mul_ps(a, b);
        div_f32(a: __m256, b: __m256) -> __m256 = _mm256_div_ps(a, b);
        fused(a: __m256, b: __m256, c: __m256) -> __m256 = _mm256_fmadd_ps(a, b, c);
        lt_f32(a: __m256, b: __m256) -> __m256i =
            _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b));
        to_f64(x: __m256i) -> Pair = (
            _mm256_cvtepi32_pd(_mm256_castsi256_si128(x)),
            _mm256_cvtepi32_pd(_mm256_extracti128_si256::<1>(x)),
        );
        narrow(x: Pair) -> __m256 = _mm256_set_m128(_mm256_cvtpd_ps(x.1), _mm256_cvtpd_ps(x.0));
        add_f64(a: Pair, b: Pair) -> Pair = (_mm256_add_pd(a.0, b.0), _mm256_add_pd(a.1, b.1));
        mul_f64(a: Pair, b: Pair) -> Pair = (_mm256_mul_pd(a.0, b.0), _mm256_mul_pd(a.1, b.1));
        floor_f64(x: Pair) -> Pair = (_mm256_floor_pd(x.0), _mm256_floor_pd(x.1));
        ratio(k: __m256, n: f32) -> __m256 = {
            let (high, low) = super::vector::reciprocal(n);
            let rest = _mm256_mul_ps(k, _mm256_set1_ps(low));
            _mm256_fmadd_ps(k, _mm256_set1_ps(high), rest)
        };
        power_of_two(exponent: __m256i) -> Pair = {
            let biased = _mm256_add_epi32(exponent, _mm256_set1_epi32(1023));
            let low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(biased));
            let high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256::<1>(biased));
            (
                _mm256_castsi256_pd(_mm256_slli_epi64::<52>(low)),
                _mm256_castsi256_pd(_mm256_slli_epi64::<52>(high)),
            )
        };
    }

    #[inline(always)]
    fn mul_shift<const BITS: u32, const HALF: bool>(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: vectors exist only on machines with AVX2.
        unsafe {
            let half = _mm256_set1_epi64x(if HALF { 1 << (BITS - 1) } else { 0 });
            let count = _mm_cvtsi32_si128(BITS as i32);
            let even = _mm256_srl_epi64(_mm256_add_epi64(_mm256_mul_epi32(a, b), half), count);
            let (a, b) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            let odd = _mm256_srl_epi64(_mm256_add_epi64(_mm256_mul_epi32(a, b), half), count);
            _mm256_blend_epi32::<0xaa>(even, _mm256_slli_epi64::<32>(odd))
        }
    }
}

#[inline(always)]
unsafe fn limit(offsets: __m256i, last: u32) -> __m256i {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { _mm256_min_epu32(offsets, _mm256_set1_epi32(last as i32)) }
}

/// # Safety
/// The machine supports AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn fence(mut a: __m256i, mut b: __m256i) -> (__m256i, __m256i) {
    // SAFETY: the assembly contains no instruction.
    unsafe {
        asm!(
            "/* {a} {b} */",
            a = inout(ymm_reg) a,
            b = inout(ymm_reg) b,
            options(nostack, preserves_flags),
        );
    }
    (a, b)
}

/// # Safety
/// The machine supports AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn unzip(a: __m256i, b: __m256i) -> [__m256i; 2] {
    let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
    let even = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
    let odd = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(a, b));
    // AVX shuffles do not cross the halves of a vector, so the quarters have to be put in order.
    [
        _mm256_permute4x64_epi64::<0b11_01_10_00>(even),
        _mm256_permute4x64_epi64::<0b11_01_10_00>(odd),
    ]
}

// Texels are read by `asm`, not by intrinsics, because another thread may store to them at the same
// time: the compiler must not treat these reads as ordinary ones (see crate `memory`). They are
// read by single loads, because the gathers of AVX2 are not faster on any measured machine.

/// The offsets of all lanes. The compiler would extract one after the other, each with two
/// micro-operations; two at a time take half as many.
#[inline]
#[target_feature(enable = "avx2")]
fn each(offsets: __m256i) -> [u64; 8] {
    let four = |offsets: __m128i| {
        let (a, b, c, d): (u64, u64, u64, u64);
        // SAFETY: the instructions only write their outputs.
        unsafe {
            asm!(
                "vmovq {b}, {offsets}",
                "vpextrq {d}, {offsets}, 1",
                "mov {a:e}, {b:e}",
                "mov {c:e}, {d:e}",
                "shr {b}, 32",
                "shr {d}, 32",
                offsets = in(xmm_reg) offsets,
                a = out(reg) a,
                b = out(reg) b,
                c = out(reg) c,
                d = out(reg) d,
                options(pure, nomem, nostack),
            );
        }
        [a, b, c, d]
    };
    let ([a, b, c, d], [e, f, g, h]) =
        (four(_mm256_castsi256_si128(offsets)), four(_mm256_extracti128_si256::<1>(offsets)));
    [a, b, c, d, e, f, g, h]
}

/// # Safety
/// The machine supports AVX2; 4 bytes can be read at each offset.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn gather(base: *const u8, offsets: __m256i) -> __m256i {
    let at = each(offsets);
    let four = |at: [u64; 4]| {
        let out: __m128i;
        // SAFETY: the caller upholds this function's safety contract.
        unsafe {
            asm!(
                "vmovd {out}, dword ptr [{base} + {a}]",
                "vpinsrd {out}, {out}, dword ptr [{base} + {b}], 1",
                "vpinsrd {out}, {out}, dword ptr [{base} + {c}], 2",
                "vpinsrd {out}, {out}, dword ptr [{base} + {d}], 3",
                base = in(reg) base,
                a = in(reg) at[0],
                b = in(reg) at[1],
                c = in(reg) at[2],
                d = in(reg) at[3],
                out = out(xmm_reg) out,
                options(readonly, nostack, preserves_flags),
            );
        }
        out
    };
    let [a, b, c, d, e, f, g, h] = at;
    _mm256_set_m128i(four([e, f, g, h]), four([a, b, c, d]))
}

/// # Safety
/// The machine supports AVX2; 8 bytes can be read at each offset.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn gather2(base: *const u8, offsets: __m256i) -> [__m256i; 2] {
    let at = each(offsets);
    let two = |i: usize| {
        let out: __m128i;
        // SAFETY: the caller upholds this function's safety contract.
        unsafe {
            asm!(
                "vmovq {out}, qword ptr [{base} + {a}]",
                "vmovhps {out}, {out}, qword ptr [{base} + {b}]",
                base = in(reg) base,
                a = in(reg) at[i],
                b = in(reg) at[i + 1],
                out = out(xmm_reg) out,
                options(readonly, nostack, preserves_flags),
            );
        }
        out
    };
    // The vectors have lanes 0, 1, 4, 5 and lanes 2, 3, 6, 7, because AVX shuffles do not cross the
    // halves of a vector.
    let a = _mm256_castsi256_ps(_mm256_set_m128i(two(4), two(0)));
    let b = _mm256_castsi256_ps(_mm256_set_m128i(two(6), two(2)));
    [
        _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b)),
        _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(a, b)),
    ]
}

/// # Safety
/// The machine supports AVX2; 16 bytes can be read at each offset.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn gather4(base: *const u8, offsets: __m256i) -> [__m256i; 4] {
    let at = each(offsets);
    // A row has the texels of lanes j and j + 4, so the transposition results in the right order.
    // SAFETY: the caller upholds this function's safety contract.
    let row = |j: usize| unsafe { two_texels(base, at[j], at[j + 4]) };
    let (a, b, c, d) = (row(0), row(1), row(2), row(3));
    let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
    let (ef, gh) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
    [
        _mm256_unpacklo_epi64(ab, cd),
        _mm256_unpackhi_epi64(ab, cd),
        _mm256_unpacklo_epi64(ef, gh),
        _mm256_unpackhi_epi64(ef, gh),
    ]
}

/// Loads two texels of 16 bytes into one vector: the texel at `at` into the low half, the texel at
/// `above` into the high half.
///
/// # Safety
/// The machine supports AVX2; 16 bytes can be read at both offsets.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn two_texels(base: *const u8, at: u64, above: u64) -> __m256i {
    let out: __m256i;
    // SAFETY: the caller upholds this function's safety contract.
    unsafe {
        asm!(
            "vmovdqu {out:x}, xmmword ptr [{base} + {a}]",
            "vinserti128 {out:y}, {out:y}, xmmword ptr [{base} + {b}], 1",
            base = in(reg) base,
            a = in(reg) at,
            b = in(reg) above,
            out = out(ymm_reg) out,
            options(readonly, nostack, preserves_flags),
        );
    }
    out
}
