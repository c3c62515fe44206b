//! Exits of a region at a single instruction, after which the region may be entered again.
//!
//! `Site` exits: an access of compiled code left the region because it is outside the allocation
//! cached at its site. The interpreter executes the access, and the site is updated with the
//! allocation it found. In an observed launch: marks, which call the observer, and shadow
//! operations within a group of loads.

use super::state::{Compiled, Inside, Missed};
use crate::code::{MemSpace, Op};
use crate::exec::context::Context;
use crate::exec::outcome::Stop;
use crate::exec::warp::{Split, Warp, guarded};
use crate::observe::LaunchConfig;
use texunit_jit::region::MAX_WARPS;
use texunit_memory::{PARAM_WINDOW, Reach};

impl Compiled<'_> {
    /// Records a `Site` exit, whose access the interpreter executes next.
    #[cold]
    pub(super) fn miss(&mut self, missed: Missed) {
        if !self.missed.contains(&missed) {
            // The list is limited, because diverged or cancelled lanes may never execute their
            // access.
            if self.missed.len() == MAX_WARPS {
                self.missed.remove(0);
            }
            self.missed.push(missed);
        }
    }
}

impl Context<'_> {
    /// Called after the interpreter has executed an access. Updates the sites of compiled code that
    /// were left for this access.
    #[inline]
    pub(in crate::exec) fn fill_missed(&mut self, at: u32) {
        if self.compiled.as_ref().is_some_and(|compiled| !compiled.missed.is_empty()) {
            self.fill_those(at);
        }
    }

    #[cold]
    fn fill_those(&mut self, at: u32) {
        let Some(compiled) = &mut self.compiled else { return };
        let these: Vec<_> = compiled.missed.extract_if(.., |missed| missed.at == at).collect();
        these.into_iter().for_each(|missed| self.fill(missed));
    }

    fn fill(&mut self, Missed { region: number, site, at }: Missed) {
        let (launch, params) = (self.launch, self.fixed.params);
        let reach = match &launch.code.insts[at as usize].op {
            Op::Shadow(shadow) => self.shadows.as_ref().and_then(|shadows| shadows.reach(shadow)),
            op => reach(launch.config, op, self.hint),
        };
        let Some((compiled, reach)) = self.compiled.as_mut().zip(reach) else { return };
        let table = compiled.table;
        if let (Some(region), Some(sites)) =
            (table.region(number), compiled.sites_of(number).as_mut())
        {
            region.function.fill(sites, site, reach, params);
        }
    }

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

    /// Executes the shadow operation at which a split has left a region within a group of loads,
    /// and returns the region, which continues after it; `None` if the split is elsewhere.
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
    /// If the region is left at a mark or within a group of loads, it is entered again after the
    /// mark or shadow operation.
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

/// The part of the last allocation that compiled accesses may reach.
fn reach<'a>(config: &LaunchConfig<'a>, op: &Op, hint: usize) -> Option<Reach<'a>> {
    if let Op::Load(access) = op
        && matches!(access.at.mem_space, MemSpace::Param | MemSpace::Generic)
        && access.seen.only_params()
    {
        return Some(Reach::of_bytes(PARAM_WINDOW, config.params));
    }
    let memory = config.memory;
    let reach = (hint < memory.blocks().len()).then(|| memory.reach(hint))?;
    // Only allocated parts of the device heap may be accessed.
    config.heap.is_none_or(|heap| heap.base() != reach.address()).then_some(reach)
}
