//! Warps that enter a region at one place with all their lanes: little is left to do for each of them.

use super::{Compiled, Missed};
use crate::exec::counters::Executed;
use crate::exec::outcome::Ran;
use crate::exec::warp::{Split, Warp, lanes};
use texunit_alu::L32;
use texunit_jit::region::{Series, Why};

/// What came of it for all of them.
pub(super) struct Came {
    /// That for the last one that is not at an instruction for the interpreter.
    pub(super) ran: Ran,
    /// Whether all are at the same place.
    pub(super) same: bool,
    pub(super) executed: Executed,
    pub(super) zeros: u64,
}

/// How a warp has left a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) at: u32,
    pub(super) why: Why,
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
}

/// What comes of it for all warps, put together.
pub(super) struct Sum {
    on: u32,
    ran: Ran,
    same: bool,
    executed: Executed,
    /// Those that have not come to an instruction for the interpreter, and where the first one stands.
    others: u32,
    first: Option<u32>,
}

impl Sum {
    /// Of the warps of these bits.
    #[inline(always)]
    pub(super) fn new(on: u32) -> Self {
        let (ran, executed) = (Ran::Stands, Executed::default());
        Self { on, ran, same: true, executed, others: 0, first: None }
    }

    /// The steps that a warp may do up to the end of its turn, and those up to the end where lanes have parted and met.
    #[inline(always)]
    pub(super) fn until(warp: &Warp, end: u64) -> (u64, u64) {
        (end.saturating_sub(warp.steps), warp.end.saturating_sub(warp.steps))
    }

    /// One of them, with its bit, which might run up to the end, has left the region of this number. `has_parted`: its lanes have.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        of: &mut Compiled<'_>,
        (warp, split, end): (&mut Warp, &mut Split, &mut u64),
        (bit, number): (u32, u32),
        turn: Turn,
        has_parted: bool,
    ) {
        let Turn { at, why, steps, threads, limit } = turn;
        self.same &= !has_parted;
        if limit != end.saturating_sub(warp.steps) {
            *end = warp.steps.saturating_add(limit);
        }
        self.executed.count(warp, steps, threads);
        split.pc = at;
        self.same &= *self.first.get_or_insert(at) == at;
        if why != Why::Instruction {
            match why {
                Why::Site(site) => of.miss(Missed { region: number, site, at }),
                Why::Limit => (self.ran, self.others) = (Ran::Over, self.others | bit),
                Why::Outside => (self.ran, self.others) = (Ran::Outside, self.others | bit),
                _ => self.others |= bit,
            }
        }
    }

    /// These cannot run it, and have not.
    pub(super) fn cannot(&mut self, those: u32) {
        (self.ran, self.same, self.others) = (Ran::Nothing, false, self.others | those);
    }

    /// What came of it. `zeros`: divisions by zero.
    #[inline(always)]
    pub(super) fn end(self, of: &mut Compiled<'_>, splits: &[Split], zeros: u64) -> Came {
        let Self { on, ran, same, executed, others, first } = self;
        let stand = on & !others;
        match first {
            Some(at) if same => of.count_left(at, stand.count_ones().into()),
            _ => lanes(stand).for_each(|i| of.count_left(splits[i].pc, 1)),
        }
        of.steps += executed.warp_instructions;
        Came { ran, same, executed, zeros }
    }
}

/// Some lanes of a warp stand or wait elsewhere than the others where these have left the region.
#[cold]
fn part(series: &mut Series<'_>, warp: &mut Warp, split: &mut Split) {
    let (mask, others) = series.parted();
    warp.part(split, &others);
    split.mask = mask;
}

impl Compiled<'_> {
    /// Runs a region, which has this number, for the warps of these bits. [`Ran::Nothing`]: it cannot be run for one, and has not been for
    /// those behind it.
    #[inline(never)]
    pub(super) fn run_each(
        &mut self,
        mut series: Series<'_>,
        tids: &[[L32; 3]],
        (warps, splits, ends, on): (&mut [Warp], &mut [Split], &mut [u64], u32),
        number: u32,
    ) -> Came {
        let mut sum = Sum::new(on);
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
            series.of_warp(warp.index);
            let (registers, local) = warp.files(&tids[warp.index as usize]);
            let Some(at) = series.run(registers, local, frame, live, until) else {
                sum.cannot(this | rest);
                break;
            };
            let has_parted = series.has_parted();
            if has_parted {
                part(&mut series, warp, split);
            }
            let turn = Turn::of(&series, at);
            sum.add(self, (warp, split, end), (this, number), turn, has_parted);
        }
        sum.end(self, splits, series.zeros())
    }
}
