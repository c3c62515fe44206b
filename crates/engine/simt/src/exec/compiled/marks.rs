//! Marks of observers in the middle of regions: what they tell is told, and the region goes on behind them.

use super::Context;
use crate::code::Op;
use crate::exec::is_quiet;
use crate::exec::limits::LOCKSTEP;
use crate::exec::outcome::Ran;
use crate::exec::warp::{Split, Warp, lanes};
use texunit_jit::region::Mode;

impl Context<'_> {
    /// Tells what the marks say that a split stands before. `alone`: no other warp runs in lockstep with it, which
    /// might see in which order they come. False: it stands before no mark.
    fn pass_marks(&mut self, warp: &Warp, split: &mut Split, alone: bool) -> bool {
        let code = self.launch.code;
        let first = split.pc;
        while let inst = &code.insts[split.pc as usize]
            && let Op::Mark(mark) = &inst.op
            && (alone || is_quiet(&inst.op))
        {
            self.mark(warp, mark, split.mask);
            split.pc += 1;
        }
        split.pc != first
    }

    /// A split has left a region before an instruction for the interpreter: while that is a mark, it goes on.
    #[inline(never)]
    pub(super) fn go_on_behind_marks(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        limit: &mut u64,
    ) -> Ran {
        while self.pass_marks(warp, split, true) {
            match self.enter_once(warp, split, limit) {
                Ran::Stands => {}
                // What has been told is done in any case.
                Ran::Nothing => return Ran::Stands,
                other => return other,
            }
        }
        Ran::Stands
    }

    /// The same of warps in lockstep, which go on one after the other. The instruction before which all of them stand
    /// then; none: they are not at the same, or have to be looked at.
    #[inline(never)]
    pub(super) fn each_behind_marks(
        &mut self,
        warps: &mut [Warp],
        splits: &mut [Split],
        ends: &[u64; LOCKSTEP],
        on: u32,
    ) -> Option<u32> {
        let (mut same, mut to) = (true, None);
        for i in lanes(on) {
            let mut goes = true;
            while goes && self.pass_marks(&warps[i], &mut splits[i], false) {
                let door = self.compiled.as_ref()?.table.at(Mode::Live, splits[i].pc);
                let Some(number) = door else { break };
                let ends = &mut ends.clone();
                let (ran, same) =
                    self.run_region(warps, splits, ends, 1 << i, (Mode::Live, number));
                if ran == Ran::Outside {
                    self.arrive(Mode::Live, splits[i].pc, 1);
                }
                goes = same && ran == Ran::Stands;
            }
            same &= goes && to.is_none_or(|pc| pc == splits[i].pc);
            to = Some(splits[i].pc);
        }
        to.filter(|_| same)
    }
}
