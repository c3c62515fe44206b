//! Combines several observers into one.

use super::{
    Access, At, Branch, CallEvent, CtaInfo, Events, ExecutedFetch, ExecutedSurfaceAccess,
    FurtherLoad, LaunchInfo, Observer, PlannedFetch, PlannedSurfaceAccess, Probe, Registers,
    Synchronization, Undefined, Values,
};
use crate::launch::LaunchConfig;
use crate::stats::Fault;

/// Observers that are each notified of the events they have selected.
#[derive(Debug)]
pub struct Several<'o>(pub Vec<&'o dyn Observer>);

/// The probes of several observers, each with its selected events.
struct Probes<'a>(Vec<(Events, Box<dyn Probe + 'a>)>);

impl Several<'_> {
    /// Returns the combined observer if the list is not empty, because a launch without observers
    /// executes different code.
    pub fn any(&self) -> Option<&dyn Observer> {
        (!self.0.is_empty()).then_some(self as &dyn Observer)
    }
}

impl Observer for Several<'_> {
    fn prepares(&self, config: &LaunchConfig<'_>) {
        self.0.iter().for_each(|observer| observer.prepares(config));
    }

    fn wants(&self) -> Events {
        let each = || self.0.iter().map(|observer| observer.wants());
        let all = each().fold(Events::NONE, |all, wants| all | wants);
        if each().all(|wants| wants.has(Events::COSTS)) { all } else { all.without(Events::COSTS) }
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        probes(self.0.iter().copied(), launch)
    }

    fn launch_begins(&self, launch: &LaunchInfo<'_>) {
        self.0.iter().for_each(|observer| observer.launch_begins(launch));
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        self.0.iter().for_each(|observer| observer.launch_ends(launch, fault));
    }
}

/// Combines the probes of several observers, for observers that contain others.
pub fn probes<'a>(
    observers: impl Iterator<Item = &'a (dyn Observer + 'a)>,
    launch: &LaunchInfo<'a>,
) -> Box<dyn Probe + 'a> {
    let mut all: Vec<_> = observers.map(|o| (o.wants(), o.probe(launch))).collect();
    match all.pop() {
        // A single probe receives exactly the events that it has selected.
        Some((_, only)) if all.is_empty() => only,
        last => {
            all.extend(last);
            Box::new(Probes(all))
        }
    }
}

impl<'a> Probes<'a> {
    fn each(&mut self, of: Events, mut tell: impl FnMut(&mut (dyn Probe + 'a))) {
        self.0
            .iter_mut()
            .filter(|(wants, _)| wants.has(of))
            .for_each(|(_, probe)| tell(&mut **probe));
    }
}

impl Probe for Probes<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        self.0.iter_mut().for_each(|(_, probe)| probe.cta_begins(cta));
    }

    fn cta_ends(&mut self, cta: &CtaInfo, fault: Option<&Fault>) {
        self.0.iter_mut().for_each(|(_, probe)| probe.cta_ends(cta, fault));
    }

    fn access(&mut self, at: &At, access: &Access<'_>) {
        self.each(Events::of_space(access.space), |probe| probe.access(at, access));
    }

    fn loads(&mut self, at: &At, first: &Access<'_>, more: &[FurtherLoad]) {
        self.each(Events::of_space(first.space), |probe| probe.loads(at, first, more));
    }

    fn result(&mut self, at: &At, values: &Values<'_>) {
        self.each(Events::RESULTS | Events::STRONG_RESULTS, |probe| probe.result(at, values));
    }

    fn undefined(&mut self, at: &At, what: &Undefined<'_>) {
        self.each(Events::DEFINED, |probe| probe.undefined(at, what));
    }

    fn synchronized(&mut self, at: &At, what: &Synchronization<'_>) {
        self.each(Events::SYNCHRONIZATION, |probe| probe.synchronized(at, what));
    }

    fn branch(&mut self, at: &At, branch: &Branch) {
        self.each(Events::BRANCHES, |probe| probe.branch(at, branch));
    }

    fn block(&mut self, at: &At) {
        self.each(Events::BLOCKS, |probe| probe.block(at));
    }

    fn counted(&mut self, counts: &[u64]) {
        self.each(Events::COUNTS, |probe| probe.counted(counts));
    }

    fn operation(&mut self, at: &At, registers: &Registers<'_>) {
        self.each(Events::OPERATIONS, |probe| probe.operation(at, registers));
    }

    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        self.each(Events::CALLS | Events::HEAP, |probe| probe.call(at, called));
    }

    fn fetch(&mut self, at: &At, fetch: &PlannedFetch<'_>) {
        self.each(Events::FETCHES, |probe| probe.fetch(at, fetch));
    }

    fn surface(&mut self, at: &At, surface: &PlannedSurfaceAccess<'_>) {
        self.each(Events::FETCHES, |probe| probe.surface(at, surface));
    }

    fn answer_lanes(&mut self, at: &At) -> u32 {
        let mut lanes = 0;
        self.each(Events::ANSWERS, |probe| lanes |= probe.answer_lanes(at));
        lanes
    }

    fn fetch_answer(&mut self, at: &At, fetch: &ExecutedFetch<'_>) {
        self.each(Events::ANSWERS, |probe| probe.fetch_answer(at, fetch));
    }

    fn surface_answer(&mut self, at: &At, surface: &ExecutedSurfaceAccess<'_>) {
        self.each(Events::ANSWERS, |probe| probe.surface_answer(at, surface));
    }
}
