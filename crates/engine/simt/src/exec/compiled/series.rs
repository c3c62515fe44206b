//! Warps that enter a region at one place with all their lanes: little is left to do for each of them.

use super::Compiled;
use crate::code::Code;
use crate::exec::counters::Executed;
use crate::exec::outcome::Ran;
use crate::exec::turns::ends_turn;
use crate::exec::warp::{Split, Warp};
use crate::regions::Compiled as Region;
use texunit_alu::L32;
use texunit_jit::region::{Exit, ExitReason, Series};

/// What came of it.
pub(super) struct Came {
    /// That for the last warp that has been run.
    pub(super) ran: Ran,
    /// Bits of warps that have not come to what ends their turns ([`ends_turn`]): one that has been run, and those behind it,
    /// which have not.
    pub(super) rest: u32,
    pub(super) executed: Executed,
    pub(super) zeros: u64,
}

/// How a warp has left a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) at: u32,
    pub(super) why: ExitReason,
    pub(super) steps: u64,
    pub(super) threads: u64,
    pub(super) limit: u64,
}

impl Turn {
    /// That of the last one that has left it, before this instruction.
    #[inline(always)]
    pub(super) fn of(series: &Series<'_>, at: u32) -> Self {
        let (why, limit) = (series.why(), series.limit());
        Self { at, why, steps: series.steps(), threads: series.threads(), limit }
    }

    /// That of one that may have had some of its lanes only.
    #[inline]
    pub(super) fn of_left(left: &Exit) -> Self {
        let Exit { at, why, steps, threads, limit, .. } = *left;
        Self { at, why, steps, threads, limit }
    }
}

/// What comes of it for all warps, put together.
pub(super) struct Sum<'c> {
    code: &'c Code,
    region: (u32, &'c Region),
    ran: Ran,
    rest: u32,
    executed: Executed,
}

impl<'c> Sum<'c> {
    /// Of the warps of these bits, and a region with its number.
    #[inline(always)]
    pub(super) fn new(on: u32, code: &'c Code, region: (u32, &'c Region)) -> Self {
        Self { code, region, ran: Ran::Stands, rest: on, executed: Executed::default() }
    }

    /// The steps that a warp may do up to the end of its turn, and those up to the end where lanes have parted and met.
    #[inline(always)]
    pub(super) fn until(warp: &Warp, end: u64) -> (u64, u64) {
        (end.saturating_sub(warp.steps), warp.end.saturating_sub(warp.steps))
    }

    /// One of them, with its bit, which might run up to the end, has left the region. `has_diverged`: its lanes have. False: it
    /// is in the middle of its turn.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        of: &mut Compiled<'_>,
        (warp, split, end): (&mut Warp, &mut Split, &mut u64),
        bit: u32,
        turn: Turn,
        has_diverged: bool,
    ) -> bool {
        let Turn { at, why, steps, threads, limit } = turn;
        if limit != end.saturating_sub(warp.steps) {
            *end = warp.steps.saturating_add(limit);
        }
        self.executed.count(warp, steps, threads);
        split.pc = at;
        self.ran = of.left(self.region, (at, why), warp.steps >= *end);
        let ends = why == ExitReason::Instruction
            && !has_diverged
            && ends_turn(&self.code.insts[at as usize]);
        if ends {
            self.ends(bit);
        }
        ends
    }

    /// One of them stands behind what it has waited for.
    pub(super) fn waits(&mut self, (warp, split): (&mut Warp, &mut Split), turn: Turn) {
        self.executed.count(warp, turn.steps, turn.threads);
        split.pc = turn.at;
    }

    /// One of them has had its turn.
    #[inline(always)]
    pub(super) fn ends(&mut self, bit: u32) {
        self.rest &= !bit;
    }

    /// The next one cannot run it, and has not.
    pub(super) fn cannot(&mut self) {
        self.ran = Ran::Nothing;
    }

    /// What came of it. `zeros`: divisions by zero.
    #[inline(always)]
    pub(super) fn end(self, of: &mut Compiled<'_>, zeros: u64) -> Came {
        let Self { ran, rest, executed, .. } = self;
        of.steps += executed.warp_instructions;
        Came { ran, rest, executed, zeros }
    }
}

/// Some lanes of a warp stand or wait elsewhere than the others where these have left the region.
#[cold]
fn part(series: &mut Series<'_>, warp: &mut Warp, split: &mut Split) {
    let (mask, others) = series.diverged_lanes();
    warp.diverge(split, &others);
    split.mask = mask;
}

impl Compiled<'_> {
    /// Runs a region, which has this number, for the warps of these bits, one after the other, as long as each comes to what
    /// ends its turn. [`Ran::Nothing`]: it cannot be run for the last one.
    #[inline(never)]
    pub(super) fn run_each(
        &mut self,
        mut series: Series<'_>,
        tids: &[[L32; 3]],
        (warps, splits, ends, on): (&mut [Warp], &mut [Split], &mut [u64], u32),
        (code, region): (&Code, (u32, &Region)),
    ) -> Came {
        let mut sum = Sum::new(on, code, region);
        let (mut rest, mut bit) = (on, 1);
        for ((warp, split), end) in warps.iter_mut().zip(&mut *splits).zip(ends) {
            let this = bit & rest;
            bit <<= 1;
            if this == 0 {
                continue;
            }
            rest ^= this;
            let (live, until) = (warp.live, Sum::until(warp, *end));
            let frame = warp.local_base..warp.local_end;
            series.set_warp(warp.index);
            let (registers, local) = warp.files(&tids[warp.index as usize]);
            let Some(at) = series.run(registers, local, frame, live, until) else {
                sum.cannot();
                break;
            };
            let has_diverged = series.has_diverged();
            if has_diverged {
                part(&mut series, warp, split);
            }
            let turn = Turn::of(&series, at);
            if !sum.add(self, (warp, split, end), this, turn, has_diverged) {
                break;
            }
        }
        sum.end(self, series.zeros())
    }
}
