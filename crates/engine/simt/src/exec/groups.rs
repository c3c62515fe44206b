//! Divergence of lanes at a branch, and scheduling of diverged lanes in a warp: which split runs
//! next, which lanes wait at a reconvergence point, and when splits merge.

use super::limits::TURN;
use super::outcome::Flow;
use super::warp::{Group, Split, State, Warp};
use crate::code::NONE;
use std::iter::successors;
use texunit_jit::region::{DivergedLanes, FIRST_TURN, Side};

/// Number of steps that a group waits at its reconvergence point for lanes that show no sign of
/// spinning.
const PATIENCE: u64 = 1 << 16;
/// Number of steps that a group waits if atomics were executed meanwhile, because the lanes may be
/// spinning on a lock that a waiting lane holds.
const SPIN_PATIENCE: u64 = 1 << 11;
/// Factor of [`PATIENCE`] and [`SPIN_PATIENCE`] for code that reads the active mask without
/// `.sync`. Such code expects converged lanes, so that slow lanes are waited for longer, as on a
/// GPU. The price is a long delay if a lane waits for another lane of its warp.
const TOGETHER: u64 = 1 << 8;
const SPIN_TOGETHER: u64 = 1 << 9;
/// Number of steps that a turn counts for if it ended because lanes yielded.
const YIELDED: u64 = 1 << 6;

/// Number of steps that a group waits. For `uses_activemask` see [`Warp::open_stale`].
pub(super) fn patience(uses_activemask: bool, spins: bool) -> u64 {
    match (uses_activemask, spins) {
        (true, true) => SPIN_PATIENCE * SPIN_TOGETHER,
        (true, false) => PATIENCE * TOGETHER,
        (false, true) => SPIN_PATIENCE,
        (false, false) => PATIENCE,
    }
}

impl Warp {
    /// Whether other lanes of this warp can run besides the running split.
    pub(crate) fn is_divided(&self, running: u32) -> bool {
        running != self.live
    }

    /// Mask of the lanes that wait at a barrier of the CTA.
    pub(crate) fn waiting_at(&self, barrier: u8) -> u32 {
        let there = self.splits.iter().filter(|s| s.state == State::Barrier(barrier));
        there.fold(0, |m, s| m | s.mask)
    }

    /// Takes the next split that can run, merged with others at the same instruction. If all splits
    /// are blocked, a group is opened. `None`: the warp has ended or is blocked.
    pub(crate) fn pick(&mut self) -> Option<Split> {
        debug_assert!(self.has_all_lanes(), "lanes of warp {} are lost: {self:?}", self.index);
        if let [Split { state: State::Ready, .. }] = self.splits[..] {
            return self.splits.pop();
        }
        loop {
            if let Some(i) = self.splits.iter().position(|s| s.state == State::Ready) {
                let split = self.splits.remove(i);
                let all = self.gather(split, State::Ready);
                if all.mask != split.mask {
                    self.shared_turn = FIRST_TURN;
                }
                return Some(all);
            }
            let waiting = (0..self.groups.len() as u32).filter(|&g| self.is_waiting(g));
            let latest = waiting.max_by_key(|&g| self.groups[g as usize].since)?;
            self.open(latest);
        }
    }

    /// Number of steps in a turn of the running split.
    pub(super) fn split_turn(&self) -> u64 {
        let is_shared = self.splits.iter().any(|other| other.state == State::Ready);
        if is_shared { self.shared_turn } else { TURN }
    }

    /// Whether each live lane is in exactly one split, or waits in exactly one group. Assertions
    /// use this.
    fn has_all_lanes(&self) -> bool {
        let splits = self.splits.iter().map(|s| s.mask);
        let mut all = splits.chain(self.groups.iter().map(|g| g.arrived));
        all.try_fold(0, |seen, m| (seen & m == 0).then_some(seen | m)) == Some(self.live)
    }

    /// Merges all other splits with the same instruction and frame as `split`, and in `state`, into
    /// it.
    pub(crate) fn gather(&mut self, mut split: Split, state: State) -> Split {
        let mut i = 0;
        while i < self.splits.len() {
            let other = self.splits[i];
            let meets = other.pc == split.pc && other.frame == split.frame && other.state == state;
            if meets {
                self.splits.remove(i);
                split = self.merge(split, other);
                // Leaving groups may have changed the list of splits, so that the search starts
                // again.
                i = 0;
            } else {
                i += 1;
            }
        }
        split
    }

    fn merge(&mut self, mut a: Split, b: Split) -> Split {
        let common = self.common_group(a.group, b.group);
        self.leave_to(a.group, common, a.mask);
        self.leave_to(b.group, common, b.mask);
        self.frames.release(b.frame);
        a.group = common;
        a.mask |= b.mask;
        a.state = State::Ready;
        a
    }

    /// The innermost group that contains two groups, which may be one of them.
    fn common_group(&self, a: u32, b: u32) -> u32 {
        let parent = |g: &u32| self.groups.get(*g as usize).map(|group| group.parent);
        let around = |g| successors(Some(g), parent);
        around(a).find(|x| around(b).any(|y| y == *x)).unwrap_or(NONE)
    }

    /// Continues a split with the lanes `kept` alone. The other lanes become a split that executes
    /// the same instruction later.
    pub(super) fn part(&mut self, split: &mut Split, kept: u32) {
        if kept != split.mask {
            self.frames.retain(split.frame);
            self.splits.push(Split { mask: split.mask & !kept, ..*split });
            split.mask = kept;
        }
    }

    fn is_waiting(&self, g: u32) -> bool {
        self.groups[g as usize].arrived != 0
    }

    /// The group for a branch of `split` that reconverges at `pc`.
    pub(crate) fn group_for(&mut self, split: &Split, pc: u32) -> u32 {
        if pc == NONE || self.meets(split, pc) {
            return split.group;
        }
        self.frames.retain(split.frame);
        let group = Group {
            pc,
            frame: split.frame,
            parent: split.group,
            expected: split.mask,
            arrived: 0,
            resume: pc,
            since: self.steps,
            yields: 0,
        };
        match self.free_groups.pop() {
            Some(g) => {
                self.groups[g as usize] = group;
                g
            }
            None => {
                self.groups.push(group);
                self.groups.len() as u32 - 1
            }
        }
    }

    /// Whether the split's group reconverges at this instruction.
    #[inline]
    pub(crate) fn meets(&self, split: &Split, pc: u32) -> bool {
        let group = self.groups.get(split.group as usize);
        group.is_some_and(|group| group.pc == pc && group.frame == split.frame)
    }

    /// Lanes arrive at the reconvergence point of their group. If the group is complete, returns
    /// its lanes and the group that they belong to from now on.
    pub(crate) fn arrive(&mut self, g: u32, mask: u32, resume: u32) -> Option<(u32, u32)> {
        let group = &mut self.groups[g as usize];
        group.arrived |= mask;
        (group.since, group.yields) = (self.steps, 0);
        group.resume = resume;
        if group.arrived != group.expected {
            return None;
        }
        let (all, parent) = (group.expected, group.parent);
        self.free_group(g);
        Some((all, parent))
    }

    fn free_group(&mut self, g: u32) {
        let group = &mut self.groups[g as usize];
        group.expected = 0;
        group.arrived = 0;
        let frame = group.frame;
        self.frames.release(frame);
        self.free_groups.push(g);
    }

    /// Removes lanes from the groups from `g` up to, but not including, `end`.
    fn leave_to(&mut self, mut g: u32, end: u32, mask: u32) {
        while g != end {
            let Some(group) = self.groups.get_mut(g as usize) else { return };
            let parent = group.parent;
            group.expected &= !mask;
            if group.expected == 0 {
                self.free_group(g);
            } else if group.arrived == group.expected {
                self.open(g);
            }
            g = parent;
        }
    }

    /// Removes the lanes of a split from all groups of its frame.
    pub(crate) fn leave_frame(&mut self, split: &mut Split) {
        while let Some(group) = self.groups.get(split.group as usize)
            && group.frame == split.frame
        {
            let (g, parent) = (split.group, group.parent);
            self.leave_to(g, parent, split.mask);
            split.group = parent;
        }
    }

    /// Releases the waiting lanes of a group, although its other lanes have not arrived.
    fn open(&mut self, g: u32) {
        let group = &mut self.groups[g as usize];
        let mask = std::mem::take(&mut group.arrived);
        group.expected &= !mask;
        self.released_early |= mask;
        let split = Split {
            pc: group.resume,
            mask,
            frame: group.frame,
            group: group.parent,
            state: State::Ready,
        };
        let empty = group.expected == 0;
        self.frames.retain(split.frame);
        self.splits.push(split);
        if empty {
            self.free_group(g);
        }
    }

    /// Opens groups whose remaining lanes do not arrive in time. `uses_activemask`: the code reads
    /// the active mask ([`crate::code::Code::uses_activemask`]).
    pub(crate) fn open_stale(&mut self, uses_activemask: bool) {
        for g in 0..self.groups.len() as u32 {
            let group = &self.groups[g as usize];
            let spins = self.last_atomic > group.since;
            let patience = patience(uses_activemask, spins);
            let waited = if uses_activemask { 0 } else { YIELDED * u64::from(group.yields) };
            if group.arrived != 0 && self.steps - group.since + waited > patience {
                self.open(g);
            }
        }
    }

    /// Number of steps for which lanes of this warp may switch between the sides of a branch
    /// without [`Self::pick`], because no other lanes can run and no group becomes stale.
    /// `atomics`: atomics may be executed.
    pub(super) fn patience(&self, uses_activemask: bool, atomics: bool) -> u64 {
        if self.splits.iter().any(|split| split.state == State::Ready) {
            return 0;
        }
        let waiting = self.groups.iter().filter(|group| group.arrived != 0);
        let left = waiting.map(|group| {
            let spins = atomics || self.last_atomic > group.since;
            let waited = if uses_activemask { 0 } else { YIELDED * u64::from(group.yields) };
            patience(uses_activemask, spins).saturating_sub(self.steps - group.since + waited)
        });
        left.min().unwrap_or(u64::MAX)
    }

    /// Creates the groups and splits of lanes that have diverged in a region. `split` is the
    /// running split with the lanes it had at the entry; step counts are relative to the entry.
    #[cold]
    pub(super) fn diverge(&mut self, split: &mut Split, diverged: &DivergedLanes) {
        let mut groups: Vec<u32> = Vec::with_capacity(diverged.groups.len());
        for (i, group) in diverged.groups.iter().enumerate() {
            let parent = groups.get(group.parent as usize).copied().unwrap_or(split.group);
            let number = match i {
                0 => parent,
                _ => {
                    let all = Split { mask: group.expected, group: parent, ..*split };
                    self.group_for(&all, group.reconverge_at)
                }
            };
            groups.push(number);
            if group.arrived != 0 {
                // The result is ignored, because the group is not complete yet.
                let _ = self.arrive(number, group.arrived, group.reconverge_at);
                self.groups[number as usize].since = self.steps + group.since;
            }
        }
        let number = |i: usize| groups.get(i).copied().unwrap_or(split.group);
        for &Side { at: pc, mask, group, .. } in &diverged.pending {
            self.frames.retain(split.frame);
            self.splits.push(Split { pc, mask, group: number(group as usize), ..*split });
        }
        split.group = number(diverged.innermost);
    }

    /// Lanes of a split exit.
    pub(crate) fn exit(&mut self, split: &mut Split, mask: u32) {
        self.live &= !mask;
        split.mask &= !mask;
        self.leave_to(split.group, NONE, mask);
        if split.mask == 0 {
            self.frames.release(split.frame);
        }
        // Splits that wait for the exited lanes check again whether all lanes have arrived.
        for other in &mut self.splits {
            if other.state == State::Sync {
                other.state = State::Ready;
            }
        }
    }
}

/// Diverges the lanes of a split: `taken` go to `target`, the others to the next instruction.
/// `meets`: their reconvergence point.
pub(super) fn diverge(warp: &mut Warp, split: &mut Split, taken: u32, target: u32, meets: u32) {
    if !warp.is_divided(split.mask) {
        warp.shared_turn = FIRST_TURN;
    }
    let group = warp.group_for(split, meets);
    let rest = split.mask & !taken;
    split.group = group;
    let next = split.pc + 1;
    // Lanes that are at the reconvergence point immediately need no split.
    if target == meets {
        let _ = warp.arrive(group, taken, target);
        (split.mask, split.pc) = (rest, next);
    } else if next == meets {
        let _ = warp.arrive(group, rest, next);
        (split.mask, split.pc) = (taken, target);
    } else {
        warp.frames.retain(split.frame);
        warp.splits.push(Split { pc: target, mask: taken, ..*split });
        (split.mask, split.pc) = (rest, next);
    }
}

/// Handles the arrival of a split at an instruction that may be its reconvergence point.
pub(super) fn join(warp: &mut Warp, split: &mut Split) -> Flow {
    let flow = join_at(warp, split, split.pc);
    if flow == Flow::Continues {
        split.pc += 1;
    }
    flow
}

/// Handles the arrival of a split at `point`, which is its instruction, or
/// [`AT_RETURN`](crate::code::AT_RETURN) at the return of a function.
pub(super) fn join_at(warp: &mut Warp, split: &mut Split, point: u32) -> Flow {
    while split.group != NONE && warp.meets(split, point) {
        match warp.arrive(split.group, split.mask, split.pc) {
            Some((mask, group)) => (split.mask, split.group) = (mask, group),
            None => {
                warp.frames.release(split.frame);
                return Flow::Retired;
            }
        }
    }
    Flow::Continues
}
