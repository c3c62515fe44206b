//! Runs the kernels of `bench/kernels` at small sizes: their results must be right and
//! bit-identical at every SIMD level of this machine, interpreted and compiled, and equal to the
//! recorded digests.
//!
//! SIMD level and mode are settings of a process, so the test runs itself for each combination.
#![allow(clippy::unwrap_used)]

// The test does not use all items of the suite, some of which only the program uses.
#[allow(dead_code, unused_imports)]
#[path = "../kernels/suite/mod.rs"]
mod suite;

use std::fmt::Write;
use std::process::Command;
use suite::{Session, Size, case, differences, digest, expected, names};
use texunit_testkit::TempDir;
use texunit_unit::SimdLevel;

const OUT: &str = "TEXUNIT_TEST_DIGESTS";

/// Runs a case twice with this number of threads, and compares both results with the plain loop's.
/// Returns a digest of the results.
fn digest_of(name: &str, threads: usize) -> Result<u64, String> {
    let case = case(name, Size::Small).unwrap();
    let mut session = Session::new(&case, threads)?;
    session.load()?;
    let (expected, mut last) = (expected(&case)?, None);
    for _ in 0..2 {
        session.restore()?;
        let ran = session.run()?;
        assert!(ran.warp_instructions > 0 && ran.thread_instructions >= ran.warp_instructions);
        let results = session.results();
        assert_eq!(results.len(), expected.len(), "{name}");
        for ((buffer, check, found), expected) in results.iter().zip(&expected) {
            if let Some(wrong) = differences(buffer, *check, found, expected) {
                return Err(format!("{name}: {wrong}"));
            }
        }
        let bits = digest(&results);
        if last.is_some_and(|last| last != bits) {
            return Err(format!("{name}: another run, other bits"));
        }
        last = Some(bits);
    }
    Ok(last.unwrap())
}

#[test]
fn results_are_right() {
    let (mut lines, mut wrong) = (String::new(), Vec::new());
    for name in names() {
        match [1, 2].map(|threads| digest_of(name, threads)) {
            [Ok(one), Ok(two)] if one == two => writeln!(lines, "{name} {one:016x}").unwrap(),
            [Ok(one), Ok(two)] => {
                wrong.push(format!("{name}: {one:016x}, on two threads {two:016x}"));
            }
            [Err(why), _] | [_, Err(why)] => wrong.push(why),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(lines, include_str!("../kernels/digests.txt"), "not the bits that are recorded");
    if let Some(path) = std::env::var_os(OUT) {
        std::fs::write(path, lines).unwrap();
    }
}

#[test]
fn bits_are_the_same_everywhere() {
    let folder = TempDir::new("kernels");
    let run = |simd: SimdLevel, jit: &str| {
        let path = folder.path().join(format!("{simd}-{jit}"));
        let ended = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "results_are_right"])
            .env(OUT, &path)
            .env("TEXUNIT_SIMD", simd.name())
            .env("TEXUNIT_JIT", jit)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success(), "{simd}, TEXUNIT_JIT={jit}:\n{said}");
        std::fs::read_to_string(path).unwrap()
    };
    let run = &run;
    let levels = SimdLevel::ALL.iter().copied().filter(|&level| level <= SimdLevel::detected());
    std::thread::scope(|scope| {
        let compiled: Vec<_> =
            levels.map(|simd| (simd, scope.spawn(move || run(simd, "always")))).collect();
        let interpreted = run(SimdLevel::detected(), "off");
        assert_eq!(interpreted.lines().count(), names().count());
        for (simd, there) in compiled {
            for (here, there) in interpreted.lines().zip(there.join().unwrap().lines()) {
                assert_eq!(here, there, "{simd}");
            }
        }
    });
}

/// Each case has its files, which the programs that compare texunit with other emulators read by
/// name.
#[test]
fn every_kernel_has_its_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    for name in names() {
        let case = case(name, Size::Small).unwrap();
        let (ptx, twin) = (case.ptx, case.twin != suite::Twin::None);
        for (ending, wanted) in [("cu", true), ("c", true), ("cl", twin)] {
            assert_eq!(folder.join(format!("{name}.{ending}")).exists(), wanted, "{name}.{ending}");
        }
        assert!(ptx.contains(".target sm_75") && !ptx.contains(".loc"), "{name}.ptx");
    }
}
