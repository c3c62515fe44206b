//! Whether code is made, and when.

use crate::runs::JitMode;
use texunit_jit::region::Level;
use texunit_unit::SimdLevel;

/// How code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(super) level: Level,
    /// At once.
    pub(crate) always: bool,
}

impl Setting {
    /// That of a launch, which may say something else than the process. None: code is made of nothing here. It is
    /// never code for a higher SIMD level than the unit's, as tests compare levels.
    pub(crate) fn of(mode: Option<JitMode>) -> Option<Self> {
        let mode = mode.unwrap_or_else(JitMode::get);
        let of = |least, level: Level| {
            (texunit_unit::simd_level() >= least && level.is_available()).then_some(level)
        };
        let level =
            of(SimdLevel::Avx512, Level::Avx512).or_else(|| of(SimdLevel::Avx2, Level::Avx2))?;
        (mode != JitMode::Off).then_some(Self { level, always: mode == JitMode::Always })
    }
}
