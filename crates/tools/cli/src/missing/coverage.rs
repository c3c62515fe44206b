//! `--coverage` in a build without coverage.

use crate::run::Failure;
use clap::builder::ValueParser;
use std::path::{Path, PathBuf};
use texunit_device::{Arithmetic, Observer};

/// The parser of the option's value.
pub(crate) fn file() -> ValueParser {
    ValueParser::new(|_: &str| Err::<PathBuf, String>(super::option()))
}

/// What counts blocks and branches, which nothing does.
pub(crate) enum Module {}

impl Module {
    pub(crate) fn observer(&self) -> &dyn Observer {
        match *self {}
    }
}

pub(crate) fn of_launch(_: &texunit_device::Module, _: Arithmetic) -> Option<Module> {
    None
}

pub(crate) fn write(_: &Path, coverage: &Module, _: bool) -> Option<Failure> {
    match *coverage {}
}
