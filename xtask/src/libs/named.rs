//! Libraries with the names of NVIDIA's: the code of each is in one file, `libtexunit_cufft.so.VERSION`, and before it is a file of jumps for
//! each version that programs load (`libcufft.so.11`), with the names and versions of symbols that programs are linked with.

use super::core::{PREFIX, jumps_to, thin};
use super::linker::{Linker, Shared};
use super::names::List;
use super::{Request, archive, symlink};
use std::path::{Path, PathBuf};

/// A library with the name of one of NVIDIA's.
struct Named {
    package: &'static str,
    /// The file with its code.
    code: &'static str,
    /// What the names of its functions begin with, as patterns.
    exported: &'static str,
    /// The list of its functions.
    functions: &'static str,
    /// Its versions: soname and major version.
    versions: &'static [(&'static str, &'static str)],
    /// The name of programs' linker, for the newest version.
    link: &'static str,
}

const ALL: [Named; 1] = [Named {
    package: "texunit-cufft",
    code: concat!("libtexunit_cufft.so.", env!("CARGO_PKG_VERSION")),
    exported: "cufft*; __cufft*;",
    functions: "crates/cuda/cufft/data/functions.txt",
    versions: &[("libcufft.so.11", "11"), ("libcufft.so.12", "12")],
    link: "libcufft.so",
}];

/// All files, by their names: those that programs load, and those with the code.
pub(crate) fn files() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|library| {
        library.versions.iter().map(|(soname, _)| *soname).chain([library.code])
    })
}

/// The names of what programs load.
pub(super) fn sonames() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|library| library.versions.iter().map(|(soname, _)| *soname))
}

/// Makes those that are wanted.
pub(super) fn make(
    workspace: &Path,
    request: &Request,
    linker: &Linker<'_>,
    built: &Path,
) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for library in &ALL {
        if !library.versions.iter().any(|(soname, _)| request.wants(soname)) {
            continue;
        }
        let archive = archive(workspace, request, library.package, None, built)?;
        let of = |major| List { file: library.functions, major };
        let mut aliases = Vec::new();
        let mut thin_files = Vec::new();
        for &(soname, major) in library.versions {
            let functions = of(Some(major)).symbols(workspace)?;
            let jumps =
                jumps_to(functions.iter().map(|(name, symbol)| (name.as_str(), symbol.as_str())))?;
            thin_files.push((soname, jumps));
            aliases.extend(
                functions.into_iter().map(|(_, symbol)| (format!("{PREFIX}{symbol}"), symbol)),
            );
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
            // It loads the driver itself.
            found: "$ORIGIN",
            end: None,
        };
        files.push(linker.link(&shared, &archive)?);
        for (soname, jumps) in thin_files {
            let names = (soname, Some(soname), library.code);
            files.push(thin(linker, names, library.exported, &jumps)?);
        }
        if let Some((newest, _)) = library.versions.last() {
            symlink(newest, &linker.to.join(library.link))?;
        }
    }
    Ok(files)
}
