//! Builds the archive: the program, the drop-in libraries, the C library, and documents.

use super::{Built, LIBRARIES, NOTICES, clean, guide, libraries, pkgconfig, shims};
use crate::files::{self, anew, at, call};
use crate::libs::{self, FOR_C, PROGRAM, SHIM_PROGRAMS, SHIMS};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of the repository that the archive contains unchanged.
const TEXTS: [&str; 8] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "docs/cuda-api.md",
    "docs/run.md",
    "docs/ci.md",
    "docs/c.md",
];

/// Symbolic links with the names that linkers look for, and the libraries that they lead to.
const LINKS: [(&str, &str); 3] =
    [("libcuda.so", "libcuda.so.1"), ("libcudart.so", "libcudart.so.13"), ("libtexunit.so", FOR_C)];

/// The name of the archive's top folder.
fn name() -> String {
    format!("texunit-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)
}

/// Builds the archive in a folder.
pub(super) fn make(built: &Built, dist: &Path) -> Result<PathBuf, String> {
    let (workspace, name) = (crate::workspace(), name());
    let folder = dist.join(&name);
    anew(&folder)?;
    for below in ["bin", "lib", "docs"] {
        files::folder(&folder.join(below))?;
    }
    files::copy_into(PROGRAM, &built.files, &folder.join("bin"))?;
    let lib = folder.join("lib");
    libraries().try_for_each(|library| files::copy_into(library, &built.files, &lib))?;
    shims(built, &lib)?;
    pkgconfig::install(built, &folder, false)?;
    guide::pack(&folder)?;
    for (link, to) in LINKS {
        let link = lib.join(link);
        at(&link, std::os::unix::fs::symlink(to, &link))?;
    }
    TEXTS.iter().try_for_each(|text| files::copy_into(text, &workspace, &folder))?;
    files::copy(&built.notices, &folder.join(NOTICES))?;
    let archive = dist.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--use-compress-program=gzip -9", "--owner=0", "--group=0"]);
    tar.args(["--sort=name", "--file"]);
    call(tar.arg(&archive).arg("--directory").arg(dist).arg(&name))?;
    files::remove(&folder)?;
    Ok(archive)
}

/// Unpacks the archive elsewhere, and tests its contents.
pub(super) fn try_out(archive: &Path) -> Result<(), String> {
    let place = archive.with_file_name("unpacked");
    anew(&place)?;
    call(Command::new("tar").args(["--extract", "--file"]).arg(archive).arg("-C").arg(&place))?;
    let folder = place.join(name());
    let texunit = folder.join("bin/texunit");
    let lib = at(&folder, folder.join("lib").canonicalize())?;
    for text in TEXTS.iter().chain([&NOTICES]) {
        at(&folder.join(text), folder.join(text).metadata())?;
    }
    for (link, to) in LINKS {
        let path = lib.join(link);
        if at(&path, std::fs::read_link(&path))? != Path::new(to) {
            return Err(format!("{} does not lead to {to}", path.display()));
        }
    }
    // The program must find the libraries of the archive.
    let shown = call(clean(&texunit).args(["run", "sh", "-c", "echo $LD_LIBRARY_PATH"]))?;
    let found = at(Path::new(shown.trim()), Path::new(shown.trim()).canonicalize())?;
    if found != lib {
        return Err(format!("the program takes {} for its libraries", found.display()));
    }
    // The libraries must be loadable, and must find each other.
    for library in LIBRARIES.into_iter().chain(libs::named()) {
        let said = call(
            clean(Path::new("sh")).arg("-c").arg("true 2>&1").env("LD_PRELOAD", lib.join(library)),
        )?;
        if !said.is_empty() {
            return Err(format!("{library} cannot be loaded: {said}"));
        }
    }
    pkgconfig::try_out(&folder, &place)?;
    guide::try_out(&texunit, &place)?;
    // Libraries that `install-libs` has copied must not need the originals.
    let copies = place.join("copies");
    call(clean(&texunit).arg("install-libs").arg(&copies))?;
    libraries().try_for_each(|name| files::same(&lib.join(name), &copies.join(name)))?;
    for program in SHIM_PROGRAMS {
        let below = Path::new(SHIMS).join(program);
        files::same(&lib.join(&below), &copies.join(&below))?;
        // The copied program must find the copied core library.
        call(clean(&copies.join(&below)).arg("--help"))?;
    }
    let listed = call(clean(&copies.join(SHIMS).join("nvidia-smi")).arg("-L"))?;
    if !listed.starts_with("GPU 0: ") {
        return Err(format!("nvidia-smi -L says {listed}"));
    }
    files::remove(&place)
}
