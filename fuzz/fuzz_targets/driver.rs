//! The driver API on several devices: every call answers what a model says, and all memory holds what it should. An
//! input is the choices by which calls are made.

#![no_main]

#[path = "../../crates/cuda/cuda/tests/common/mod.rs"]
mod common;
#[path = "../../crates/cuda/cuda/tests/schedule/mod.rs"]
mod schedule;

use libfuzzer_sys::fuzz_target;
use std::sync::Once;
use texunit_testkit::Choices;

static DEVICES: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    DEVICES.call_once(|| {
        // SAFETY: no other thread of this process runs yet; the library reads it once, after this.
        unsafe { std::env::set_var("TEXUNIT_DEVICE", schedule::DEVICES) };
    });
    schedule::play(&mut Choices::new(bytes));
});
