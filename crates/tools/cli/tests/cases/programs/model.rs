//! An observer that checks the consistency of the events it receives:
//!
//! * Loads and atomics return what earlier stores have written.
//! * The number of counted operations, over all lanes, equals that of the launch's statistics.
//! * The lanes that enter a block are those that branches, calls and preceding blocks lead to it.
//! * The executor's counts of blocks and branches equal the events for them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_device::Fault;
use texunit_device::observe::{
    Access, AccessOp, At, Branch, CallEvent, CtaInfo, Events, LaunchInfo, Listing, Observer, Probe,
    Registers, Synchronization, Values,
};
use texunit_memory::SpaceKind;

/// A memory (global, or a CTA's shared memory) and an address.
type Place = (Option<[u32; 3]>, u64);

#[derive(Debug, Default)]
struct State {
    /// Bytes with known values.
    bytes: HashMap<Place, u8>,
    /// Accesses without results so far: by CTA, warp, operation and lane.
    pending: HashMap<([u32; 3], u32, u32, usize), Pending>,
    /// Inconsistencies, the first few.
    wrong: Vec<String>,
    /// The number of results that were compared with known bytes.
    compared: u64,
    /// The number of lanes of counted operations.
    counted: u64,
    /// By operation: lanes that entered the block there, and lanes that were led there.
    came: BTreeMap<u32, u64>,
    led: BTreeMap<u32, u64>,
    /// By operation: lanes that did not continue after it.
    left: BTreeMap<u32, u64>,
    /// By operation: lanes that took a branch there.
    taken: BTreeMap<u32, u64>,
    /// Threads of all CTAs that began.
    threads: u64,
    counts: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    place: Place,
    size: u32,
    atomic: bool,
}

/// The model.
#[derive(Debug, Default)]
pub(crate) struct Model(Mutex<State>);

/// The result of a launch.
pub(crate) struct Verdict {
    pub(crate) wrong: Vec<String>,
    pub(crate) compared: u64,
    pub(crate) counted: u64,
    pub(crate) counts: Vec<u64>,
}

/// Requests counts of blocks and branches, and no events.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<Vec<u64>>);

impl Counts {
    pub(crate) fn take(&self) -> Vec<u64> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Counts {
    fn wants(&self) -> Events {
        Events::COUNTS
    }

    fn probe<'a>(&'a self, _: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Counter(self))
    }
}

struct Counter<'a>(&'a Counts);

impl Probe for Counter<'_> {
    fn counted(&mut self, counts: &[u64]) {
        sum(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner), counts);
    }
}

fn sum(to: &mut Vec<u64>, counts: &[u64]) {
    to.resize(counts.len(), 0);
    to.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
}

impl Model {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn verdict(&self) -> Verdict {
        let state = std::mem::take(&mut *self.state());
        let State { wrong, compared, counted, counts, .. } = state;
        Verdict { wrong, compared, counted, counts }
    }
}

impl State {
    fn is_wrong(&mut self, what: String) {
        if self.wrong.len() < 8 {
            self.wrong.push(what);
        }
    }

    fn store(&mut self, (whose, at): Place, size: u32, value: u64) {
        for (i, byte) in value.to_le_bytes().into_iter().enumerate().take(size as usize) {
            self.bytes.insert((whose, at + i as u64), byte);
        }
    }

    fn forget(&mut self, (whose, at): Place, size: u32) {
        for i in 0..u64::from(size) {
            self.bytes.remove(&(whose, at + i));
        }
    }

    /// Compares the known bytes of a result for each lane.
    fn compare(
        &mut self,
        (whose, at): Place,
        size: u32,
        value: u64,
        listing: Listing<'_>,
        op: u32,
    ) {
        for (i, byte) in value.to_le_bytes().into_iter().enumerate().take(size as usize) {
            let known = *self.bytes.entry((whose, at + i as u64)).or_insert(byte);
            self.compared += 1;
            if known != byte {
                let line = listing.source().snippet(listing.span(op));
                self.is_wrong(format!(
                    "{line} brings {value:#x} of {at:#x}, byte {i} is {known:#x}"
                ));
            }
        }
    }

    /// Checks for each block that the lanes that entered it are those that were led there.
    fn check_blocks(&mut self, listing: Listing<'_>, function: &str, is_kernel: bool) {
        let sum = |all: &BTreeMap<u32, u64>, block: &std::ops::Range<u32>| {
            all.range(block.clone()).map(|(_, n)| n).sum::<u64>()
        };
        let mut above = if is_kernel { self.threads } else { 0 };
        let mut wrong = Vec::new();
        for block in listing.blocks(function) {
            let (came, led) = (sum(&self.came, &block), sum(&self.led, &block));
            if came != above + led {
                wrong.push(format!("{function}: {came} lanes at block {block:?}: {above} + {led}"));
            }
            above = came - sum(&self.left, &block).min(came);
        }
        wrong.into_iter().for_each(|what| self.is_wrong(what));
    }

    /// Compares the counters with the events.
    fn check_counts(&mut self, listing: Listing<'_>) {
        let counting = listing.counting();
        let mut wrong = Vec::new();
        // The other observer needs no access costs.
        let counters = listing.issues().counters();
        if counters != self.counts.len() {
            wrong.push(format!("{} counters of {counters}", self.counts.len()));
        }
        for block in counting.blocks() {
            let came = self.came.range(block.operations.clone()).map(|(_, n)| n).sum::<u64>();
            let lanes = block.lanes.of(&self.counts);
            if came != lanes {
                wrong
                    .push(format!("{lanes} lanes counted at block {:?}: {came}", block.operations));
            }
        }
        for branch in counting.branches() {
            let ways: Vec<u64> = branch.edges.iter().map(|way| way.of(&self.counts)).collect();
            if let Some(&taken) = self.taken.get(&branch.op)
                && ways[0] != taken
            {
                wrong.push(format!("{ways:?} counted at branch {}: {taken}", branch.op));
            }
        }
        wrong.into_iter().for_each(|what| self.is_wrong(what));
    }
}

impl Observer for Model {
    fn wants(&self) -> Events {
        Events::ALL
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Modeling { all: self, listing: launch.listing })
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        let mut state = self.state();
        let names: Vec<&str> = (0..launch.listing.len())
            .map(|op| launch.listing.function(op))
            .fold(Vec::new(), |mut names, name| {
                if names.last() != Some(&name) {
                    names.push(name);
                }
                names
            });
        for name in names.into_iter().filter(|_| fault.is_none()) {
            state.check_blocks(launch.listing, name, name == launch.kernel);
        }
        if fault.is_none() {
            state.check_counts(launch.listing);
        }
    }
}

struct Modeling<'a> {
    all: &'a Model,
    listing: Listing<'a>,
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

fn add(to: &mut BTreeMap<u32, u64>, op: u32, lanes: u32) {
    *to.entry(op).or_default() += u64::from(lanes.count_ones());
}

impl Probe for Modeling<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        self.all.state().threads += cta.block.iter().map(|&n| u64::from(n)).product::<u64>();
    }

    fn cta_ends(&mut self, cta: &CtaInfo, _: Option<&Fault>) {
        self.all.state().bytes.retain(|(whose, _), _| *whose != Some(cta.id));
    }

    fn access(&mut self, at: &At, access: &Access<'_>) {
        let whose = match access.space {
            SpaceKind::Global | SpaceKind::Const => None,
            SpaceKind::Shared => Some(at.cta),
            // Arguments of calls are in local memory, too.
            SpaceKind::Local | SpaceKind::Param => return,
        };
        let state = &mut *self.all.state();
        for lane in lanes(at.lanes) {
            let place = (whose, access.addresses[lane]);
            match access.operation {
                AccessOp::Store => {
                    for i in 0..access.elements {
                        let value = access.values.get(i as usize).unwrap()[lane];
                        let at = place.1 + u64::from(i * access.size);
                        state.store((whose, at), access.size, value);
                    }
                    continue;
                }
                AccessOp::CopyTo
                | AccessOp::BulkStore
                | AccessOp::BulkReduce
                | AccessOp::MatrixStore => state.forget(place, access.bytes()),
                AccessOp::Load | AccessOp::Atomic(_) => {
                    let atomic = access.operation != AccessOp::Load;
                    let pending = Pending { place, size: access.size, atomic };
                    state.pending.insert((at.cta, at.warp, at.op, lane), pending);
                }
                AccessOp::CopyFrom | AccessOp::BulkLoad | AccessOp::MatrixLoad => {}
            }
        }
    }

    fn result(&mut self, at: &At, values: &Values<'_>) {
        let state = &mut *self.all.state();
        let values: Vec<_> = (0..values.len()).map(|i| values.get(i)).collect();
        for lane in lanes(at.lanes) {
            let Some(pending) = state.pending.remove(&(at.cta, at.warp, at.op, lane)) else {
                continue;
            };
            let Pending { place: (whose, first), size, atomic } = pending;
            for (i, value) in values.iter().enumerate() {
                let place = (whose, first + i as u64 * u64::from(size));
                // Lanes of an atomic run one after the other, so the value that each finds is
                // unknown.
                match value {
                    Some(value) if !atomic => {
                        state.compare(place, size, value[lane], self.listing, at.op);
                    }
                    _ if atomic => state.forget(place, size),
                    _ => {}
                }
            }
        }
    }

    fn synchronized(&mut self, at: &At, what: &Synchronization<'_>) {
        if let Synchronization::Mbarrier { addresses, .. } = what {
            let state = &mut *self.all.state();
            lanes(at.lanes).for_each(|lane| state.forget((Some(at.cta), addresses[lane]), 8));
        }
    }

    fn branch(&mut self, at: &At, branch: &Branch) {
        let state = &mut *self.all.state();
        add(&mut state.led, branch.target, branch.taken);
        add(&mut state.left, at.op, branch.taken);
        if self.listing.counts(at.op) && !branch.indexed {
            add(&mut state.taken, at.op, branch.taken);
            // A branch counts for the lanes that take it.
            state.counted -= u64::from((at.lanes & !branch.taken).count_ones());
        }
    }

    fn block(&mut self, at: &At) {
        add(&mut self.all.state().came, at.op, at.lanes);
    }

    fn counted(&mut self, counts: &[u64]) {
        sum(&mut self.all.state().counts, counts);
    }

    fn operation(&mut self, at: &At, _: &Registers<'_>) {
        if self.listing.counts(at.op) {
            self.all.state().counted += u64::from(at.lanes.count_ones());
        }
    }

    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        let state = &mut *self.all.state();
        match called {
            CallEvent::Enters { function } => {
                add(&mut state.led, self.listing.operations(function).start, at.lanes);
            }
            CallEvent::Returns { .. } | CallEvent::Exits { .. } => {
                add(&mut state.left, at.op, at.lanes);
            }
            _ => {}
        }
    }
}
