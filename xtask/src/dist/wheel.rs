//! Builds the wheel: the Python package of `python`, with the program and the libraries.
//!
//! maturin generates the metadata, as for `pip install`, and the package `wheel` packs it; nothing
//! is compiled again.

use super::zig::{GLIBC, Zig};
use super::{Built, NOTICES, guide, libraries, pkgconfig, shims};
use crate::files::{self, anew, call};
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
    let mut wheel = crate::tools::first_file(&packed)?;
    if !built.light {
        call(python().args(["tags", "--remove", "--platform-tag", &tag()]).arg(&wheel))?;
        wheel = crate::tools::first_file(&packed)?;
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
    crate::tools::run(&mut maturin).map_err(|e| format!("maturin: {e}"))?;
    let folder = unpacked.join(format!("texunit-{}.dist-info", env!("CARGO_PKG_VERSION")));
    files::copy(&built.notices, &folder.join("licenses").join(NOTICES))?;
    let metadata = folder.join("METADATA");
    let text = files::read(&metadata)?;
    let Some((before, after)) = text.split_once("\nLicense-File: ") else {
        return Err(format!("{} names no licence", metadata.display()));
    };
    let all = format!("{before}\nLicense-File: {NOTICES}\nLicense-File: {after}");
    files::write(&metadata, all)
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
