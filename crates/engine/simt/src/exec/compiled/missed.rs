//! `Site` exits: an access of compiled code left the region because it is outside the allocation
//! cached at its site. The interpreter executes the access, and the site is updated with the
//! allocation it found.

use super::state::{Compiled, Missed};
use crate::code::{MemSpace, Op};
use crate::exec::context::Context;
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
}

/// The part of the last allocation that compiled accesses may reach.
fn reach<'a>(config: &LaunchConfig<'a>, op: &Op, hint: usize) -> Option<Reach<'a>> {
    if let Op::Load(access) = op
        && matches!(access.mem_space, MemSpace::Param | MemSpace::Generic)
        && access.seen.only_params()
    {
        return Some(Reach::of_bytes(PARAM_WINDOW, config.params));
    }
    let memory = config.memory;
    let reach = (hint < memory.blocks().len()).then(|| memory.reach(hint))?;
    // Only allocated parts of the device heap may be accessed.
    config.heap.is_none_or(|heap| heap.base() != reach.address()).then_some(reach)
}
