//! Code that depends on the processor's maker, not on the level.

use iced_x86::Code;
use texunit_simd::{Gathers, Processor};

/// Whether eight scattered words are loaded by a gather; else one by one.
pub(super) fn has_fast_gathers() -> bool {
    Processor::current().gathers() == Gathers::Fast
}

fn is_amd() -> bool {
    Processor::current() == Processor::Amd
}

/// Prefetch distance in lanes. Zero where the hardware prefetcher follows dense rows: with explicit prefetches AMD's is slower;
/// without them Intel's takes a third longer (docs/performance.md, "Requests for rows").
pub(crate) fn ahead(lanes: u32, is_line: bool) -> u64 {
    if is_line && is_amd() { 0 } else { lanes.into() }
}

/// The prefetch instruction for a row. Loads on AMD prefetch into the second-level cache, because prefetches into the first
/// wait for each other.
pub(super) fn request(stores: bool) -> Code {
    match (stores, is_amd()) {
        (true, _) => Code::Prefetchw_m8,
        (false, true) => Code::Prefetcht1_m8,
        (false, false) => Code::Prefetcht0_m8,
    }
}
