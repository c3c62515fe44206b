//! `--ctas` in a build without the feature `ranges`.

use crate::launch_args::LaunchArgs;
use crate::launch_report::Report;
use crate::missing;
use texunit_device::{Device, Fault, Kernel, LaunchOptions, Observer};
use texunit_job::Job;

pub use crate::missing::Missing as MergeArgs;

/// Reports that this build lacks `texunit merge`.
pub fn run(_: &MergeArgs) -> u8 {
    missing::command("merge")
}

/// The recorder of a range, which cannot exist.
pub(crate) enum Recording {}

impl Recording {
    pub(crate) fn of(_: &Job, _: &Kernel, _: &LaunchArgs, _: &Report) -> Option<Self> {
        None
    }

    pub(crate) fn observer(&self) -> &dyn Observer {
        match *self {}
    }

    pub(crate) fn options<'o>(&'o self, _: LaunchOptions<'o>) -> LaunchOptions<'o> {
        match *self {}
    }

    pub(crate) fn is_refused(&self, _: Option<&Fault>, _: &mut Report) -> bool {
        match *self {}
    }

    pub(crate) fn waits(&self, _: &Fault) -> Option<String> {
        match *self {}
    }

    pub(crate) fn write(&self, _grid: [u32; 3], _: &mut Report) {
        match *self {}
    }
}

pub(crate) fn merge(_: &Job, _: &Device, _: &Kernel, _: &LaunchArgs, _: &mut Report) -> bool {
    false
}
