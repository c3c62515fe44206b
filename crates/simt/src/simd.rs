//! Which build of a loop over lanes runs: for AVX-512, for AVX2 with FMA, or for what every machine
//! of the target has. The level is that of the unit (`TEXUNIT_SIMD`), asked once.

use std::sync::OnceLock;
use texunit_unit::Build;

/// A level, with the proof that this machine has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level(Build);

impl Level {
    /// The level of this process.
    #[inline]
    pub(crate) fn get() -> Self {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| Self(Build::at_most(texunit_unit::simd_level())))
    }

    /// Every level that runs here.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        texunit_unit::SimdLevel::ALL.map(|level| Self(Build::at_most(level))).to_vec()
    }

    /// Runs `f`, which must be inlined, in the build of this level.
    #[inline(always)]
    pub(crate) fn run<R>(self, f: impl FnOnce() -> R) -> R {
        self.0.run(f)
    }
}

/// Runs `f`, which must be inlined, in a build for AVX2 where the level allows it. For the many
/// functions that are called by pointer, where a third build would be code and no speed.
#[inline(always)]
pub(crate) fn dispatch<R>(f: impl FnOnce() -> R) -> R {
    Level::get().0.run_narrow(f)
}
