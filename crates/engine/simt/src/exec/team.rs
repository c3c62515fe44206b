//! Splits that are run together.

use super::warp::{Split, Warp, lanes};
use crate::code::{Inst, NONE, Slot};
use texunit_jit::region::Mode;

/// Splits that stand at the same place: one with any lanes of its warp, or some with all.
pub(super) struct Team<'t> {
    pub(super) warps: &'t mut [Warp],
    pub(super) splits: &'t mut [Split],
    /// Steps at which the turn of each ends.
    pub(super) ends: &'t mut [u64],
    /// Bits of those that do.
    pub(super) on: u32,
}

impl Team<'_> {
    #[inline]
    pub(super) fn first(&self) -> usize {
        self.on.trailing_zeros() as usize
    }

    /// The place where they stand.
    #[inline]
    pub(super) fn pc(&self) -> u32 {
        self.splits[self.first()].pc
    }

    /// Whether it is one split, whose lanes may part.
    #[inline]
    pub(super) fn is_one(&self) -> bool {
        self.splits.len() == 1
    }

    /// Whether they have all lanes of their warps, and belong to no group.
    #[inline]
    pub(super) fn is_converged(&self) -> bool {
        !self.is_one() || may_go(&self.warps[0], &self.splits[0])
    }

    /// Whether they have all lanes of their warps.
    pub(super) fn mode(&self) -> Mode {
        let all = !self.is_one() || self.splits[0].mask == self.warps[0].live;
        if all { Mode::Live } else { Mode::Some }
    }

    pub(super) fn is_over(&self) -> bool {
        lanes(self.on).any(|i| self.warps[i].steps >= self.ends[i])
    }

    /// Those whose lanes have parted.
    pub(super) fn divided(&self) -> u32 {
        let divided = lanes(self.on).filter(|&i| !may_go(&self.warps[i], &self.splits[i]));
        divided.fold(0, |all, i| all | 1 << i)
    }

    /// Whether all are at the place of the first.
    pub(super) fn is_at_one_place(&self) -> bool {
        let pc = self.pc();
        lanes(self.on).all(|i| self.splits[i].pc == pc)
    }
}

/// Whether a warp with this split running can run with others.
#[inline]
pub(super) fn may_go(warp: &Warp, split: &Split) -> bool {
    split.mask == warp.live && split.group == NONE
}

/// The lanes of a split that take part in an instruction.
#[inline]
pub(super) fn guarded(warp: &Warp, split: &Split, inst: &Inst) -> u32 {
    if inst.guard == Slot::TRUE { split.mask } else { split.mask & warp.p(inst.guard) }
}
