//! Runs observer callbacks at a mark in the middle of a region, and enters the region again after it.

use super::Context;
use crate::code::Op;
use crate::exec::outcome::Stop;
use crate::exec::warp::{Split, Warp};

impl Context<'_> {
    /// Runs the callbacks of the marks before which a split stands. False if there is none.
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

    /// A split has exited a region before an instruction: while that is a mark, its callback runs and the region continues.
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
                // The callback has run in any case.
                None => break,
                other => return other,
            }
        }
        Some(Stop::Instruction)
    }
}
