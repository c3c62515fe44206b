//! `--coverage` in a build without the feature `coverage`.

use crate::failure::Failure;
use clap::builder::ValueParser;
use std::path::{Path, PathBuf};
use texunit_device::{Arithmetic, Observer};

/// The parser for the option's value.
pub(crate) fn file() -> ValueParser {
    ValueParser::new(|_: &str| Err::<PathBuf, String>(super::option()))
}

/// The observer for coverage, which cannot exist.
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
