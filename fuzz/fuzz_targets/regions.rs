//! Fuzzes the JIT: random regions, compiled at both levels, are compared with plain Rust code in
//! registers, memory and counts, at all exits and entries. An input is the choices by which the
//! region and its data are made.

#![no_main]

#[path = "../../crates/engine/jit/tests/all/floats.rs"]
mod floats;
#[path = "../../crates/engine/jit/tests/all/primitives"]
mod primitives {
    pub(crate) mod model;
}
#[allow(dead_code)]
#[path = "../../crates/engine/jit/tests/all/regions/mod.rs"]
mod regions;

use libfuzzer_sys::fuzz_target;
use regions::{Done, StepKinds, play};
use texunit_jit::region::Level;
use texunit_testkit::Random;

fuzz_target!(|bytes: &[u8]| {
    let (&first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let bit = |i: u8| first >> i & 1 != 0;
    let wanted =
        StepKinds { global: bit(0), others: bit(1), cross: bit(2), calls: bit(3), doubles: bit(4) };
    for level in [Level::Avx512, Level::Avx2] {
        if level.is_available() {
            play(0, &mut Random::of_bytes(rest), wanted, level, &mut Done::default());
        }
    }
});
