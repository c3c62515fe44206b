//! Builds the archive: the program, the drop-in libraries, the C library, and documents.

use super::{Built, LIBRARIES, NOTICES, anew, at, call, clean, guide, libraries, pkgconfig, shims};
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
        at(&folder, std::fs::create_dir_all(folder.join(below)))?;
    }
    let program = built.files.join(PROGRAM);
    at(&program, std::fs::copy(&program, folder.join("bin").join(PROGRAM)))?;
    for library in libraries() {
        let from = built.files.join(library);
        at(&from, std::fs::copy(&from, folder.join("lib").join(library)))?;
    }
    shims(built, &folder.join("lib"))?;
    pkgconfig::install(built, &folder, false)?;
    guide::pack(&folder)?;
    for (link, to) in LINKS {
        let link = folder.join("lib").join(link);
        at(&link, std::os::unix::fs::symlink(to, &link))?;
    }
    for text in TEXTS {
        let from = workspace.join(text);
        at(&from, std::fs::copy(&from, folder.join(text)))?;
    }
    at(&built.notices, std::fs::copy(&built.notices, folder.join(NOTICES)))?;
    let archive = dist.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--use-compress-program=gzip -9", "--owner=0", "--group=0"]);
    tar.args(["--sort=name", "--file"]);
    call(tar.arg(&archive).arg("--directory").arg(dist).arg(&name))?;
    at(&folder, std::fs::remove_dir_all(&folder))?;
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
    for library in libraries() {
        let (a, b) = (lib.join(library), copies.join(library));
        if at(&a, std::fs::read(&a))? != at(&b, std::fs::read(&b))? {
            return Err(format!("{} is not a copy", b.display()));
        }
    }
    for program in SHIM_PROGRAMS {
        let below = Path::new(SHIMS).join(program);
        let (a, b) = (lib.join(&below), copies.join(&below));
        if at(&a, std::fs::read(&a))? != at(&b, std::fs::read(&b))? {
            return Err(format!("{} is not a copy", b.display()));
        }
        // The copied program must find the copied core library.
        call(clean(&b).arg("--help"))?;
    }
    let listed = call(clean(&copies.join(SHIMS).join("nvidia-smi")).arg("-L"))?;
    if !listed.starts_with("GPU 0: ") {
        return Err(format!("nvidia-smi -L says {listed}"));
    }
    at(&place, std::fs::remove_dir_all(&place))
}
