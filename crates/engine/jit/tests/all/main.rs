//! Tests of compiled code, in a single test program to save link time. `mappings` has a program of
//! its own, because it counts the mappings of the process.
#![allow(missing_docs)]

mod floats;
mod limits;
mod page_end;
mod primitives;
mod regions;

use texunit_jit::Registers;
use texunit_jit::region::{DivergenceLimits, Entry, Exit, Level, Mode, Resume, Running, WarpStart};
use texunit_testkit::skipped;

/// Runs one warp without memory, with these active and live lanes, until the code ends; no atomic
/// may execute.
fn run(
    running: &mut Running<'_>,
    registers: Registers<'_>,
    (mask, live): (u32, u32),
    entry: Entry,
) -> Option<Exit> {
    let start = WarpStart { mask, live, limit: u64::MAX, ..WarpStart::default() };
    let mode = if mask == live { Mode::Live } else { Mode::Some };
    let mut table = running.table(mode, &mut [], u32::MAX, DivergenceLimits::default());
    let is_added = table.add(registers, &mut [], 0..0, start);
    let _ = table.run(0..1, Resume::Entry(entry), u32::MAX);
    table.exit(0).filter(|_| is_added)
}

/// The instruction-set levels that this processor supports.
fn levels() -> Vec<Level> {
    let levels = [Level::Avx2, Level::Avx512].into_iter().filter(|level| level.is_available());
    let levels: Vec<_> = levels.collect();
    if levels.is_empty() {
        skipped("the processor has no AVX2");
    }
    levels
}
