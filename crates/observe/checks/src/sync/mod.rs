//! Check `sync`: barriers that threads of a CTA reach in a wrong way, membermasks that name exited
//! threads, waits for mbarrier phases that are long over, and grid barriers in launches that are
//! not cooperative.
//!
//! A CTA that cannot make progress is a fault (`deadlock`), with or without this check.

mod barrier;
mod mbarrier;

use crate::callers::Callers;
use crate::end::Spot;
use crate::lanes as each;
use crate::rules;
use crate::sink::{LaunchFinding, Other, OtherAt, Sink};
use barrier::{Arrival, Barriers};
use mbarrier::Mbarriers;
use std::sync::Arc;
use texunit_simt::observe::{
    At, CallEvent, CtaInfo, Events, LaunchInfo, Listing, Observer, Probe, Synchronization,
};
use texunit_simt::{Fault, FaultKind};

/// A fault at an address below this is attributed to a null pointer with an offset.
const NULL_PAGE: u64 = 64 * 1024;

/// The check `sync` of one launch.
#[derive(Debug)]
pub(crate) struct Sync {
    sink: Arc<Sink>,
}

impl Sync {
    pub(crate) fn new(sink: &Arc<Sink>) -> Self {
        Self { sink: Arc::clone(sink) }
    }
}

impl Observer for Sync {
    fn wants(&self) -> Events {
        Events::SYNCHRONIZATION | Events::CALLS
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        let (listing, block) = (launch.listing, launch.config.block);
        let threads = CtaThreads::default();
        Box::new(Worker {
            reporter: Reporter { sink: &self.sink, listing, block, threads },
            callers: Callers::new(listing),
            barriers: Barriers::default(),
            masks: Masks::default(),
            mbarriers: Mbarriers::default(),
        })
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        grid_ends(&self.sink, launch, fault);
    }
}

/// Explains a fault that ended a launch which is not cooperative. In such a launch the grid's
/// workspace is a null pointer, on which the grid barrier of cooperative groups traps or faults.
fn grid_ends(sink: &Sink, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
    let Some(fault) = fault.filter(|_| !launch.config.cooperative) else { return };
    let stops = match fault.kind {
        FaultKind::Trap { .. } => true,
        FaultKind::OutOfBounds { address, .. } => address < NULL_PAGE,
        _ => false,
    };
    if !stops || !launch.listing.asks_for_workspace() {
        return;
    }
    let listing = &launch.listing;
    let Some(op) = (0..listing.len()).find(|&op| listing.span(op) == fault.span) else { return };
    let at = Spot { cta: fault.cta, thread: fault.thread, op };
    let message =
        "the kernel waits for its whole grid, and was not launched as a cooperative one".to_owned();
    sink.found(LaunchFinding::new(rules::SYNC_GRID_NOT_COOPERATIVE, at, message));
}

/// The sink of the launch's findings, with the data that describes threads and instructions.
struct Reporter<'a> {
    sink: &'a Sink,
    listing: Listing<'a>,
    block: [u32; 3],
    /// The threads of the current CTA.
    threads: CtaThreads,
}

impl Reporter<'_> {
    /// The thread of an event's lane, at the event's operation.
    fn spot(&self, at: &At, lane: u32) -> Spot {
        Spot::new(at, lane, self.block)
    }

    /// The thread of an event's first active lane, at the event's operation.
    fn first(&self, at: &At) -> Spot {
        self.spot(at, at.lanes.trailing_zeros() & 31)
    }
}

/// The live and exited threads of a CTA.
#[derive(Default)]
struct CtaThreads {
    /// For each warp, the lanes that it began with, and the lanes that have not exited.
    lanes: Vec<Lanes>,
    /// The first event in which threads of the CTA exited.
    left: Option<At>,
    exited: u32,
}

struct Lanes {
    all: u32,
    live: u32,
    /// For each lane, the operation at which it exited.
    exits: [u32; 32],
}

impl CtaThreads {
    fn begin(&mut self, cta: &CtaInfo) {
        self.lanes.clear();
        let lanes = (0..cta.warps).map(|warp| cta.lanes(warp));
        self.lanes.extend(lanes.map(|all| Lanes { all, live: all, exits: [0; 32] }));
        (self.left, self.exited) = (None, 0);
    }

    fn exit(&mut self, at: &At) {
        let Some(lanes) = self.lanes.get_mut(at.warp as usize) else { return };
        let those = at.lanes & lanes.live;
        lanes.live &= !at.lanes;
        set(&mut lanes.exits, those, at.op);
        self.exited += those.count_ones();
        self.left.get_or_insert(*at);
    }

    /// Lanes of a warp that have not exited.
    fn live(&self, warp: u32) -> u32 {
        self.lanes.get(warp as usize).map_or(0, |lanes| lanes.live)
    }
}

/// Sets the values of the lanes in a mask.
fn set(values: &mut [u32; 32], lanes: u32, value: u32) {
    for (lane, to) in values.iter_mut().enumerate() {
        *to = if lanes >> lane & 1 == 1 { value } else { *to };
    }
}

/// The lane numbers of a mask as text: `lane 3`, `lanes 0 to 15`, `lanes 0, 2, 5 and 9 others`.
fn lanes_in_words(mask: u32) -> String {
    let all: Vec<u32> = each(mask).collect();
    match *all.as_slice() {
        [] => "no lane".to_owned(),
        [one] => format!("lane {one}"),
        [first, .., last] if (last - first) as usize + 1 == all.len() => {
            format!("lanes {first} to {last}")
        }
        _ => {
            let shown: Vec<String> = all.iter().take(4).map(ToString::to_string).collect();
            let more = all.len() - shown.len();
            let more = if more > 0 { format!(" and {more} others") } else { String::new() };
            format!("lanes {}{more}", shown.join(", "))
        }
    }
}

/// For each warp and lane, the membermask of the `.sync` instruction at which the lane waits.
#[derive(Default)]
struct Masks(Vec<[u32; 32]>);

impl Masks {
    fn begin(&mut self, warps: u32) {
        self.0.clear();
        self.0.resize(warps as usize, [0; 32]);
    }

    /// Records the membermask of lanes that arrive at a `.sync` instruction.
    fn join(&mut self, at: &At, members: u32) {
        if let Some(masks) = self.0.get_mut(at.warp as usize) {
            set(masks, at.lanes, members);
        }
    }

    /// Checks the lanes that continue together behind a `.sync` instruction: if the membermask
    /// names lanes that have exited, these are reported.
    fn joined(&mut self, reporter: &Reporter<'_>, at: &At) {
        let warp = at.warp as usize;
        let (Some(masks), Some(lanes)) = (self.0.get(warp), reporter.threads.lanes.get(warp))
        else {
            return;
        };
        let first = at.lanes.trailing_zeros() & 31;
        let members = masks[first as usize];
        // A membermask may name lanes that an incomplete last warp never had; these are not
        // reported.
        let gone = members & lanes.all & !at.lanes & !lanes.live;
        if gone == 0 {
            return;
        }
        let spot = reporter.spot(at, first);
        let lane = gone.trailing_zeros();
        let exit = lanes.exits[lane as usize];
        if reporter.sink.count_repeat(rules::SYNC_MASK_EXITED, &spot, Some(exit), 1) {
            return;
        }
        let have = if gone.is_power_of_two() { "has" } else { "have" };
        let lanes = lanes_in_words(gone);
        let message = format!(
            "the membermask {members:#010x} names {lanes} of warp {warp}, which {have} exited"
        );
        let left = reporter.spot(&At { op: exit, ..*at }, lane);
        let other = Other { what: "exits here".to_owned(), at: OtherAt::Here(left) };
        let found = LaunchFinding::new(rules::SYNC_MASK_EXITED, spot, message);
        reporter.sink.found(LaunchFinding { other: Some(other), ..found });
    }
}

/// The check `sync` for the CTAs that one worker thread executes.
struct Worker<'a> {
    reporter: Reporter<'a>,
    callers: Callers<'a>,
    barriers: Barriers,
    masks: Masks,
    mbarriers: Mbarriers,
}

impl Probe for Worker<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        self.callers.clear();
        self.reporter.threads.begin(cta);
        self.barriers.clear();
        self.masks.begin(cta.warps);
        self.mbarriers.clear();
    }

    fn cta_ends(&mut self, _: &CtaInfo, fault: Option<&Fault>) {
        if fault.is_none() {
            self.barriers.end(&self.reporter);
        }
    }

    fn synchronized(&mut self, at: &At, what: &Synchronization<'_>) {
        match *what {
            Synchronization::Arrives { barrier, threads, waits, released_early: ahead } => {
                let exited = self.reporter.threads.exited;
                let arrival = Arrival { at: *at, threads, waits, ahead, exited };
                self.barriers.arrive(&self.reporter, arrival, barrier);
            }
            Synchronization::Passes { barrier } => self.barriers.pass(&self.reporter, barrier),
            Synchronization::Joins { members } => self.masks.join(at, members),
            Synchronization::Joined => {
                self.masks.joined(&self.reporter, &self.callers.place(at));
            }
            Synchronization::Mbarrier { action, addresses, operands, results, states, .. } => {
                let words = mbarrier::Operands { addresses, operands, results, states };
                self.mbarriers.executed(&self.reporter, at, action, &words);
            }
            Synchronization::ClusterArrives
            | Synchronization::ClusterPasses
            | Synchronization::Fence(_)
            | Synchronization::CommitsCopies
            | Synchronization::WaitsForCopies { .. } => {}
        }
    }

    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        self.callers.call(at, called);
        if matches!(called, CallEvent::Exits { .. }) {
            self.reporter.threads.exit(at);
        }
    }
}
