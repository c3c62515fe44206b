//! `--profile`: writes counts of launches, by line and instruction.

use crate::args::ProfileFormat;
use crate::failure::Failure;
use crate::launch_args::LaunchArgs;
use crate::observation::Observation;
use std::path::Path;
use std::sync::Arc;
use texunit_device::{Arithmetic, Observer};
use texunit_profile::{Format, Module};

/// The format for a file with this name.
pub(crate) fn format(file: &Path, asked: Option<ProfileFormat>) -> Format {
    match asked {
        Some(ProfileFormat::Json) => Format::Json,
        Some(ProfileFormat::Callgrind) => Format::Callgrind,
        None => Format::of(file),
    }
}

/// The counts of a launch.
struct Launch {
    module: Arc<Module>,
    launch: texunit_profile::Launch,
}

/// The observer of a launch with the option; code without `.loc` is attributed to the PTX file.
pub(crate) fn of_launch(
    args: &LaunchArgs,
    module: &texunit_device::Module,
    _: Arithmetic,
) -> Option<Box<dyn Observation>> {
    args.profile.as_ref()?;
    let name = Path::new(module.source().name());
    let file = std::path::absolute(name).unwrap_or_else(|_| name.to_owned());
    let module = Module::new(module.source().text(), file);
    let launch = texunit_profile::Launch::new(Arc::clone(&module));
    Some(Box::new(Launch { module, launch }))
}

impl Observation for Launch {
    fn observer(&self) -> &dyn Observer {
        &self.launch
    }

    fn write(&self, args: &LaunchArgs) -> Option<Failure> {
        let file = args.profile.as_ref()?;
        let text = format(file, args.profile_format).text(&self.module.profile());
        let error = std::fs::write(file, text).err()?;
        let message = format!("cannot write the profile to {}: {error}", file.display());
        Some(Failure::File { path: file.clone(), message, help: None })
    }
}
