//! What code depends on beside the level: processors of one level that want different code.

use iced_x86::Code;
use texunit_simd::{Gathers, Processor};

/// Whether eight words at scattered addresses are loaded by a gather; else one by one.
pub(super) fn has_fast_gathers() -> bool {
    Processor::current().gathers() == Gathers::Fast
}

fn is_amd() -> bool {
    Processor::current() == Processor::Amd
}

/// How many lanes ahead rows are asked for that CTAs access one behind the other, if it is known that nothing lies between
/// those of a CTA and the next one.
///
/// AMD's prefetchers see such a line of rows by themselves, and do better without requests; Intel's take a third longer
/// (docs/performance.md, "Requests for rows").
pub(crate) fn ahead(lanes: u32, is_line: bool) -> u64 {
    if is_line && is_amd() { 0 } else { lanes.into() }
}

/// The request for a row. What will be loaded goes to the second cache on AMD's processors: requests for the first one wait for
/// each other there.
pub(super) fn request(stores: bool) -> Code {
    match (stores, is_amd()) {
        (true, _) => Code::Prefetchw_m8,
        (false, true) => Code::Prefetcht1_m8,
        (false, false) => Code::Prefetcht0_m8,
    }
}
