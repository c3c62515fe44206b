//! Happens-before by mbarriers: a thread that arrives publishes its vector clock, and a thread that
//! finds a phase complete joins the clocks of all that have arrived. Also happens-before in thread
//! block clusters: `barrier.cluster`, and mbarriers at which threads of several CTAs arrive.
//!
//! Each CTA of a cluster has its own worker state, although one host thread executes the whole
//! cluster. Accesses to the shared memory of another CTA are not checked.

use super::clock::Clock;
use super::fasttrack::AccessKind;
use super::happens_before::Cta;
use crate::lanes;
use std::collections::HashMap;
use std::sync::Arc;
use texunit_simt::observe::{At, MbarrierAction, Order, Semantics, linear_index};
use texunit_simt::{LaunchConfig, split_shared_address};

/// The vector clocks of an mbarrier.
#[derive(Clone, Debug, Default)]
struct Mbarrier {
    /// The joined clock of the threads that have arrived in the current phase.
    arrived: Clock,
    /// The joined clock of the threads that have arrived in completed phases.
    over: Option<Arc<Clock>>,
}

/// The vector clocks of a CTA's mbarriers, by their shared-memory addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct Mbarriers(HashMap<u64, Mbarrier>);

/// Maximum number of mbarriers of a CTA with recorded clocks.
const MAX: usize = 1 << 15;

/// An mbarrier instruction with the operands and results of a warp's lanes.
#[derive(Clone, Copy)]
pub(super) struct MbarrierInstruction<'a> {
    pub(super) at: At,
    pub(super) action: MbarrierAction,
    pub(super) order: Order,
    pub(super) addresses: &'a [u64; 32],
    pub(super) operands: &'a [u64; 32],
    pub(super) results: &'a [u64; 32],
}

/// The access kind with which the instruction accesses the 8 bytes of the mbarrier; `None` if it
/// does not access them.
pub(super) fn kind(action: MbarrierAction) -> Option<AccessKind> {
    match action {
        MbarrierAction::Init { .. } | MbarrierAction::Inval => Some(AccessKind::WEAK.writing()),
        MbarrierAction::Test { .. } | MbarrierAction::CheckLayout { .. } => Some(AccessKind::CTA),
        MbarrierAction::PendingCount => None,
        _ => Some(AccessKind::CTA.writing()),
    }
}

/// The pending arrivals and bytes of the current phase, from the mbarrier's 64-bit word, whose
/// layout the module `exec::mbarrier` of the crate `simt` defines.
fn pending_counts(word: u64) -> (u64, i64) {
    (word & ((1 << 20) - 1), (word << 3) as i64 >> 43)
}

impl MbarrierInstruction<'_> {
    /// Whether the arrival (or the bytes) of a lane completes the phase.
    fn completes(&self, lane: usize) -> bool {
        let (arrivals, bytes) = pending_counts(self.results[lane]);
        let operand = self.operands[lane] & u64::from(u32::MAX);
        let (count, more) = match self.action {
            MbarrierAction::Arrive { expects: true, .. } => (1, operand as i64),
            MbarrierAction::Arrive { .. } => (operand, 0),
            MbarrierAction::CopyArrive { increments: false } => (1, 0),
            MbarrierAction::CompleteTx => (0, -(operand as i64)),
            _ => return false,
        };
        arrivals == count && bytes + more == 0
    }

    /// Calls `f` for each different mbarrier of the instruction, with the mask of its lanes.
    fn each(&self, mut f: impl FnMut(u64, u32)) {
        let mut rest = self.at.lanes;
        while rest != 0 {
            let address = self.addresses[rest.trailing_zeros() as usize];
            let same = lanes(rest).filter(|&l| self.addresses[l as usize] == address);
            let same = same.fold(0, |mask, lane| mask | 1 << lane);
            rest &= !same;
            f(address, same);
        }
    }
}

impl Mbarriers {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Applies an mbarrier instruction to the vector clocks of threads and mbarriers.
    pub(super) fn act(&mut self, cta: &mut Cta, acts: &MbarrierInstruction<'_>) {
        acts.each(|address, lanes| self.at(cta, acts, (address, lanes)));
    }

    fn at(&mut self, cta: &mut Cta, acts: &MbarrierInstruction<'_>, (address, those): (u64, u32)) {
        use MbarrierAction as A;
        if self.0.len() >= MAX {
            self.0.clear();
        }
        let warp = acts.at.warp;
        let mbarrier = self.0.entry(address).or_default();
        let relaxed = acts.order.semantics == Semantics::Relaxed;
        match acts.action {
            A::Init { .. } | A::Inval => *mbarrier = Mbarrier::default(),
            A::Test { .. } => {
                let done = lanes(those).filter(|&lane| acts.results[lane as usize] == 1);
                let done = done.fold(0, |mask, lane| mask | 1 << lane);
                if let (Some(over), 1.., false) = (&mbarrier.over, done, relaxed) {
                    cta.join_clock(warp, done, over);
                }
            }
            A::Arrive { .. } | A::CopyArrive { .. } | A::CompleteTx => {
                let copies = matches!(acts.action, A::CopyArrive { .. });
                if !relaxed {
                    mbarrier.arrived.join(&cta.arrive(warp, those, copies));
                }
                if lanes(those).any(|lane| acts.completes(lane as usize)) {
                    let mut over = std::mem::take(&mut mbarrier.arrived);
                    mbarrier.over.iter().for_each(|before| over.join(before));
                    mbarrier.over = Some(Arc::new(over));
                }
            }
            A::ExpectTx | A::PendingCount | A::CheckLayout { .. } => {}
        }
    }
}

/// The key of an mbarrier is its shared-memory address in the low bits, and the number of its CTA
/// above this many bits.
const PLACE_BITS: u32 = 32;

/// The vector clocks at the barriers and mbarriers of a launch's clusters.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// For each cluster, by the number of its first CTA: the joined clocks of all threads that have
    /// arrived at its barrier. The clocks of earlier phases stay joined, because each thread that
    /// passes a later phase has passed these, too.
    arrived: HashMap<u64, Clock>,
    mbarriers: Mbarriers,
}

impl Clusters {
    /// Records the arrival of threads at their cluster's barrier, and joins their clocks to the
    /// barrier's clock.
    pub(super) fn arrives(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, at: &At) {
        let first = linear_index(config.in_cluster(at.cta, 0), config.grid);
        let known = cta.arrive(at.warp, at.lanes, false);
        self.arrived.entry(first).or_default().join(&known);
    }

    /// Threads pass their cluster's barrier: the barrier's clock is joined to theirs.
    pub(super) fn passes(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, at: &At) {
        let first = linear_index(config.in_cluster(at.cta, 0), config.grid);
        if let Some(known) = self.arrived.get(&first) {
            cta.join_clock(at.warp, at.lanes, &Arc::new(known.clone()));
        }
    }

    /// Applies an mbarrier instruction, whose mbarriers may be in the shared memory of any CTA of
    /// the cluster.
    pub(super) fn mbarrier(
        &mut self,
        config: &LaunchConfig<'_>,
        cta: &mut Cta,
        acts: &MbarrierInstruction<'_>,
    ) {
        let of = |&address: &u64| {
            let (rank, place) = split_shared_address(address);
            let owner = rank.map_or(acts.at.cta, |rank| config.in_cluster(acts.at.cta, rank));
            linear_index(owner, config.grid) << PLACE_BITS | place
        };
        let addresses = acts.addresses.each_ref().map(of);
        self.mbarriers.act(cta, &MbarrierInstruction { addresses: &addresses, ..*acts });
    }

    /// Removes the mbarriers of a CTA that begins, since its shared memory is new.
    pub(super) fn begins(&mut self, index: u64) {
        self.mbarriers.0.retain(|address, _| address >> PLACE_BITS != index);
    }
}
