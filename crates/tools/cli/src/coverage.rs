//! `--coverage`: what launches and runs have covered of device code.

use crate::run::Failure;
use clap::builder::{PathBufValueParser, ValueParser};
use std::path::{Path, PathBuf};
use texunit_coverage::lcov;
use texunit_device::{Arithmetic, Observer};
use texunit_files::Identity;

/// The parser of the option's value.
pub(crate) fn file() -> ValueParser {
    PathBufValueParser::new().into()
}

/// Counts blocks and branches of a launch.
pub(crate) struct Module(texunit_coverage::Module);

impl Module {
    pub(crate) fn observer(&self) -> &dyn Observer {
        &self.0
    }
}

/// Counts blocks and branches of a launch; without `.loc` they are those of the PTX file.
pub(crate) fn of_launch(module: &texunit_device::Module, arithmetic: Arithmetic) -> Option<Module> {
    let name = Path::new(module.source().name());
    let file = std::path::absolute(name).unwrap_or_else(|_| name.to_owned());
    Some(Module(texunit_coverage::Module::new(module.listing(arithmetic), &file)))
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
    let error = lcov::write(file, &coverage.0.coverage()).err()?;
    let message = format!("cannot write the coverage to {}: {error}", file.display());
    Some(Failure::File { path: file.to_owned(), message, help: None })
}
