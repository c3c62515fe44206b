//! The regions at the beginning of a kernel, for warps of a CTA that has just begun, where CTAs are not run from one end to
//! the other (`short`): they have atomics or local memory, or somebody observes.

use super::Context;
use crate::code::{Inst, NONE, Op, Slot};
use crate::exec::limits::LOCKSTEP;
use crate::exec::outcome::Ran;
use crate::exec::warp::{Split, State, Warp, count};
use crate::observe::Events;
use texunit_jit::region::Mode;

/// Where a group of warps stands.
struct Stand {
    splits: [Split; LOCKSTEP],
    /// Steps up to which each may go.
    ends: [u64; LOCKSTEP],
}

impl Context<'_> {
    /// Runs the warps of a CTA that has just begun as far as regions and fetches go that all of a group come to, if the
    /// kernel begins with a region, each for as many steps as a turn has. Those that come to the end of the kernel exit.
    pub(in crate::exec) fn run_first(&mut self, warps: &mut [Warp], budget: u64) {
        let launch = self.launch;
        let pc = launch.code.funcs[launch.entry as usize].entry;
        if !self.is_door(pc) {
            warps.iter_mut().for_each(|warp| warp.is_as_begun = false);
            return;
        }
        let budget = budget.min(launch.config.max_steps);
        let split = Split { pc, mask: 0, frame: 0, group: NONE, state: State::Ready };
        for group in warps.chunks_mut(LOCKSTEP) {
            let mut stand = Stand { splits: [split; LOCKSTEP], ends: [budget; LOCKSTEP] };
            for (warp, split) in group.iter_mut().zip(&mut stand.splits) {
                split.mask = warp.live;
                warp.splits.clear();
                warp.end = budget;
                if !std::mem::take(&mut warp.is_as_begun) {
                    warp.enter(0);
                }
            }
            self.run_group(group, &mut stand, budget);
            for (warp, split) in group.iter_mut().zip(&stand.splits) {
                if warp.live != 0 {
                    // Before those that have parted from it.
                    warp.splits.insert(0, *split);
                }
            }
        }
    }

    fn run_group(&mut self, group: &mut [Warp], stand: &mut Stand, budget: u64) {
        let code = self.launch.code;
        let on = u32::MAX >> (32 - group.len());
        let mut pc = stand.splits[0].pc;
        while let Some(number) = self.door(pc) {
            let Stand { splits, ends } = &mut *stand;
            let (ran, same) = self.run_region(group, splits, ends, on, (Mode::Live, number));
            if !same || ran != Ran::Stands {
                break;
            }
            pc = splits[0].pc;
            let inst = &code.insts[pc as usize];
            if inst.guard != Slot::TRUE || !group.iter().all(|warp| warp.steps < budget) {
                break;
            }
            let counted = u64::from(inst.count);
            if matches!(inst.op, Op::Exit) && !self.events.has(Events::CALLS) {
                return self.exit_group(group, counted);
            }
            match &inst.op {
                Op::Fetch(fetch) if self.fetch_lockstep(group, on, fetch) => {}
                _ => break,
            }
            for (warp, split) in group.iter_mut().zip(splits) {
                split.pc = pc + 1;
                let live = warp.live;
                self.counters.executed.count_lanes(warp, counted, live);
            }
            pc += 1;
        }
        self.end_group(group, stand, budget);
    }

    /// All warps of a group exit, each with all its lanes.
    fn exit_group(&mut self, group: &mut [Warp], counted: u64) {
        let mut threads = 0;
        for warp in group.iter_mut() {
            let live = warp.live;
            threads += count(live);
            self.counters.executed.count_lanes(warp, counted, live);
            end(warp);
        }
        self.cta.live -= threads as u32;
    }

    /// Those of a group that stand at the end of the kernel exit.
    fn end_group(&mut self, group: &mut [Warp], stand: &mut Stand, budget: u64) {
        let is_told = self.events.has(Events::CALLS);
        for (warp, split) in group.iter_mut().zip(&mut stand.splits) {
            let inst: &Inst = &self.launch.code.insts[split.pc as usize];
            let ends = matches!(inst.op, Op::Exit) && inst.guard == Slot::TRUE;
            if ends && split.mask == warp.live && warp.steps < budget {
                self.exit_all(warp, split, inst);
                if !is_told {
                    end(warp);
                }
            }
        }
    }
}

/// A warp has come to the end of the kernel, and has been in no call.
#[inline(always)]
fn end(warp: &mut Warp) {
    warp.live = 0;
    warp.is_as_begun = warp.splits.is_empty() && warp.groups.is_empty();
}
