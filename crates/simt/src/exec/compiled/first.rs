//! The region at the beginning of a kernel, for all warps of a CTA: short kernels run from one end to the other in it.

use super::Context;
use crate::code::{NONE, Op, Slot};
use crate::exec::warp::{Split, State, Warp};
use texunit_jit::region::Mode;

/// Warps of a CTA at most.
const MOST: usize = 32;

impl Context<'_> {
    /// Runs the warps of a CTA that has just begun as far as the region goes that begins with the kernel, if there is
    /// one, each for as many steps as a turn has. Those that come to the end of the kernel exit.
    pub(in crate::exec) fn run_first(&mut self, warps: &mut [Warp], budget: u64) {
        let launch = self.launch;
        let pc = launch.code.funcs[launch.entry as usize].entry;
        let door = self.compiled.as_ref().and_then(|of| of.table.at(Mode::Live, pc));
        let (Some(number), 1..=MOST) = (door, warps.len()) else { return };
        let budget = budget.min(launch.config.max_steps);
        let none = Split { pc, mask: 0, frame: 0, group: NONE, state: State::Ready };
        let (mut splits, mut ends) = ([none; MOST], [budget; MOST]);
        for (warp, split) in warps.iter_mut().zip(&mut splits) {
            split.mask = warp.live;
            warp.splits.clear();
            warp.end = budget;
            warp.enter(0);
        }
        let on = u32::MAX >> (MOST - warps.len());
        self.run_region(warps, &mut splits, &mut ends, on, (Mode::Live, number));
        for (warp, split) in warps.iter_mut().zip(&mut splits) {
            let inst = &launch.code.insts[split.pc as usize];
            let ends = matches!(inst.op, Op::Exit) && inst.guard == Slot::TRUE;
            if !ends || split.mask != warp.live || warp.steps >= budget {
                // Before those that have parted from it.
                warp.splits.insert(0, *split);
                continue;
            }
            self.exit_all(warp, split, inst);
        }
    }
}
