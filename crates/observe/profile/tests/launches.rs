//! Profiles random kernels: the counts of instructions must add up to the executor's own totals,
//! and must be the same for interpreted and compiled kernels with one host thread or several.
//! `TEXUNIT_LONG_TESTS` runs many more.
#![allow(clippy::unwrap_used)]

#[path = "../../../engine/simt/tests/common/mod.rs"]
mod common;
#[allow(dead_code, reason = "the model that coverage compares with")]
#[path = "../../coverage/tests/all/program/mod.rs"]
mod program;

use common::{Arg, How, load_text};
use program::Program;
use texunit_profile::{Counts, Launch, Module, Profile};
use texunit_simt::JitMode;
use texunit_testkit::Random;

/// The profile of two launches, and the executor's totals of warp and thread instructions.
fn counted(text: &str, how: How, parameter: u32) -> (Profile, [u64; 2]) {
    let loaded = load_text(text);
    let (out, _) = loaded.buffer(4096);
    let module = Module::new(text, "k.ptx".into());
    let mut all = [0; 2];
    for _ in 0..2 {
        let args = [Arg::U64(out), Arg::U32(parameter)];
        let stats =
            loaded.run_observed("k", how, &args, Some(&Launch::new(module.clone()))).unwrap();
        all[0] += stats.warp_instructions;
        all[1] += stats.thread_instructions;
    }
    (module.profile(), all)
}

fn compare(seed: u64) {
    let mut random = Random::of_item(0x9f0f, seed);
    let text = Program::new(&mut random).text();
    let how = How {
        grid: [random.within(1..=3), random.within(1..=2), 1],
        block: [random.within(1..=90), random.within(1..=3), 1],
        cooperative: random.one_in(4),
        ..How::default()
    };
    let parameter = random.u32();
    let of = |jit, threads| counted(&text, How { jit: Some(jit), threads, ..how }, parameter);
    let (profile, stats) = of(JitMode::Off, 1);
    let mut totals = Counts::default();
    profile.kernels.values().for_each(|kernel| totals.add(&kernel.totals()));
    assert_eq!(totals.warp_instructions, stats[0], "seed {seed}:\n{text}");
    // For some branches the executor counts the lanes that reach them, for others those that take
    // them.
    let threads = totals.thread_instructions_on..=totals.thread_instructions;
    assert!(threads.contains(&stats[1]), "seed {seed}, {threads:?} and {}:\n{text}", stats[1]);
    for (jit, threads) in [(JitMode::Always, 1), (JitMode::On, 3)] {
        assert_eq!(of(jit, threads).0, profile, "seed {seed}, {jit:?}:\n{text}");
    }
}

#[test]
fn counts_add_up_to_those_of_the_executor() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    (0..if long { 10_000 } else { 100 }).for_each(compare);
}
