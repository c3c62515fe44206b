//! The level that plans are made for.

use super::build::{Build, SimdLevel};
#[cfg(target_arch = "x86_64")]
use super::gathers;
use std::sync::OnceLock;

/// The level that plans are made for: that of [`simd_level`](super::simd_level); but if nothing forces it, and the gathers of
/// AVX-512 take more than half as long again on this CPU as single loads do, AVX2. That is measured once, in a
/// quarter of a millisecond.
pub fn fetch_level() -> SimdLevel {
    static LEVEL: OnceLock<SimdLevel> = OnceLock::new();
    *LEVEL.get_or_init(|| match SimdLevel::forced() {
        Ok(Some(forced)) => forced,
        #[cfg(target_arch = "x86_64")]
        _ => gathers::level(),
        #[cfg(not(target_arch = "x86_64"))]
        _ => SimdLevel::detected(),
    })
}

/// The build that plans are made for: [`fetch_level`].
pub(super) fn fastest() -> Build {
    Build::at_most(fetch_level())
}
