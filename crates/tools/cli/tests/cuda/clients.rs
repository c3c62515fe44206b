//! Programs with the driver API that are not CUDA C++: Python with NVIDIA's packages and with
//! Numba, Rust with the crate cudarc.

use crate::coverage;
use crate::process::{run, succeed};
use crate::program::difference;
use crate::tools::{Setup, clean};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The scripts, each with the packages that it needs.
pub(crate) fn scripts(setup: &Setup) -> Vec<(PathBuf, &'static str)> {
    let mut scripts: Vec<_> = std::fs::read_dir(setup.cases().join("python"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    scripts.sort();
    assert!(!scripts.is_empty(), "the scripts are not where they were");
    let kit = |script: PathBuf| {
        let is_numba = script.file_stem().unwrap().to_str().unwrap().starts_with("numba");
        (script, if is_numba { "numba" } else { "python" })
    };
    scripts.into_iter().map(kit).collect()
}

/// The tests of this module.
pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (script, kit) in scripts(setup) {
        let name = script.file_stem().unwrap().to_str().unwrap().to_owned();
        let skipped = !setup.has(&[kit, "nvrtc13"]);
        let of_trial = setup.clone();
        let trial = Trial::test(format!("python/{name}"), move || python(&of_trial, &script, kit));
        trials.push(trial.with_ignored_flag(skipped));
    }
    let of_trial = setup.clone();
    trials.push(Trial::test("cudarc", move || cudarc(&of_trial)));
    trials
}

fn python(setup: &Setup, script: &Path, kit: &str) -> Result<(), Failed> {
    let name = script.file_name().unwrap().to_str().unwrap();
    let mut command = setup.run();
    command.args(["--trace", "api"]);
    add_python(setup, &mut command, script, kit)?;
    let ended = succeed(&mut command, &setup.build.join(name))?;
    compare(&script.with_extension("expected"), &ended.stdout)?;
    // nvrtc also requests a table that does not exist, and works without it.
    if ended.stderr.contains("cannot run") {
        return Err(format!("a library is named that can run: {}", ended.stderr).into());
    }
    coverage::note(&format!("tests/cuda/python/{name}"), &coverage::traced(&ended.stderr));
    Ok(())
}

/// Extends a command that ends with options of `texunit run` into one that runs a script.
pub(crate) fn add_python(
    setup: &Setup,
    command: &mut Command,
    script: &Path,
    kit: &str,
) -> Result<(), Failed> {
    command.arg("python3").arg(script);
    // nvrtc's package is in the same folder as that of nvcc.
    let toolkit = setup.file("include13").join("../../..");
    let paths = [setup.file(kit), &toolkit];
    command.env("PYTHONPATH", std::env::join_paths(paths)?);
    command.env("LD_LIBRARY_PATH", setup.file("nvrtc13").parent().unwrap());
    // Python must not write files beside the script.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("CUDA_CACHE_DISABLE", "1");
    Ok(())
}

fn cudarc(setup: &Setup) -> Result<(), Failed> {
    let Some(program) = cudarc_program(setup)? else { return Ok(()) };
    let mut command = setup.run();
    let ended = succeed(command.args(["--trace", "api"]).arg(&program), &program)?;
    compare(&setup.cases().join("cudarc/expected"), &ended.stdout)?;
    coverage::note("tests/cuda/cudarc", &coverage::traced(&ended.stderr));
    Ok(())
}

/// Builds a separate Cargo project with its own lock file, whose crates are not part of the
/// workspace. `None` if they cannot be downloaded.
pub(crate) fn cudarc_program(setup: &Setup) -> Result<Option<PathBuf>, Failed> {
    let project = setup.cases().join("cudarc");
    let target = setup.build.join("cudarc");
    let cargo = || {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        clean(&mut command);
        command.current_dir(&project).env("CARGO_TARGET_DIR", &target);
        command
    };
    std::fs::create_dir_all(&target)?;
    let fetched = run(cargo().args(["fetch", "--quiet", "--locked"]), &target.join("fetch"))?;
    if !fetched.status.success() {
        eprintln!("!!\n!! SKIPPED: the Rust client: {}\n!!", fetched.stderr.trim());
        return Ok(None);
    }
    succeed(cargo().args(["build", "--quiet", "--locked"]), &target.join("build"))?;
    Ok(Some(target.join("debug/texture")))
}

fn compare(expected: &Path, found: &str) -> Result<(), Failed> {
    let expected = std::fs::read_to_string(expected)?;
    if expected == found { Ok(()) } else { Err(difference(&expected, found).into()) }
}
