//! The wheel: the Python package of `python`, with the program and the libraries in it.

use super::zig::{GLIBC, Zig};
use super::{Built, LIBRARIES, NOTICES, REDIRECT, anew, at, call, pkgconfig};
use crate::libs::{DIST, LAST_CRATE};
use std::path::{Path, PathBuf};

/// The files that it may have.
const LARGEST: u64 = 20_000_000;

/// The name of its platform.
fn tag() -> String {
    format!("manylinux_{}_{}", GLIBC.0, GLIBC.1)
}

/// Makes it in a folder. The program and the libraries lie in the package meanwhile, where maturin takes them from.
pub(super) fn make(built: &Built, zig: &Zig, dist: &Path, debug: bool) -> Result<PathBuf, String> {
    let workspace = crate::workspace();
    let package = workspace.join("python/texunit");
    let (bin, lib) = (package.join("bin"), package.join("lib"));
    anew(&bin)?;
    anew(&lib)?;
    at(&built.program, std::fs::copy(&built.program, bin.join("texunit")))?;
    for library in LIBRARIES.iter().chain([&REDIRECT]) {
        let from = built.libraries.join(library);
        at(&from, std::fs::copy(&from, lib.join(library)))?;
    }
    let include = package.join("include");
    anew(&include)?;
    pkgconfig::install(built, &package, true)?;
    // pyproject.toml takes each file whose name begins so for a licence.
    let notices = workspace.join("python").join(NOTICES);
    at(&built.notices, std::fs::copy(&built.notices, &notices))?;
    let made = dist.join("wheel");
    anew(&made)?;
    let mut maturin = zig.tool("maturin");
    maturin.args(["build", "--quiet", "--locked", "--zig", "--compatibility", &tag()]);
    maturin.args(["--auditwheel", "check", "--compression-level", "9"]);
    maturin.arg("--manifest-path").arg(workspace.join("python/Cargo.toml"));
    maturin.arg("--out").arg(&made);
    if !debug {
        maturin.args(["--profile", DIST, "--"]).args(LAST_CRATE);
    }
    maturin.env("CARGO_TARGET_DIR", dist.join("python"));
    crate::tools::run(&mut maturin).map_err(|e| format!("maturin: {e}"))?;
    at(&notices, std::fs::remove_file(&notices))?;
    for folder in [&bin, &lib, &include] {
        at(folder, std::fs::remove_dir_all(folder))?;
    }
    let wheel = crate::tools::first_file(&made)?;
    let wheel_in_dist = dist.join(wheel.file_name().unwrap_or_default());
    at(&wheel, std::fs::rename(&wheel, &wheel_in_dist))?;
    at(&made, std::fs::remove_dir_all(&made))?;
    Ok(wheel_in_dist)
}

/// An error if it is too large, or not what its name says.
pub(super) fn judge(wheel: &Path, zig: &Zig) -> Result<(), String> {
    let size = at(wheel, wheel.metadata())?.len();
    if size > LARGEST {
        return Err(format!("{} has {size} bytes, more than {LARGEST}", wheel.display()));
    }
    let said = call(zig.tool("auditwheel").arg("show").arg(wheel))?;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = format!("\"{}_{}\"", tag(), std::env::consts::ARCH);
    if said.contains(&format!("consistent with the following platform tag: {wanted}")) {
        Ok(())
    } else {
        Err(format!("auditwheel says of {}: {said}", wheel.display()))
    }
}
