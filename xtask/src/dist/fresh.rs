//! Tests the wheel in a new Python environment without Rust.

use crate::files::{self, anew};
use crate::tools;
use std::path::Path;
use std::process::Command;

/// Packages that the tests of the wheel need.
const TOOLS: [&str; 2] = ["pytest==9.2.0", "numpy==2.4.6"];

/// Files of python/tests that are fast and need no CUDA compiler.
const LIGHT: [&str; 3] = ["test_module.py", "test_c.py", "test_core.py"];

/// Installs the wheel in a new environment below `folder`, and runs all of python/tests, or with a
/// light package those that do not need nvcc.
pub(super) fn check(
    wheel: &Path,
    archive: &Path,
    nvcc: Option<&Path>,
    folder: &Path,
) -> Result<(), String> {
    anew(folder)?;
    let venv = folder.join("venv");
    tools::run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let python = venv.join("bin/python");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    // The wheel is installed without an index, because it must not have dependencies.
    tools::run(empty(&python, folder).args(pip).args(["--no-index", "--no-deps"]).arg(wheel))?;
    tools::run(empty(&python, folder).args(["-c", "import texunit; texunit.path()"]))?;
    tools::run(empty(&python, folder).args(pip).args(TOOLS))?;
    let mut tests = empty(&python, folder);
    tests.args(["-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "--basetemp"]);
    let all = crate::workspace().join("python/tests");
    tests.arg(folder.join("temporary"));
    match nvcc {
        Some(nvcc) => tests.arg(all).env("TEXUNIT_NVCC", nvcc),
        None => tests.args(LIGHT.map(|file| all.join(file))),
    };
    tests.env("TEXUNIT_WHEEL", wheel).env("TEXUNIT_ARCHIVE", archive);
    let shown = format!("{tests:?}");
    let status = tests.status().map_err(|e| format!("{shown}: {e}"))?;
    if !status.success() {
        return Err(format!("tests of the wheel fail: {shown}"));
    }
    files::remove(folder)
}

/// A command whose environment has only this Python, system programs, and pip's configuration, so
/// that it cannot find Rust.
fn empty(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    let kept = |name: &str| {
        name.starts_with("PIP_")
            || name.starts_with("SSL_")
            || name.to_lowercase().ends_with("_proxy")
    };
    let kept = std::env::vars().filter(|(name, _)| kept(name));
    command.env_clear().envs(kept).env("HOME", folder.join("home")).env("LANG", "C.UTF-8");
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    let bin = program.parent().unwrap_or(Path::new("/"));
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    command
}
