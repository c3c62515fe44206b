//! Runs compiled regions: enters them where a split stands, and says what the interpreter has to do where they are
//! left.

mod arrive;
mod first;
mod linked;
mod marks;
mod missed;
mod ran;
mod series;
mod short;
pub(super) mod state;

use super::context::Context;
use super::counters::Executed;
use super::groups::patience;
use super::limits::{ATOMICS, LOCKSTEP, TURN};
use super::outcome::Ran;
use super::tell::Ear;
use super::warp::{Split, Warp, lanes};
use crate::code::NONE;
use crate::regions::Wait;
use std::slice::from_mut;
use texunit_alu::L32;
use texunit_jit::Registers;
use texunit_jit::region::{Apart, Inputs, Left, Memory, Mode, Until, Why};

pub(super) use arrive::interpreted;
use linked::{Linked, Waits};
use state::{Compiled, Missed};

impl Compiled<'_> {
    /// Moves a split to where it has left a region, and counts what it has done.
    #[inline]
    fn leave(
        &mut self,
        executed: &mut Executed,
        (warp, split): (&mut Warp, &mut Split),
        number: u32,
        left: Left,
    ) -> Ran {
        if left.atomics != 0 {
            warp.atomics += left.atomics;
            warp.last_atomic = warp.steps + left.last_atomic;
        }
        executed.count(warp, left.steps, left.threads);
        split.pc = left.at;
        match left.why {
            Why::Limit => return Ran::Over,
            Why::Outside => return Ran::Outside,
            Why::Divides | Why::Meets => return Ran::Stands,
            Why::Site(site) => self.miss(Missed { region: number, site, at: left.at }),
            Why::Instruction => {}
        }
        self.count_left(left.at, 1);
        Ran::Stands
    }
}

/// How long lanes run that part from all those of their warp; it ends where the turn of the warp does.
fn lanes_apart(keeps: bool) -> Apart {
    Apart { end: 0, turn: TURN, waits: patience(keeps, false), patience: u64::MAX }
}

/// How long lanes of a warp run that part.
fn apart(warp: &Warp, mode: Mode, keeps: bool, atomics: bool) -> Apart {
    Apart {
        end: warp.end.saturating_sub(warp.steps),
        turn: TURN,
        waits: patience(keeps, atomics),
        patience: if mode == Mode::Live { u64::MAX } else { warp.patience(keeps, atomics) },
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

    /// Whether warps with all their lanes can enter a region at an instruction.
    #[inline(always)]
    pub(super) fn is_door(&self, pc: u32) -> bool {
        self.door(pc).is_some()
    }

    /// The region that warps with all their lanes can enter at an instruction.
    #[inline(always)]
    fn door(&self, pc: u32) -> Option<u32> {
        self.compiled.as_ref().and_then(|of| of.table.at(Mode::Live, pc))
    }

    /// Runs the region that can be entered where a split stands, up to a limit, which becomes less where lanes part.
    #[inline]
    pub(super) fn enter(&mut self, warp: &mut Warp, split: &mut Split, limit: &mut u64) -> Ran {
        let ran = self.enter_once(warp, split, limit);
        if ran == Ran::Stands && self.launch.observed.is_some() {
            return self.go_on_behind_marks(warp, split, limit);
        }
        ran
    }

    #[inline]
    fn enter_once(&mut self, warp: &mut Warp, split: &mut Split, limit: &mut u64) -> Ran {
        let Some(compiled) = &mut self.compiled else { return Ran::Nothing };
        let mode = mode(warp, split);
        match compiled.table.at(mode, split.pc) {
            Some(number) => {
                let (warps, splits) = (from_mut(warp), from_mut(split));
                self.run_region(warps, splits, from_mut(limit), 1, (mode, number)).0
            }
            None => Ran::Nothing,
        }
    }

    /// Runs the region at the place where some warps with all their lanes stand: those with these bits. The
    /// instruction before which all of them stand then; none: they are not at the same, or have to be looked at.
    pub(super) fn enter_each(
        &mut self,
        warps: &mut [Warp],
        splits: &mut [Split],
        ends: &[u64; LOCKSTEP],
        on: u32,
    ) -> Option<u32> {
        let (first, compiled) = (on.trailing_zeros() as usize, self.compiled.as_ref()?);
        let number = compiled.table.at(Mode::Live, splits[first].pc)?;
        let (ran, same) =
            self.run_region(warps, splits, &mut ends.clone(), on, (Mode::Live, number));
        if ran == Ran::Outside {
            let to = splits[first].pc;
            self.arrive(Mode::Live, to, on.count_ones().into());
        }
        let stands = same && ran == Ran::Stands;
        if stands && self.launch.observed.is_some() {
            return self.each_behind_marks(warps, splits, ends, on);
        }
        stands.then(|| splits[first].pc)
    }

    /// Runs a region for some warps, one after the other, from the same place on; those of several have all their lanes,
    /// and are in no group. What came of it for the last one that is not at an instruction for the interpreter, and
    /// whether all are at the same place then.
    #[inline(never)]
    fn run_region(
        &mut self,
        warps: &mut [Warp],
        splits: &mut [Split],
        ends: &mut [u64],
        on: u32,
        (mode, number): (Mode, u32),
    ) -> (Ran, bool) {
        let Some(compiled) = &mut self.compiled else { return (Ran::Nothing, false) };
        let table = compiled.table;
        let Split { pc: from, group, .. } = splits[on.trailing_zeros() as usize];
        let inputs = Inputs {
            constants: &self.fixed.constants.narrow,
            wide_constants: &self.fixed.constants.wide,
            words: &self.of_cta,
            bytes: self.fixed.params,
            counts: self.counts.cells(),
            ahead: self.launch.ahead(),
            is_line: self.launch.is_line(),
        };
        let region = table.region(number);
        let function = region.map(|region| &region.function);
        let parts = function.is_some_and(|function| function.parts_lanes());
        let atomics = region.is_some_and(|region| region.atomics);
        let keeps = self.fixed.code.asks_who_is_there;
        let mut sites = compiled.sites_of(number).take();
        let together = region.map(|region| &region.together);
        let ear = |probe| Ear::new(probe, self.launch, self.cta.id, together);
        let mut ear = self.probe.take().map(ear);
        let running = function.zip(sites.as_mut()).and_then(|(function, sites)| {
            function.with(inputs, sites).zip(function.entry_of(mode, from))
        });
        let Some((mut running, entry)) = running else {
            table.close(mode, from);
            self.probe = ear.map(Ear::into_probe);
            return (Ran::Nothing, false);
        };
        let is_heard = ear.is_some();
        if let Some(ear) = &mut ear {
            running.listen(ear);
        }
        if mode == Mode::Live
            && group == NONE
            && let Some(mut series) =
                running.series(entry, &mut self.cta.shared, lanes_apart(keeps))
        {
            let (tids, _) = self.tids.as_chunks();
            // To barriers warps come just as soon one by one.
            let asks_unit = |wait| !matches!(wait, Wait::Barrier);
            let linked = region.filter(|of| self.is_alone && of.has_pauses(asks_unit));
            let together = linked.filter(|_| !is_heard).and_then(|region| {
                let of = (&mut self.sites, &mut self.counters);
                let waits = Waits::new(self.launch, of, self.is_alone);
                let region = Linked { number, region, entry };
                let those = (&mut *warps, &mut *splits, &mut *ends, on);
                compiled.run_together(&mut series, tids, those, region, waits)
            });
            let came = match together {
                Some(came) => came,
                None => compiled.run_each(series, tids, (warps, splits, ends, on), number),
            };
            self.counters.executed.add(came.executed);
            self.counters.divisions_by_zero += came.zeros;
            if came.ran == Ran::Nothing {
                table.close(mode, from);
            }
            compiled.sites[number as usize] = sites;
            self.probe = ear.map(Ear::into_probe);
            return (came.ran, came.same);
        }
        let (mut ran, mut to) = (Ran::Stands, None);
        let mut same = true;
        let (tids, shared) = (&self.tids[..], &mut self.cta.shared[..]);
        let (mut executed, mut zeros) = (Executed::default(), 0);
        for i in lanes(on) {
            let (warp, split) = (&mut warps[i], &mut splits[i]);
            let until = Until {
                steps: ends[i].saturating_sub(warp.steps),
                meets: warp.meeting_point(split),
                // The interpreter does the one at which others go first.
                atomics: (ATOMICS - 1).saturating_sub(warp.atomics),
                apart: if parts { apart(warp, mode, keeps, atomics) } else { Apart::default() },
            };
            let (active, frame) = ((split.mask, warp.live), warp.local_base..warp.local_end);
            let first = 3 * warp.index as usize;
            running.of_warp(warp.index);
            let (registers, local) = warp.files(&tids[first..first + 3]);
            let memory = Memory { shared: &mut *shared, local, frame };
            let Some(left) = running.run(registers, memory, active, entry, until) else {
                table.close(mode, from);
                ran = Ran::Nothing;
                same = false;
                break;
            };
            zeros += left.zeros;
            if left.parted {
                warp.part(split, &running.parted());
            }
            if left.limit != until.steps {
                ends[i] = warp.steps.saturating_add(left.limit);
            }
            split.mask = left.mask;
            match compiled.leave(&mut executed, (warp, split), number, left) {
                Ran::Stands => {}
                other => ran = other,
            }
            same &= !left.parted && to.is_none_or(|pc| pc == split.pc);
            to = Some(split.pc);
        }
        compiled.steps += executed.warp_instructions;
        self.counters.executed.add(executed);
        self.counters.divisions_by_zero += zeros;
        // Back to where they were.
        compiled.sites[number as usize] = sites;
        self.probe = ear.map(Ear::into_probe);
        (ran, same)
    }
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
            narrow: self.narrow.rows_from(narrow),
            wide: self.wide.rows_from(wide),
            predicates: &mut self.predicates[predicates..],
            rows,
        };
        (registers, &mut self.local)
    }
}
