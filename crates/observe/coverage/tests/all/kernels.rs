//! Compares the coverage of lines, functions and branches of random kernels with a model that
//! executes thread by thread. `TEXUNIT_LONG_TESTS` runs many more.

use crate::common::{Arg, How, load_text};
use crate::program::{Covered, Program};
use std::path::Path;
use std::process::Command;
use texunit_coverage::{Coverage, Module, lcov};
use texunit_simt::Arithmetic;
use texunit_simt::observe::Listing;
use texunit_testkit::Random;

/// Launches of each kernel: enough for machine code to be compiled.
const LAUNCHES: u64 = 4;

/// The coverage of a module, in a tracefile's form.
fn covered(text: &str, how: How, parameter: u32) -> Coverage {
    let loaded = load_text(text);
    let (out, _) = loaded.buffer(4096);
    let module = Module::new(
        Listing::of(&loaded.program, Arithmetic { fmad: how.fmad, ..Arithmetic::default() }),
        Path::new("k.ptx"),
    );
    for _ in 0..LAUNCHES {
        let args = [Arg::U64(out), Arg::U32(parameter)];
        loaded.run_observed("k", how, &args, Some(&module)).unwrap();
    }
    lcov::parse(&lcov::text(&module.coverage())).unwrap()
}

/// The model's counts in the same form.
fn modelled(program: &Program, how: How, parameter: u32) -> Coverage {
    let size = |n: [u32; 3]| n.iter().product::<u32>();
    let mut all = Covered::default();
    for thread in 0..size(how.block) {
        for cta in 0..size(how.grid) {
            program.run(thread, cta, parameter, &mut all);
        }
    }
    program.coverage(&all, LAUNCHES)
}

fn compare(seed: u64) {
    let mut random = Random::of_item(0x10c0, seed);
    let program = Program::new(&mut random);
    let how = How {
        grid: [random.within(1..=3), random.within(1..=2), 1],
        block: [random.within(1..=90), random.within(1..=3), 1],
        threads: random.within(1..=3),
        cooperative: random.one_in(4),
        ..How::default()
    };
    let parameter = random.u32();
    let (text, expected) = (program.text(), modelled(&program, how, parameter));
    let found = covered(&text, how, parameter);
    if found != expected {
        let numbered: Vec<String> =
            text.lines().enumerate().map(|(i, line)| format!("{:4} {line}", i + 1)).collect();
        panic!(
            "seed {seed}: {:?} {:?}\n{}\nfound:\n{}\nexpected:\n{}",
            how.grid,
            how.block,
            numbered.join("\n"),
            lcov::text(&found),
            lcov::text(&expected)
        );
    }
}

#[test]
fn lanes_take_the_branches_that_the_model_takes() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    (0..if long { 20_000 } else { 150 }).for_each(compare);
}

/// Repeats the test with machine code from the first launch on, and without machine code, in
/// processes of their own because both are settings of a process.
#[test]
fn compiled_and_interpreted() {
    const AGAIN: &str = "TEXUNIT_TEST_COVERAGE_AGAIN";
    if std::env::var_os(AGAIN).is_some() {
        return (150..250).for_each(compare);
    }
    for jit in ["always", "off"] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kernels::compiled_and_interpreted"])
            .env("TEXUNIT_JIT", jit)
            .env(AGAIN, "1")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "TEXUNIT_JIT={jit}: {told}");
    }
}
