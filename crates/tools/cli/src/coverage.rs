//! `--coverage`: writes the coverage of launches.

use crate::failure::Failure;
use crate::launch_args::LaunchArgs;
use crate::observation::Observation;
use std::path::Path;
use texunit_coverage::{Module, lcov};
use texunit_device::{Arithmetic, Observer};

/// The observer of a launch with the option; code without `.loc` is attributed to the PTX file.
pub(crate) fn of_launch(
    args: &LaunchArgs,
    module: &texunit_device::Module,
    arithmetic: Arithmetic,
) -> Option<Box<dyn Observation>> {
    args.coverage.as_ref()?;
    let name = Path::new(module.source().name());
    let file = std::path::absolute(name).unwrap_or_else(|_| name.to_owned());
    Some(Box::new(Module::new(module.listing(arithmetic), &file)))
}

impl Observation for Module {
    fn observer(&self) -> &dyn Observer {
        self
    }

    fn write(&self, args: &LaunchArgs) -> Option<Failure> {
        let file = args.coverage.as_ref()?;
        let mut covered = self.coverage();
        if !args.coverage_toolkit {
            covered.leave_out_toolkit();
        }
        let error = lcov::write(file, &covered).err()?;
        let message = format!("cannot write the coverage to {}: {error}", file.display());
        Some(Failure::File { path: file.clone(), message, help: None })
    }
}
