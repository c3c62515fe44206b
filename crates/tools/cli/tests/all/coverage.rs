//! `texunit launch --coverage` on the examples: the counts agree with the grid of each launch, and
//! genhtml accepts the file.

use crate::genhtml;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use texunit_coverage::{Coverage, lcov};
use texunit_testkit::TempDir;

fn launch(job: &Path, more: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.arg("launch").arg(job).arg("--quiet").arg("--out").arg(out).args(more);
    command.output().unwrap()
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples").canonicalize().unwrap()
}

fn covered(job: &Path, more: &[&str], folder: &TempDir) -> Coverage {
    let file = folder.join("c.info");
    let options = [&["--coverage", file.to_str().unwrap()], more].concat();
    let done = launch(job, &options, &folder.join("out"));
    assert!(done.status.success(), "{done:?}");
    lcov::parse(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The number of threads of a job.
fn threads(job: &Path) -> u64 {
    let job: toml::Table = std::fs::read_to_string(job).unwrap().parse().unwrap();
    let product = |key: &str| {
        let all = job[key].as_array().unwrap().iter();
        all.map(|n| n.as_integer().unwrap() as u64).product::<u64>()
    };
    product("grid") * product("block")
}

#[test]
fn a_launch_covers_its_kernel() {
    let folder = TempDir::new("coverage");
    for name in ["sobel", "bicubic"] {
        let job = examples().join(name).join("job.toml");
        let coverage = covered(&job, &[], &folder);
        let ptx = examples().join(name).join(format!("{name}.ptx"));
        let file = &coverage.files[ptx.to_str().unwrap()];
        let entered: Vec<u64> =
            file.functions.values().map(|f| f.lanes).filter(|&n| n > 0).collect();
        assert_eq!(entered, [threads(&job)], "{name}");
        // Every instruction of the PTX is on a line of its own, which begins with a word and ends
        // with a semicolon.
        let text = std::fs::read_to_string(&ptx).unwrap();
        for (&line, &lanes) in &file.lines {
            let text = text.lines().nth(line as usize - 1).unwrap();
            assert!(text.contains(';') || text.contains(".entry"), "{name}: {line} {text}");
            // None of the kernels has a loop.
            assert!(lanes <= threads(&job), "{name}: {line} {text}");
        }
        let ways = file.branches.values().map(|ways| ways.iter().sum::<u64>());
        assert!(ways.max().unwrap_or(0) <= threads(&job));
        genhtml::accepts(&folder.join("c.info"), &folder.join("html")).unwrap();
    }
}

/// With one host thread or two, fused or not, and with `--explain`, the counts are the same.
#[test]
fn counts_do_not_depend_on_who_runs() {
    let folder = TempDir::new("coverage-ways");
    let job = examples().join("sobel/job.toml");
    let plain = covered(&job, &["--threads", "1"], &folder);
    for more in [&["--threads", "3"][..], &["--fmad"], &["--explain", "3,3,0"]] {
        assert_eq!(covered(&job, more, &folder), plain, "{more:?}");
    }
}

#[test]
fn places_that_cannot_be_written() {
    let folder = TempDir::new("coverage-places");
    let job = folder.join("job.toml");
    for file in ["sobel.ptx", "job.toml", "landscape.png"] {
        std::fs::copy(examples().join("sobel").join(file), folder.join(file)).unwrap();
    }
    let text = std::fs::read_to_string(&job).unwrap();
    for (file, code, why) in [
        (job.clone(), 2, "would overwrite"),
        (folder.join("sobel.ptx"), 2, "would overwrite"),
        (folder.join("nowhere/c.info"), 1, "cannot write the coverage"),
    ] {
        let done = launch(&job, &["--coverage", file.to_str().unwrap()], &folder.join("out"));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(code), "{said}");
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&job).unwrap(), text);
}
