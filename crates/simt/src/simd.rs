//! Which build of a loop over lanes runs: for AVX-512, for AVX2 with FMA, or for what every machine
//! of the target has. The level is that of the unit (`TEXUNIT_SIMD`), asked once.

use std::sync::OnceLock;
use texunit_unit::{Build, SimdLevel};

/// A level, with the proof that this machine has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    build: Build,
    /// The same, but AVX2 at most.
    narrow: Build,
}

impl Level {
    /// The highest one that `limit` and this machine allow.
    fn at_most(limit: SimdLevel) -> Self {
        let narrow = Build::at_most(limit.min(SimdLevel::Avx2));
        Self { build: Build::at_most(limit), narrow }
    }

    /// The level of this process.
    #[inline]
    pub(crate) fn get() -> Self {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| Self::at_most(texunit_unit::simd_level()))
    }

    /// Every level that runs here.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        SimdLevel::ALL.map(Self::at_most).to_vec()
    }

    /// Runs `f`, which must be inlined, in the build of this level.
    #[inline(always)]
    pub(crate) fn run<R>(self, f: impl FnOnce() -> R) -> R {
        self.build.run(f)
    }
}

/// Runs `f`, which must be inlined, in a build for AVX2 where the level allows it. For the many
/// functions that are called by pointer, where a third build would be code and no speed.
#[inline(always)]
pub(crate) fn dispatch<R>(f: impl FnOnce() -> R) -> R {
    Level::get().narrow.run_narrow(f)
}
