//! Which build of a loop over lanes runs: for AVX-512, for AVX2 with FMA, or for what every machine
//! of the target has. The level is that of the unit (`TEXUNIT_SIMD`), asked once.

#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};
use std::sync::OnceLock;
use texunit_unit::SimdLevel;

/// A level, with the proof that this machine has it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// SSE2, NEON and the like.
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(V3),
    #[cfg(target_arch = "x86_64")]
    Avx512(V4),
}

impl Level {
    /// The highest one that `limit` and this machine allow.
    fn at_most(limit: SimdLevel) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if limit >= SimdLevel::Avx512
                && let Some(v4) = V4::try_new()
            {
                return Self::Avx512(v4);
            }
            if limit >= SimdLevel::Avx2
                && let Some(v3) = V3::try_new()
            {
                return Self::Avx2(v3);
            }
        }
        let _ = limit;
        Self::Portable
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
        match self {
            Self::Portable => f(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(v3) => v3.vectorize(f),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(v4) => v4.vectorize(f),
        }
    }
}

/// Runs `f`, which must be inlined, in a build for AVX2 where the level allows it. For the many
/// functions that are called by pointer, where a third build would be code and no speed.
#[inline(always)]
pub(crate) fn dispatch<R>(f: impl FnOnce() -> R) -> R {
    match Level::get() {
        Level::Portable => f(),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(v3) => v3.vectorize(f),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(v4) => V3::vectorize(*v4, f),
    }
}
