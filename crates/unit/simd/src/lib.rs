//! SIMD levels: functions are compiled once per level, and a value of [`Build`] proves that this
//! machine supports the level.

#![allow(unsafe_code, reason = "calls of functions that are compiled for a level's instructions")]

mod processor;

pub use processor::{Gathers, Processor};

use std::str::FromStr;
use std::sync::OnceLock;
use texunit_forms::words;

words! {
    /// A set of vector instructions, the lowest first.
    SimdLevel {
        /// The baseline of the target: SSE2, NEON, or simd128 of WebAssembly if it is enabled.
        Portable = "portable",
        /// x86-64-v3: AVX2, FMA, F16C, BMI.
        Avx2 = "avx2",
        /// x86-64-v4: AVX-512 F, BW, CD, DQ, VL.
        Avx512 = "avx512",
    }
}

/// An invalid value of `TEXUNIT_SIMD`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimdError {
    /// The given name is not the name of a SIMD level.
    #[error("unknown SIMD level `{0}`: expected avx512, avx2 or portable")]
    Unknown(String),
    /// The processor does not support the SIMD level that was asked for (first field; the second
    /// field is the highest level that it supports).
    #[error("this machine cannot run {0}: its highest SIMD level is {1}")]
    Missing(SimdLevel, SimdLevel),
}

impl SimdLevel {
    /// The highest level that this machine supports.
    pub fn detected() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let v3 = has!("avx2") && has!("fma") && has!("f16c") && has!("lzcnt") && has!("popcnt");
            let v3 = v3 && has!("bmi1") && has!("bmi2");
            let v4 = has!("avx512f") && has!("avx512bw") && has!("avx512cd");
            match (v3, v4 && has!("avx512dq") && has!("avx512vl")) {
                (true, true) => Self::Avx512,
                (true, false) => Self::Avx2,
                (false, _) => Self::Portable,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Self::Portable
    }

    /// The level that `TEXUNIT_SIMD` forces, or the highest that this machine supports.
    pub fn from_environment() -> Result<Self, SimdError> {
        Ok(Self::forced()?.unwrap_or_else(Self::detected))
    }

    /// The level that `TEXUNIT_SIMD` forces, if it is set.
    pub fn forced() -> Result<Option<Self>, SimdError> {
        let detected = Self::detected();
        let Some(value) = std::env::var_os("TEXUNIT_SIMD").filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        let forced: Self = value.to_string_lossy().parse()?;
        if forced > detected { Err(SimdError::Missing(forced, detected)) } else { Ok(Some(forced)) }
    }
}

impl FromStr for SimdLevel {
    type Err = SimdError;

    fn from_str(name: &str) -> Result<Self, SimdError> {
        let found = Self::from_name(&name.to_ascii_lowercase());
        found.ok_or_else(|| SimdError::Unknown(name.to_owned()))
    }
}

/// The SIMD level that this process uses for arithmetic: [`SimdLevel::from_environment`], evaluated
/// once. An invalid value of `TEXUNIT_SIMD` is ignored here; programs report it when they start.
pub fn simd_level() -> SimdLevel {
    static LEVEL: OnceLock<SimdLevel> = OnceLock::new();
    *LEVEL.get_or_init(|| SimdLevel::from_environment().unwrap_or_else(|_| SimdLevel::detected()))
}

/// A SIMD level that this processor supports, checked when the value is made. Its methods run plain
/// loops that were compiled for that level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build(SimdLevel);

impl Build {
    /// The SIMD level that this process uses for arithmetic ([`simd_level`]), as a checked value.
    #[inline]
    pub fn current() -> Self {
        static CURRENT: OnceLock<Build> = OnceLock::new();
        *CURRENT.get_or_init(|| Self::at_most(simd_level()))
    }

    /// The given SIMD level, or the highest supported level if that is lower.
    pub fn at_most(level: SimdLevel) -> Self {
        Self(level.min(SimdLevel::detected()))
    }

    /// Every SIMD level that this processor supports, the lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        let levels = SimdLevel::ALL.iter().copied();
        levels.filter(|&level| level <= SimdLevel::detected()).map(Self)
    }

    /// The SIMD level that this value proves to be supported.
    pub fn level(self) -> SimdLevel {
        self.0
    }

    /// Runs `f` compiled for this SIMD level. `f` must be a closure whose loops LLVM can vectorize,
    /// and only the functions in it that are `#[inline(always)]` are compiled for the level.
    #[inline(always)]
    pub fn run<R>(self, f: impl FnOnce() -> R) -> R {
        match self.0 {
            // SAFETY: a value with this level exists only if the machine supports the level.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => unsafe { avx512(f) },
            _ => self.run_narrow(f),
        }
    }

    /// Runs `f` as [`Self::run`] does, but compiled for AVX2 even if the level is AVX-512.
    #[inline(always)]
    pub fn run_narrow<R>(self, f: impl FnOnce() -> R) -> R {
        match self.0 {
            // SAFETY: the value proves that the processor supports the level, and a processor with
            // AVX-512 has AVX2.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 | SimdLevel::Avx2 => unsafe { avx2(f) },
            _ => f(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt")]
unsafe fn avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt"
)]
unsafe fn avx512<R>(f: impl FnOnce() -> R) -> R {
    f()
}
