//! Builds of loops over lanes: for AVX-512, for AVX2 with FMA, or for what every machine of the target has
//! ([`Build::current`], by `TEXUNIT_SIMD`).

use texunit_unit::Build;

/// Runs `f`, which must be inlined, in a build for AVX2 where the level allows it. For the many
/// functions that are called by pointer, where a third build would be code and no speed.
#[inline(always)]
pub(crate) fn dispatch<R>(f: impl FnOnce() -> R) -> R {
    Build::current().run_narrow(f)
}
