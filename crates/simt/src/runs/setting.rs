//! Whether code is made, and when.

use std::sync::OnceLock;
use texunit_jit::region::Level;
use texunit_unit::SimdLevel;

/// Times that a run is interpreted before code is made of it: making it takes as long as
/// interpreting it some hundred times.
const WARM: u32 = 256;

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
        write!(f, "`{}` is not known: on, off and always are", self.0)
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

/// Of which instructions code is made, if it is made at all: those of the SIMD level of the process, as tests
/// compare levels.
pub(crate) fn level() -> Option<Level> {
    static LEVEL: OnceLock<Option<Level>> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let level = match texunit_unit::simd_level() {
            SimdLevel::Portable => return None,
            SimdLevel::Avx2 => Level::Avx2,
            SimdLevel::Avx512 => Level::Avx512,
        };
        (JitMode::get() != JitMode::Off && level.is_available()).then_some(level)
    })
}

/// Whether code is made here at all.
pub(crate) fn is_on() -> bool {
    level().is_some()
}

/// How often a run is interpreted first.
pub(super) fn threshold() -> u32 {
    if JitMode::get() == JitMode::Always { 0 } else { WARM }
}
