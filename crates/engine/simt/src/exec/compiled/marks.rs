//! Marks of observers in the middle of regions: what they tell is told, and the region goes on behind them.

use super::Context;
use crate::code::Op;
use crate::exec::outcome::Stop;
use crate::exec::warp::{Split, Warp};

impl Context<'_> {
    /// Tells what the marks say that a split stands before. False: it stands before no mark.
    fn pass_marks(&mut self, warp: &Warp, split: &mut Split) -> bool {
        let code = self.launch.code;
        let first = split.pc;
        while let inst = &code.insts[split.pc as usize]
            && let Op::Mark(mark) = &inst.op
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
    ) -> Option<Stop> {
        while self.pass_marks(warp, split) {
            match self.enter_once(warp, split, limit) {
                Some(Stop::Instruction) => {}
                // What has been told is done in any case.
                None => break,
                other => return other,
            }
        }
        Some(Stop::Instruction)
    }
}
