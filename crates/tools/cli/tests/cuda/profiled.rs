//! `texunit run --profile`: compares the profile of `commands/covered.cu` with a model of its
//! threads.

use crate::commands::{NVCC, Row, SHARED, STATIC, program, same};
use crate::process::{Ended, succeed};
use crate::tools::{Setup, clean};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;
use texunit_profile::{Line, Profile};

pub(crate) const TESTS: &[Row] = &[
    ("lines of several processes", NVCC, several),
    ("a file of each process", NVCC, each),
    ("Callgrind's form, and coverage beside it", NVCC, callgrind),
    ("without texunit run", NVCC, alone),
    ("fidelity at the end", NVCC, fidelity),
];

fn file(setup: &Setup, name: &str) -> PathBuf {
    let file = setup.build.join(format!("profiled-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    file
}

/// The profile of the line `*out = x` of `stored`, which lane i executes i times if it is below 20.
fn stored(profile: &Profile, of: &Ended) -> Result<Line, Failed> {
    let lines = profile.kernels.values().flat_map(|kernel| kernel.all_lines());
    let is_it =
        |line: &Line| Path::new(&line.file).ends_with("commands/covered.cu") && line.line == 14;
    Ok(lines.into_iter().find(is_it).ok_or_else(|| format!("no line 14: {of:?}"))?)
}

/// The stores of that line in launches of these numbers of threads.
fn expected(launches: &[u64]) -> (u64, u64) {
    let turns = |threads: u64| threads.min(20);
    let threads = launches.iter().map(|&n| (0..turns(n)).sum::<u64>());
    let warps = launches.iter().map(|&n| turns(n) - 1);
    (threads.sum(), warps.sum())
}

fn compare(profile: &Profile, launches: &[u64], of: &Ended) -> Result<(), Failed> {
    let line = stored(profile, of)?;
    let (threads, warps) = expected(launches);
    let store = line.counts.global_store;
    same(&(store.threads, store.requests), &(threads, warps), of)?;
    // In each iteration, all lanes store to one word.
    same(&(store.sectors, line.over_launches.launches), &(warps, launches.len() as u64), of)?;
    let launched: u64 = profile.kernels.values().map(|kernel| kernel.launches).sum();
    same(&launched, &(launches.len() as u64), of)
}

/// Profiles of a shell script's programs, of which one aborts and one ends with `_exit`.
fn several(setup: &Setup) -> Result<(), Failed> {
    for variant in [SHARED, STATIC] {
        let program = program(setup, "covered.cu", variant, &["-lineinfo"])?;
        let file = file(setup, &variant.name());
        let shell = format!("'{0}' 32; '{0}' 25 abort; '{0}' 7 quit", program.display());
        let mut command = setup.run();
        command.arg("--profile").arg(&file).args(["bash", "-c", &shell]);
        let ended = succeed(&mut command, &program)?;
        compare(&Profile::read(&file)?, &[32, 25, 7, 7], &ended)?;
        let mut command = setup.run();
        let ended = succeed(command.args(["--profile", "-"]).arg(&program).arg("32"), &program)?;
        let text = ended.stdout.strip_prefix("cudaSuccess\n").ok_or("nothing comes before it")?;
        compare(&Profile::parse(text)?, &[32], &ended)?;
    }
    Ok(())
}

fn each(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered.cu", SHARED, &["-lineinfo"])?;
    let folder = setup.build.join(format!("profiled-each-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder)?;
    let shell = format!("'{0}' 32; '{0}' 25 abort; true", program.display());
    let mut command = setup.run();
    command.arg("--profile").arg(folder.join("%p.json")).args(["bash", "-c", &shell]);
    let ended = succeed(&mut command, &program)?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        found.push(stored(&Profile::read(&entry?.path())?, &ended)?.counts.global_store.threads);
    }
    found.sort_unstable();
    same(&found[..], &[expected(&[25]).0, expected(&[32]).0], &ended)
}

fn callgrind(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered.cu", SHARED, &["-lineinfo"])?;
    let folder = setup.build.join(format!("profiled-callgrind-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (profile, coverage) = (folder.join("callgrind.out.1"), folder.join("c.info"));
    let mut command = setup.run();
    command.arg("--profile").arg(&profile).arg("--coverage").arg(&coverage).arg(&program).arg("32");
    let ended = succeed(&mut command, &program)?;
    let text = std::fs::read_to_string(&profile)?;
    same(text.starts_with("# callgrind format\n"), true, &ended)?;
    same(text.contains("commands/covered.cu\nfn=stored(int volatile*, int)\n14 "), true, &ended)?;
    // The same counters give the coverage and the profile.
    let covered = std::fs::read_to_string(&coverage)?;
    same(covered.contains(&format!("DA:14,{}\n", expected(&[32]).0)), true, &ended)
}

fn alone(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered.cu", SHARED, &["-lineinfo"])?;
    let file = file(setup, "alone");
    let mut command = Command::new(&program);
    clean(&mut command);
    command.env("LD_LIBRARY_PATH", &setup.libraries).env("TEXUNIT_PROFILE", &file).arg("32");
    let ended = succeed(&mut command, &program)?;
    compare(&Profile::read(&file)?, &[32], &ended)
}

/// One line about fidelity is printed without a report.
fn fidelity(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered.cu", SHARED, &["-lineinfo"])?;
    let ended = succeed(setup.run().arg("--fidelity").arg(&program).arg("32"), &program)?;
    let line =
        ended.stderr.lines().find(|line| line.contains("instruction forms of the kernels: "));
    same(line.is_some_and(|line| line.contains(" specified")), true, &ended)
}
