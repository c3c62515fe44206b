//! The interface for C: calls with handles, pointers and sizes that are wrong in every way that a library can see.

#![no_main]

#[path = "../../crates/faces/capi/tests/all/calls/mod.rs"]
mod calls;

use libfuzzer_sys::fuzz_target;
use texunit_testkit::Choices;

fuzz_target!(|bytes: &[u8]| {
    calls::run(&mut Choices::new(bytes));
});
