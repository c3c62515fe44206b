//! Happens-before by mbarriers: a thread that arrives publishes its vector clock, and a thread that
//! finds a phase complete joins the clocks of all that have arrived.

use super::clock::Clock;
use super::fasttrack::AccessKind;
use super::happens_before::Cta;
use crate::lanes;
use std::collections::HashMap;
use std::sync::Arc;
use texunit_simt::observe::{At, MbarrierAction, Order, Semantics};

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

    /// Removes the mbarriers for whose address `keep` returns false.
    pub(super) fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        self.0.retain(|address, _| keep(*address));
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
