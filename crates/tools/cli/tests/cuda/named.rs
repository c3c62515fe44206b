//! How messages name memory: `commands/named.cu`.

use crate::checked::lacks;
use crate::commands::{NVCC, Row, SHARED, contains, program, same};
use crate::evidence::{file, json};
use crate::process::{run, succeed};
use crate::tools::Setup;
use libtest_mimic::Failed;
use std::path::Path;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[("memory is called by the function that made it", NVCC, memory)];

/// The line of a call in the program.
fn line(setup: &Setup, call: &str) -> String {
    let source = std::fs::read_to_string(setup.cases().join("commands/named.cu")).unwrap();
    let is_call = |line: &str| line.contains(&format!("{call}(&")) && line.contains("strcmp");
    let line = source.lines().position(is_call).unwrap() + 1;
    format!("named.cu:{line}")
}

/// Memory is named by the call that allocated it; with `--host-backtrace`, findings and faults say
/// where that call is.
fn memory(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "named.cu", SHARED, &["-lineinfo", "-g", "-lcuda"])?;
    for name in [
        "cudaMalloc",
        "cudaMallocPitch",
        "cudaMalloc3D",
        "cudaMallocManaged",
        "cudaMallocHost",
        "cudaHostAlloc",
        "cudaMallocAsync",
        "cuMemAlloc",
        "cuMemAllocManaged",
    ] {
        let fault = run(setup.run().arg("--host-backtrace").arg(&program).arg(name), &program)?;
        contains(&fault, "error[out-of-bounds]")?;
        contains(&fault, &format!("`{name}` (512 bytes at 0x"))?;
        contains(&fault, "was asked for at ")?;
        contains(&fault, " in make(char const*)\n")?;
    }
    for name in ["cudaMallocPitch", "cuMemAlloc"] {
        let with = |check: &str, words: &[&str]| {
            let mut command = setup.run();
            command.args(["--check", check]).args(words).arg(&program).args([name, "race"]);
            succeed(&mut command, &program)
        };
        let (number, place) = ("allocation 1 was asked for at ", line(setup, name));
        let ended = with("init", &[])?;
        contains(&ended, "error[init-")?;
        contains(&ended, "(512 bytes, allocation 1)")?;
        [number, &place].iter().try_for_each(|text| contains(&ended, text))?;
        let ended = with("race", &[])?;
        contains(&ended, &format!("it is in `{name}` (512 bytes, allocation 1)"))?;
        lacks(&ended, number)?;
        let report = file(setup, "named.json");
        let ended = with("race", &["--host-backtrace", "--report", text(&report)])?;
        [number, &place].iter().try_for_each(|text| contains(&ended, text))?;
        let notes = json(&report)?["findings"][0]["notes"].to_string();
        same(notes.contains(number), true, &ended)?;
    }
    Ok(())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}
