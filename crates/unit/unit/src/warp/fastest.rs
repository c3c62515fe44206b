//! Selection of the SIMD level for which plans are made.

use super::build::{Build, SimdLevel};
use std::sync::OnceLock;
use texunit_simd::{Gathers, Processor};

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
