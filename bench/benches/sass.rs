//! Benchmark of the codec for Maxwell's machine words: decodes 10^8 random words, decodes random
//! TXD, and prints TXD as text.
//!
//! Prints a table with the best of several runs; time never makes it fail. docs/performance.md has
//! measured numbers, with the machine.
#![allow(clippy::print_stdout, missing_docs)]

use std::hint::black_box;
use texunit_bench::best;
use texunit_sass::print::Style;
use texunit_sass::txd::OPCODE;
use texunit_sass::{Arch, Control, Word};
use texunit_testkit::Random;

const RUNS: usize = 3;
const DECODED: u64 = 100_000_000;
const PRINTED: u64 = 2_000_000;

/// The random instruction word with number `n`, which is the same in every run.
fn word(n: u64) -> u64 {
    Random::new(n).u64()
}

/// The random TXD with number `n`, which is valid on every architecture from sm_52 on.
fn txd(n: u64) -> u64 {
    OPCODE.set(word(n), OPCODE.absent())
}

fn row(name: &str, count: u64, mut f: impl FnMut(u64) -> u64) {
    let (best, found) = best(RUNS, || (0..count).map(&mut f).sum::<u64>());
    println!("| {name} | {count} | {found} | {:.1} |", count as f64 / best / 1e6);
}

fn is_instruction(word: u64, arch: Arch) -> u64 {
    u64::from(matches!(
        black_box(Word::decode(black_box(word), Control::NONE, arch)),
        Word::Txd(_) | Word::TextureWord(_)
    ))
}

fn length(word: u64) -> u64 {
    let text = Word::decode(word, Control::NONE, Arch::Sm52).text(Style::Nvidia);
    black_box(text).map_or(0, |text| text.len() as u64)
}

fn main() {
    println!("| one thread | words | instructions (printed: bytes) | million words/s |");
    println!("|---|---|---|---|");
    row("making random words, nothing else", DECODED, |n| black_box(word(n)) & 1);
    row("random words decoded, sm_52", DECODED, |n| is_instruction(word(n), Arch::Sm52));
    row("random words decoded, sm_50", DECODED, |n| is_instruction(word(n), Arch::Sm50));
    row("TXD decoded", DECODED, |n| is_instruction(txd(n), Arch::Sm52));
    row("random words decoded and printed", PRINTED, |n| length(word(n)));
    row("TXD decoded and printed", PRINTED, |n| length(txd(n)));
}
