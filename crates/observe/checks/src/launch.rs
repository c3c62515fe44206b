//! Combines the enabled checks of one launch into a single observer.

use crate::finding::Finding;
use crate::log::Log;
use crate::race::{Queue, Submitted};
use crate::sink::Sink;
use std::sync::Arc;
use texunit_simt::observe::{Events, LaunchInfo, Observer, Probe, probes};
use texunit_simt::{Fault, LaunchConfig};

/// The identity of a launch: what a check needs to know of it besides its configuration.
#[derive(Clone, Debug)]
pub(crate) struct LaunchId {
    /// The launch's number among the checked launches.
    pub(crate) number: u64,
    /// The stream to which the host submitted the launch.
    pub(crate) queue: Queue,
    /// The launch's position in its stream, if the host submitted the launch before it begins.
    pub(crate) submitted: Option<Submitted>,
    /// Number of the CUDA context that the launch belongs to.
    pub(crate) context: u64,
    /// Whether the launch's findings are reported. A launch of a kernel that the options leave out
    /// is observed only for its effects on memory, on which findings of other launches depend.
    pub(crate) is_told: bool,
}

/// The enabled checks of a launch. When the launch ends, their findings are added to the log.
#[derive(Debug)]
pub struct LaunchChecks<'l> {
    log: &'l Log,
    of: LaunchId,
    sink: Arc<Sink>,
    checks: Vec<Box<dyn Observer + 'l>>,
}

impl<'l> LaunchChecks<'l> {
    /// The checks of a launch that the log's options enable; `None` if none of the enabled checks
    /// observes launches.
    pub(crate) fn new(log: &'l Log, of: LaunchId) -> Option<Self> {
        let sink = Arc::new(Sink::new());
        let checks: Vec<Box<dyn Observer + 'l>> = crate::launch_checks(log, &sink, &of);
        (!checks.is_empty()).then_some(Self { log, of, sink, checks })
    }

    fn each(&self) -> impl Iterator<Item = &dyn Observer> {
        self.checks.iter().map(|check| &**check as &dyn Observer)
    }
}

impl Observer for LaunchChecks<'_> {
    fn prepares(&self, config: &LaunchConfig<'_>) {
        self.each().for_each(|check| check.prepares(config));
    }

    fn wants(&self) -> Events {
        self.each().fold(Events::NONE, |all, check| all | check.wants())
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        probes(self.each(), launch)
    }

    fn launch_begins(&self, launch: &LaunchInfo<'_>) {
        self.each().for_each(|check| check.launch_begins(launch));
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        self.each().for_each(|check| check.launch_ends(launch, fault));
        if !self.of.is_told {
            return;
        }
        let (found, more) = self.sink.take();
        let finding = |found| Finding::of_launch(found, launch, self.of.number);
        self.log.take(found.into_iter().map(finding).collect(), &more);
    }
}
