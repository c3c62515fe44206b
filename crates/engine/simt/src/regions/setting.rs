//! The setting that decides whether and when code is compiled.

use std::sync::OnceLock;
use texunit_jit::region::Level;
use texunit_unit::SimdLevel;

/// The value of `TEXUNIT_JIT`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JitMode {
    /// Code that is executed often is compiled.
    #[default]
    On,
    /// All code is interpreted.
    Off,
    /// All code is compiled immediately, for tests.
    Always,
}

/// An unknown value of `TEXUNIT_JIT`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode `{0}`; available: on, off, always")]
pub struct JitError(String);

impl JitMode {
    /// The mode given by `TEXUNIT_JIT`; `on` if unset.
    ///
    /// # Errors
    /// The value is unknown.
    pub fn from_environment() -> Result<Self, JitError> {
        let value = std::env::var_os("TEXUNIT_JIT").unwrap_or_default();
        match value.to_string_lossy().as_ref() {
            "" | "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            "always" => Ok(Self::Always),
            other => Err(JitError(other.to_owned())),
        }
    }

    /// The mode of this process, read once. An unknown value counts as unset.
    pub(crate) fn get() -> Self {
        static MODE: OnceLock<JitMode> = OnceLock::new();
        *MODE.get_or_init(|| Self::from_environment().unwrap_or_default())
    }
}

/// Compiler settings of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(super) level: Level,
    /// Whether code is compiled immediately.
    pub(crate) always: bool,
}

impl Setting {
    /// The settings of a launch, whose mode may differ from that of the process; `None` if nothing
    /// is compiled. The SIMD level is never higher than the texture unit's, because tests compare
    /// levels.
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
