//! Tests of the execution order: kernels with races leave the same bytes in the interpreter and in
//! compiled code, in their first launch and later ones, at every SIMD level. `TEXUNIT_LONG_TESTS`
//! raises the number of kernels to two thousand (`.ci/full engine`).

use super::outcome;
use super::racy::{Kernel, Racy, WORDS};
use crate::common::{Arg, How, load_text};
use crate::unit_common::{surface, texture, zeros};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Command;
use std::sync::Arc;
use texunit_simt::JitMode;
use texunit_testkit::Random;
use texunit_texel::Format;
use texunit_unit::{ArrayShape, Extent, Filter, Geometry, Sampler};

/// Numbers of words in memory: those shared by all, one for each CTA, one for each lane.
const MEMORY: usize = 128;

fn kernel(seed: u64, number: u64) -> Kernel {
    Racy::new(Random::of_item(seed, number)).kernel()
}

/// Runs several launches with the same initial memory, and returns the contents of memory and array
/// after each.
fn launches(kernel: &Kernel, how: How, count: usize) -> Vec<Vec<u32>> {
    let mut loaded = load_text(&kernel.text);
    let extent = Extent { width: WORDS, height: 1, depth: 1 };
    let shape = ArrayShape::new(Format::from_name("u32x1").unwrap(), Geometry::D2, extent);
    let array = zeros(&shape, "array");
    let handles = [
        texture(&mut loaded, Arc::clone(&array), Sampler::default().with_filter(Filter::Point)),
        surface(&mut loaded, Arc::clone(&array)),
    ];
    let (at, memory) = loaded.buffer(MEMORY);
    let args = [Arg::U64(at), Arg::U64(handles[0]), Arg::U64(handles[1])];
    let how = How { grid: [kernel.grid, 1, 1], block: [kernel.block, 1, 1], ..how };
    let filled: [outcome::Filled<'_>; 2] =
        [(&memory, |i| i * 7 + 1), (array.block(), |i| i * 7 + 1)];
    let each = outcome::launches(&loaded, how, &args, &filled, count).into_iter();
    each.map(|done| {
        assert_eq!(done.fault, None, "{}", kernel.text);
        done.memory.concat()
    })
    .collect()
}

fn of(jit: JitMode) -> How {
    How { jit: Some(jit), ..How::default() }
}

/// Compares a kernel in all modes by the hash of its results.
fn compare(seed: u64, number: u64) -> u64 {
    let kernel = kernel(seed, number);
    let expected = launches(&kernel, of(JitMode::Off), 1).remove(0);
    for (jit, count) in [(JitMode::Always, 2), (JitMode::On, 2)] {
        for (launch, got) in launches(&kernel, of(jit), count).into_iter().enumerate() {
            let differs = got.iter().zip(&expected).position(|(a, b)| a != b);
            assert_eq!(
                differs, None,
                "kernel {number} of {seed} leaves another word in launch {launch} with {jit:?}: {} threads, {} CTAs\n{}",
                kernel.block, kernel.grid, kernel.text
            );
        }
    }
    let mut hasher = DefaultHasher::new();
    expected.hash(&mut hasher);
    hasher.finish()
}

fn count() -> u64 {
    if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 2000 } else { 60 }
}

fn hashes(seed: u64) -> String {
    (0..count()).fold(String::new(), |mut all, number| {
        writeln!(all, "racy {number} {:016x}", compare(seed, number)).unwrap();
        all
    })
}

const SEED: &str = "TEXUNIT_RACY_SEED";

#[test]
fn races_end_in_one_way() {
    let seed = Random::for_test(47).u64();
    let expected = hashes(seed);
    for level in ["avx2", "portable"] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([
            "compiled::order::races_at_another_level",
            "--exact",
            "--ignored",
            "--nocapture",
        ]);
        let output = child.env("TEXUNIT_SIMD", level).env(SEED, seed.to_string()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{level}: {told}\n{errors}");
        let got: Vec<_> = told.lines().filter(|line| line.starts_with("racy ")).collect();
        for (got, expected) in got.iter().zip(expected.lines()) {
            assert_eq!(*got, expected, "{level}, seed {seed}");
        }
        assert_eq!(got.len(), expected.lines().count(), "{level}: {told}");
    }
}

#[test]
#[ignore = "a child process of others"]
#[allow(clippy::print_stdout, reason = "the process that runs it reads it")]
fn races_at_another_level() {
    let seed = std::env::var(SEED).unwrap().parse().unwrap();
    print!("\n{}", hashes(seed));
}

/// All warps of a CTA update the same words, in straight-line code.
fn rows() -> Kernel {
    let text = format!(
        "{}.visible .entry k(.param .u64 mem, .param .u64 texture, .param .u64 surface)\n{{\n\
         .reg .u64 %a, %b; .reg .u32 %r<4>;\nld.param.u64 %a, [mem];\nmov.u32 %r0, %tid.x;\nand.b32 %r0, %r0, 31;\n\
         mul.wide.u32 %b, %r0, 4;\nadd.u64 %b, %a, %b;\nld.global.u32 %r1, [%b];\nmad.lo.u32 %r1, %r1, 3, 1;\n\
         st.global.u32 [%b], %r1;\nret;\n}}\n",
        texunit_testkit::ptx::SM_80
    );
    Kernel { text, block: 256, grid: 2 }
}

#[test]
fn a_kernel_does_the_same_in_its_thousandth_launch() {
    let all = launches(&rows(), of(JitMode::On), 1000);
    let differs = all.iter().position(|words| *words != all[0]);
    assert_eq!(differs, None, "the first launch that leaves other bytes");
    // Each warp loads the value that the previous warp has stored.
    let expected = (0..16).fold(1_u32, |word, _| word.wrapping_mul(3).wrapping_add(1));
    assert_eq!(all[0][0], expected);
}

/// With a schedule, turns end between any two memory accesses, even in kernels without branches;
/// the same seed repeats the order in every mode.
#[test]
fn seeds_switch_between_accesses() {
    let with = |seed, jit| {
        let how = How { schedule: Some(seed), ..of(jit) };
        let mut all = launches(&rows(), how, 2);
        assert_eq!(all[0], all[1], "seed {seed}, {jit:?}");
        all.remove(0)
    };
    let mut found: Vec<Vec<u32>> = (0..24).map(|seed| with(seed, JitMode::Off)).collect();
    for (seed, expected) in (0..).zip(&found) {
        assert_eq!(with(seed, JitMode::Always), *expected, "seed {seed}");
    }
    found.sort();
    found.dedup();
    assert!(found.len() >= 8, "{} orders of 24 seeds", found.len());
}

/// A loop in which lanes with a bit of `%tid.x` execute an atomic, all lanes update a word of
/// shared memory, and all execute the instruction `last`.
fn atomics(last: &str, bit: u32, block: u32) -> Kernel {
    let update = |by: u32| {
        format!("ld.shared.u32 %v, [sh];\nmad.lo.u32 %v, %v, 3, {by};\nst.shared.u32 [sh], %v;\n")
    };
    let (with, without) = (update(1), update(2));
    let text = format!(
        "{}.visible .entry k(.param .u64 mem, .param .u64 texture, .param .u64 surface)\n{{\n\
         .shared .b32 sh[2];\n.reg .u64 %a, %tex, %surf; .reg .u32 %t, %v, %w, %n, %r, %m<4>; .reg .pred %p, %q;\n\
         ld.param.u64 %a, [mem];\nld.param.u64 %tex, [texture];\nld.param.u64 %surf, [surface];\n\
         mov.u32 %t, %tid.x;\nand.b32 %w, %t, {bit};\nsetp.eq.u32 %p, %w, 0;\nmov.u32 %n, 100;\nmov.u32 %w, 0;\n\
         TURN:\n@%p bra ELSE;\natom.shared.add.u32 %r, [sh+4], 1;\n{with}bra DONE;\nELSE:\n{without}DONE:\n\
         {last}\nadd.u32 %n, %n, -1;\nsetp.ne.u32 %q, %n, 0;\n@%q bra TURN;\n\
         mul.wide.u32 %surf, %t, 4;\nadd.u64 %a, %a, %surf;\nst.global.u32 [%a], %v;\nret;\n}}\n",
        texunit_testkit::ptx::SM_80
    );
    Kernel { text, block, grid: 1 }
}

/// A turn with many atomics ends early; atomics of earlier turns do not count. Turns also end at
/// barriers, fetches and surface accesses, at which the warps wait in compiled code.
#[test]
fn each_turn_counts_its_own_atomics() {
    for last in [
        "bar.sync 0;",
        "tex.2d.v4.u32.s32 {%m0, %m1, %m2, %m3}, [%tex, {%w, %w}];\nadd.u32 %v, %v, %m0;",
        "sust.b.2d.b32.trap [%surf, {%w, %w}], %t;",
    ] {
        for (bit, block) in [(16, 32), (16, 64), (32, 64), (96, 100)] {
            let kernel = atomics(last, bit, block);
            let expected = launches(&kernel, of(JitMode::Off), 1).remove(0);
            for (jit, count) in [(JitMode::Always, 3), (JitMode::On, 3)] {
                let same = launches(&kernel, of(jit), count).iter().all(|words| *words == expected);
                assert!(same, "{jit:?}, {block} threads, bit {bit}: {last}");
            }
        }
    }
}
