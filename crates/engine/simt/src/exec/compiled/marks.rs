//! Regions of observed launches: executes observer callbacks at a mark, and shadow operations within
//! a group of loads, and enters the region again after them.

use super::Context;
use super::state::Inside;
use crate::code::Op;
use crate::exec::outcome::Stop;
use crate::exec::warp::{Split, Warp, guarded};

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

    /// Executes the shadow operation at which a split has left a region within a group of loads, and
    /// returns the region, which continues after it; `None` if the split is elsewhere.
    fn pass_inside(&mut self, warp: &mut Warp, split: &mut Split) -> Option<u32> {
        let at = split.pc;
        let is_it = |inside: &mut Inside| (inside.warp, inside.at) == (warp.index, at);
        let inside = self.compiled.as_mut()?.inside.take_if(is_it)?;
        let inst = &self.launch.code.insts[at as usize];
        let Op::Shadow(shadow) = &inst.op else { return None };
        self.shadow(warp, shadow, guarded(warp, split, inst));
        self.fill_missed(at);
        split.pc += 1;
        Some(inside.region)
    }

    /// Executes the region that can be entered at the instruction of a split of an observed launch.
    /// While it is left at a mark or within a group of loads, it is entered again.
    #[inline(never)]
    pub(super) fn enter_observed(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        limit: &mut u64,
    ) -> Option<Stop> {
        let mut has_left = false;
        loop {
            let inside = self.pass_inside(warp, split);
            if inside.is_none() && has_left && !self.pass_marks(warp, split) {
                return Some(Stop::Instruction);
            }
            let number = inside.or_else(|| self.region_at(warp, split))?;
            match self.enter_region(warp, split, limit, number) {
                Some(Stop::Instruction) => has_left = true,
                other => return other,
            }
        }
    }
}
