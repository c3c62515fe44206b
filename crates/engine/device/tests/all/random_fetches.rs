//! Tests random kernels that fetch from block-compressed and mipmapped textures against the
//! reference, at every SIMD level of this machine, interpreted and compiled. `fuzz/` has the same
//! as the target `kernels`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::fetches::{Tally, play};
use std::process::Command;
use texunit_testkit::{Choices, Random};
use texunit_unit::SimdLevel;

fn kernels() -> u32 {
    if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 20_000 } else { 150 }
}

/// Runs at the SIMD level that `TEXUNIT_SIMD` sets, with which the test below starts it for all
/// levels.
#[test]
fn kernels_are_as_the_reference_says() {
    let mut random = Random::for_test(20_261_123);
    let mut sum = Tally::default();
    for _ in 0..kernels() {
        let bytes = random.bytes(160);
        let Tally { fetches, blocks, mipmapped } = play(&mut Choices::new(&bytes));
        sum.fetches += fetches;
        sum.blocks += blocks;
        sum.mipmapped += mipmapped;
    }
    let Tally { fetches, blocks, mipmapped } = sum;
    assert!(fetches > 10_000 && blocks > fetches / 3 && mipmapped > fetches / 3, "{sum:?}");
}

/// The level is read once per process, so that each level needs a process.
#[test]
fn at_every_level() {
    for &simd in SimdLevel::ALL.iter().filter(|&&level| level <= SimdLevel::detected()) {
        for jit in ["always", "off"] {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "kernels_are_as_the_reference_says"]);
            command.env("TEXUNIT_SIMD", simd.name()).env("TEXUNIT_JIT", jit);
            let ended = command.output().unwrap();
            assert!(ended.status.success(), "{simd}, {jit}: {ended:?}");
        }
    }
}
