//! Fuzzes the driver API on several devices: every call must return what a model predicts, and all
//! memory must have the contents of the model's. An input is the choices by which calls are made.

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
        // SAFETY: this process has no other thread yet. The library reads the variable once, later.
        unsafe { std::env::set_var("TEXUNIT_DEVICE", schedule::DEVICES) };
    });
    schedule::play(&mut Choices::new(bytes));
});
