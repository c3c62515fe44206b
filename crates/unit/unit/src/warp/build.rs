//! The SIMD levels for which the fast schedule is compiled.

pub use texunit_simd::{Build, SimdError, SimdLevel, simd_level};

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
