//! Observers of a launch whose results are files.

use crate::failure::Failure;
use crate::launch_args::LaunchArgs;
use texunit_device::{Arithmetic, Module, Observer};

/// An observer whose results are written to a file after the launch.
pub(crate) trait Observation {
    fn observer(&self) -> &dyn Observer;

    /// Writes the file that the options name; returns the failure if that is not possible.
    fn write(&self, args: &LaunchArgs) -> Option<Failure>;
}

/// Makes the observer of a launch, if the options ask for it.
pub(crate) type Make = fn(&LaunchArgs, &Module, Arithmetic) -> Option<Box<dyn Observation>>;
