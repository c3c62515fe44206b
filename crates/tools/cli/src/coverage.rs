//! `--coverage`: writes the coverage of launches.

use crate::failure::Failure;
use clap::builder::{PathBufValueParser, ValueParser};
use std::path::Path;
use texunit_coverage::lcov;
use texunit_device::{Arithmetic, Observer};

/// The parser for the option's value.
pub(crate) fn file() -> ValueParser {
    PathBufValueParser::new().into()
}

/// The observer that counts blocks and branches of a launch.
pub(crate) struct Module(texunit_coverage::Module);

impl Module {
    pub(crate) fn observer(&self) -> &dyn Observer {
        &self.0
    }
}

/// The observer of a launch; code without `.loc` is attributed to the PTX file.
pub(crate) fn of_launch(module: &texunit_device::Module, arithmetic: Arithmetic) -> Option<Module> {
    let name = Path::new(module.source().name());
    let file = std::path::absolute(name).unwrap_or_else(|_| name.to_owned());
    Some(Module(texunit_coverage::Module::new(module.listing(arithmetic), &file)))
}

/// Writes the coverage of a launch, with or without CUDA's headers (`toolkit`).
pub(crate) fn write(file: &Path, coverage: &Module, toolkit: bool) -> Option<Failure> {
    let mut covered = coverage.0.coverage();
    if !toolkit {
        covered.leave_out_toolkit();
    }
    let error = lcov::write(file, &covered).err()?;
    let message = format!("cannot write the coverage to {}: {error}", file.display());
    Some(Failure::File { path: file.to_owned(), message, help: None })
}
