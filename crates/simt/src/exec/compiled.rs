//! Runs compiled regions: enters them where a split stands, and says what the interpreter has to do where they are
//! left.

use super::context::Context;
use super::warp::{Split, Warp};
use super::yielding::ATOMICS;
use crate::alu::L32;
use crate::code::{Code, NONE, Op};
use crate::launch::Interpreted;
use crate::regions::{Setting, Table};
use texunit_jit::Registers;
use texunit_jit::region::{Inputs, Left, Memory, Mode, Sites, Until, Why};
use texunit_syntax::Span;

/// What a worker has of compiled regions.
pub(super) struct Compiled<'a> {
    table: &'a Table,
    setting: Setting,
    /// By number of the region.
    sites: Vec<Option<Sites<'a>>>,
    /// The region and the site of the access that the interpreter makes in the middle of it.
    missed: Option<(u32, u32)>,
    /// Steps of warps in regions.
    steps: u64,
    /// Where interpretation has begun, in which mode, and how many steps had been interpreted before.
    since: (Mode, u32, u64),
    /// How often the interpreter has had to do an instruction in the middle of a region, by its place; nothing
    /// where it never has.
    left: Vec<u64>,
}

/// What came of an attempt to run a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// There is none at this place: nothing has been done.
    Nothing,
    /// The split stands before an instruction that the interpreter does next.
    Stands,
    /// The split has gone on to a place outside.
    Outside,
    /// Its turn is over.
    Over,
}

impl<'a> Compiled<'a> {
    pub(super) fn new(table: &'a Table, setting: Setting) -> Self {
        Self {
            table,
            setting,
            sites: Vec::new(),
            missed: None,
            steps: 0,
            since: (Mode::Live, 0, 0),
            left: Vec::new(),
        }
    }

    fn sites_of(&mut self, number: u32) -> Option<&mut Sites<'a>> {
        let table = self.table;
        let at = number as usize;
        if self.sites.len() <= at {
            self.sites.resize_with(at + 1, || None);
        }
        let new = || table.region(number).map(|region| region.function.sites());
        let sites = self.sites.get_mut(at)?;
        if sites.is_none() {
            *sites = new();
        }
        sites.as_mut()
    }
}

/// Which lanes of its warp a split has.
#[inline(always)]
fn mode(warp: &Warp, split: &Split) -> Mode {
    if split.mask == warp.live { Mode::Live } else { Mode::Some }
}

impl<'a> Context<'a> {
    /// Whether there can be compiled regions at all: then jumps back are looked at.
    #[inline(always)]
    pub(super) fn compiles(&self) -> bool {
        self.compiled.is_some()
    }

    /// How often each instruction was interpreted in the middle of regions; nothing, if none was.
    pub(super) fn take_left(&mut self) -> Vec<u64> {
        self.compiled.as_mut().map_or_else(Vec::new, |compiled| std::mem::take(&mut compiled.left))
    }

    /// Whether warps with all their lanes can enter a region at an instruction.
    #[inline(always)]
    pub(super) fn is_door(&self, pc: u32) -> bool {
        self.compiled.as_ref().is_some_and(|of| of.table.at(Mode::Live, pc).is_some())
    }

    /// Steps of warps in regions.
    #[inline(always)]
    pub(super) fn compiled_steps(&self) -> u64 {
        self.compiled.as_ref().map_or(0, |compiled| compiled.steps)
    }

    /// Runs the region that can be entered where a split stands.
    #[inline]
    pub(super) fn enter(&mut self, warp: &mut Warp, split: &mut Split, limit: u64) -> Ran {
        let Some(compiled) = &mut self.compiled else { return Ran::Nothing };
        let mode = mode(warp, split);
        match compiled.table.at(mode, split.pc) {
            Some(number) => self.run_region(warp, split, limit, (mode, number)),
            None => Ran::Nothing,
        }
    }

    #[inline(never)]
    fn run_region(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        limit: u64,
        (mode, number): (Mode, u32),
    ) -> Ran {
        self.fill_missed();
        let Some(compiled) = &mut self.compiled else { return Ran::Nothing };
        let table = compiled.table;
        let Some(function) = table.region(number).map(|region| &region.function) else {
            return Ran::Nothing;
        };
        let inputs = Inputs {
            constants: &self.fixed.constants.narrow,
            wide_constants: &self.fixed.constants.wide,
            words: &self.of_cta,
            bytes: self.fixed.params,
            counts: self.counts.cells(),
        };
        let meets = warp.meeting_point(split);
        let until = Until {
            steps: limit.saturating_sub(warp.steps),
            meets,
            // The interpreter does the one at which others go first.
            atomics: (ATOMICS - 1).saturating_sub(warp.atomics),
        };
        let (lanes, frame) = ((split.mask, warp.live), warp.local_base..warp.local_end);
        let first = 3 * warp.index as usize;
        let rows = &self.tids[first..first + 3];
        let (registers, local) = warp.files(rows);
        let memory = Memory { shared: &mut self.cta.shared, local, frame };
        let left =
            function.with(inputs).zip(function.entry(split.pc)).and_then(|(mut running, entry)| {
                let sites = compiled.sites_of(number)?;
                running.run(registers, memory, sites, lanes, entry, until)
            });
        match left {
            Some(left) => self.leave(warp, split, number, left),
            None => {
                table.close(mode, split.pc);
                Ran::Nothing
            }
        }
    }

    /// Counts what a region has done and moves the split to where it was left.
    #[inline]
    fn leave(&mut self, warp: &mut Warp, split: &mut Split, number: u32, left: Left) -> Ran {
        if left.atomics != 0 {
            warp.atomics += left.atomics;
            warp.last_atomic = warp.steps + left.last_atomic;
        }
        self.add(warp, left.steps, left.threads);
        self.counters.divisions_by_zero += left.zeros;
        split.pc = left.at;
        let Some(compiled) = &mut self.compiled else { return Ran::Nothing };
        compiled.steps += left.steps;
        match left.why {
            Why::Limit => return Ran::Over,
            Why::Outside => return Ran::Outside,
            Why::Divides | Why::Meets => return Ran::Stands,
            Why::Site(site) => compiled.missed = Some((number, site)),
            Why::Instruction => {}
        }
        match compiled.left.get_mut(left.at as usize) {
            Some(count) => *count += 1,
            None => {
                compiled.left.resize(self.launch.code.insts.len(), 0);
                compiled.left.get_mut(left.at as usize).into_iter().for_each(|count| *count += 1);
            }
        }
        Ran::Stands
    }

    /// Tells the site of the access that the interpreter has made meanwhile where it has found its memory.
    #[inline]
    fn fill_missed(&mut self) {
        let Some(compiled) = &mut self.compiled else { return };
        if let Some((number, site)) = compiled.missed.take() {
            self.fill(number, site);
        }
    }

    #[cold]
    fn fill(&mut self, number: u32, site: u32) {
        let config = self.launch.config;
        let Some(compiled) = &mut self.compiled else { return };
        if self.hint >= config.memory.blocks().len() {
            return;
        }
        let reach = config.memory.reach(self.hint);
        let table = compiled.table;
        // Of the block that the heap is in, only parts may be accessed.
        if config.heap.is_none_or(|heap| heap.base() != reach.address())
            && let (Some(region), Some(sites)) = (table.region(number), compiled.sites_of(number))
        {
            region.function.fill(sites, site, reach);
        }
    }

    /// A split has come to an instruction from which on it is interpreted, by a jump back, from a region, or at the
    /// beginning of a turn.
    #[inline]
    pub(super) fn arrives(&mut self, warp: &Warp, split: &Split) {
        self.arrive(mode(warp, split), split.pc, 1);
    }

    /// The same of some warps that run in lockstep.
    #[inline]
    pub(super) fn arrive(&mut self, mode: Mode, to: u32, warps: u64) {
        let interpreted = self.counters.warp_instructions;
        let Some(compiled) = &mut self.compiled else { return };
        let interpreted = interpreted.saturating_sub(compiled.steps);
        let (before, pc, from) = std::mem::replace(&mut compiled.since, (mode, to, interpreted));
        let steps = interpreted.saturating_sub(from).min(warps * Table::LONGEST);
        let (table, code, setting) = (compiled.table, self.launch.code, compiled.setting);
        if setting.always {
            if table.at(mode, to).is_none() {
                table.make(code, setting, mode, to);
            }
        } else if steps != 0 && table.warm(before, pc, steps) {
            table.make(code, setting, before, pc);
        }
    }
}

/// What of this is for [`Interpreted`], the most often first.
pub(super) fn interpreted(code: &Code, left: &[u64]) -> Interpreted {
    let is_told = |op: &Op| {
        let by_plan = matches!(op, Op::Fetch(_) | Op::SurfaceLoad(_) | Op::SurfaceStore(_));
        let by_nature = matches!(
            op,
            Op::Barrier(_)
                | Op::Call(_)
                | Op::Return
                | Op::Exit
                | Op::Mark(_)
                | Op::Branch { .. }
                | Op::Join
        );
        !by_plan && !by_nature
    };
    let all = code.insts.iter().zip(left).filter(|(inst, n)| **n != 0 && is_told(&inst.op));
    let mut sums: Vec<(Span, u64)> = all.map(|(inst, &n)| (inst.span, n)).collect();
    sums.sort_unstable_by_key(|(span, n)| (std::cmp::Reverse(*n), *span));
    Interpreted(sums)
}

impl Warp {
    /// Where the lanes of a split are to meet others; [`NONE`]: nowhere in their frame.
    #[inline]
    fn meeting_point(&self, split: &Split) -> u32 {
        match self.groups.get(split.group as usize) {
            Some(group) if group.frame == split.frame => group.pc,
            _ => NONE,
        }
    }

    /// Registers of the running frame, and local memory.
    #[inline]
    fn files<'w>(&'w mut self, rows: &'w [L32]) -> (Registers<'w>, &'w mut [L32]) {
        let [narrow, wide, predicates] = self.bases();
        let registers = Registers {
            narrow: &mut self.narrow[narrow..],
            wide: &mut self.wide[wide..],
            predicates: &mut self.predicates[predicates..],
            rows,
        };
        (registers, &mut self.local)
    }
}
