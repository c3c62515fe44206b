//! Fuzzes the C interface: calls with handles, pointers and sizes that are invalid in every way
//! that a library can detect.

#![no_main]

#[path = "../../crates/faces/capi/tests/all/calls/mod.rs"]
mod calls;

use libfuzzer_sys::fuzz_target;
use texunit_testkit::Choices;

fuzz_target!(|bytes: &[u8]| {
    calls::run(&mut Choices::new(bytes));
});
