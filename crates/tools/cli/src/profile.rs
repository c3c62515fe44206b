//! `--profile`: writes counts of launches, by line and instruction.

use crate::args::ProfileFormat;
use crate::failure::Failure;
use clap::builder::{PathBufValueParser, ValueParser};
use std::path::Path;
use std::sync::Arc;
use texunit_device::Observer;
use texunit_profile::{Format, Module};

/// The parser for the option's value.
pub(crate) fn file() -> ValueParser {
    PathBufValueParser::new().into()
}

/// The format for a file with this name.
pub(crate) fn format(file: &Path, asked: Option<ProfileFormat>) -> Format {
    match asked {
        Some(ProfileFormat::Json) => Format::Json,
        Some(ProfileFormat::Callgrind) => Format::Callgrind,
        None => Format::of(file),
    }
}

/// The observer that counts a launch.
pub(crate) struct Launch {
    module: Arc<Module>,
    launch: texunit_profile::Launch,
}

impl Launch {
    pub(crate) fn observer(&self) -> &dyn Observer {
        &self.launch
    }
}

/// The observer of a launch; code without `.loc` is attributed to the PTX file.
pub(crate) fn of_launch(module: &texunit_device::Module) -> Option<Launch> {
    let name = Path::new(module.source().name());
    let file = std::path::absolute(name).unwrap_or_else(|_| name.to_owned());
    let module = Module::new(module.source().text(), file);
    let launch = texunit_profile::Launch::new(Arc::clone(&module));
    Some(Launch { module, launch })
}

/// Writes the counts.
pub(crate) fn write(file: &Path, asked: Option<ProfileFormat>, launch: &Launch) -> Option<Failure> {
    let text = format(file, asked).text(&launch.module.profile());
    let error = std::fs::write(file, text).err()?;
    let message = format!("cannot write the profile to {}: {error}", file.display());
    Some(Failure::File { path: file.to_owned(), message, help: None })
}
