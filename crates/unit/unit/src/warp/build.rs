//! The levels that the fast schedule is built for.

pub use texunit_simd::{Build, SimdError, SimdLevel, simd_level};

/// A level that the fast schedule is built for; a value is the proof that this machine runs it.
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
    /// The build that the fast schedule has for a level. None for the portable code of x86-64, which would take as long
    /// to compile as that of the levels above it, for processors older than AVX2: they go the general schedule.
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
