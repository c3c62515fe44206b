//! A group of warps that run in lockstep.

use crate::code::NONE;
use crate::exec::limits::LOCKSTEP;
use crate::exec::team::{Team, may_go};
use crate::exec::warp::{Split, State, Warp, count, lanes};

/// The splits of warps that run in lockstep.
pub(super) struct Members {
    pub(super) splits: [Split; LOCKSTEP],
    /// Steps at which the turn of each ends.
    pub(super) ends: [u64; LOCKSTEP],
    /// Bits of those that still do.
    pub(super) on: u32,
    /// Bits of those whose turn is over.
    pub(super) over: u32,
    /// Bits of those that wait at a barrier for all threads of the CTA, and will go on in lockstep.
    pub(super) held: u32,
    /// Its number, and how many threads they have, behind it, too.
    pub(super) barrier: u8,
    pub(super) threads: u32,
    /// Where all of them stand who have come from a barrier together, or wait there; [`NONE`]: nobody knows.
    pub(super) at: u32,
}

/// Where the warps are that go next.
pub(super) struct Next {
    /// The lowest place of all.
    pub(super) pc: u32,
    /// Bits of those that are there.
    pub(super) here: u32,
    /// The place where others wait for them.
    pub(super) other: u32,
}

/// How long a turn is: steps that each warp has in it, and those that it may do in all.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    pub(super) steps: u64,
    pub(super) most: u64,
}

impl Members {
    /// A group without warps.
    pub(super) const NOBODY: Self = {
        let none = Split { pc: 0, mask: 0, frame: 0, group: NONE, state: State::Ready };
        Self {
            splits: [none; LOCKSTEP],
            ends: [0; LOCKSTEP],
            on: 0,
            over: 0,
            held: 0,
            barrier: 0,
            threads: 0,
            at: NONE,
        }
    };

    /// Takes the splits of warps whose lanes are all together; nothing if they are fewer than that.
    pub(super) fn take(&mut self, warps: &mut [Warp], budget: Budget, least: u32) {
        let is_ready = |warp: &Warp| match warp.splits[..] {
            [split] => may_go(warp, &split) && split.state == State::Ready,
            _ => false,
        };
        let mut on = 0_u32;
        for (i, warp) in warps.iter().enumerate() {
            on |= u32::from(is_ready(warp)) << i;
        }
        (self.on, self.over, self.at) = (0, 0, NONE);
        if on.count_ones() < least {
            return;
        }
        for i in lanes(on) {
            let warp = &mut warps[i];
            let Some(split) = warp.splits.pop() else { continue };
            self.splits[i] = split;
            warp.enter(split.frame);
            self.begin_turn(i, warp, budget);
            self.on |= 1 << i;
        }
    }

    fn begin_turn(&mut self, i: usize, warp: &mut Warp, budget: Budget) {
        let end = warp.steps.saturating_add(budget.steps).min(budget.most);
        self.ends[i] = end;
        (warp.end, warp.atomics) = (end, 0);
    }

    /// Those at the lowest place: where ways part and meet again, the others wait at the meeting point.
    pub(super) fn next(&self) -> Option<Next> {
        let mut next = Next { pc: u32::MAX, here: 0, other: u32::MAX };
        for i in lanes(self.on) {
            let pc = self.splits[i].pc;
            if pc < next.pc {
                next = Next { pc, here: 0, other: next.pc };
            }
            if pc == next.pc {
                next.here |= 1 << i;
            } else {
                next.other = next.other.min(pc);
            }
        }
        (next.here != 0).then_some(next)
    }

    /// Those of these whose turn is over.
    pub(super) fn spent(&self, warps: &[Warp], on: u32) -> u32 {
        let spent = lanes(on).filter(|&i| warps[i].steps >= self.ends[i]);
        spent.fold(0, |all, i| all | 1 << i)
    }

    /// These, which stand at the same place.
    pub(super) fn team<'t>(&'t mut self, warps: &'t mut [Warp], on: u32) -> Team<'t> {
        Team { warps, splits: &mut self.splits, ends: &mut self.ends, on }
    }

    /// A warp goes alone from here on.
    pub(super) fn part(&mut self, i: usize, warp: &mut Warp) {
        self.on &= !(1 << i);
        // Before those that have parted from it: it is its turn.
        warp.splits.insert(0, self.splits[i]);
    }

    /// All of these do.
    pub(super) fn part_all(&mut self, all: u32, warps: &mut [Warp]) {
        lanes(all).for_each(|i| self.part(i, &mut warps[i]));
    }

    /// How many threads these warps have.
    pub(super) fn threads_of(&self, on: u32, warps: &[Warp]) -> u32 {
        lanes(on).map(|i| count(warps[i].live) as u32).sum()
    }

    /// These, which stand at the same place and have so many threads, wait for others at a barrier there. Those of one
    /// barrier stay in the group.
    pub(super) fn hold(&mut self, on: u32, warps: &mut [Warp], (barrier, threads): (u8, u32)) {
        let pc = self.splits[on.trailing_zeros() as usize].pc;
        if self.held == 0 {
            (self.barrier, self.threads, self.at) = (barrier, 0, pc);
        }
        if self.barrier == barrier {
            if self.at != pc {
                self.at = NONE;
            }
            self.threads += threads;
            self.held |= on;
            self.on &= !on;
            return;
        }
        for i in lanes(on) {
            self.splits[i].state = State::Barrier(barrier);
            self.part(i, &mut warps[i]);
        }
    }

    /// All who have come from a barrier together wait at the next one.
    pub(super) fn hold_all(&mut self, barrier: u8, at: u32) {
        (self.held, self.on) = (self.on, 0);
        (self.barrier, self.at) = (barrier, at);
    }

    /// Whether all of them have come from a barrier, and stand at [`Self::at`].
    pub(super) fn have_passed(&self) -> bool {
        self.at != NONE && self.held == 0 && self.on != 0
    }

    /// These, which are all, go on behind the instruction at which they stand.
    pub(super) fn pass(&mut self, on: u32, warps: &[Warp], at: u32) {
        let mut may_go = true;
        for i in lanes(on) {
            self.splits[i].pc = at + 1;
            may_go &= warps[i].steps < self.ends[i];
        }
        self.at = if may_go { at + 1 } else { NONE };
    }

    /// Those that have waited at a barrier are behind it, with a new turn.
    pub(super) fn release(&mut self, warps: &mut [Warp], budget: Budget) {
        (self.on, self.held, self.over) = (self.held, 0, 0);
        let mut may_go = self.at != NONE;
        for i in lanes(self.on) {
            self.splits[i].pc += 1;
            self.begin_turn(i, &mut warps[i], budget);
            may_go &= warps[i].steps < self.ends[i];
        }
        self.at = if may_go { self.at + 1 } else { NONE };
    }

    /// Nobody is in the group any more: who waits, waits alone.
    pub(super) fn disband(&mut self, warps: &mut [Warp]) {
        let held = std::mem::take(&mut self.held);
        for i in lanes(held) {
            self.splits[i].state = State::Barrier(self.barrier);
        }
        self.part_all(self.on | held, warps);
    }
}
