//! Compiled regions against the interpreter: random programs with loads, stores, loops, divergence,
//! shuffles, votes, atomics, barriers, calls and faults do the same in both, in every register that
//! they store, in memory, in the counters and in their faults. A few hundred here;
//! `TEXUNIT_LONG_TESTS` makes it thirty thousand (`.ci/full engine`).
#![allow(clippy::unwrap_used)]

mod alone;
#[path = "../common/mod.rs"]
mod common;
mod maker;
mod order;
mod partial;
mod policy;
mod racy;
mod rows;
mod short;
mod stepped;
mod surfaces;
mod together;
#[path = "../unit_common/mod.rs"]
mod unit_common;

use common::{Arg, How, Loaded, load_text, words};
use maker::Maker;
use texunit_simt::{Fault, JitMode, LaunchStats};
use texunit_testkit::Random;

/// The outcome of a launch, which is compared between modes.
#[derive(Debug, PartialEq)]
struct Outcome {
    out: Vec<u32>,
    counts: Vec<u32>,
    stats: [u64; 4],
    fault: Option<String>,
}

fn counters(stats: &LaunchStats) -> [u64; 4] {
    let LaunchStats { warp_instructions, thread_instructions, divisions_by_zero, past_end, .. } =
        stats;
    [*warp_instructions, *thread_instructions, *divisions_by_zero, *past_end]
}

/// The fault without numbers of allocations, which another run has others of.
fn told(loaded: &Loaded, fault: &Fault) -> String {
    let text =
        format!("{:?} {:?} {:?} {}", fault.kind, fault.cta, fault.thread, loaded.line(fault));
    let mut parts = text.split("allocation");
    let first = parts.next().unwrap_or_default().to_owned();
    let is_number = |c: char| c.is_ascii_digit() || " :Some()".contains(c);
    parts.fold(first, |all, part| all + part.trim_start_matches(is_number))
}

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
    let once = |_| {
        for (block, value) in [(&out, 0), (&counts, 5)] {
            (0..block.size() as u64 / 4).for_each(|i| block.store_u32(4 * i, value).unwrap());
        }
        let result = loaded.run("k", how, &args);
        let (stats, fault) = match &result {
            Ok(stats) => (counters(stats), None),
            Err(fault) => (counters(&fault.stats), Some(told(&loaded, fault))),
        };
        Outcome { out: words(&out), counts: words(&counts), stats, fault }
    };
    (0..times).map(once).collect()
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
    let expected = run(&text, &input, how(JitMode::Off), 1);
    let compiled = run(&text, &input, how(JitMode::Always), 2);
    for outcome in &compiled {
        let differs = expected[0].out.iter().zip(&outcome.out).position(|(a, b)| a != b);
        assert!(
            *outcome == expected[0],
            "program {number} of {seed} differs at word {differs:?} of the output: {:?} {:?}, interpreted {:?} {:?}\n\
             {block} threads, {grid} CTAs\n{text}",
            outcome.stats,
            outcome.fault,
            expected[0].stats,
            expected[0].fault,
        );
    }
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
