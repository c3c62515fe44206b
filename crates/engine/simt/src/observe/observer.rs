//! Observers of launches.

use super::{Events, LaunchInfo, Probe};
use crate::launch::LaunchConfig;
use crate::stats::Fault;

/// Observes launches.
pub trait Observer: Sync + std::fmt::Debug {
    /// A launch is prepared, before anything else is asked for: what it can do may decide what is wanted.
    fn prepares(&self, _config: &LaunchConfig<'_>) {}

    /// What its probes are to be told: the same until a launch ends.
    fn wants(&self) -> Events;

    /// A probe for a worker of a launch; of a cooperative launch, for each CTA.
    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a>;

    /// A launch begins, before any probe is asked for.
    fn launch_begins(&self, _launch: &LaunchInfo<'_>) {}

    /// A launch has ended, after the last probe has been dropped.
    fn launch_ends(&self, _launch: &LaunchInfo<'_>, _fault: Option<&Fault>) {}
}
