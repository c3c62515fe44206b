//! Random kernels with texture fetches: what a kernel leaves, and what the unit's plans answer at every SIMD level, is
//! what the reference says. An input is the choices by which textures and kernel are drawn.

#![no_main]

#[path = "../../crates/engine/device/tests/all/fetches/mod.rs"]
mod fetches;

use libfuzzer_sys::fuzz_target;
use texunit_testkit::Choices;

fuzz_target!(|bytes: &[u8]| {
    fetches::play(&mut Choices::new(bytes));
});
