//! Messages name source lines (tests/cuda/commands/places.cu; runs.toml has more of them): in
//! traces and reports; of Numba and nvrtc, whose sources are in memory; of saved PTX and host
//! allocations.

use crate::commands::{NVCC, Row, SHARED, STATIC, contains, program, same};
use crate::process::{Ended, run, succeed};
use crate::tools::Setup;
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("traces", NVCC, traces),
    ("names of C++", NVCC, names),
    ("saved PTX", NVCC, saved),
    ("who asked for memory", NVCC, host_backtrace),
    ("Numba", &["numba", "nvrtc13"], numba),
    ("nvrtc", &["python", "nvrtc13"], nvrtc),
];

/// `commands/places.cu:8` for the line with the mark.
fn place(setup: &Setup, mark: &str) -> String {
    let source = std::fs::read_to_string(setup.cases().join("commands/places.cu")).unwrap();
    let mark = format!("// mark: {mark}");
    let line = source.lines().position(|line| line.ends_with(&mark)).unwrap() + 1;
    format!("commands/places.cu:{line}")
}

fn all_of(ended: &Ended, texts: &[String]) -> Result<(), Failed> {
    texts.iter().try_for_each(|text| contains(ended, text))
}

/// Runs the program with the argument that makes its kernel fail.
fn wrong(command: &mut Command, program: &Path, which: &str) -> Result<Ended, Failed> {
    Ok(run(command.arg(program).arg(which), program)?)
}

fn traces(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "places.cu", SHARED, &["-lineinfo"])?;
    let ended = wrong(setup.run().args(["--trace", "launch"]), &program, "end")?;
    let line = ended.stderr.lines().find(|line| line.starts_with("texunit: launch "));
    let line = line.unwrap_or_default();
    same(line.contains("launch fill(int*, int) ("), true, &ended)?;
    same(line.contains("commands/places.cu:11"), true, &ended)?;
    let fault = format!("fault: out-of-bounds at {}", setup.cases().display());
    let store = format!("{}:5 in put<int>(int*, int, int) (", place(setup, "store"));
    same(line.contains(&fault) && line.contains(&store), true, &ended)?;
    let ended = wrong(setup.run().args(["--trace", "fetch"]), &program, "array")?;
    same(&*ended.stdout, "cudaSuccess\n", &ended)?;
    let line = ended.stderr.lines().find(|line| line.starts_with("texunit: fetch "));
    let wanted = format!("{}:", place(setup, "fetch"));
    same(line.is_some_and(|line| line.contains(&wanted) && line.contains("tex.2d")), true, &ended)
}

/// Mangled names appear only in PTX text.
fn names(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "places.cu", SHARED, &[])?;
    let command = |options: &[&str]| {
        let mut command = setup.run();
        command.args(["--check", "all", "--trace", "launch", "--report-api-errors"]).args(options);
        wrong(&mut command, &program, "end")
    };
    let is_ptx = |line: &str| line.contains("_param_") || line.contains("ld.param");
    let alone = |text: &str| text.lines().any(|line| line.contains("_Z") && !is_ptx(line));
    for form in ["json", "sarif", "xml"] {
        let report = program.with_extension(form);
        let ended = command(&["--report", report.to_str().unwrap()])?;
        let written = std::fs::read_to_string(&report)?;
        contains(&ended, "fill(int*, int)")?;
        same((alone(&ended.stderr), written.contains("fill(int*, int)")), (false, true), &ended)?;
        if form == "json" {
            same(has_both(&serde_json::from_str(&written)?), true, &ended)?;
        } else if alone(&written) {
            return Err(written.into());
        }
    }
    let ended = command(&["--report-format", "github"])?;
    same(alone(&ended.stdout), false, &ended)
}

/// Whether each object with a kernel's PTX name also has its source name.
fn has_both(value: &serde_json::Value) -> bool {
    let is_mangled =
        |value: &serde_json::Value| value.as_str().is_some_and(|s| s.starts_with("_Z"));
    match value {
        serde_json::Value::Array(all) => all.iter().all(has_both),
        serde_json::Value::Object(all) => {
            let has_name = ["function", "name"].iter().any(|key| {
                all.get(*key).and_then(|name| name.as_str()).is_some_and(|name| name.contains('('))
            });
            (has_name || !all.values().any(is_mangled)) && all.values().all(has_both)
        }
        _ => true,
    }
}

/// Messages name saved PTX files, one for each text, however it is loaded.
fn saved(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "places.cu", SHARED, &[])?;
    let folder = program.with_extension("saved");
    let _ = std::fs::remove_dir_all(&folder);
    let both = format!("'{0}' end; '{0}' end & '{0}' & wait", program.display());
    let mut command = setup.run();
    command.arg("--save-ptx").arg(&folder).args(["sh", "-c", &both]);
    let ended = run(&mut command, &program)?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    same(files.len(), 1, &ended)?;
    let file = files.remove(0);
    same(file.extension().is_some_and(|e| e == "ptx"), true, &ended)?;
    let head = format!("--> {}:", file.display());
    let line = ended.stderr.lines().find_map(|line| line.trim_start().strip_prefix(&head));
    let number = line.and_then(|line| line.split(':').next()?.parse::<usize>().ok());
    let text = std::fs::read_to_string(&file)?;
    let line = number.and_then(|number| text.lines().nth(number - 1)).unwrap_or_default();
    same(line.contains("st.global.u32"), true, &ended)?;
    // The second run uses the same file; a write error is reported, and the program continues.
    let before = std::fs::metadata(&file)?.modified()?;
    let mut command = setup.run();
    run(command.env("TEXUNIT_SAVE_PTX", &folder).arg(&program), &program)?;
    same(std::fs::metadata(&file)?.modified()?, before, &ended)?;
    same(std::fs::read_dir(&folder)?.count(), 1, &ended)?;
    let mut command = setup.run();
    let ended = succeed(command.args(["--save-ptx", "/dev/null/x"]).arg(&program), &program)?;
    same(&*ended.stdout, "cudaSuccess\n", &ended)?;
    contains(&ended, "PTX cannot be saved in /dev/null/x")
}

/// Messages contain the places in the program that allocated and freed the memory, if requested.
fn host_backtrace(setup: &Setup) -> Result<(), Failed> {
    let (asked, freed) = (place(setup, "asked"), place(setup, "freed"));
    for variant in [SHARED, STATIC] {
        let program = program(setup, "places.cu", variant, &["-g"])?;
        let ended = wrong(setup.run().arg("--host-backtrace"), &program, "freed")?;
        contains(&ended, "error[freed]")?;
        let line = |what: &str, place: &str, function: &str| {
            let line = ended.stderr.lines().find(|line| line.contains(what)).unwrap_or_default();
            same(line.contains(place) && line.ends_with(function), true, &ended)
        };
        line("was asked for at", &asked, " in ask(int)")?;
        line("and freed at", &freed, " in give_back(int*)")?;
        contains(&ended, " in main\n")?;
        let ended = wrong(&mut setup.run(), &program, "freed")?;
        contains(&ended, "error[freed]")?;
        same(ended.stderr.contains("asked for"), false, &ended)?;
    }
    // Without debug information, only functions are shown.
    let program = program(setup, "places.cu", SHARED, &[])?;
    let ended = wrong(setup.run().arg("--host-backtrace"), &program, "end")?;
    let line = ended.stderr.lines().find(|line| line.contains("was asked for at"));
    same(line.is_some_and(|line| line.ends_with(" in ask(int)")), true, &ended)
}

/// Runs a script of tests/cuda/commands whose kernel fails.
fn script(setup: &Setup, name: &str, kit: &str, options: &[&str]) -> Result<Ended, Failed> {
    let mut command = setup.run();
    command
        .args(options)
        .args(["--host-backtrace", "python3"])
        .arg(setup.cases().join("commands").join(name));
    let toolkit = setup.file("include13").join("../../..");
    command.env("PYTHONPATH", std::env::join_paths([setup.file(kit), &toolkit])?);
    command.env("LD_LIBRARY_PATH", setup.file("nvrtc13").parent().unwrap());
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("CUDA_CACHE_DISABLE", "1");
    Ok(run(&mut command, &setup.build.join(name))?)
}

/// With a source in memory, every message shows its lines, and none names its folder, which no
/// longer exists. Libraries that cannot run and are not called are not named.
fn nvrtc(setup: &Setup) -> Result<(), Failed> {
    let ended = script(setup, "places_nvrtc.py", "python", &[])?;
    let source = std::fs::read_to_string(setup.cases().join("commands/places_nvrtc.py"))?;
    let asked = source.lines().position(|line| line.ends_with("# mark: asked")).unwrap() + 1;
    same(&*ended.stdout, "CUDA_ERROR_ILLEGAL_ADDRESS\n", &ended)?;
    let store = "void put(int *out, int i) { out[i] = 7; } // mark: store";
    all_of(
        &ended,
        &[
            "--> places_nvrtc.cu:2:".to_owned(),
            " in put\n".to_owned(),
            store.to_owned(),
            "::: places_nvrtc.cu:6:".to_owned(),
            " in fill\n".to_owned(),
            "put(out, threadIdx.x + 16); // mark: call".to_owned(),
            "inlined here".to_owned(),
            "the nearest object is `cuMemAlloc` (64 bytes at 0x".to_owned(),
            format!("commands/places_nvrtc.py:{asked} in <module>\n"),
        ],
    )?;
    let lacks = |text: &str| {
        let found =
            ["texunit-gone", "cannot run", "warning"].iter().any(|word| text.contains(word));
        if found { Err(Failed::from(text)) } else { Ok(()) }
    };
    lacks(&ended.stderr)?;
    for form in ["json", "sarif", "xml"] {
        let report = setup.build.join(format!("places_nvrtc.{form}"));
        script(setup, "places_nvrtc.py", "python", &["--report", report.to_str().unwrap()])?;
        let written = std::fs::read_to_string(&report)?;
        lacks(&written)?;
        same(written.contains("places_nvrtc.cu") && written.contains(store), true, &ended)?;
    }
    Ok(())
}

/// Messages name the line of Python.
fn numba(setup: &Setup) -> Result<(), Failed> {
    let ended = script(setup, "places_numba.py", "numba", &[])?;
    let source = std::fs::read_to_string(setup.cases().join("commands/places_numba.py"))?;
    let line_of = |mark| source.lines().position(|line| line.ends_with(mark)).unwrap() + 1;
    let line = line_of("# mark: store");
    all_of(
        &ended,
        &[
            format!("commands/places_numba.py:{line}:"),
            " in __main__::fill(Array<int, 1, C, mutable, aligned>)\n".to_owned(),
            "out[i + 16] = 7  # mark: store".to_owned(),
            format!("commands/places_numba.py:{} in <module>\n", line_of("# mark: asked")),
        ],
    )
}
