//! Choices that depend on the processor's vendor and not on the instruction set.

use crate::machine::Level;
use iced_x86::Code;
use texunit_simd::{Gathers, Processor};

/// Whether eight scattered elements are loaded by a gather instruction; otherwise they are loaded
/// one by one.
pub(super) fn has_fast_gathers() -> bool {
    Processor::current().gathers() == Gathers::Fast
}

fn is_amd() -> bool {
    Processor::current() == Processor::Amd
}

/// The shortest prefetch distance, in lanes, that helps AMD's processors where consecutive CTAs
/// access memory without gaps: their hardware prefetcher follows such accesses, but not far enough.
/// With it, `saxpy` takes 0.83 of the time of no prefetches, `copy` 0.92; half the distance has no
/// effect (Zen 5, 2026-11-29).
const AHEAD: u32 = 1536;

/// The prefetch distance in lanes. Zero on AMD where consecutive CTAs access memory without gaps,
/// but each one accesses more before the next one begins. Intel's processors take a third longer
/// without explicit prefetches (docs/performance.md).
pub(crate) fn prefetch_distance(lanes: u32, is_contiguous: bool, is_stream: bool) -> u64 {
    match (is_contiguous && is_amd(), is_stream) {
        (false, _) => lanes.into(),
        (true, true) => lanes.max(AHEAD).into(),
        (true, false) => 0,
    }
}

/// The prefetch instruction. On AMD, loads prefetch into the second-level cache, because prefetches
/// into the first level wait for each other.
pub(super) fn request(stores: bool) -> Code {
    match (stores, is_amd()) {
        (true, _) => Code::Prefetchw_m8,
        (false, true) => Code::Prefetcht1_m8,
        (false, false) => Code::Prefetcht0_m8,
    }
}

impl Level {
    /// Whether this processor has the instructions of the level.
    pub fn is_available(self) -> bool {
        if cfg!(miri) {
            return false;
        }
        let of_256 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2");
        match self {
            Self::Avx2 => of_256,
            Self::Avx512 => {
                of_256
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512cd")
            }
        }
    }
}
