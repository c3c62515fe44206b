//! Runs compiled regions: enters them where a split stands, and says what the interpreter has to do where they are
//! left.

mod arrive;
mod linked;
mod marks;
mod missed;
mod ran;
mod series;
mod short;
pub(super) mod state;

use super::context::Context;
use super::groups::patience;
use super::limits::{ATOMICS, TURN};
use super::outcome::Ran;
use super::tell::Ear;
use super::warp::{Split, Warp, count, lanes};
use crate::code::NONE;
use crate::regions::{Compiled as Region, Wait};
use std::slice::from_mut;
use texunit_alu::L32;
use texunit_jit::Registers;
use texunit_jit::region::{Budget, DivergenceLimits, ExitReason, Inputs, Memory, Mode};

pub(super) use arrive::interpreted;
use linked::{Linked, Waits};
use series::{Sum, Turn};
use state::{Compiled, Missed};

impl Compiled<'_> {
    /// What the interpreter has to do where a region has been left. `over`: all steps of the turn are done, which ends it if a
    /// jump back leads out.
    #[inline(always)]
    fn left(
        &mut self,
        (number, region): (u32, &Region),
        (at, why): (u32, ExitReason),
        over: bool,
    ) -> Ran {
        match why {
            ExitReason::Limit => return Ran::Over,
            ExitReason::Outside if over && !region.ends_before(at) => return Ran::Over,
            ExitReason::Outside => return Ran::Outside,
            ExitReason::Diverges | ExitReason::Reconverges => {}
            ExitReason::Site(site) => self.miss(Missed { region: number, site, at }),
            ExitReason::Instruction => self.count_left(at),
        }
        Ran::Stands
    }
}

/// How long lanes run that part from all those of their warp; it ends where the turn of the warp does.
fn lanes_apart(keeps: bool) -> DivergenceLimits {
    DivergenceLimits { end: 0, turn: TURN, wait_limit: patience(keeps, false), patience: u64::MAX }
}

/// How long lanes of a warp run that part.
fn divergence(warp: &Warp, mode: Mode, keeps: bool, atomics: bool) -> DivergenceLimits {
    DivergenceLimits {
        end: warp.end.saturating_sub(warp.steps),
        turn: TURN,
        wait_limit: patience(keeps, atomics),
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
    pub(super) fn door(&self, pc: u32) -> Option<u32> {
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

    /// Runs a region for some warps, one after the other, from the same place on, as long as each comes to what ends its turn
    /// ([`ends_turn`]); those of several have all their lanes, and are in no group. What came of it for the last one, and the
    /// bits of those that have not come to that.
    #[inline(never)]
    pub(super) fn run_region(
        &mut self,
        warps: &mut [Warp],
        splits: &mut [Split],
        ends: &mut [u64],
        on: u32,
        (mode, number): (Mode, u32),
    ) -> (Ran, u32) {
        let Some(compiled) = &mut self.compiled else { return (Ran::Nothing, on) };
        let (table, code) = (compiled.table, self.launch.code);
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
        let keeps = self.fixed.code.asks_who_is_there;
        let mut sites = compiled.sites_of(number).take();
        let mut ear = self.probe.take().map(|probe| {
            let together = region.map(|region| &region.together);
            Ear::new(probe, self.launch, self.cta.id, together)
        });
        let running = region.zip(sites.as_mut()).and_then(|(region, sites)| {
            let function = &region.function;
            let running = function.with(inputs, sites)?;
            Some((region, running, function.entry_of(mode, from)?))
        });
        let Some((region, mut running, entry)) = running else {
            table.close(mode, from);
            self.probe = ear.map(Ear::into_probe);
            return (Ran::Nothing, on);
        };
        let is_heard = ear.is_some();
        if let Some(ear) = &mut ear {
            running.listen(ear);
        }
        let series = if mode == Mode::Live && group == NONE {
            running.series(entry, &mut self.cta.shared, lanes_apart(keeps))
        } else {
            None
        };
        let (tids, _) = self.tids.as_chunks();
        let those = (&mut *warps, &mut *splits, &mut *ends, on);
        let came = if let Some(mut series) = series {
            // Those who wait for others wait for all.
            let threads: u64 = lanes(on).map(|i| count(those.0[i].live)).sum();
            let all = self.launch.warps == 1 || threads == self.cta.live.into();
            let table = all && !self.launch.config.cooperative && !is_heard && {
                region.has_yield_points(|wait| self.is_alone || matches!(wait, Wait::Barrier))
            };
            if table {
                let of = (&mut self.sites, &mut self.counters);
                let mut waits = Waits::new(self.launch, of, self.is_alone);
                waits.barriers = self.cta.barriers.iter().all(|of| of.arrived == 0);
                let linked = Linked { number, region, entry };
                match compiled.run_together(&mut series, tids, those, linked, waits) {
                    Some(came) => came,
                    None => {
                        let those = (&mut *warps, &mut *splits, &mut *ends, on);
                        compiled.run_each(series, tids, those, (code, (number, region)))
                    }
                }
            } else {
                compiled.run_each(series, tids, those, (code, (number, region)))
            }
        } else {
            let mut sum = Sum::new(on, code, (number, region));
            let (parts, atomics) = (region.function.can_diverge(), region.atomics);
            let (mut zeros, shared) = (0, &mut self.cta.shared[..]);
            for i in lanes(on) {
                let (warp, split) = (&mut warps[i], &mut splits[i]);
                let until = Budget {
                    steps: ends[i].saturating_sub(warp.steps),
                    reconverge_at: warp.meeting_point(split),
                    // The interpreter does the one at which others go first.
                    atomics: (ATOMICS - 1).saturating_sub(warp.atomics),
                    divergence: if parts {
                        divergence(warp, mode, keeps, atomics)
                    } else {
                        DivergenceLimits::default()
                    },
                };
                let (active, frame) = ((split.mask, warp.live), warp.local_base..warp.local_end);
                running.set_warp(warp.index);
                let (registers, local) = warp.files(&tids[warp.index as usize]);
                let memory = Memory { shared: &mut *shared, local, frame };
                let Some(left) = running.run(registers, memory, active, entry, until) else {
                    sum.cannot();
                    break;
                };
                zeros += left.zeros;
                if left.diverged {
                    warp.diverge(split, &running.diverged_lanes());
                }
                if left.atomics != 0 {
                    warp.atomics += left.atomics;
                    warp.last_atomic = warp.steps + left.last_atomic;
                }
                split.mask = left.mask;
                let turn = Turn::of_left(&left);
                if !sum.add(compiled, (warp, split, &mut ends[i]), 1 << i, turn, left.diverged) {
                    break;
                }
            }
            sum.end(compiled, zeros)
        };
        self.counters.executed.add(came.executed);
        self.counters.divisions_by_zero += came.zeros;
        if came.ran == Ran::Nothing {
            table.close(mode, from);
        }
        // Back to where they were.
        compiled.sites[number as usize] = sites;
        self.probe = ear.map(Ear::into_probe);
        (came.ran, came.rest)
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
