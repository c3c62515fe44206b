//! The trait of observers of launches.

use super::LaunchConfig;
use super::{Events, LaunchInfo, Probe};
use crate::stats::Fault;

/// Observes launches: selects events and provides probes.
pub trait Observer: Sync + std::fmt::Debug {
    /// Called first while a launch is being prepared; the selected events may depend on the
    /// configuration.
    fn prepares(&self, _config: &LaunchConfig<'_>) {}

    /// The events to be reported, which must not change until the launch ends.
    fn wants(&self) -> Events;

    /// Creates the probe of a worker; for a cooperative launch, that of each CTA.
    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a>;

    /// Called at the begin of a launch, before the first probe is created.
    fn launch_begins(&self, _launch: &LaunchInfo<'_>) {}

    /// Called at the end of a launch, after the last probe has been dropped.
    fn launch_ends(&self, _launch: &LaunchInfo<'_>, _fault: Option<&Fault>) {}
}
