//! Combines the enabled checks of one launch into a single observer.

use crate::check::Check;
use crate::finding::Finding;
use crate::init::Init;
use crate::leak::{LaunchNumber, Leak};
use crate::lock;
use crate::log::Log;
use crate::race::{Queue, Race, Submitted};
use crate::sink::Sink;
use crate::sync::Sync;
use crate::texture::Texture;
use std::sync::Arc;
use texunit_simt::observe::{Events, LaunchInfo, Observer, Probe, probes};
use texunit_simt::{Fault, LaunchConfig};

/// The enabled checks of a launch. When the launch ends, their findings are added to the log.
#[derive(Debug)]
pub struct LaunchChecks<'l> {
    log: &'l Log,
    /// The launch's number among the checked launches.
    number: u64,
    /// Whether the launch's findings are reported. A launch of a kernel that the option `--kernels`
    /// leaves out is observed only for its stores and frees, on which findings of other launches
    /// depend.
    is_told: bool,
    sink: Arc<Sink>,
    checks: Vec<Box<dyn Observer + 'l>>,
}

impl Log {
    /// Makes the observer of a launch in the default stream; `None` if no enabled check observes
    /// it.
    pub fn launch(&self, kernel: &str) -> Option<LaunchChecks<'_>> {
        self.launch_submitted(kernel, (Queue::DEFAULT, None), 0)
    }

    /// Makes the observer of a launch in a stream (`queue`) of a CUDA context, to which the host
    /// may have submitted the launch earlier.
    pub fn launch_submitted(
        &self,
        kernel: &str,
        (queue, submitted): (Queue, Option<Submitted>),
        context: u64,
    ) -> Option<LaunchChecks<'_>> {
        if self.options.checks.is_none() {
            return None;
        }
        let is_told = self.options.has_kernel(kernel);
        let (sink, number) = (Arc::<Sink>::default(), self.next_launch());
        let mut checks: Vec<Box<dyn Observer + '_>> = Vec::new();
        let reports = |check| self.has(check) && is_told;
        if reports(Check::Sync) {
            checks.push(Box::new(Sync::new(&sink)));
        }
        if self.has(Check::Init) {
            checks.push(Box::new(Init::new(&sink, self.options.init, &self.moves)));
        }
        if reports(Check::Race) {
            let to = (Arc::clone(&sink), self.options.checks.is_strict());
            checks.push(Box::new(Race::new(to, &self.race, queue, submitted)));
        }
        if reports(Check::Texture) {
            checks.push(Box::new(Texture::new(&sink)));
        }
        if self.has(Check::Leak) && (is_told || !lock(&self.heap).is_empty()) {
            let of = LaunchNumber { number, context };
            checks.push(Box::new(Leak::new(&self.heap, of, is_told)));
        }
        (!checks.is_empty()).then_some(LaunchChecks { log: self, number, is_told, sink, checks })
    }
}

impl LaunchChecks<'_> {
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
        if !self.is_told {
            return;
        }
        let (found, more) = self.sink.take();
        let finding = |found| Finding::of_launch(found, launch, self.number);
        self.log.take(found.into_iter().map(finding).collect(), &more);
    }
}
