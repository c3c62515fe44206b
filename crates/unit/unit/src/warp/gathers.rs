//! Whether the gathers of AVX-512 pay on this CPU: on some they are as fast as single loads, on others they take
//! several times as long. Nothing but the clock says so.

use super::build::SimdLevel;
use super::simd::{Arguments, Int, Simd, Stage, int, load};
use crate::request::Lanes;
use std::time::{Duration, Instant};
use texunit_memory::{Block, Window};

/// Bytes that are read: they stay in the first cache.
const BYTES: usize = 4096;
/// Fetches of a warp that are timed at once, and how often. All together take a quarter of a millisecond.
const WARPS: u32 = 128;
const TIMES: usize = 32;

/// The level that fetches are built for, if nobody forces one: the highest of the machine, or AVX2, whose builds
/// load texels one by one, where that is much faster.
pub(super) fn level() -> SimdLevel {
    match measured() {
        Some((avx512, avx2)) => better(avx512, avx2),
        None => SimdLevel::detected(),
    }
}

/// Arithmetic gains from longer vectors, and so gathers may take somewhat longer.
fn better(avx512: Duration, avx2: Duration) -> SimdLevel {
    if avx512 * 2 > avx2 * 3 { SimdLevel::Avx2 } else { SimdLevel::Avx512 }
}

/// Best times of AVX-512 and AVX2 for the same reads; on machines that have both.
fn measured() -> Option<(Duration, Duration)> {
    if SimdLevel::detected() < SimdLevel::Avx512 {
        return None;
    }
    let block = Block::new(BYTES, "gathers")?;
    let window = block.window(0)?;
    // In no order.
    let offsets: Lanes = std::array::from_fn(|lane| 4 * (lane as u32 * 617 % (BYTES as u32 / 4)));
    let mut sums = [0; 32];
    let mut best = [Duration::MAX; 2];
    // In turn: the first vectors of 512 bits are slow, and a CPU may change its speed.
    for _ in 0..TIMES {
        let begin = Instant::now();
        // SAFETY: the machine has both.
        unsafe { Reads::avx512(Call { window, offsets: &offsets, sums: &mut sums }) };
        let middle = Instant::now();
        // SAFETY: likewise.
        unsafe { Reads::avx2(Call { window, offsets: &offsets, sums: &mut sums }) };
        best[0] = best[0].min(middle - begin);
        best[1] = best[1].min(middle.elapsed());
    }
    std::hint::black_box(sums);
    Some((best[0], best[1]))
}

/// Texels of four bytes, alone and in pairs.
#[derive(Debug)]
struct Reads;

struct Call<'a> {
    window: Window<'a>,
    offsets: &'a Lanes,
    sums: &'a mut Lanes,
}

impl Arguments for Reads {
    type Of<'a> = Call<'a>;
}

impl Stage<Reads> for Reads {
    #[inline(always)]
    fn run<S: Simd>(simd: S, Call { window, offsets, sums }: Call<'_>) {
        for warp in 0..WARPS {
            for chunk in 0..32 / S::LANES {
                // Other places each time, so that nothing is read but once.
                let moved = load(simd, offsets, chunk) + int(simd, 4 * warp as i32);
                let at = moved & int(simd, BYTES as i32 - 4);
                let one = Int::gather(simd, window, at);
                let [left, right] = Int::gather2(simd, window, at);
                (load(simd, sums, chunk) + one + left + right).store(sums, chunk);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_gathers_are_not_used() {
        let us = Duration::from_micros;
        assert_eq!(better(us(10), us(10)), SimdLevel::Avx512);
        assert_eq!(better(us(14), us(10)), SimdLevel::Avx512);
        assert_eq!(better(us(16), us(10)), SimdLevel::Avx2);
        assert_eq!(better(us(60), us(10)), SimdLevel::Avx2);
    }

    #[test]
    fn both_builds_are_timed() {
        assert_eq!(measured().is_some(), SimdLevel::detected() == SimdLevel::Avx512);
        if let Some((avx512, avx2)) = measured() {
            assert!(avx512 > Duration::ZERO && avx512 < Duration::from_secs(1));
            assert!(avx2 > Duration::ZERO && avx2 < Duration::from_secs(1));
        }
        assert!(level() <= SimdLevel::detected());
    }
}
