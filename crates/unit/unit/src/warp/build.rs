//! The SIMD levels for which the fast schedule is compiled, and the level of plans.

use std::sync::OnceLock;
pub use texunit_simd::{Build, SimdError, SimdLevel, simd_level};
use texunit_simd::{Gathers, Processor};

/// A SIMD level for which the fast schedule is compiled. A value of this type proves that the
/// machine supports the level.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wide {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(not(target_arch = "x86_64"))]
    Portable,
}

impl Wide {
    /// The SIMD level of the fast schedule for a build. It is `None` for the portable build on
    /// x86-64: the fast schedule would take as long to compile for it as for the other levels, and
    /// would only serve processors without AVX2, which use the general schedule.
    pub(super) fn of(build: Build) -> Option<Self> {
        match build.level() {
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => Some(Wide::Avx512),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => Some(Wide::Avx2),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Portable => None,
            #[cfg(not(target_arch = "x86_64"))]
            _ => Some(Wide::Portable),
        }
    }
}

/// The SIMD level for which plans are made, which is usually [`simd_level`](super::simd_level). If
/// no level is forced and this processor's gather instructions are slow ([`Gathers::Slow`]), it is
/// at most AVX2, whose builds load texels one by one.
pub fn fetch_simd_level() -> SimdLevel {
    static LEVEL: OnceLock<SimdLevel> = OnceLock::new();
    *LEVEL.get_or_init(|| match SimdLevel::forced() {
        Ok(Some(forced)) => forced,
        _ if Processor::current().gathers() == Gathers::Slow => {
            SimdLevel::detected().min(SimdLevel::Avx2)
        }
        _ => SimdLevel::detected(),
    })
}

/// The build for which plans are made; see [`fetch_simd_level`].
pub(super) fn fastest() -> Build {
    Build::at_most(fetch_simd_level())
}
