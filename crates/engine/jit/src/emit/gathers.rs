//! Whether the gathers of this processor pay: some have them as fast as loads allow, others do them in microcode, also
//! because a hole had to be closed. Of AMD's it is known (compilers do without them, too): of words in caches they take as
//! long as loads one by one, but where words are missing fewer loads are under way. Of others nothing but the clock says so.

#![allow(unsafe_code, reason = "instructions that the processor is asked for before")]

use super::processor::is_amd;
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_i32gather_epi32, _mm256_loadu_si256,
    _mm256_set_epi32, _mm256_set1_epi32, _mm256_setzero_si256,
};
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Words of a table that is larger than a first cache, rows of eight indices, and how often they are timed: all in all
/// for a tenth of a millisecond. What waits for other caches is what counts: where all is in the first one, both ways take as
/// long on many processors.
const WORDS: usize = 1 << 16;
const ROWS: usize = 256;
const TIMES: usize = 16;

/// The table, and rows of indices.
struct Reads {
    words: Vec<i32>,
    rows: Vec<[i32; 8]>,
}

impl Reads {
    fn new() -> Self {
        // In no order.
        let row = |row: usize| std::array::from_fn(|i| ((8 * row + i) * 40_503 % WORDS) as i32);
        Self { words: (0..WORDS as i32).collect(), rows: (0..ROWS).map(row).collect() }
    }
}

/// Whether eight words are to be loaded by one instruction. The processor has AVX2.
pub(super) fn pay() -> bool {
    static PAY: OnceLock<bool> = OnceLock::new();
    *PAY.get_or_init(|| {
        if is_amd() {
            return false;
        }
        let [one_by_one, at_once] = measured();
        better(one_by_one, at_once)
    })
}

/// A gather may take somewhat longer: it is one instruction in place of two dozen, so that a processor has begun with more
/// loads when it waits for one.
fn better(one_by_one: Duration, at_once: Duration) -> bool {
    at_once * 4 < one_by_one * 5
}

/// Best times of words one by one and at once.
fn measured() -> [Duration; 2] {
    let reads = Reads::new();
    let mut best = [Duration::MAX; 2];
    for _ in 0..TIMES {
        let reads = black_box(&reads);
        let begin = Instant::now();
        // SAFETY: code is made for processors with AVX2 alone (`Level::is_available`).
        black_box(unsafe { one_by_one(reads) });
        let middle = Instant::now();
        // SAFETY: as above.
        black_box(unsafe { at_once(reads) });
        best = [best[0].min(middle - begin), best[1].min(middle.elapsed())];
    }
    best
}

#[target_feature(enable = "avx2")]
fn one_by_one(Reads { words, rows }: &Reads) -> __m256i {
    let mut sum = _mm256_setzero_si256();
    for row in rows {
        let [a, b, c, d, e, f, g, h] = row.map(|i| words[i as usize % WORDS]);
        sum = _mm256_add_epi32(sum, _mm256_set_epi32(h, g, f, e, d, c, b, a));
    }
    sum
}

#[target_feature(enable = "avx2")]
fn at_once(Reads { words, rows }: &Reads) -> __m256i {
    assert_eq!(words.len(), WORDS);
    let mut sum = _mm256_setzero_si256();
    for row in rows {
        // SAFETY: a row is 32 bytes.
        let index = unsafe { _mm256_loadu_si256(row.as_ptr().cast()) };
        let index = _mm256_and_si256(index, _mm256_set1_epi32(WORDS as i32 - 1));
        // SAFETY: each index is below the number of words.
        let part = unsafe { _mm256_i32gather_epi32::<4>(words.as_ptr(), index) };
        sum = _mm256_add_epi32(sum, part);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::Level;

    #[test]
    fn slow_gathers_are_not_used() {
        let us = Duration::from_micros;
        assert!(better(us(10), us(9)));
        assert!(better(us(10), us(12)));
        assert!(!better(us(10), us(13)));
    }

    #[test]
    fn both_read_the_same_and_are_timed() {
        if !Level::Avx2.is_available() {
            return;
        }
        let reads = Reads::new();
        // SAFETY: the processor has AVX2, and vectors are eight numbers each.
        let [a, b]: [[i32; 8]; 2] =
            unsafe { std::mem::transmute([one_by_one(&reads), at_once(&reads)]) };
        assert_eq!(a, b);
        assert!(
            measured().iter().all(|time| *time > Duration::ZERO && *time < Duration::from_secs(1))
        );
    }
}
