//! A warp as a resumable state: registers, local memory, call frames, splits and groups.
//!
//! A [`Split`] is a set of lanes with a common program counter. The lanes that a branch diverges
//! form a [`Group`], which reconverges at the branch's post-dominator; lanes that have arrived
//! there wait in the group. Correctness does not depend on reconvergence: a group can be opened at
//! any time, and then its waiting lanes continue without the others.

use super::decoded::each;
use super::frames::{Frame, Frames};
use super::register_file::Rows;
use crate::code::{Constants, Inst, NONE, Slot};
use crate::observe::Registers;
use texunit_alu::{L32, L64};
use texunit_jit::region::{FIRST_TURN, MAX_WARPS};
pub(crate) use texunit_unit::lanes;

/// Number of lanes in a mask. A full mask, the most frequent case, is handled without counting
/// bits, which takes fifteen instructions on targets without an instruction for it.
#[inline]
pub(crate) fn count(mask: u32) -> u64 {
    if mask == u32::MAX { 32 } else { mask.count_ones().into() }
}

/// Mask of the lanes of `mask` for which `is` holds.
#[inline]
pub(crate) fn lanes_where(mask: u32, is: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).filter(|&lane| is(lane)).fold(0, |all, lane| all | 1 << lane)
}

/// The lanes of a mask, grouped by a value; the first group is that of the first lane.
#[inline]
pub(crate) fn lanes_by<T: PartialEq>(
    mut mask: u32,
    of: impl Fn(usize) -> T,
) -> impl Iterator<Item = (u32, T)> {
    std::iter::from_fn(move || {
        let value = of(lanes(mask).next()?);
        let same = lanes_where(mask, |lane| of(lane) == value);
        mask &= !same;
        Some((same, value))
    })
}

/// The lanes of a mask, grouped by the lanes' values of a register.
#[inline]
pub(crate) fn lanes_by_value(mut mask: u32, row: &L32) -> impl Iterator<Item = (u32, u32)> {
    std::iter::from_fn(move || {
        let value = row[lanes(mask).next()?];
        // All lanes are compared without branches, so that the loop is vectorised.
        let is_same = |lane: usize| u32::from(row[lane] == value) << lane;
        let same = mask & (0..32).fold(0, |all, lane| all | is_same(lane));
        mask &= !same;
        Some((same, value))
    })
}

/// A narrow operand: a register or a constant.
#[inline]
pub(super) fn narrow<'a>(rows: &'a [L32], constants: &'a Constants, slot: Slot) -> &'a L32 {
    let file = if slot.is_constant() { &constants.narrow } else { rows };
    &file[slot.index()]
}

/// Condition that a split waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum State {
    Ready,
    /// The other lanes of a `.sync` instruction.
    Sync,
    /// A barrier of the CTA.
    Barrier(u8),
    /// The barrier of the cluster.
    Cluster,
}

/// Lanes of a warp with a common program counter.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Split {
    pub(crate) pc: u32,
    pub(crate) mask: u32,
    pub(crate) frame: u32,
    /// The innermost group that the lanes belong to.
    pub(crate) group: u32,
    pub(crate) state: State,
}

/// Whether a split has all live lanes of its warp, and no group.
#[inline]
pub(super) fn is_converged(warp: &Warp, split: &Split) -> bool {
    split.mask == warp.live && split.group == NONE
}

/// The lanes of a split for which the guard of an instruction holds.
#[inline]
pub(super) fn guarded(warp: &Warp, split: &Split, inst: &Inst) -> u32 {
    if inst.guard == Slot::TRUE { split.mask } else { split.mask & warp.p(inst.guard) }
}

/// Lanes diverged by a branch, to be reconverged at `pc` in `frame`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) pc: u32,
    pub(crate) frame: u32,
    pub(crate) parent: u32,
    /// Mask of the lanes that still belong to the group.
    pub(crate) expected: u32,
    /// Mask of the lanes that wait at `pc`.
    pub(crate) arrived: u32,
    /// Instruction at which the waiting lanes continue.
    pub(super) resume: u32,
    /// Step count at the last arrival.
    pub(super) since: u64,
    /// Number of turns since the last arrival that ended because lanes yielded.
    pub(super) yields: u32,
}

/// The state of a warp, which can be saved and resumed between any two instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warp {
    pub(crate) narrow: Rows<u32>,
    pub(crate) wide: Rows<u64>,
    pub(crate) predicates: Vec<u32>,
    /// Local memory, word by word: word `w` of each lane.
    pub(crate) local: Vec<L32>,
    /// Shadow of local memory, if an observer wants it.
    pub(crate) local_shadow: Vec<L32>,
    pub(crate) frames: Frames,
    /// Splits that are not running.
    pub(crate) splits: Vec<Split>,
    pub(super) groups: Vec<Group>,
    pub(super) free_groups: Vec<u32>,
    /// Mask of the lanes that have a thread which has not exited.
    pub(crate) live: u32,
    /// Carry flags of the lanes.
    pub(crate) carry: u32,
    /// Number of the warp in its CTA.
    pub(crate) index: u32,
    pub(crate) steps: u64,
    /// Step count after which the warp's turn ends at a backward jump or a barrier.
    pub(super) end: u64,
    /// Number of steps in a turn of a split while other splits could run.
    pub(super) shared_turn: u64,
    /// Step count at the last atomic.
    pub(crate) last_atomic: u64,
    /// Mask of lanes that a group has released because others did not arrive (`open_stale`), while
    /// a GPU would have let them wait. Cleared when they reconverge with all others or pass a
    /// barrier.
    pub(super) released_early: u32,
    /// Number of atomics in the current turn.
    pub(crate) atomics: u32,
    /// Whether call frames, groups and register files are as at the start of a kernel.
    pub(super) has_initial_state: bool,
    /// Call frame of the running split, and the offsets of its registers.
    pub(crate) running: u32,
    narrow_base: usize,
    wide_base: usize,
    predicate_base: usize,
    /// First byte of the running call frame in local memory, and its end.
    pub(crate) local_base: u64,
    pub(crate) local_end: u64,
}

/// Stores the lanes `mask` of a value. All lanes are stored if `mask` has all live lanes.
#[inline(always)]
fn put_lanes<T>(to: &mut [T; 32], value: &L64, (mask, live): (u32, u32), of: impl Fn(u64) -> T) {
    if mask == live {
        to.iter_mut().zip(value).for_each(|(to, &value)| *to = of(value));
    } else {
        lanes(mask).for_each(|lane| to[lane] = of(value[lane]));
    }
}

impl Warp {
    /// Resets the warp to a single split of `lanes` at `pc` in frame 0.
    pub(crate) fn start(&mut self, index: u32, lanes: u32, pc: u32) {
        self.groups.clear();
        self.free_groups.clear();
        (self.index, self.has_initial_state) = (index, false);
        self.start_again(lanes, pc);
    }

    /// As [`Self::start`], for a warp whose call frames, groups and number are already those of a
    /// warp at the start.
    #[inline(always)]
    pub(super) fn start_again(&mut self, lanes: u32, pc: u32) {
        self.splits.clear();
        (self.live, self.carry, self.released_early) = (lanes, 0, 0);
        (self.steps, self.end, self.shared_turn) = (0, 0, FIRST_TURN);
        (self.last_atomic, self.atomics) = (0, 0);
        self.splits.push(Split { pc, mask: lanes, frame: 0, group: NONE, state: State::Ready });
    }

    /// Whether call frames and groups are as at the start of a kernel: no function was called, and
    /// lanes have diverged only within regions.
    #[inline(always)]
    pub(super) fn has_initial_frames(&self) -> bool {
        self.groups.is_empty() && self.frames.is_one()
    }

    /// Sets all predicates to false.
    #[inline(always)]
    pub(super) fn clear_predicates(&mut self) {
        // Filling an empty slice can be slower than filling a short one: glibc performs a masked
        // store at an invalid address.
        if !self.predicates.is_empty() {
            self.predicates.fill(0);
        }
    }

    /// Exchanges registers with another warp; both are in the kernel's frame.
    pub(super) fn swap_registers(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.narrow, &mut other.narrow);
        std::mem::swap(&mut self.wide, &mut other.wide);
        std::mem::swap(&mut self.predicates, &mut other.predicates);
    }

    /// Switches to the registers of a call frame.
    pub(crate) fn enter(&mut self, frame: u32) {
        self.running = frame;
        let f = self.frames.get(frame);
        (self.narrow_base, self.wide_base) = (f.narrow, f.wide);
        self.predicate_base = f.predicates;
        (self.local_base, self.local_end) = (f.local, f.local_end);
    }

    /// Offsets of the running frame's registers: narrow, wide, predicates.
    pub(crate) fn bases(&self) -> [usize; 3] {
        [self.narrow_base, self.wide_base, self.predicate_base]
    }

    /// Registers of the running call frame, and the registers above them for the frames of callees.
    #[inline(always)]
    pub(super) fn windows(&mut self) -> (&mut [L32], &mut [L64], &mut [u32]) {
        (
            self.narrow.rows_from(self.narrow_base),
            self.wide.rows_from(self.wide_base),
            &mut self.predicates[self.predicate_base..],
        )
    }

    /// 32-bit registers of the running call frame, and the registers above them for the frames of
    /// callees.
    #[inline(always)]
    pub(super) fn rows_mut(&mut self) -> &mut [L32] {
        self.narrow.rows_from(self.narrow_base)
    }

    /// 32-bit registers of the running call frame, and the registers above them for the frames of
    /// callees.
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

    /// The registers as observers see them.
    #[inline]
    pub(crate) fn registers<'a>(&'a self, constants: &'a Constants) -> Registers<'a> {
        let Self { narrow, wide, predicates, .. } = self;
        Registers { narrow, wide, predicates, constants, bases: self.bases() }
    }

    /// The registers of a call frame.
    pub(super) fn registers_of<'a>(&'a self, frame: u32, of: &'a Constants) -> Registers<'a> {
        let &Frame { narrow, wide, predicates, .. } = self.frames.get(frame);
        Registers { bases: [narrow, wide, predicates], ..self.registers(of) }
    }

    /// Reads any operand, zero-extended; predicates as 0 or 1.
    pub(crate) fn read(&self, constants: &Constants, slot: Slot, out: &mut L64) {
        *out = self.registers(constants).value(slot);
    }

    #[inline]
    pub(crate) fn put_n(&mut self, d: Slot, value: &L32, mask: u32) {
        let to = &mut self.narrow[self.narrow_base + d.index()];
        if mask == self.live { *to = *value } else { each::merge(to, value, mask) }
    }

    #[inline]
    pub(crate) fn put_p(&mut self, d: Slot, value: u32, mask: u32) {
        if d.is_none() {
            return;
        }
        let to = &mut self.predicates[self.predicate_base + d.predicate_index()];
        *to = (*to & !mask) | (value & mask);
    }

    /// Writes the bits `keep` of each value to a register of any kind.
    pub(crate) fn put(&mut self, d: Slot, value: &L64, keep: u64, mask: u32) {
        if d.is_none() {
        } else if d.is_wide() {
            let to = &mut self.wide[self.wide_base + d.index()];
            put_lanes(to, value, (mask, self.live), |value| value & keep);
        } else if d.is_predicate() {
            self.put_p(d, lanes_where(mask, |lane| value[lane] & keep != 0), mask);
        } else {
            let to = &mut self.narrow[self.narrow_base + d.index()];
            put_lanes(to, value, (mask, self.live), |value| (value & keep) as u32);
        }
    }
}

/// Splits of the warps of a batch, and the steps at which their turns end.
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
