//! `--profile` in a build without the feature `profile`.

use crate::args::ProfileFormat;
use crate::failure::Failure;
use clap::builder::ValueParser;
use std::path::{Path, PathBuf};
use texunit_device::Observer;

/// The parser for the option's value.
pub(crate) fn file() -> ValueParser {
    ValueParser::new(|_: &str| Err::<PathBuf, String>(super::option()))
}

/// The observer for profiles, which cannot exist.
pub(crate) enum Launch {}

impl Launch {
    pub(crate) fn observer(&self) -> &dyn Observer {
        match *self {}
    }
}

pub(crate) fn of_launch(_: &texunit_device::Module) -> Option<Launch> {
    None
}

pub(crate) fn write(_: &Path, _: Option<ProfileFormat>, launch: &Launch) -> Option<Failure> {
    match *launch {}
}
