//! The diverged lanes of the running warp: the tree of reconvergence groups, the pending sides of
//! branches, and the choice of the side that has the next turn. Compiled code creates groups and
//! sides (`emit::divergence`); the interpreter has the same rules.

use crate::run::{DivergenceLimits, FIRST_TURN};
use crate::warp_slot::WarpSlot;
use std::iter::successors;

/// The maximum number of reconvergence groups, including the caller's, and of pending sides.
pub(crate) const GROUPS: usize = 16;
pub(crate) const SIDES: usize = 8;

/// A reconvergence group: lanes that diverged at a branch, and wait for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Group {
    /// The instruction before which the lanes reconverge.
    pub reconverge_at: u32,
    /// The mask of all lanes of the group; zero for the caller's group, which compiled code never
    /// completes.
    pub expected: u32,
    /// The mask of lanes that wait at the reconvergence point.
    pub arrived: u32,
    /// The index of the enclosing group; the caller's group encloses itself.
    pub parent: u32,
    /// The step count when lanes last arrived at the reconvergence point, if any have.
    pub since: u64,
}

/// Lanes that wait for a turn: a side of a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Side {
    /// The instruction at which the lanes continue.
    pub at: u32,
    /// The mask of the lanes.
    pub mask: u32,
    /// The index of the innermost group that the lanes belong to.
    pub group: u32,
    /// The code address at which the lanes continue.
    pub(crate) target: u64,
}

/// The inactive lanes of a warp that has exited; the active ones are in
/// [`crate::region::Exit::mask`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergedLanes {
    /// Reconvergence groups; an enclosing group precedes the groups inside it. The first is the
    /// caller's ([`crate::region::Running::table`]).
    pub groups: Vec<Group>,
    /// The index of the innermost group that the active lanes belong to.
    pub innermost: usize,
    /// The pending sides, in the order of their turns.
    pub pending: Vec<Side>,
}

/// [`EndedTurn::at`] of lanes that have arrived at their reconvergence point.
pub(crate) const AT_RECONVERGENCE: u32 = u32::MAX;

/// The block before which the turn of the active lanes ended, and the code addresses of its entry
/// for some lanes and of its entry for all live lanes.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct EndedTurn {
    pub(crate) at: u32,
    pub(crate) some: u64,
    pub(crate) all: u64,
}

/// The diverged lanes of the running warp.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct FrameDivergence {
    /// The innermost group of the active lanes, and its index in `groups`. Its element of `groups`
    /// is out of date until another group becomes the innermost.
    pub(crate) group: Group,
    pub(crate) innermost: u32,
    /// The reconvergence groups, and a mask of the elements that are in use. The first is the
    /// caller's.
    pub(crate) groups: [Group; GROUPS],
    pub(crate) used: u32,
    /// The pending sides in the order of their turns, and their number.
    pub(crate) sides: [Side; SIDES],
    pub(crate) pending: u32,
    pub(crate) ended: EndedTurn,
    /// Step limits as in [`DivergenceLimits`]; `outer_patience` is the patience that holds while no
    /// lanes wait in a group of the region.
    pub(crate) turn: u64,
    pub(crate) shared_turn: u64,
    pub(crate) wait_limit: u64,
    pub(crate) patience: u64,
    pub(crate) outer_patience: u64,
}

impl FrameDivergence {
    /// Starts a run without diverged lanes, in a group that reconverges at the instruction
    /// `reconverge_at`.
    #[inline(always)]
    pub(crate) fn begin(&mut self, reconverge_at: u32, limits: DivergenceLimits) {
        self.begin_in(reconverge_at);
        (self.turn, self.shared_turn) = (limits.turn, limits.shared_turn);
        self.wait_limit = limits.wait_limit;
        (self.patience, self.outer_patience) = (limits.patience, limits.patience);
    }

    /// Sets the caller's group as the only one, without pending sides.
    #[inline(always)]
    fn begin_in(&mut self, reconverge_at: u32) {
        (self.group.reconverge_at, self.group.expected, self.group.arrived) = (reconverge_at, 0, 0);
        (self.innermost, self.group.parent, self.used, self.pending) = (0, 0, 1, 0);
    }

    /// Clears the state that diverged lanes of the previous warp have left, before the next warp of
    /// a table starts.
    #[inline(always)]
    pub(crate) fn begin_again(&mut self) {
        if self.has_diverged() {
            self.begin_in(u32::MAX);
        }
    }

    /// Whether some lanes are pending or wait at a reconvergence point.
    #[inline(always)]
    pub(crate) fn has_diverged(&self) -> bool {
        self.innermost | self.group.arrived | self.pending != 0
    }

    /// Makes the first pending side active, with all other sides that are pending at the same
    /// instruction, after the active lanes have ended their turn or have arrived at their
    /// reconvergence point. Returns the code address at which the lanes continue; `None` if the
    /// caller must merge sides of different groups.
    pub(crate) fn next_side(&mut self, warp: &mut WarpSlot) -> Option<u64> {
        let (mut sides, mut n) = ([Side::default(); SIDES + 1], self.pending as usize);
        sides[..n].copy_from_slice(&self.sides[..n]);
        let EndedTurn { at, some, all } = self.ended;
        if at != AT_RECONVERGENCE {
            sides[n] = Side { at, mask: warp.mask, group: self.innermost, target: some };
            n += 1;
        }
        let (first, others) = sides[..n].split_first()?;
        let meets = |side: &Side| side.at == first.at;
        if others.iter().any(|side| meets(side) && side.group != first.group) {
            return None;
        }
        if at == AT_RECONVERGENCE {
            (self.group.arrived, self.group.since) = (self.group.arrived | warp.mask, warp.steps);
            self.patience = self.patience.min(warp.steps + self.wait_limit);
        } else {
            self.shared_turn = (2 * self.shared_turn).min(self.turn);
        }
        (warp.mask, self.pending) = (first.mask, 0);
        for side in others {
            if meets(side) {
                (warp.mask, self.shared_turn) = (warp.mask | side.mask, FIRST_TURN);
            } else {
                self.sides[self.pending as usize] = *side;
                self.pending += 1;
            }
        }
        self.groups[self.innermost as usize] = self.group;
        if warp.mask == warp.full_mask {
            // All lanes are active, so that no group waits, and the groups inside the region end.
            (self.innermost, self.used, self.group) = (0, 1, self.groups[0]);
            warp.limit = warp.end;
            return Some(all);
        }
        (self.innermost, self.group) = (first.group, self.groups[first.group as usize]);
        let turn = if self.pending == 0 { self.turn } else { self.shared_turn };
        warp.limit = warp.end.min(warp.steps + turn);
        Some(first.target)
    }

    /// See [`crate::region::Running::diverged_lanes`].
    pub(crate) fn lanes(&self) -> DivergedLanes {
        let mut groups = self.groups;
        groups[self.innermost as usize] = self.group;
        let parent = |i: &usize| (*i != 0).then(|| groups[*i].parent as usize);
        let mut used: Vec<_> = (0..GROUPS).filter(|i| self.used >> i & 1 != 0).collect();
        used.sort_by_key(|&i| successors(Some(i), parent).count());
        let position = |i: u32| used.iter().position(|&of| of == i as usize).unwrap_or(0);
        let of_parent =
            |i: &usize| Group { parent: position(groups[*i].parent) as u32, ..groups[*i] };
        let sides = self.sides[..self.pending as usize].iter();
        DivergedLanes {
            groups: used.iter().map(of_parent).collect(),
            innermost: position(self.innermost),
            pending: sides.map(|&of| Side { group: position(of.group) as u32, ..of }).collect(),
        }
    }
}
