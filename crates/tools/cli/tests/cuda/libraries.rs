//! Libraries with names of NVIDIA's libraries: which ones a program loads, and what checks see of
//! their work.

use crate::clients::add_python;
use crate::commands::{self, NVCC, Row, SHARED, contains, program, same};
use crate::evidence::{file, json};
use crate::process::succeed;
use crate::redirected::compiled;
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};

/// The tests of this module.
pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let mut all = commands::trials(setup, "run", &[("whose libraries a program gets", &[], whose)]);
    let checked: [Row; 1] = [("transforms of a library", NVCC, checked)];
    all.extend(commands::trials(setup, "check", &checked));
    for (name, count, wanted, needs) in [
        ("blas", "300", "300 calls compared, all are right", &["numba", "nvrtc13"][..]),
        ("calls", "3000", " ended the context", &["numba", "nvrtc13"]),
    ] {
        let is_there = setup.has(needs);
        let setup = setup.clone();
        let test = move || random_calls(&setup, name, count, wanted);
        all.push(Trial::test(format!("libraries/{name}"), test).with_ignored_flag(!is_there));
    }
    all
}

/// Runs a script of tests/libraries for a short time; `.ci/full libraries` runs it longer. NumPy is
/// installed with Numba.
fn random_calls(setup: &Setup, name: &str, count: &str, wanted: &str) -> Result<(), Failed> {
    let script = setup.root.join(format!("tests/libraries/{name}.py"));
    let mut command = setup.run();
    add_python(setup, &mut command, &script, "numba")?;
    command.arg(count);
    let ended = succeed(&mut command, &setup.build.join(format!("libraries-{name}")))?;
    match ended.stdout.trim_end().ends_with(wanted) {
        true => Ok(()),
        false => Err(format!("no `{wanted}` in {ended:?}").into()),
    }
}

/// The program loads texunit's library although an rpath and a search path lead to another; the
/// option for NVIDIA's libraries selects that one.
fn whose(setup: &Setup) -> Result<(), Failed> {
    let soname = ["-shared", "-fPIC", "-Wl,-soname,libcufft.so.12"];
    let theirs = compiled(setup, &["fft_stand_in.c"], &soname, "libcufft.so.12")?;
    let folder = theirs.parent().unwrap().to_str().unwrap();
    let rpath = format!("-Wl,--disable-new-dtags,-rpath,{folder}");
    let linked = theirs.to_str().unwrap();
    let program = compiled(setup, &["fft_version.c"], &[linked, &rpath, "-ldl"], "fft_version")?;
    for (words, shown, state, path) in [
        (&[][..], "12500 12500 0\n", "texunit", &setup.libraries),
        (&["--libraries", "texunit"], "12500 12500 0\n", "texunit", &setup.libraries),
        (&["--libraries", "nvidia"], "777 777 0\n", "unused", &theirs.parent().unwrap().to_owned()),
    ] {
        let report = file(setup, "libraries.json");
        let mut command = setup.run();
        command.args(words).arg("--report").arg(&report).arg(&program).arg(&theirs);
        let ended = succeed(&mut command, &program)?;
        same(&*ended.stdout, shown, &ended)?;
        let report = json(&report)?;
        let libraries = report["libraries"].as_array().ok_or("no libraries")?;
        let path = path.canonicalize()?.join("libcufft.so.12");
        let is_there = libraries.iter().any(|library| {
            let same_file =
                |text: &str| std::path::Path::new(text).canonicalize().is_ok_and(|p| p == path);
            library["state"] == state && library["path"].as_str().is_some_and(same_file)
        });
        same(is_there, true, &ended)
            .map_err(|_| format!("{state} of {}: {libraries:?}", path.display()))?;
    }
    Ok(())
}

fn checked(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "fft_checked.cu", SHARED, &["-lineinfo", "-g", "-lcufft"])?;
    let with = |checks: &str| {
        let mut command = setup.run();
        command.args(["--check", checks]).arg(&program);
        succeed(&mut command, &program)
    };
    let ended = with("race")?;
    contains(
        &ended,
        "error[race-read-after-write]: cufftExecC2C reads memory that a kernel stores to",
    )?;
    contains(
        &ended,
        "error[race-write-after-write]: cufftExecC2C writes memory that a kernel stores to",
    )?;
    contains(&ended, "fft_checked.cu:5")?;
    let ended = with("init")?;
    contains(
        &ended,
        "error[init-library]: cufftExecC2C reads 512 bytes that were never written, the first is byte 0 of",
    )?;
    contains(&ended, "fft_checked.cu:25")?;
    let ended = with("leak")?;
    contains(&ended, "1 allocation of cufftPlan1d (512 bytes) was not freed")?;
    contains(&ended, "fft_checked.cu:19")?;
    let mut command = setup.run();
    command.args(["--check", "all"]).arg(&program).arg("waits");
    let ended = succeed(&mut command, &program)?;
    same(&*ended.stderr, "", &ended)?;
    // The second launch is recorded with what stood between.
    let folder = setup.build.join("record-library");
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = setup.run();
    command.arg("--record").arg(&folder).arg(&program).arg("waits");
    let ended = succeed(&mut command, &program)?;
    contains(&ended, "cufftExecC2C is work of a library, which is not recorded")?;
    let jobs = std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path().join("job.toml")));
    let mut jobs = jobs.collect::<std::io::Result<Vec<_>>>()?;
    jobs.sort();
    let texts = jobs.iter().map(std::fs::read_to_string).collect::<std::io::Result<Vec<_>>>()?;
    let named: Vec<bool> = texts.iter().map(|text| text.contains("# cufftExecC2C;")).collect();
    same(&named[..], &[false, true][..], &ended)
}
