//! Executes compiled regions: enters a region at the next instruction of a split (lanes of a warp
//! with a common program counter), and handles the region's exits.

mod arrive;
mod batch;
mod cta_loop;
mod exits;
pub(super) mod state;

use super::context::{Context, Launch};
use super::counters::{Counts, Done};
use super::decoded::LaunchInputs;
use super::groups::patience;
use super::limits::{ATOMICS, TURN};
use super::notify::ProbeAdapter;
use super::outcome::Stop;
use super::warp::{Split, Warp, count, lanes};
use crate::code::NONE;
use crate::regions::{Compiled as Region, Table};
use std::slice::from_mut;
use texunit_alu::L32;
use texunit_jit::Registers;
use texunit_jit::region::{
    DivergenceLimits, Entry, ExitReason, FIRST_TURN, Inputs, Mode, Running, Sites, WarpStart,
};

pub(super) use arrive::interpreted;
use batch::{BatchProgress, YieldPoints, run as run_batch};
use state::{Compiled, Inside, Missed};

/// Number of atomics that compiled code may execute in a turn. The interpreter executes the last
/// atomic of a turn, after which other warps get their turn.
const TURN_ATOMICS: u32 = ATOMICS - 1;

impl Compiled<'_> {
    /// What the interpreter has to do after a warp has left a region. If `over`, the warp has used
    /// up the steps of its time slice (turn), which the next backward jump ends.
    #[inline(always)]
    fn left(
        &mut self,
        (number, region): (u32, &Region),
        warp: u32,
        (at, why): (u32, ExitReason),
        over: bool,
    ) -> Stop {
        if region.load_groups.closes(at) {
            self.inside = Some(Inside { region: number, warp, at });
        }
        match why {
            ExitReason::Limit => return Stop::Over,
            ExitReason::Outside if over && !region.ends_before(at) => return Stop::Over,
            ExitReason::Outside => return Stop::Elsewhere,
            ExitReason::Diverges | ExitReason::Reconverges | ExitReason::Yield => {}
            ExitReason::Site(site) => self.miss(Missed { region: number, site, at }),
            ExitReason::Instruction => self.count_left(at),
        }
        Stop::Instruction
    }
}

/// For how many steps compiled code may execute diverged lanes, for warps that have converged at
/// the region's entry.
fn divergence_of_all(uses_activemask: bool, atomics: bool) -> DivergenceLimits {
    let wait_limit = patience(uses_activemask, atomics);
    DivergenceLimits { end: 0, turn: TURN, shared_turn: FIRST_TURN, wait_limit, patience: u64::MAX }
}

/// For how many steps compiled code may execute diverged lanes of a warp.
fn divergence(warp: &Warp, mode: Mode, uses_activemask: bool, atomics: bool) -> DivergenceLimits {
    let mut limits = divergence_of_all(uses_activemask, atomics);
    if mode == Mode::Some {
        (limits.turn, limits.shared_turn) = (warp.split_turn(), warp.shared_turn);
        limits.patience = warp.patience(uses_activemask, atomics);
    }
    limits
}

/// The inputs that compiled code reads: values of the launch and of a CTA.
fn inputs<'i>(
    launch: &'i Launch<'_>,
    fixed: &'i LaunchInputs<'_>,
    words: &'i [u32],
    counts: &'i Counts,
) -> Inputs<'i> {
    Inputs {
        constants: &fixed.constants.narrow,
        wide_constants: &fixed.constants.wide,
        uniforms: words,
        bytes: fixed.params,
        counts: counts.cells(),
        prefetch_distance: launch.prefetch_distance(),
        is_contiguous: launch.is_contiguous(),
        is_stream: false,
    }
}

/// Prepares a region for its execution from an instruction. If that is not possible, the region's
/// entry at the instruction is closed, so that it is not tried again.
#[inline]
fn start<'t: 'r, 'r>(
    table: &'t Table,
    (number, sites): (u32, &'r mut Option<Sites<'_>>),
    inputs: Inputs<'r>,
    (mode, at): (Mode, u32),
) -> Option<(&'t Region, Running<'r>, Entry)> {
    let started = table.region(number).zip(sites.as_mut()).and_then(|(region, sites)| {
        let running = region.function.with(inputs, sites)?;
        Some((region, running, region.function.entry_of(mode, at)?))
    });
    if started.is_none() {
        table.close(mode, at);
    }
    started
}

/// The mode of compiled code for a split: whether the split has all live lanes of its warp.
#[inline(always)]
fn mode(warp: &Warp, split: &Split) -> Mode {
    if split.mask == warp.live { Mode::Live } else { Mode::Some }
}

impl<'a> Context<'a> {
    /// Whether regions are compiled, so that backward jumps must be counted.
    #[inline(always)]
    pub(super) fn compiles(&self) -> bool {
        self.compiled.is_some()
    }

    /// Whether converged warps can enter a region at an instruction.
    #[inline(always)]
    pub(super) fn has_region_entry(&self, pc: u32) -> bool {
        self.region_entry(pc).is_some()
    }

    /// The region that converged warps can enter at an instruction.
    #[inline(always)]
    pub(super) fn region_entry(&self, pc: u32) -> Option<u32> {
        self.compiled.as_ref().and_then(|of| of.table.at(Mode::Live, pc))
    }

    /// Executes the region that can be entered at the instruction of a split, for up to `limit`
    /// steps. The limit is reduced if lanes diverge.
    #[inline]
    pub(super) fn enter(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        limit: &mut u64,
    ) -> Option<Stop> {
        let number = self.region_at(warp, split);
        let is_inside = self.compiled.as_ref().is_some_and(|of| of.inside.is_some());
        match self.launch.observed {
            Some(_) if number.is_some() || is_inside => self.enter_observed(warp, split, limit),
            _ => self.enter_region(warp, split, limit, number?),
        }
    }

    /// The region that a split can enter at its instruction.
    #[inline]
    fn region_at(&self, warp: &Warp, split: &Split) -> Option<u32> {
        self.compiled.as_ref()?.table.at(mode(warp, split), split.pc)
    }

    #[inline]
    fn enter_region(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        limit: &mut u64,
        number: u32,
    ) -> Option<Stop> {
        let (mode, warps, splits) = (mode(warp, split), from_mut(warp), from_mut(split));
        self.run_region(warps, splits, from_mut(limit), 1, (mode, number)).0
    }

    /// Executes a region for the warps in `on`, in order from the same instruction, as long as each
    /// warp ends its turn ([`ends_turn`](super::turns::ends_turn)). If there are several, they must
    /// have converged. If they are all warps of the CTA, they wait for each other at yield points.
    /// Returns why the last warp stopped, and the mask of warps that have not ended their turns.
    #[inline(never)]
    pub(super) fn run_region(
        &mut self,
        warps: &mut [Warp],
        splits: &mut [Split],
        ends_at: &mut [u64],
        on: u32,
        (mode, number): (Mode, u32),
    ) -> (Option<Stop>, u32) {
        let Some(compiled) = &mut self.compiled else { return (None, on) };
        let (table, launch) = (compiled.table, self.launch);
        let first = on.trailing_zeros() as usize;
        let Split { pc: from, group, .. } = splits[first];
        let inputs = inputs(launch, &self.fixed, &self.of_cta, &self.counts);
        let mut sites = compiled.sites_of(number).take();
        let started = start(table, (number, &mut sites), inputs, (mode, from));
        let Some((region, mut running, entry)) = started else { return (None, on) };
        let probe = self.probe.take();
        let mut adapter =
            probe.map(|probe| ProbeAdapter::new(probe, launch, self.cta.id, &region.load_groups));
        // Warps wait at yield points only if all warps of the CTA are in the batch.
        let threads: u64 = lanes(on).map(|i| count(warps[i].live)).sum();
        let all = launch.warps == 1 || threads == u64::from(self.cta.live);
        let all = all && mode == Mode::Live && group == NONE && !launch.config.cooperative;
        let is_told = adapter.is_some() && (!launch.wants_sums() || region.fetches());
        let waits = all && !is_told;
        if let Some(adapter) = &mut adapter {
            running.listen(adapter);
        }
        let (warp, uses_activemask) = (&warps[first], self.fixed.code.uses_activemask);
        let limits = if region.function.can_diverge() {
            divergence(warp, mode, uses_activemask, region.atomics)
        } else {
            DivergenceLimits::default()
        };
        let reconverge_at = warp.meeting_point(&splits[first]);
        let (counts, threads) = ((&mut self.sites, &mut self.counters), self.cta.live);
        let mut points = YieldPoints::new(launch, region, counts, threads, self.is_unobserved);
        let mut batch = running.table(mode, &mut self.cta.shared, reconverge_at, limits);
        let (tids, _) = self.tids.as_chunks::<3>();
        let mut added = 0;
        for (i, warp) in warps.iter_mut().enumerate().filter(|of| on >> of.0 & 1 != 0) {
            let start = WarpStart {
                index: warp.index,
                mask: splits[i].mask,
                live: warp.live,
                limit: ends_at[i].saturating_sub(warp.steps),
                end: warp.end.saturating_sub(warp.steps),
                atomics: TURN_ATOMICS.saturating_sub(warp.atomics),
                turn_atomics: TURN_ATOMICS,
            };
            let frame = warp.local_base..warp.local_end;
            let (registers, local) = warp.files(&tids[warp.index as usize]);
            if !batch.add(registers, local, frame, start) {
                break;
            }
            added |= 1 << i;
        }
        if waits && added == on && points.are_there() {
            batch.wait_at_yield_points(&mut points);
            let is_free = self.cta.barriers.iter().all(|of| of.arrived == 0);
            if is_free && region.barriers_are_plain(launch.code, &launch.constants) {
                batch.pass_barriers();
            }
        }
        let mut progress = BatchProgress::default();
        run_batch(launch.code, &mut batch, (entry, NONE), &mut progress);
        let (mut ran, mut rest, mut executed) = (None, on, Done::default());
        for (n, i) in lanes(added).enumerate() {
            let Some(exit) = running.exit(n) else { break };
            let (warp, split, end) = (&mut warps[i], &mut splits[i], &mut ends_at[i]);
            if exit.limit != end.saturating_sub(warp.steps) {
                *end = warp.steps.saturating_add(exit.limit);
            }
            if let Some(of) = progress.diverged.as_ref().filter(|_| progress.stray == Some(n)) {
                warp.diverge(split, of);
            }
            if let Some(turn) = progress.shared_turn(n, added.count_ones()) {
                warp.shared_turn = turn;
            }
            warp.atomics = TURN_ATOMICS - exit.atomics_left;
            if exit.last_atomic != 0 {
                warp.last_atomic = warp.steps + exit.last_atomic;
            }
            executed.count(warp, exit.steps, exit.threads);
            (split.mask, split.pc) = (exit.mask, exit.at);
            let has_ended = if progress.passed.contains(&n) {
                split.pc += 1;
                progress.stray.is_none()
            } else {
                let over = warp.steps >= *end;
                ran = Some(compiled.left((number, region), warp.index, (exit.at, exit.why), over));
                progress.stray != Some(n)
            };
            if has_ended {
                rest &= !(1 << i);
            }
        }
        compiled.steps += executed.warp_instructions;
        self.counters.executed.add(executed);
        self.counters.divisions_by_zero += running.zeros();
        if added == 0 {
            table.close(mode, from);
        }
        // The context gets back the cached allocations (sites) and the probe, which were lent to
        // compiled code.
        compiled.sites[number as usize] = sites;
        self.probe = adapter.map(ProbeAdapter::into_probe);
        (ran, rest)
    }
}

impl Warp {
    /// The reconvergence point of a split; [`NONE`] if it has none in its call frame.
    #[inline]
    fn meeting_point(&self, split: &Split) -> u32 {
        match self.groups.get(split.group as usize) {
            Some(group) if group.frame == split.frame => group.pc,
            _ => NONE,
        }
    }

    /// Registers of the running call frame, and local memory.
    #[inline]
    fn files<'w>(&'w mut self, rows: &'w [L32]) -> (Registers<'w>, &'w mut [L32]) {
        let [narrow, wide, predicates] = self.bases();
        let registers = Registers {
            narrow: self.narrow.rows_from(narrow),
            wide: self.wide.rows_from(wide),
            predicates: &mut self.predicates[predicates..],
            per_lane: rows,
        };
        (registers, &mut self.local)
    }
}
