//! AVX-512 level, whose vectors have sixteen lanes. It needs AVX-512 F, BW, CD, DQ, VL, and FMA.

use super::{Arguments, Pairs, Simd, Stage, avx2};
use crate::request::Lanes;
use std::arch::asm;
use std::arch::x86_64::*;
use texunit_memory::Window;

/// Proof that this machine supports AVX-512: it exists only inside functions compiled for AVX-512.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    /// Makes the proof. Only for functions that are compiled for AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,fma")]
    pub(super) fn new() -> Self {
        Self(())
    }
}

/// Defines vector operations that are single instructions.
macro_rules! instruction {
    ($($name:ident($($a:ident: $t:ty),*) -> $r:ty = $body:expr;)*) => {
        $(#[inline(always)]
        fn $name($($a: $t),*) -> $r {
            // SAFETY: vectors, and values of the level, exist only on machines with AVX-512;
            // references have the bytes of a vector, and offsets are clamped to the window.
            unsafe { $body }
        })*
    };
}

type Pair = (__m512d, __m512d);

impl Simd for Avx512 {
    const LANES: usize = 16;
    type I = __m512i;
    type F = __m512;
    /// A pair of vectors, with lanes 0 to 7 and lanes 8 to 15.
    type D = Pair;
    type M = __mmask16;

    #[inline(always)]
    fn mask(self, bits: u32, chunk: usize) -> __mmask16 {
        (bits >> (16 * chunk)) as u16
    }
    #[inline(always)]
    fn call<A: Arguments, K: Stage<A>>(self, arguments: A::Args<'_>) {
        // SAFETY: `self` exists only on machines that support this level.
        unsafe { K::avx512(arguments) }
    }
    #[inline(always)]
    fn fence(a: &mut __m512i, b: &mut __m512i) {
        // SAFETY: vectors exist only on machines with AVX-512.
        unsafe { (*a, *b) = fence(*a, *b) }
    }

    #[inline(always)]
    fn store(x: __m512i, to: &mut Lanes, chunk: usize) {
        let to: &mut [u32; 16] = &mut to.as_chunks_mut().0[chunk];
        // SAFETY: vectors exist only on machines with AVX-512; the reference has 64 bytes.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), x) }
    }
    #[inline(always)]
    fn look_up(table: &Lanes, index: __m512i) -> __m512i {
        // SAFETY: vectors exist only on machines with AVX-512; the table has 128 bytes.
        unsafe {
            let low = _mm512_loadu_si512(table.as_ptr().cast());
            let high = _mm512_loadu_si512(table.as_ptr().add(16).cast());
            _mm512_permutex2var_epi32(low, index, high)
        }
    }

    instruction! {
        splat(self: Self, x: i32) -> __m512i = _mm512_set1_epi32(x);
        splat_f32(self: Self, x: f32) -> __m512 = _mm512_set1_ps(x);
        splat_f64(self: Self, x: f64) -> Pair = (_mm512_set1_pd(x), _mm512_set1_pd(x));
        load(self: Self, from: &Lanes, chunk: usize) -> __m512i = {
            let from: &[u32; 16] = &from.as_chunks().0[chunk];
            _mm512_loadu_si512(from.as_ptr().cast())
        };
        gather(self: Self, window: Window<'_>, offsets: __m512i) -> __m512i =
            gather(window.base(), limit(offsets, window.last(4)));
        gather2(self: Self, window: Window<'_>, offsets: __m512i) -> [__m512i; 2] =
            gather2(window.base(), limit(offsets, window.last(8)));
        gather4(self: Self, window: Window<'_>, offsets: __m512i) -> [__m512i; 4] =
            gather4(window.base(), limit(offsets, window.last(16)));
        gather8(self: Self, window: Window<'_>, offsets: __m512i) -> [[__m512i; 4]; 2] =
            gather8(window.base(), limit(offsets, window.last(16).saturating_sub(16)));
        unzip(a: __m512i, b: __m512i) -> [__m512i; 2] = unzip(a, b);
        look_up_pairs(table: &Pairs, index: __m512i) -> [__m512i; 2] =
            [look_up_128(&table.apart[0], index), look_up_128(&table.apart[1], index)];
        add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
        sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32(a, b);
        mul(a: __m512i, b: __m512i) -> __m512i = _mm512_mullo_epi32(a, b);
        mul_small(a: __m512i, b: __m512i) -> __m512i = _mm512_madd_epi16(a, b);
        dot16(a: __m512i, b: __m512i) -> __m512i = _mm512_madd_epi16(a, b);
        and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512(a, b);
        or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512(a, b);
        xor(a: __m512i, b: __m512i) -> __m512i = _mm512_xor_si512(a, b);
        min(a: __m512i, b: __m512i) -> __m512i = _mm512_min_epi32(a, b);
        max(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epi32(a, b);
        shl(a: __m512i, bits: u32) -> __m512i = _mm512_sll_epi32(a, _mm_cvtsi32_si128(bits as i32));
        shr(a: __m512i, bits: u32) -> __m512i = _mm512_srl_epi32(a, _mm_cvtsi32_si128(bits as i32));
        sar(a: __m512i, bits: u32) -> __m512i = _mm512_sra_epi32(a, _mm_cvtsi32_si128(bits as i32));
        shl_each(a: __m512i, bits: __m512i) -> __m512i = _mm512_sllv_epi32(a, bits);
        shr_each(a: __m512i, bits: __m512i) -> __m512i = _mm512_srlv_epi32(a, bits);
        sar_each(a: __m512i, bits: __m512i) -> __m512i = _mm512_srav_epi32(a, bits);
        rotate_each(a: __m512i, bits: __m512i) -> __m512i = _mm512_rolv_epi32(a, bits);
        add16(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi16(a, b);
        mul16(a: __m512i, b: __m512i) -> __m512i = _mm512_mullo_epi16(a, b);
        mul16_high(a: __m512i, b: __m512i) -> __m512i = _mm512_mulhi_epu16(a, b);
        mul16_round(a: __m512i, b: __m512i) -> __m512i = _mm512_mulhrs_epi16(a, b);
        shr16_8(a: __m512i) -> __m512i = _mm512_srli_epi16::<8>(a);
        lt(a: __m512i, b: __m512i) -> __mmask16 = _mm512_cmplt_epi32_mask(a, b);
        eq(a: __m512i, b: __m512i) -> __mmask16 = _mm512_cmpeq_epi32_mask(a, b);
        select(m: __mmask16, a: __m512i, b: __m512i) -> __m512i = _mm512_mask_mov_epi32(b, m, a);
        from_bits(x: __m512i) -> __m512 = _mm512_castsi512_ps(x);
        to_bits(x: __m512) -> __m512i = _mm512_castps_si512(x);
        half(code: __m512i) -> __m512 = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(code));
        to_f32(x: __m512i) -> __m512 = _mm512_cvtepi32_ps(x);
        floor(x: __m512) -> __m512i =
            _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x);
        to_int(x: __m512) -> __m512i = _mm512_cvttps_epi32(x);
        add_f32(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
        sub_f32(a: __m512, b: __m512) -> __m512 = _mm512_sub_ps(a, b);
        mul_f32(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        div_f32(a: __m512, b: __m512) -> __m512 = _mm512_div_ps(a, b);
        fused(a: __m512, b: __m512, c: __m512) -> __m512 = _mm512_fmadd_ps(a, b, c);
        lt_f32(a: __m512, b: __m512) -> __mmask16 = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
        to_f64(x: __m512i) -> Pair = (
            _mm512_cvtepi32_pd(_mm512_castsi512_si256(x)),
            _mm512_cvtepi32_pd(_mm512_extracti32x8_epi32::<1>(x)),
        );
        narrow(x: Pair) -> __m512 = _mm512_insertf32x8::<1>(
            _mm512_castps256_ps512(_mm512_cvtpd_ps(x.0)),
            _mm512_cvtpd_ps(x.1),
        );
        add_f64(a: Pair, b: Pair) -> Pair = (_mm512_add_pd(a.0, b.0), _mm512_add_pd(a.1, b.1));
        mul_f64(a: Pair, b: Pair) -> Pair = (_mm512_mul_pd(a.0, b.0), _mm512_mul_pd(a.1, b.1));
        floor_f64(x: Pair) -> Pair = (
            _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x.0),
            _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x.1),
        );
        ratio(k: __m512, n: f32) -> __m512 = {
            let (high, low) = super::vector::reciprocal(n);
            let rest = _mm512_mul_ps(k, _mm512_set1_ps(low));
            _mm512_fmadd_ps(k, _mm512_set1_ps(high), rest)
        };
        power_of_two(exponent: __m512i) -> Pair = {
            let biased = _mm512_add_epi32(exponent, _mm512_set1_epi32(1023));
            let low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(biased));
            let high = _mm512_cvtepu32_epi64(_mm512_extracti32x8_epi32::<1>(biased));
            (
                _mm512_castsi512_pd(_mm512_slli_epi64::<52>(low)),
                _mm512_castsi512_pd(_mm512_slli_epi64::<52>(high)),
            )
        };
    }

    #[inline(always)]
    fn mul_shift<const BITS: u32, const HALF: bool>(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: vectors exist only on machines with AVX-512.
        unsafe {
            let half = _mm512_set1_epi64(if HALF { 1 << (BITS - 1) } else { 0 });
            let count = _mm_cvtsi32_si128(BITS as i32);
            let even = _mm512_srl_epi64(_mm512_add_epi64(_mm512_mul_epi32(a, b), half), count);
            let (a, b) = (_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            let odd = _mm512_srl_epi64(_mm512_add_epi64(_mm512_mul_epi32(a, b), half), count);
            _mm512_mask_mov_epi32(even, 0xaaaa, _mm512_slli_epi64::<32>(odd))
        }
    }
    #[inline(always)]
    fn bits(m: __mmask16) -> u32 {
        m.into()
    }
    #[inline(always)]
    fn both(a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }
    #[inline(always)]
    fn either(a: __mmask16, b: __mmask16) -> __mmask16 {
        a | b
    }
}

#[inline(always)]
unsafe fn limit(offsets: __m512i, last: u32) -> __m512i {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { _mm512_min_epu32(offsets, _mm512_set1_epi32(last as i32)) }
}

/// # Safety
/// The machine supports AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn fence(mut a: __m512i, mut b: __m512i) -> (__m512i, __m512i) {
    // SAFETY: the assembly contains no instruction.
    unsafe {
        asm!(
            "/* {a} {b} */",
            a = inout(zmm_reg) a,
            b = inout(zmm_reg) b,
            options(nostack, preserves_flags),
        );
    }
    (a, b)
}

/// Entries of a table by the lowest seven bits of each index. Permutations instead of a gather,
/// which takes several times as long on AMD's processors.
///
/// # Safety
/// The machine supports AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn look_up_128(table: &[i32; 128], index: __m512i) -> __m512i {
    let bit = |bit| _mm512_test_epi32_mask(index, _mm512_set1_epi32(bit));
    let found = |quarter: usize| {
        let (low, high) = table[32 * quarter..32 * quarter + 32].split_at(16);
        // SAFETY: both slices have 64 bytes.
        let [low, high] =
            [low, high].map(|part| unsafe { _mm512_loadu_si512(part.as_ptr().cast()) });
        _mm512_permutex2var_epi32(low, index, high)
    };
    let half = |half: usize| _mm512_mask_blend_epi32(bit(32), found(2 * half), found(2 * half + 1));
    _mm512_mask_blend_epi32(bit(64), half(0), half(1))
}

// Texels are read by single loads, as by AVX2, because gathers are slower: on Zen 5, a gather of 4
// bytes takes 23 cycles instead of 12, one of 8 bytes 18 instead of 14 (2026-11-30).

/// # Safety
/// The machine supports AVX-512; 4 bytes can be read at each offset.
#[inline(always)]
unsafe fn gather(base: *const u8, offsets: __m512i) -> __m512i {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe {
        let [low, high] = halves(offsets);
        concat(avx2::gather(base, low), avx2::gather(base, high))
    }
}

/// # Safety
/// The machine supports AVX-512; 8 bytes can be read at each offset.
#[inline(always)]
unsafe fn gather2(base: *const u8, offsets: __m512i) -> [__m512i; 2] {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe {
        let [low, high] = halves(offsets);
        let ([a, b], [c, d]) = (avx2::gather2(base, low), avx2::gather2(base, high));
        [concat(a, c), concat(b, d)]
    }
}

/// # Safety
/// The machine supports AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn unzip(a: __m512i, b: __m512i) -> [__m512i; 2] {
    let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    let odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    [_mm512_permutex2var_epi32(a, even, b), _mm512_permutex2var_epi32(a, odd, b)]
}

// Only the functions that contain `asm` are compiled for AVX-512 separately. They are small enough
// to be inlined, whereas a call would spill all vectors.

/// Loads two texels as [`avx2::two_texels`] does, and a second vector with the texels that follow
/// them in memory.
///
/// # Safety
/// The machine supports AVX-512; 32 bytes can be read at both offsets.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn two_pairs(base: *const u8, at: u32, above: u32) -> [__m256i; 2] {
    let (left, right): (__m256i, __m256i);
    // SAFETY: the caller upholds this function's safety contract.
    unsafe {
        asm!(
            "vmovdqu {left:x}, xmmword ptr [{base} + {a}]",
            "vmovdqu {right:x}, xmmword ptr [{base} + {a} + 16]",
            "vinserti128 {left:y}, {left:y}, xmmword ptr [{base} + {b}], 1",
            "vinserti128 {right:y}, {right:y}, xmmword ptr [{base} + {b} + 16], 1",
            base = in(reg) base,
            a = in(reg) u64::from(at),
            b = in(reg) u64::from(above),
            left = out(ymm_reg) left,
            right = out(ymm_reg) right,
            options(readonly, nostack, preserves_flags),
        );
    }
    [left, right]
}

/// # Safety
/// The machine supports AVX-512.
#[inline(always)]
unsafe fn store_offsets(offsets: __m512i) -> [u32; 16] {
    let mut at = [0_u32; 16];
    // SAFETY: the caller upholds this function's safety contract; the local array has 64 bytes.
    unsafe { _mm512_storeu_si512(at.as_mut_ptr().cast(), offsets) };
    at
}

/// # Safety
/// The machine supports AVX-512; 16 bytes can be read at each offset.
#[inline(always)]
unsafe fn gather4(base: *const u8, offsets: __m512i) -> [__m512i; 4] {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe {
        let at = store_offsets(offsets);
        // The vectors have the texels of lanes j, j + 4, j + 8 and j + 12, so that the
        // transposition results in the right order.
        let mut rows = [_mm512_setzero_si512(); 4];
        for j in 0..4 {
            let low = avx2::two_texels(base, at[j].into(), at[j + 4].into());
            let (high, above) = (at[j + 8].into(), at[j + 12].into());
            rows[j] = concat(low, avx2::two_texels(base, high, above));
        }
        transpose(rows)
    }
}

/// # Safety
/// The machine supports AVX-512; 32 bytes can be read at each offset.
#[inline(always)]
unsafe fn gather8(base: *const u8, offsets: __m512i) -> [[__m512i; 4]; 2] {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe {
        let at = store_offsets(offsets);
        let mut rows = [[_mm512_setzero_si512(); 4]; 2];
        for j in 0..4 {
            let low = two_pairs(base, at[j], at[j + 4]);
            let high = two_pairs(base, at[j + 8], at[j + 12]);
            rows[0][j] = concat(low[0], high[0]);
            rows[1][j] = concat(low[1], high[1]);
        }
        [transpose(rows[0]), transpose(rows[1])]
    }
}

/// # Safety
/// The machine supports AVX-512.
#[inline(always)]
unsafe fn halves(whole: __m512i) -> [__m256i; 2] {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { [_mm512_castsi512_si256(whole), _mm512_extracti64x4_epi64::<1>(whole)] }
}

/// # Safety
/// The machine supports AVX-512.
#[inline(always)]
unsafe fn concat(low: __m256i, high: __m256i) -> __m512i {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high) }
}

/// Transposes vectors that have the four words of lanes j, j + 4, j + 8 and j + 12 to four vectors
/// that have one word per lane.
///
/// # Safety
/// The machine supports AVX-512.
#[inline(always)]
unsafe fn transpose([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe {
        let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
        let (ef, gh) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(ab, cd),
            _mm512_unpackhi_epi64(ab, cd),
            _mm512_unpacklo_epi64(ef, gh),
            _mm512_unpackhi_epi64(ef, gh),
        ]
    }
}
