//! Whether code is made, and when.

use std::sync::OnceLock;
use texunit_jit::region::Level;
use texunit_unit::SimdLevel;

/// What `TEXUNIT_JIT` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JitMode {
    /// Code is made of what runs often.
    #[default]
    On,
    /// Everything is interpreted.
    Off,
    /// Code is made of everything at once, for tests.
    Always,
}

/// A value of `TEXUNIT_JIT` that says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JitError(String);

impl std::fmt::Display for JitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown mode `{}`; available: on, off, always", self.0)
    }
}

impl std::error::Error for JitError {}

impl JitMode {
    /// The mode that `TEXUNIT_JIT` says; `on` if it says nothing.
    pub fn from_environment() -> Result<Self, JitError> {
        let value = std::env::var_os("TEXUNIT_JIT").unwrap_or_default();
        match value.to_string_lossy().as_ref() {
            "" | "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            "always" => Ok(Self::Always),
            other => Err(JitError(other.to_owned())),
        }
    }

    /// The mode of this process, asked once. A value that says nothing does not count.
    pub(crate) fn get() -> Self {
        static MODE: OnceLock<JitMode> = OnceLock::new();
        *MODE.get_or_init(|| Self::from_environment().unwrap_or_default())
    }
}

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
