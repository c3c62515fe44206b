//! How messages name memory, texels and parameters: `commands/named.cu`.

use crate::checked::{lacks, of};
use crate::commands::{SHARED, Test, contains, program, same};
use crate::evidence::{file, json};
use crate::process::{Ended, run, succeed};
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// The tests of this module.
pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let all: [(&str, Test); 3] = [
        ("memory is called by the function that made it", memory),
        ("texels reach the host through a kernel", texels),
        ("parameters that are wrong have names", parameters),
    ];
    of(setup, &all)
}

/// The line of a call in the program.
fn line(setup: &Setup, call: &str) -> String {
    let source = std::fs::read_to_string(setup.cases().join("commands/named.cu")).unwrap();
    let is_call = |line: &str| line.contains(&format!("{call}(&")) && line.contains("strcmp");
    let line = source.lines().position(is_call).unwrap() + 1;
    format!("named.cu:{line}")
}

fn compiled(setup: &Setup) -> Result<PathBuf, Failed> {
    program(setup, "named.cu", SHARED, &["-lineinfo", "-g", "-lcuda"])
}

/// Memory is named by the call that allocated it; with `--host-backtrace`, findings and faults say
/// where that call is.
fn memory(setup: &Setup) -> Result<(), Failed> {
    let program = compiled(setup)?;
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

fn texels(setup: &Setup) -> Result<(), Failed> {
    let program = compiled(setup)?;
    let ended =
        succeed(setup.run().args(["--check", "init"]).arg(&program).arg("texel"), &program)?;
    for text in [
        "a copy to the host has 8 bytes that depend on texels that were never written",
        "from texel (6, 1) of the 2D array",
        "a copy to the host has 8 bytes that were never written, the first is texel (6, 1) of array ",
    ] {
        contains(&ended, text)?;
    }
    Ok(())
}

fn parameters(setup: &Setup) -> Result<(), Failed> {
    let program = compiled(setup)?;
    let ended =
        succeed(setup.run().arg("--report-api-errors").arg(&program).arg("refused"), &program)?;
    let said = |text: &str| contains(&ended, text);
    said("wOffset 16: 32 bytes from there on, past the end of a row of dst (32 bytes)\n")?;
    said("wOffset 2 is not a multiple of 4, the bytes of a texel of dst\n")?;
    said("hOffset 2: 1 row from there on, past the end of src (2 rows)\n")?;
    said("width 64 is more than a row of dst has: 32 bytes\n")?;
    said(
        "desc has 3 channels: texels have 1, 2 or 4 channels of 8, 16 or 32 bits; 3 is not possible: pad to 4\n",
    )?;
    nothing_else(&ended)
}

/// Names of the driver's own parameters do not appear.
fn nothing_else(ended: &Ended) -> Result<(), Failed> {
    ["XInBytes", "dstArray", "srcY"].iter().try_for_each(|name| lacks(ended, name))
}
