//! An observer that records all events, lane by lane.

use std::sync::{Arc, Mutex, PoisonError};
use texunit_simt::Fault;
use texunit_simt::observe::{
    Access, At, Branch, CallEvent, CtaInfo, Events, ExecutedFetch, ExecutedSurfaceAccess,
    LaunchInfo, Listing, Observer, PlannedFetch, PlannedSurfaceAccess, Probe, Registers,
    Synchronization, Undefined, Values,
};

/// An event of a lane: CTA, thread, source location in the PTX, source text, and description.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceProfile {
    pub cta: [u32; 3],
    pub thread: u32,
    pub place: u32,
    pub what: String,
    /// The same for all events of a place, so that it is last in comparisons.
    pub line: Arc<str>,
}

/// The events in the order in which workers reported them.
#[derive(Debug)]
pub struct Recorder {
    wants: Events,
    seen: Mutex<Vec<SpaceProfile>>,
}

impl Recorder {
    pub fn new(wants: Events) -> Self {
        Self { wants, seen: Mutex::default() }
    }

    pub fn take(&self) -> Vec<SpaceProfile> {
        std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, seen: SpaceProfile) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
    }
}

impl Observer for Recorder {
    fn wants(&self) -> Events {
        self.wants
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Recording { all: self, listing: launch.listing })
    }

    fn launch_begins(&self, launch: &LaunchInfo<'_>) {
        self.other([0; 3], format!("launch {} begins", launch.kernel));
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        let how = fault.map_or("well", |fault| fault.kind.name());
        self.other([0; 3], format!("launch {} ends {how}", launch.kernel));
    }
}

impl Recorder {
    /// An event without a thread.
    fn other(&self, cta: [u32; 3], what: String) {
        self.add(SpaceProfile { cta, thread: 0, place: 0, what, line: "".into() });
    }
}

struct Recording<'a> {
    all: &'a Recorder,
    listing: Listing<'a>,
}

/// The lanes of a mask.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

impl Recording<'_> {
    fn each(&self, at: &At, what: impl Fn(usize) -> String) {
        let source = self.listing.source();
        let span = self.listing.span(at.op);
        let line: Arc<str> = source.snippet(span).trim().into();
        assert_ne!(at.lanes, 0, "an event of nobody: {line}");
        for lane in lanes(at.lanes) {
            let thread = at.warp * 32 + lane as u32;
            let (cta, place, what) = (at.cta, span.start, what(lane));
            self.all.add(SpaceProfile { cta, thread, place, what, line: line.clone() });
        }
    }
}

impl Probe for Recording<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        let lanes = cta.lanes(cta.warps - 1);
        self.all.other(cta.id, format!("begins {} {} {lanes:x}", cta.index, cta.warps));
    }

    fn cta_ends(&mut self, cta: &CtaInfo, fault: Option<&Fault>) {
        self.all.other(cta.id, format!("ends {:?}", fault.map(|fault| fault.kind.name())));
    }

    fn access(&mut self, at: &At, access: &Access<'_>) {
        let Access { operation, space, size, elements, order, values, .. } = access;
        let values: Vec<_> = (0..values.len()).map(|i| values.get(i)).collect();
        self.each(at, |lane| {
            let values: Vec<_> = values.iter().map(|v| v.map(|v| v[lane])).collect();
            let address = access.addresses[lane];
            let order = format!("{:?} {:?}", order.semantics, order.scope);
            format!(
                "{operation:?} {} {address:#x} {size}x{elements} {order} {values:x?}",
                space.name()
            )
        });
    }

    fn result(&mut self, at: &At, values: &Values<'_>) {
        let values: Vec<_> = (0..values.len()).map(|i| values.get(i)).collect();
        self.each(at, |lane| {
            format!("brings {:x?}", values.iter().map(|v| v.map(|v| v[lane])).collect::<Vec<_>>())
        });
    }

    fn synchronized(&mut self, at: &At, what: &Synchronization<'_>) {
        self.each(at, |lane| match what {
            Synchronization::Mbarrier { action, order, addresses, operands, results, .. } => {
                let [a, o, r] = [addresses, operands, results].map(|v| v[lane]);
                format!("{action:?} {:?} {a:#x} {o:#x} {r:#x}", order.semantics)
            }
            other => format!("{other:?}"),
        });
    }

    fn branch(&mut self, at: &At, branch: &Branch) {
        let to = self.listing.span(branch.target);
        let to = self.listing.source().snippet(to).trim();
        assert_eq!(branch.taken & !at.lanes, 0);
        assert!(!branch.indexed || branch.taken == at.lanes);
        self.each(at, |lane| match branch.taken >> lane & 1 {
            1 => format!("to {to}"),
            _ => "past".to_owned(),
        });
    }

    fn block(&mut self, at: &At) {
        self.each(at, |_| "block".to_owned());
    }

    fn operation(&mut self, at: &At, registers: &Registers<'_>) {
        let operands = self.listing.operands(at.op);
        let reads: Vec<_> = operands.reads.iter().map(|&r| registers.read(r)).collect();
        self.each(at, |lane| {
            let reads: Vec<u64> = reads.iter().map(|v| v[lane]).collect();
            format!("operation {reads:x?} {}", self.listing.counts(at.op))
        });
    }

    fn undefined(&mut self, at: &At, what: &Undefined<'_>) {
        self.each(at, |lane| {
            let place = what.memory.map(|(space, addresses)| (space.name(), addresses[lane]));
            format!("undefined {:?} {:#x} {place:x?}", what.sink, what.bits[lane])
        });
    }

    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        self.each(at, |lane| match called {
            CallEvent::Returns { to } => {
                let source = self.listing.source();
                format!("back to {}", source.snippet(self.listing.span(*to)).trim())
            }
            // The last lane to arrive depends on the scheduling.
            CallEvent::Exits { .. } => "exits".to_owned(),
            CallEvent::Allocates { sizes, addresses } => {
                format!("malloc {} {:#x}", sizes[lane], addresses[lane])
            }
            CallEvent::Frees { addresses } => format!("free {:#x}", addresses[lane]),
            other => format!("{other:?}"),
        });
    }

    fn fetch(&mut self, at: &At, fetch: &PlannedFetch<'_>) {
        let name = fetch.plan.texture().resource.name().to_owned();
        self.each(at, |_| format!("fetch {} {name}", fetch.plan.form()));
    }

    fn surface(&mut self, at: &At, access: &PlannedSurfaceAccess<'_>) {
        let name = access.surface.resource.name().to_owned();
        self.each(at, |_| format!("access {} {name}", access.form));
    }

    fn fetch_answer(&mut self, at: &At, fetch: &ExecutedFetch<'_>) {
        self.each(at, |lane| {
            let values = fetch.answer.values.map(|v| v[lane]);
            format!("answer {:?} {values:x?}", fetch.request.lane(lane))
        });
    }

    fn surface_answer(&mut self, at: &At, access: &ExecutedSurfaceAccess<'_>) {
        self.each(at, |lane| format!("outcome {:x?}", access.outcome(lane)));
    }
}
