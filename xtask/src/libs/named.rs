//! Builds the libraries with names of NVIDIA's libraries. The code of each is in one file,
//! `libtexunit_cufft.so.VERSION`; for each version that programs load (`libcufft.so.11`) there is a
//! file of jumps, with the symbol names and versions that programs are linked with.

use super::core::{PREFIX, jumps_to, thin};
use super::linker::Shared;
use super::names::List;
use super::{Build, symlink};
use crate::files::rows;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A library with the name of one of NVIDIA's, in one file with code and several files of jumps.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    package: String,
    /// The name of the file that contains the code, to which texunit's version is added.
    code: String,
    /// Patterns for the names of the library's functions.
    exported: String,
    /// The files of jumps, one for each version that programs load.
    files: Vec<File>,
}

/// A file of jumps, which programs load.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    soname: String,
    /// The functions of this version of NVIDIA's library.
    functions: List,
    /// The name of the link that linkers look for, which the newest version has.
    link: Option<String>,
}

/// The libraries of named.toml.
static ALL: LazyLock<Vec<Named>> = LazyLock::new(|| {
    let mut all: Vec<Named> = rows(include_str!("named.toml"));
    for library in &mut all {
        library.code += concat!(".", env!("CARGO_PKG_VERSION"));
    }
    all
});

/// The names of all files, those of jumps and those with code.
pub(crate) fn files() -> impl Iterator<Item = &'static str> {
    sonames().chain(ALL.iter().map(|library| &*library.code))
}

/// The names of the files that programs load.
pub(super) fn sonames() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|library| library.files.iter().map(|file| &*file.soname))
}

/// Builds the requested libraries.
pub(super) fn make(build: &Build<'_>) -> Result<Vec<PathBuf>, String> {
    let (mut files, linker) = (Vec::new(), &build.linker);
    for library in &*ALL {
        if !library.files.iter().any(|file| build.request.wants(&file.soname)) {
            continue;
        }
        let archive = build.archive(&library.package, None)?;
        let mut aliases = Vec::new();
        let mut thin_files = Vec::new();
        for file in &library.files {
            let functions = file.functions.symbols()?;
            let names = functions.iter().map(|(name, symbol)| (name.as_str(), symbol.as_str()));
            thin_files.push((file, jumps_to(names)?));
            let symbols = functions.into_iter().map(|(_, symbol)| symbol);
            aliases.extend(symbols.map(|symbol| (format!("{PREFIX}{symbol}"), symbol)));
        }
        aliases.sort();
        aliases.dedup();
        let version = format!("TEXUNIT_{}", env!("CARGO_PKG_VERSION"));
        let shared = Shared {
            soname: &library.code,
            version: Some(&version),
            exported: &format!("{PREFIX}*;"),
            aliases: &aliases,
            // The library loads the driver itself, from its own folder.
            found: "$ORIGIN",
            ..Shared::default()
        };
        files.push(linker.link(&shared, &archive)?);
        for (file, jumps) in thin_files {
            let names = (&*file.soname, Some(&*file.soname), &*library.code);
            files.push(thin(linker, names, &library.exported, &jumps)?);
            if let Some(link) = &file.link {
                symlink(&file.soname, &linker.to.join(link))?;
            }
        }
    }
    Ok(files)
}
