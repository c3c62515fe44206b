//! Tests of compiled code, in a single test program to save link time. `arenas` has a program of its
//! own, because it counts the mappings of the process.
#![allow(missing_docs)]

mod floats;
mod limits;
mod page_end;
mod primitives;
mod regions;

use texunit_jit::region::{Budget, DivergenceLimits, Level};
use texunit_testkit::skipped;

/// The budget of a run that ends only where the code ends; no atomic may execute.
fn unlimited() -> Budget {
    Budget {
        steps: u64::MAX,
        reconverge_at: u32::MAX,
        atomics: 0,
        divergence: DivergenceLimits::default(),
    }
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
