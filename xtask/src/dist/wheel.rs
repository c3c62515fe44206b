//! Builds the wheel: the Python package of `python`, with the program and the libraries.
//!
//! maturin generates the metadata, as for `pip install`, and the package `wheel` packs it; nothing
//! is compiled again.

use super::zig::{GLIBC, Zig};
use super::{Built, NOTICES, anew, at, call, guide, libraries, pkgconfig, shims};
use crate::libs::{MODULE, PROGRAM};
use std::path::{Path, PathBuf};

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
    at(&bin, std::fs::create_dir(&bin))?;
    at(&lib, std::fs::create_dir(&lib))?;
    let program = built.files.join(PROGRAM);
    at(&program, std::fs::copy(&program, bin.join(PROGRAM)))?;
    let module = built.files.join(MODULE);
    at(&module, std::fs::copy(&module, package.join(MODULE)))?;
    for library in libraries() {
        let from = built.files.join(library);
        at(&from, std::fs::copy(&from, lib.join(library)))?;
    }
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
    let mut wheel = crate::tools::first_file(&packed)?;
    if !built.light {
        call(python().args(["tags", "--remove", "--platform-tag", &tag()]).arg(&wheel))?;
        wheel = crate::tools::first_file(&packed)?;
    }
    let wheel_in_dist = dist.join(wheel.file_name().unwrap_or_default());
    at(&wheel, std::fs::rename(&wheel, &wheel_in_dist))?;
    for folder in [&unpacked, &packed] {
        at(folder, std::fs::remove_dir_all(folder))?;
    }
    Ok(wheel_in_dist)
}

/// Copies the Python modules and their type stubs.
fn copy_sources(from: &Path, to: &Path) -> Result<(), String> {
    at(to, std::fs::create_dir_all(to))?;
    for entry in at(from, std::fs::read_dir(from))?.flatten() {
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        let is_source = || {
            let ending = path.extension().unwrap_or_default();
            ["py", "pyi"].iter().any(|known| ending == *known) || path.ends_with("py.typed")
        };
        if path.is_dir() && !path.ends_with("__pycache__") {
            copy_sources(&path, &copy)?;
        } else if path.is_file() && is_source() {
            at(&path, std::fs::copy(&path, &copy))?;
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
    crate::tools::run(&mut maturin).map_err(|e| format!("maturin: {e}"))?;
    let folder = unpacked.join(format!("texunit-{}.dist-info", env!("CARGO_PKG_VERSION")));
    let notices = folder.join("licenses").join(NOTICES);
    at(&notices, std::fs::copy(&built.notices, &notices))?;
    let metadata = folder.join("METADATA");
    let text = at(&metadata, std::fs::read_to_string(&metadata))?;
    let Some((before, after)) = text.split_once("\nLicense-File: ") else {
        return Err(format!("{} names no licence", metadata.display()));
    };
    let all = format!("{before}\nLicense-File: {NOTICES}\nLicense-File: {after}");
    at(&metadata, std::fs::write(&metadata, all))
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
