//! Fuzzes kernels with texture fetches: the memory that a kernel leaves, and the results of the
//! unit's plans at every SIMD level, must be those of the reference. An input is the choices by
//! which textures and kernel are made.

#![no_main]

#[path = "../../crates/engine/device/tests/all/fetches/mod.rs"]
mod fetches;

use libfuzzer_sys::fuzz_target;
use texunit_testkit::Choices;

fuzz_target!(|bytes: &[u8]| {
    fetches::play(&mut Choices::new(bytes));
});
