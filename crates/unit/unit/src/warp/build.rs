//! The SIMD levels that the fast schedule is compiled for.

pub use texunit_simd::{Build, SimdError, SimdLevel, simd_level};

/// A SIMD level of the fast schedule. A value proves that this machine supports the level.
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
    /// The build of the fast schedule for a level. `None` for the portable build on x86-64: it
    /// would take as long to compile as the other levels and only serve processors without AVX2,
    /// which use the general schedule.
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
