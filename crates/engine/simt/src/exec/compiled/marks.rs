//! Executes observer callbacks at a mark within a region, and enters the region again after it.

use super::Context;
use crate::code::Op;
use crate::exec::outcome::Stop;
use crate::exec::warp::{Split, Warp};

impl Context<'_> {
    /// Executes the marks at which a split has arrived. Returns false if there is none.
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

    /// Called when a split has left a region. While the next instruction is a mark, its callback is
    /// executed and the region is entered again.
    #[inline(never)]
    pub(super) fn resume_after_marks(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        limit: &mut u64,
    ) -> Option<Stop> {
        while self.pass_marks(warp, split) {
            match self.enter_once(warp, split, limit) {
                Some(Stop::Instruction) => {}
                // The callback has been executed at this point.
                None => break,
                other => return other,
            }
        }
        Some(Stop::Instruction)
    }
}
