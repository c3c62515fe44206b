//! Runs the code blocks of README.md whose first command is nvcc or `texunit run`, in a folder with
//! tests/cuda/commands/blur.cu, and compares their output with the page.
//!
//! `...` stands for the rest of a line, and a line `...` for the rest of the output.

use crate::commands::{NVCC, Row};
use crate::tools::{Setup, clean};
use libtest_mimic::Failed;
use std::path::Path;
use std::process::{Command, Stdio};
use texunit_testkit::TempDir;

pub(crate) const TESTS: &[Row] = &[("what a program prints", NVCC, printed)];

fn printed(setup: &Setup) -> Result<(), Failed> {
    let folder = TempDir::new("readme");
    std::fs::copy(setup.cases().join("commands/blur.cu"), folder.path().join("blur.cu"))?;
    let page = std::fs::read_to_string(setup.root.join("README.md"))?;
    let blocks: Vec<_> = page
        .split("\n```text\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```").map(|(block, _)| block))
        .filter(|block| block.starts_with("$ nvcc ") || block.starts_with("$ texunit run "))
        .collect();
    if blocks.len() != 2 {
        return Err(format!("{} blocks, where two are expected", blocks.len()).into());
    }
    for block in blocks {
        let mut lines = block.lines().peekable();
        while let Some(line) = lines.next() {
            let command = line.strip_prefix("$ ").ok_or_else(|| format!("no command: {line}"))?;
            let mut expected = Vec::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                expected.push(line);
            }
            let found = run(setup, &folder, command)?;
            if !fits(&expected, &found) {
                let expected = expected.join("\n");
                return Err(
                    format!("`{command}` prints\n{found}but the page has\n{expected}").into()
                );
            }
        }
    }
    Ok(())
}

/// The output of a command without colours: standard output, then standard error.
fn run(setup: &Setup, folder: &Path, command: &str) -> Result<String, Failed> {
    let programs = [setup.file("nvcc"), Path::new(env!("CARGO_BIN_EXE_texunit"))];
    let folders = programs.iter().filter_map(|program| program.parent()).map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)))?;
    let mut shell = Command::new("sh");
    clean(&mut shell);
    shell.args(["-c", command]).current_dir(folder).stdin(Stdio::null());
    shell.env("PATH", path).env("NO_COLOR", "1").env("TEXUNIT_LIBS", &setup.libraries);
    let output = shell.output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{command}` ends with {}: {why}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?)
}

fn fits(expected: &[&str], found: &str) -> bool {
    let found: Vec<_> = found.lines().collect();
    let (expected, is_whole) = match expected.split_last() {
        Some((&"...", before)) => (before, found.len() > before.len()),
        _ => (expected, found.len() == expected.len()),
    };
    is_whole
        && expected.iter().zip(&found).all(|(expected, found)| {
            expected.strip_suffix("...").map_or(expected == found, |start| found.starts_with(start))
        })
}
