//! Combines several observers into one.

use super::{
    Access, At, Branch, CallEvent, CtaInfo, Events, ExecutedFetch, ExecutedSurfaceAccess,
    GroupedLoad, LaunchConfig, LaunchInfo, Observer, PlannedFetch, PlannedSurfaceAccess, Probe,
    Registers, Synchronization, Undefined, Values,
};
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
        let all: Events = each().collect();
        if each().all(|wants| wants.intersects(Events::COSTS)) { all } else { all - Events::COSTS }
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
        for (_, probe) in self.0.iter_mut().filter(|(wants, _)| wants.intersects(of)) {
            tell(&mut **probe);
        }
    }
}

/// The events that select a call event.
fn selecting(called: &CallEvent<'_>) -> Events {
    match called {
        CallEvent::Enters { .. } => Events::CALLS | Events::ENTERS,
        CallEvent::Returns { .. } | CallEvent::Exits { .. } => Events::CALLS,
        _ => Events::CALLS | Events::HEAP,
    }
}

/// Methods that forward an event to the probes which have selected it.
macro_rules! forward {
    ($($name:ident($($arg:ident: $ty:ty),*) of $events:expr;)*) => {
        $(fn $name(&mut self, $($arg: $ty),*) {
            self.each($events, |probe| probe.$name($($arg),*));
        })*
    };
}

impl Probe for Probes<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        self.0.iter_mut().for_each(|(_, probe)| probe.cta_begins(cta));
    }

    fn cta_ends(&mut self, cta: &CtaInfo, fault: Option<&Fault>) {
        self.0.iter_mut().for_each(|(_, probe)| probe.cta_ends(cta, fault));
    }

    fn answer_lanes(&mut self, at: &At) -> u32 {
        let mut lanes = 0;
        self.each(Events::ANSWERS, |probe| lanes |= probe.answer_lanes(at));
        lanes
    }

    forward! {
        access(at: &At, access: &Access<'_>) of Events::of_space(access.space);
        loads(at: &At, first: &Access<'_>, more: &[GroupedLoad]) of Events::of_space(first.space);
        result(at: &At, values: &Values<'_>) of Events::RESULTS | Events::STRONG_RESULTS;
        undefined(at: &At, what: &Undefined<'_>) of Events::DEFINED;
        synchronized(at: &At, what: &Synchronization<'_>) of Events::SYNCHRONIZATION;
        branch(at: &At, branch: &Branch) of Events::BRANCHES;
        block(at: &At) of Events::BLOCKS;
        counted(counts: &[u64]) of Events::COUNTS;
        operation(at: &At, registers: &Registers<'_>) of Events::OPERATIONS;
        call(at: &At, called: &CallEvent<'_>) of selecting(called);
        fetch(at: &At, fetch: &PlannedFetch<'_>) of Events::FETCHES;
        surface(at: &At, surface: &PlannedSurfaceAccess<'_>) of Events::FETCHES;
        fetch_answer(at: &At, fetch: &ExecutedFetch<'_>) of Events::ANSWERS;
        surface_answer(at: &At, surface: &ExecutedSurfaceAccess<'_>) of Events::ANSWERS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    struct Calls<'a>(&'a AtomicU32);

    impl Probe for Calls<'_> {
        fn call(&mut self, _: &At, _: &CallEvent<'_>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn each_is_told_the_calls_that_it_selects() {
        let counts = [const { AtomicU32::new(0) }; 3];
        let wants = [Events::CALLS, Events::ENTERS, Events::HEAP];
        let calls = |count| Box::new(Calls(count)) as Box<dyn Probe + '_>;
        let mut probes = Probes(wants.into_iter().zip(counts.iter().map(calls)).collect());
        let at = At { cta: [0; 3], warp: 0, lanes: 1, op: 0 };
        for called in [
            CallEvent::Enters { function: "f" },
            CallEvent::Returns { to: 0 },
            CallEvent::Frees { addresses: &[0; 32] },
            CallEvent::Exits { last: true },
        ] {
            probes.call(&at, &called);
        }
        assert_eq!(counts.each_ref().map(|count| count.load(Relaxed)), [4, 1, 1]);
    }
}
