//! The level that plans are made for.

use super::build::{Build, SimdLevel};
use std::sync::OnceLock;
use texunit_simd::{Gathers, Processor};

/// The level that plans are made for: that of [`simd_level`](super::simd_level); but if nothing forces it, and
/// this processor's gathers are slow ([`Gathers::Slow`]), at most AVX2, whose builds load texels one by one.
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

/// The build that plans are made for: [`fetch_simd_level`].
pub(super) fn fastest() -> Build {
    Build::at_most(fetch_simd_level())
}
