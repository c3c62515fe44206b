//! `--coverage`: what launches and runs have covered of device code.

use crate::run::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};
use texunit_coverage::{Coverage, EXTENSION, Module, lcov};
use texunit_files::Identity;

/// Who counts blocks and branches of a launch; without `.loc` they are those of the PTX file.
pub(crate) fn of_launch(module: &texunit_device::Module, fmad: bool) -> Module {
    let name = Path::new(module.source().name());
    let file = std::path::absolute(name).unwrap_or_else(|_| name.to_owned());
    Module::new(module.listing(fmad), &file)
}

/// Why a file cannot have the coverage of a launch that reads these.
pub(crate) fn misplaced(file: &Path, read: &[PathBuf]) -> Option<Failure> {
    let named = Identity::of(file)?;
    let same = read.iter().find(|path| Identity::of(path).as_ref() == Some(&named))?;
    let message = format!("--coverage: {} would be written over", same.display());
    Some(Failure::File { path: file.to_owned(), message, help: Some("name another file".into()) })
}

/// Writes what a launch has covered.
pub(crate) fn write(file: &Path, coverage: &Module) -> Option<Failure> {
    let error = lcov::write(file, &coverage.coverage()).err()?;
    let message = format!("cannot write the coverage to {}: {error}", file.display());
    Some(Failure::File { path: file.to_owned(), message, help: None })
}

/// Writes what all processes of a run have covered that have left it in a folder.
pub(crate) fn write_merged(file: &Path, folder: &Path) {
    let coverage = Coverage::merged(&texunit_evidence::files(folder, EXTENSION));
    let mut out = std::io::stderr();
    if coverage.is_empty() {
        let file = file.display();
        let _ = writeln!(out, "texunit: no kernel was loaded: the coverage {file} is empty");
    }
    if let Err(error) = lcov::write(file, &coverage) {
        let file = file.display();
        let _ = writeln!(out, "texunit: the coverage {file} cannot be written: {error}");
    }
}
