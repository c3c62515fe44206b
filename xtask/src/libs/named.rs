//! Builds the libraries with names of NVIDIA's libraries. The code of each is in one file,
//! `libtexunit_cufft.so.VERSION`; for each version that programs load (`libcufft.so.11`) there is a
//! file of jumps, with the symbol names and versions that programs are linked with.

use super::core::{PREFIX, jumps_to, thin};
use super::linker::{Linker, Shared};
use super::names::List;
use super::{Request, archive, symlink};
use std::path::{Path, PathBuf};

/// A library with the name of one of NVIDIA's, in one file with code and several files of jumps.
struct Named {
    package: &'static str,
    /// The name of the file that contains the code.
    code: &'static str,
    /// Patterns for the names of the library's functions.
    exported: &'static str,
    /// The files of jumps, one for each version that programs load.
    files: &'static [File],
}

/// A file of jumps, which programs load.
struct File {
    soname: &'static str,
    /// The major version of NVIDIA's library.
    major: &'static str,
    /// The file in the repository that lists the functions of this version.
    functions: &'static str,
    /// The name of the link that linkers look for, which the newest version has.
    link: Option<&'static str>,
}

impl File {
    const fn new(
        soname: &'static str,
        major: &'static str,
        functions: &'static str,
        link: Option<&'static str>,
    ) -> Self {
        Self { soname, major, functions, link }
    }
}

const CUFFT: &str = "crates/cuda/cufft/data/functions.txt";
const CUFFTW: &str = "crates/cuda/cufft/data/fftw-functions.txt";
const CURAND: &str = "crates/cuda/curand/data/functions.txt";
const CUBLAS: &str = "crates/cuda/cublas/data/functions.txt";
const CUBLAS_LT: &str = "crates/cuda/cublas/data/lt-functions.txt";

const ALL: [Named; 3] = [
    Named {
        package: "texunit-cufft",
        code: concat!("libtexunit_cufft.so.", env!("CARGO_PKG_VERSION")),
        exported: "cufft*; __cufft*; fftw*;",
        files: &[
            File::new("libcufft.so.11", "11", CUFFT, None),
            File::new("libcufft.so.12", "12", CUFFT, Some("libcufft.so")),
            File::new("libcufftw.so.11", "11", CUFFTW, None),
            File::new("libcufftw.so.12", "12", CUFFTW, Some("libcufftw.so")),
        ],
    },
    Named {
        package: "texunit-cublas",
        code: concat!("libtexunit_cublas.so.", env!("CARGO_PKG_VERSION")),
        exported: "cublas*;",
        files: &[
            File::new("libcublas.so.12", "12", CUBLAS, None),
            File::new("libcublas.so.13", "13", CUBLAS, Some("libcublas.so")),
            File::new("libcublasLt.so.12", "12", CUBLAS_LT, None),
            File::new("libcublasLt.so.13", "13", CUBLAS_LT, Some("libcublasLt.so")),
        ],
    },
    Named {
        package: "texunit-curand",
        code: concat!("libtexunit_curand.so.", env!("CARGO_PKG_VERSION")),
        exported: "curand*;",
        files: &[File::new("libcurand.so.10", "10", CURAND, Some("libcurand.so"))],
    },
];

/// The names of all files, those of jumps and those with code.
pub(crate) fn files() -> impl Iterator<Item = &'static str> {
    ALL.iter()
        .flat_map(|library| library.files.iter().map(|file| file.soname).chain([library.code]))
}

/// The names of the files that programs load.
pub(super) fn sonames() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|library| library.files.iter().map(|file| file.soname))
}

/// Builds the requested libraries.
pub(super) fn make(
    workspace: &Path,
    request: &Request,
    linker: &Linker<'_>,
    built: &Path,
) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for library in &ALL {
        if !library.files.iter().any(|file| request.wants(file.soname)) {
            continue;
        }
        let archive = archive(workspace, request, library.package, None, built)?;
        let mut aliases = Vec::new();
        let mut thin_files = Vec::new();
        for file in library.files {
            let list = List { file: file.functions, major: Some(file.major) };
            let functions = list.symbols(workspace)?;
            let names = functions.iter().map(|(name, symbol)| (name.as_str(), symbol.as_str()));
            thin_files.push((file, jumps_to(names)?));
            let symbols = functions.into_iter().map(|(_, symbol)| symbol);
            aliases.extend(symbols.map(|symbol| (format!("{PREFIX}{symbol}"), symbol)));
        }
        aliases.sort();
        aliases.dedup();
        let version = format!("TEXUNIT_{}", env!("CARGO_PKG_VERSION"));
        let shared = Shared {
            soname: library.code,
            version: Some(&version),
            exported: &format!("{PREFIX}*;"),
            aliases: &aliases,
            needs: &[],
            // The library loads the driver itself, from its own folder.
            found: "$ORIGIN",
            end: None,
        };
        files.push(linker.link(&shared, &archive)?);
        for (file, jumps) in thin_files {
            let names = (file.soname, Some(file.soname), library.code);
            files.push(thin(linker, names, library.exported, &jumps)?);
            if let Some(link) = file.link {
                symlink(file.soname, &linker.to.join(link))?;
            }
        }
    }
    Ok(files)
}
