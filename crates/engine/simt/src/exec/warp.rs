//! A warp as a resumable value: registers, local memory, frames, splits and groups.
//!
//! A [`Split`] is lanes that run together. Lanes that a branch separates form a [`Group`] that
//! meets again at the branch's post-dominator; lanes that have arrived there wait in the group.
//! Nothing here relies on their meeting: a group can be opened at any time, and then its lanes run
//! on alone.

use super::elements::Registers;
use super::frames::Frames;
use super::register_file::Rows;
use crate::code::{Constants, Inst, NONE, Slot};
use texunit_alu::{L32, L64};
use texunit_jit::region::MAX_WARPS;
pub(crate) use texunit_unit::lanes;

/// How many lanes a mask has. Nearly always all: to count them takes fifteen instructions where the target
/// has none for it.
#[inline]
pub(crate) fn count(mask: u32) -> u64 {
    if mask == u32::MAX { 32 } else { mask.count_ones().into() }
}

/// A narrow operand: one of these registers, or a constant.
#[inline]
pub(super) fn narrow<'a>(rows: &'a [L32], constants: &'a Constants, slot: Slot) -> &'a L32 {
    let file = if slot.is_constant() { &constants.narrow } else { rows };
    &file[slot.index()]
}

/// What a split waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// The other lanes of a `.sync` instruction.
    Sync,
    /// A barrier of the CTA.
    Barrier(u8),
    /// The barrier of the cluster.
    Cluster,
}

/// Lanes that run together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub(crate) pc: u32,
    pub(crate) mask: u32,
    pub(crate) frame: u32,
    /// The innermost group that the lanes belong to.
    pub(crate) group: u32,
    pub(crate) state: State,
}

/// Whether a split is all of its warp: no lane stands or waits elsewhere.
#[inline]
pub(super) fn is_converged(warp: &Warp, split: &Split) -> bool {
    split.mask == warp.live && split.group == NONE
}

/// The lanes of a split that take part in an instruction.
#[inline]
pub(super) fn guarded(warp: &Warp, split: &Split, inst: &Inst) -> u32 {
    if inst.guard == Slot::TRUE { split.mask } else { split.mask & warp.p(inst.guard) }
}

/// Lanes that a branch has separated and that are to meet at `pc` of `frame`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) pc: u32,
    pub(crate) frame: u32,
    pub(crate) parent: u32,
    /// Lanes that still belong to it.
    pub(crate) expected: u32,
    /// Those of them that wait at `pc`.
    pub(crate) arrived: u32,
    /// Where the waiting lanes go on.
    pub(super) resume: u32,
    /// Step of the last arrival.
    pub(super) since: u64,
    /// Turns since then that ended because lanes let others go first.
    pub(super) yields: u32,
}

/// A warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warp {
    pub(crate) narrow: Rows<u32>,
    pub(crate) wide: Rows<u64>,
    pub(crate) predicates: Vec<u32>,
    /// Local memory by words: word `w` of each lane.
    pub(crate) local: Vec<L32>,
    /// Which of its bytes nobody has written, where an observer wants to know.
    pub(crate) local_shadow: Vec<L32>,
    pub(crate) frames: Frames,
    /// Splits that do not run at the moment.
    pub(crate) splits: Vec<Split>,
    pub(super) groups: Vec<Group>,
    pub(super) free_groups: Vec<u32>,
    /// Lanes that exist and have not exited.
    pub(crate) live: u32,
    /// Carry flags.
    pub(crate) carry: u32,
    /// Number in the CTA.
    pub(crate) index: u32,
    pub(crate) steps: u64,
    /// Steps from which on its turn ends at a jump back or a barrier.
    pub(super) end: u64,
    /// Step of the last atomic.
    pub(crate) last_atomic: u64,
    /// Lanes that a group has let run on, as others did not come (`open_stale`): a GPU would have let them wait. Until
    /// they have been together with all others, or have passed a barrier.
    pub(super) ahead: u32,
    /// Atomics since its turn began.
    pub(crate) atomics: u32,
    /// Whether its frames, groups and files are still those that a kernel begins with.
    pub(super) is_as_begun: bool,
    /// Frame of the running split, and its windows.
    pub(crate) running: u32,
    narrow_base: usize,
    wide_base: usize,
    predicate_base: usize,
    /// First byte of the running frame in local memory, and its end.
    pub(crate) local_base: u64,
    pub(crate) local_end: u64,
}

/// %tid of a thread by its number in the CTA.
pub(super) fn thread_of(linear: u32, block: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = block.map(|n| n.max(1));
    [linear % x, linear / x % y, linear / x / y]
}

impl Warp {
    /// Makes all groups forget their lanes and puts one split of `lanes` at `pc` of frame 0.
    pub(crate) fn start(&mut self, index: u32, lanes: u32, pc: u32) {
        self.groups.clear();
        self.free_groups.clear();
        self.index = index;
        self.is_as_begun = false;
        self.start_again(lanes, pc);
    }

    /// The same for one that has the frames and groups, and the number, that it has begun with.
    #[inline(always)]
    pub(super) fn start_again(&mut self, lanes: u32, pc: u32) {
        self.splits.clear();
        self.live = lanes;
        self.carry = 0;
        (self.steps, self.end) = (0, 0);
        self.last_atomic = 0;
        self.ahead = 0;
        self.atomics = 0;
        self.splits.push(Split { pc, mask: lanes, frame: 0, group: NONE, state: State::Ready });
    }

    /// Whether its frames and groups are those that a kernel begins with: nothing has been called, and lanes have parted in
    /// regions only.
    #[inline(always)]
    pub(super) fn is_as_started(&self) -> bool {
        self.groups.is_empty() && self.frames.is_one()
    }

    /// No lane has any predicate.
    #[inline(always)]
    pub(super) fn clear_predicates(&mut self) {
        // To fill nothing can cost more than to fill a little: glibc makes a masked store of it, at an address that is none.
        if !self.predicates.is_empty() {
            self.predicates.fill(0);
        }
    }

    /// Gives its registers to another warp that stands in the frame that a kernel begins with, for those of that one.
    pub(super) fn swap_registers(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.narrow, &mut other.narrow);
        std::mem::swap(&mut self.wide, &mut other.wide);
        std::mem::swap(&mut self.predicates, &mut other.predicates);
    }

    /// Moves the register windows to a frame.
    pub(crate) fn enter(&mut self, frame: u32) {
        self.running = frame;
        let f = self.frames.get(frame);
        (self.narrow_base, self.wide_base) = (f.narrow, f.wide);
        self.predicate_base = f.predicates;
        (self.local_base, self.local_end) = (f.local, f.local_end);
    }

    /// Numbers of the first registers of the running frame: narrow, wide, predicates.
    pub(crate) fn bases(&self) -> [usize; 3] {
        [self.narrow_base, self.wide_base, self.predicate_base]
    }

    /// Registers of the running frame, and what lies above them.
    #[inline(always)]
    pub(super) fn windows(&mut self) -> (&mut [L32], &mut [L64], &mut [u32]) {
        (
            self.narrow.rows_from(self.narrow_base),
            self.wide.rows_from(self.wide_base),
            &mut self.predicates[self.predicate_base..],
        )
    }

    /// Narrow registers of the running frame, and what lies above them.
    #[inline(always)]
    pub(super) fn rows_mut(&mut self) -> &mut [L32] {
        self.narrow.rows_from(self.narrow_base)
    }

    /// Registers of the running frame that hold numbers, and local memory.
    #[inline(always)]
    pub(super) fn registers_and_local(&mut self) -> (Registers<'_>, &mut [L32]) {
        let narrow = self.narrow.rows_from(self.narrow_base);
        let wide = self.wide.rows_from(self.wide_base);
        (Registers { narrow, wide }, &mut self.local)
    }

    /// Narrow registers of the running frame, and what lies above them.
    #[inline]
    pub(super) fn rows(&self) -> &[L32] {
        &self.narrow[self.narrow_base..]
    }

    #[inline]
    pub(crate) fn n<'a>(&'a self, constants: &'a Constants, slot: Slot) -> &'a L32 {
        narrow(self.rows(), constants, slot)
    }

    #[inline]
    pub(crate) fn w<'a>(&'a self, constants: &'a Constants, slot: Slot) -> &'a L64 {
        if slot.is_constant() {
            &constants.wide[slot.index()]
        } else {
            &self.wide[self.wide_base + slot.index()]
        }
    }

    #[inline]
    pub(crate) fn p(&self, slot: Slot) -> u32 {
        let value = if slot.is_constant() {
            u32::MAX
        } else {
            self.predicates[self.predicate_base + slot.predicate_index()]
        };
        if slot.is_negated() { !value } else { value }
    }

    /// Any operand, zero-extended; predicates as 0 or 1.
    pub(crate) fn read(&self, constants: &Constants, slot: Slot, out: &mut L64) {
        if slot.is_wide() {
            *out = *self.w(constants, slot);
        } else if slot.is_predicate() {
            let p = self.p(slot);
            for (lane, out) in out.iter_mut().enumerate() {
                *out = u64::from(p >> lane & 1);
            }
        } else {
            for (out, &v) in out.iter_mut().zip(self.n(constants, slot)) {
                *out = u64::from(v);
            }
        }
    }

    #[inline]
    pub(crate) fn put_n(&mut self, d: Slot, value: &L32, mask: u32) {
        let to = &mut self.narrow[self.narrow_base + d.index()];
        if mask == self.live {
            *to = *value;
        } else {
            for (lane, (to, &v)) in to.iter_mut().zip(value).enumerate() {
                *to = if mask & (1 << lane) != 0 { v } else { *to };
            }
        }
    }

    #[inline]
    pub(crate) fn put_p(&mut self, d: Slot, value: u32, mask: u32) {
        if d.is_none() {
            return;
        }
        let to = &mut self.predicates[self.predicate_base + d.predicate_index()];
        *to = (*to & !mask) | (value & mask);
    }

    /// Writes what `keep` leaves of each value to a register of any kind.
    pub(crate) fn put(&mut self, d: Slot, value: &L64, keep: u64, mask: u32) {
        if d.is_none() {
        } else if d.is_wide() {
            let to = &mut self.wide[self.wide_base + d.index()];
            if mask == self.live {
                for (to, &v) in to.iter_mut().zip(value) {
                    *to = v & keep;
                }
            } else {
                for lane in lanes(mask) {
                    to[lane] = value[lane] & keep;
                }
            }
        } else if d.is_predicate() {
            let bits =
                lanes(mask).fold(0, |b, lane| b | u32::from(value[lane] & keep != 0) << lane);
            self.put_p(d, bits, mask);
        } else {
            let to = &mut self.narrow[self.narrow_base + d.index()];
            if mask == self.live {
                for (to, &v) in to.iter_mut().zip(value) {
                    *to = (v & keep) as u32;
                }
            } else {
                for lane in lanes(mask) {
                    to[lane] = (value[lane] & keep) as u32;
                }
            }
        }
    }
}

/// Where warps stand that run beside each other, and the steps at which their turns end.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) splits: [Split; MAX_WARPS],
    pub(super) ends: [u64; MAX_WARPS],
}

impl Default for Batch {
    fn default() -> Self {
        let none = Split { pc: 0, mask: 0, frame: 0, group: NONE, state: State::Ready };
        Self { splits: [none; MAX_WARPS], ends: [0; MAX_WARPS] }
    }
}
