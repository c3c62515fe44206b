//! Turns of the warps of a CTA that run in lockstep, and barriers between their groups.
//!
//! A group that comes to a barrier for all threads stays as it is and waits; when all threads of the CTA wait in groups, all
//! go on behind it, and nothing else is looked at. Where some of the CTA's threads wait alone, the groups are given up
//! first, and the barrier is opened as any other. The order of warps is the same: each group as far as it gets, then the
//! next one, and from the first one again behind a barrier, each with a new turn.

use super::members::{Budget, Members};
use crate::exec::context::Context;
use crate::exec::limits::LOCKSTEP;
use crate::exec::warp::{Warp, lanes};
use crate::observe::{Events, Synchronized};
use crate::stats::Fault;
use std::ops::Range;

/// Groups of a CTA, which has 1024 threads at most.
const GROUPS: usize = 1024 / 32 / LOCKSTEP;

/// The groups of a CTA.
pub(super) struct Groups([Members; GROUPS]);

/// What came of a turn in lockstep.
pub(in crate::exec) struct Turned {
    /// Bits of warps whose turn is over.
    pub(in crate::exec) over: u32,
    /// Whether a barrier has been opened.
    pub(in crate::exec) opened: bool,
    /// Whether somebody has said that the launch is over.
    pub(in crate::exec) stopped: bool,
}

/// The warps of a group, where there are so many.
fn range(group: usize, warps: usize) -> Range<usize> {
    let first = group * LOCKSTEP;
    first..warps.min(first + LOCKSTEP)
}

impl Groups {
    /// Threads that wait at the barrier of the first group that has one, and its number.
    fn held(&self) -> Option<(u8, u32)> {
        let barrier = self.0.iter().find(|group| group.held != 0)?.barrier;
        let there = self.0.iter().filter(|group| group.held != 0 && group.barrier == barrier);
        Some((barrier, there.map(|group| group.threads).sum()))
    }

    fn disband(&mut self, warps: &mut [Warp]) {
        for (members, warps) in self.0.iter_mut().zip(warps.chunks_mut(LOCKSTEP)) {
            if members.on | members.held != 0 {
                members.disband(warps);
            }
        }
    }
}

impl Context<'_> {
    /// Runs the warps of a CTA whose lanes are together, each for about `steps` steps.
    pub(in crate::exec) fn turn_in_lockstep(
        &mut self,
        warps: &mut [Warp],
        steps: u64,
        stop: impl Fn() -> bool,
    ) -> Result<Turned, Box<Fault>> {
        let budget = Budget { steps, most: self.launch.config.max_steps };
        let mut groups = Groups([const { Members::NOBODY }; GROUPS]);
        let mut turned = Turned { over: 0, opened: false, stopped: false };
        let count = warps.len().div_ceil(LOCKSTEP).min(GROUPS);
        // A warp makes a group of its own where others do, too: they wait for each other at barriers.
        let least = if count > 1 { 1 } else { 2 };
        let (mut group, mut is_first_round) = (0, true);
        while group < count {
            let (range, live) = (range(group, warps.len()), self.cta.live);
            let members = &groups.0[group];
            if members.on == 0 {
                groups.0[group].take(&mut warps[range.clone()], budget, least);
            }
            let members = &mut groups.0[group];
            let ran = self.run_lockstep(&mut warps[range.clone()], members);
            turned.over |= members.over << range.start;
            if let Err((i, at)) = ran {
                return Err(self.fault(&warps[range.start + i], at));
            }
            // Threads that exit may leave a barrier complete.
            let looks = is_first_round || self.cta.completed || live != self.cta.live;
            let passes = looks && self.has_complete_barrier() && {
                let released = self.release(warps, &mut groups, budget);
                if !released {
                    groups.disband(warps);
                    turned.opened |= self.open_barriers(warps);
                }
                released
            };
            if self.is_cancelled() {
                groups.disband(warps);
                return Err(self.cancelled(&warps[range.start]));
            }
            turned.stopped = stop();
            if turned.stopped {
                break;
            }
            group += 1;
            if passes {
                turned.opened = true;
                // The CTAs of a cooperative launch have turns of the same length.
                self.cta.all_passed = self.launch.config.cooperative;
                if self.cta.all_passed {
                    break;
                }
                self.tell_counts_at_times();
                (group, is_first_round, turned.over) = (0, false, 0);
            }
        }
        groups.disband(warps);
        Ok(turned)
    }

    /// Lets all threads of the CTA go on behind the barrier at which they wait in their groups. False: some are elsewhere,
    /// and nothing has been done.
    fn release(&mut self, warps: &mut [Warp], groups: &mut Groups, budget: Budget) -> bool {
        let Some((barrier, held)) = groups.held() else { return false };
        let state = &mut self.cta.barriers[usize::from(barrier)];
        if held != self.cta.live || held != state.arrived {
            return false;
        }
        *state = Default::default();
        self.cta.completed = false;
        if self.events.has(Events::SYNCHRONIZATION) {
            self.tell_passes(warps, groups, barrier);
        }
        for (members, warps) in groups.0.iter_mut().zip(warps.chunks_mut(LOCKSTEP)) {
            if members.held != 0 {
                members.release(warps, budget);
            }
        }
        true
    }

    #[cold]
    fn tell_passes(&mut self, warps: &[Warp], groups: &Groups, barrier: u8) {
        for (group, members) in groups.0.iter().enumerate() {
            for i in lanes(members.held) {
                let warp = &warps[group * LOCKSTEP + i];
                let at = self.at(warp, warp.live, members.splits[i].pc);
                self.tell_synchronized(at, &Synchronized::Passes { barrier: barrier.into() });
            }
        }
    }
}
