//! Locates and installs the drop-in libraries.

use crate::files::{self, copy};
use std::path::{Path, PathBuf};

/// The file names, and the link names for linkers.
const LIBRARIES: [(&str, Option<&str>); 18] = [
    ("libcuda.so.1", Some("libcuda.so")),
    ("libcudart.so.12", None),
    ("libcudart.so.13", Some("libcudart.so")),
    ("libnvidia-ml.so.1", None),
    (REDIRECT, None),
    ("libcufft.so.11", None),
    ("libcufft.so.12", Some("libcufft.so")),
    ("libcufftw.so.11", None),
    ("libcufftw.so.12", Some("libcufftw.so")),
    ("libcublas.so.12", None),
    ("libcublas.so.13", Some("libcublas.so")),
    ("libcublasLt.so.12", None),
    ("libcublasLt.so.13", Some("libcublasLt.so")),
    ("libcurand.so.10", Some("libcurand.so")),
    // The implementation of these and of the driver, which is loaded from their folder.
    (concat!("libtexunit_cublas.so.", env!("CARGO_PKG_VERSION")), None),
    (concat!("libtexunit_cufft.so.", env!("CARGO_PKG_VERSION")), None),
    (concat!("libtexunit_curand.so.", env!("CARGO_PKG_VERSION")), None),
    (concat!("libtexunit_core.so.", env!("CARGO_PKG_VERSION")), None),
];

/// The audit library of the dynamic linker, which redirects statically linked runtimes.
pub(super) const REDIRECT: &str = "libtexunit_redirect.so";

/// The subfolder with replacements for programs of NVIDIA; optional.
const SHIMS: &str = "shims";

/// The subfolder, if it exists.
pub(super) fn shims(folder: &Path) -> Option<PathBuf> {
    Some(folder.join(SHIMS)).filter(|folder| folder.is_dir())
}

/// The folder with all libraries, in a form that the dynamic linker accepts.
pub(super) fn folder() -> Result<PathBuf, String> {
    let folder = find()?;
    match separator(&folder) {
        None => Ok(folder),
        Some(byte) => Err(format!(
            "the libraries are in {}, but the dynamic linker takes a `{}` for the end of a folder's name; move them",
            folder.display(),
            char::from(byte)
        )),
    }
}

/// The character in a folder's name that would separate folders in `LD_LIBRARY_PATH`.
fn separator(folder: &Path) -> Option<u8> {
    folder.as_os_str().as_encoded_bytes().iter().copied().find(|byte| b":;".contains(byte))
}

/// Searches `TEXUNIT_LIBS`, the folder of the program, and `lib` beside or above it.
fn find() -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os("TEXUNIT_LIBS").filter(|f| !f.is_empty()) {
        let folder = PathBuf::from(folder);
        return match missing(&folder) {
            None => Ok(absolute(folder)),
            Some(name) => Err(format!("TEXUNIT_LIBS is {}, where no {name} is", folder.display())),
        };
    }
    let program = files::program()?;
    let here = program.parent().unwrap_or(Path::new("."));
    let places = [".", "lib", "../lib", "../lib/texunit"].map(|place| here.join(place));
    places.into_iter().find(|place| missing(place).is_none()).map(absolute).ok_or_else(|| {
        format!(
            "libcuda.so.1 and texunit's other libraries are not beside {} (`cargo install` builds the program alone): \
             they come with texunit's wheel and its archive, or from `cargo run --release -p xtask -- libs --to DIR` in a \
             clone of its repository, and TEXUNIT_LIBS=DIR says where they are",
            program.display()
        )
    })
}

fn absolute(folder: PathBuf) -> PathBuf {
    std::path::absolute(&folder).unwrap_or(folder)
}

/// The first library that a folder lacks.
fn missing(folder: &Path) -> Option<&'static str> {
    LIBRARIES.iter().map(|(name, _)| *name).find(|name| !folder.join(name).is_file())
}

/// Copies the libraries; returns the created files.
pub(super) fn install(to: &Path) -> Result<Vec<PathBuf>, String> {
    let from = find()?;
    std::fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
    if same(&from, to) {
        return Err(format!("the libraries are in {} already", to.display()));
    }
    let mut files = Vec::new();
    for (name, link) in LIBRARIES {
        let file = to.join(name);
        copy(&from.join(name), &file)?;
        files.push(file);
        if let Some(link) = link {
            files.push(symlink(name, &to.join(link))?);
        }
    }
    if let Some(shims) = shims(&from) {
        let below = to.join(SHIMS);
        std::fs::create_dir_all(&below).map_err(|e| format!("{}: {e}", below.display()))?;
        let unreadable = |e: std::io::Error| format!("{}: {e}", shims.display());
        for entry in std::fs::read_dir(&shims).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            // Python's folder of compiled files, which pip creates when it installs a wheel.
            if entry.path().is_dir() {
                continue;
            }
            let file = below.join(entry.file_name());
            copy(&entry.path(), &file)?;
            files.push(file);
        }
    }
    Ok(files)
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(unix)]
fn symlink(target: &str, path: &Path) -> Result<PathBuf, String> {
    if path.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
        std::fs::remove_file(path).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    std::os::unix::fs::symlink(target, path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path.to_owned())
}

#[cfg(not(unix))]
fn symlink(_: &str, path: &Path) -> Result<PathBuf, String> {
    Err(format!("{}: the drop-in libraries are for Linux", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_stay_whole() {
        assert_eq!(separator(Path::new("/opt/a:b/lib")), Some(b':'));
        assert_eq!(separator(Path::new("/opt/a b/lib")), None);
    }
}
