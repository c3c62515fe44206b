//! Compiled regions against the interpreter: random programs with loads, stores, loops, divergence,
//! shuffles, votes, atomics, barriers, calls and faults do the same in both, in every register that
//! they store, in memory, in the counters and in their faults. A few hundred here;
//! `TEXUNIT_LONG_TESTS` makes it thirty thousand (`.ci/full engine`).

mod copies;
mod maker;
mod order;
mod outcome;
mod partial;
mod policy;
mod racy;
mod rows;
mod short;
mod stepped;
mod surfaces;
mod together;

use crate::common::{Arg, How, load_text};
use maker::Maker;
use outcome::{COMPILED, Outcome, launches};
use texunit_testkit::Random;

/// Words that each thread has of the output.
const OWN: usize = 32;

/// Runs a program in a mode, once or often enough that what is compiled meanwhile runs too.
fn run(text: &str, input: &[u32], how: How, times: usize) -> Vec<Outcome> {
    let loaded = load_text(text);
    let threads = (how.grid[0] * how.block[0]) as usize;
    let (in_at, _) = loaded.filled(input);
    let (out_at, out) = loaded.buffer(threads * OWN);
    let (counts_at, counts) = loaded.filled(&[5; 64]);
    let args = [Arg::U64(out_at), Arg::U64(in_at), Arg::U64(counts_at), Arg::U32(threads as u32)];
    launches(&loaded, how, &args, &[(&out, |_| 0), (&counts, |_| 5)], times)
}

/// Compares one program in all modes.
fn compare(seed: u64, number: u64) {
    let mut random = Random::of_item(seed, number);
    let faults = random.one_in(6);
    let (mut block, mut grid) =
        (random.of(&[32, 32, 32, 64, 96, 20, 50]), random.of(&[1, 1, 2, 3]));
    if faults {
        // A program that faults has a single warp, because the progress of other warps at the time
        // of a fault is unspecified.
        (block, grid) = (block.min(32), 1);
    }
    let maker = Maker::new(random, block, faults);
    let (text, mut random) = maker.program();
    let input: Vec<u32> = (0..1024).map(|_| maker::number(&mut random)).collect();
    let how = |jit| How {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        jit: Some(jit),
        max_steps: 2_000_000,
        ..How::default()
    };
    let what = format!("program {number} of {seed}, {block} threads, {grid} CTAs\n{text}");
    outcome::compare(&what, COMPILED, |jit, times| run(&text, &input, how(jit), times));
}

#[test]
fn random_programs_do_the_same_compiled() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let seed = Random::for_test(22).u64();
    let count = if long { 30_000 } else { 400 };
    for number in 0..count {
        compare(seed, number);
    }
}
