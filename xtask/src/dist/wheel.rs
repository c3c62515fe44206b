//! Builds the wheel: the Python package of `python`, with the program and the libraries, and
//! tests the wheel in a new Python environment without Rust.
//!
//! maturin generates the metadata, as for `pip install`, and the package `wheel` packs it; nothing
//! is compiled again.

use super::zig::{GLIBC, Zig};
use super::{Built, NOTICES, guide, libraries, pkgconfig, shims};
use crate::files::{self, anew, call};
use crate::libs::{MODULE, PROGRAM};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The platform tag of the wheel.
fn tag() -> String {
    format!("manylinux_{}_{}_{}", GLIBC.0, GLIBC.1, std::env::consts::ARCH)
}

/// Builds the wheel in a folder.
pub(super) fn make(built: &Built, tools: &Zig, dist: &Path) -> Result<PathBuf, String> {
    let unpacked = dist.join("wheel");
    anew(&unpacked)?;
    let package = unpacked.join("texunit");
    copy_sources(&crate::workspace().join("python/texunit"), &package)?;
    let (bin, lib) = (package.join("bin"), package.join("lib"));
    files::folder(&bin)?;
    files::folder(&lib)?;
    files::copy_into(PROGRAM, &built.files, &bin)?;
    files::copy_into(MODULE, &built.files, &package)?;
    libraries().try_for_each(|library| files::copy_into(library, &built.files, &lib))?;
    shims(built, &lib)?;
    pkgconfig::install(built, &package, true)?;
    guide::pack(&package)?;
    about(built, tools, &unpacked)?;
    let packed = dist.join("packed");
    anew(&packed)?;
    let python = || {
        let mut python = tools.tool("python3");
        python.args(["-m", "wheel"]);
        python
    };
    call(python().arg("pack").arg(&unpacked).arg("--dest-dir").arg(&packed))?;
    let mut wheel = files::first_file(&packed)?;
    if !built.light {
        call(python().args(["tags", "--remove", "--platform-tag", &tag()]).arg(&wheel))?;
        wheel = files::first_file(&packed)?;
    }
    let wheel_in_dist = dist.join(wheel.file_name().unwrap_or_default());
    files::rename(&wheel, &wheel_in_dist)?;
    files::remove(&unpacked)?;
    files::remove(&packed)?;
    Ok(wheel_in_dist)
}

/// Copies the Python modules and their type stubs.
fn copy_sources(from: &Path, to: &Path) -> Result<(), String> {
    files::folder(to)?;
    for path in files::entries(from)? {
        let copy = to.join(path.file_name().unwrap_or_default());
        let is_source = || {
            let ending = path.extension().unwrap_or_default();
            ["py", "pyi"].iter().any(|known| ending == *known) || path.ends_with("py.typed")
        };
        if path.is_dir() && !path.ends_with("__pycache__") {
            copy_sources(&path, &copy)?;
        } else if path.is_file() && is_source() {
            files::copy(&path, &copy)?;
        }
    }
    Ok(())
}

/// Generates the metadata (name, version and licences) from python/pyproject.toml.
fn about(built: &Built, tools: &Zig, unpacked: &Path) -> Result<(), String> {
    let mut maturin = tools.tool("maturin");
    maturin.args(["pep517", "write-dist-info", "--locked", "--manifest-path"]);
    maturin.arg(crate::workspace().join("python/Cargo.toml"));
    maturin.arg("--metadata-directory").arg(unpacked);
    files::quiet(&mut maturin).map_err(|e| format!("maturin: {e}"))?;
    let folder = unpacked.join(format!("texunit-{}.dist-info", env!("CARGO_PKG_VERSION")));
    files::copy(&built.notices, &folder.join("licenses").join(NOTICES))?;
    let metadata = folder.join("METADATA");
    let text = files::read(&metadata)?;
    let Some((before, after)) = text.split_once("\nLicense-File: ") else {
        return Err(format!("{} names no licence", metadata.display()));
    };
    files::write(&metadata, format!("{before}\nLicense-File: {NOTICES}\nLicense-File: {after}"))
}

/// Returns an error if the wheel does not satisfy its platform tag.
pub(super) fn judge(wheel: &Path, zig: &Zig) -> Result<(), String> {
    let said = call(zig.tool("auditwheel").arg("show").arg(wheel))?;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = format!("\"{}\"", tag());
    if said.contains(&format!("consistent with the following platform tag: {wanted}")) {
        Ok(())
    } else {
        Err(format!("auditwheel says of {}: {said}", wheel.display()))
    }
}

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
    files::quiet(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let python = venv.join("bin/python");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    // The wheel is installed without an index, because it must not have dependencies.
    files::quiet(empty(&python, folder).args(pip).args(["--no-index", "--no-deps"]).arg(wheel))?;
    files::quiet(empty(&python, folder).args(["-c", "import texunit; texunit.path()"]))?;
    files::quiet(empty(&python, folder).args(pip).args(TOOLS))?;
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
    if !tests.status().map_err(|e| format!("{shown}: {e}"))?.success() {
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
