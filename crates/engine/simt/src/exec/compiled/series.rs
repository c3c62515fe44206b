//! Warps that enter a region at one place with all their lanes: little is left to do for each of them.

use super::{Compiled, Missed};
use crate::alu::L32;
use crate::exec::counters::Executed;
use crate::exec::outcome::Ran;
use crate::exec::warp::{Split, Warp, lanes};
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

/// Some lanes of a warp stand or wait elsewhere than the others where these have left the region.
#[cold]
pub(super) fn part(series: &mut Series<'_>, warp: &mut Warp, split: &mut Split) {
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
        let (mut ran, mut same) = (Ran::Stands, true);
        let mut executed = Executed::default();
        // Those that have not come to an instruction for the interpreter.
        let (mut rest, mut others) = (on, 0);
        let (mut bit, mut first) = (1, None);
        for ((warp, split), end) in warps.iter_mut().zip(&mut *splits).zip(ends) {
            let this = bit & rest;
            bit <<= 1;
            if this == 0 {
                continue;
            }
            rest ^= this;
            let live = warp.live;
            let until = (end.saturating_sub(warp.steps), warp.end.saturating_sub(warp.steps));
            let frame = warp.local_base..warp.local_end;
            series.of_warp(warp.index);
            let (registers, local) = warp.files(&tids[warp.index as usize]);
            let Some(at) = series.run(registers, local, frame, live, until) else {
                (ran, same, others) = (Ran::Nothing, false, others | this | rest);
                break;
            };
            if series.has_parted() {
                same = false;
                part(&mut series, warp, split);
            }
            if series.limit() != until.0 {
                *end = warp.steps.saturating_add(series.limit());
            }
            executed.count(warp, series.steps(), series.threads());
            split.pc = at;
            same &= *first.get_or_insert(at) == at;
            let why = series.why();
            if why != Why::Instruction {
                match why {
                    Why::Site(site) => self.miss(Missed { region: number, site, at }),
                    Why::Limit => (ran, others) = (Ran::Over, others | this),
                    Why::Outside => (ran, others) = (Ran::Outside, others | this),
                    _ => others |= this,
                }
            }
        }
        let stand = on & !others;
        match first {
            Some(at) if same => self.count_left(at, stand.count_ones().into()),
            _ => lanes(stand).for_each(|i| self.count_left(splits[i].pc, 1)),
        }
        self.steps += executed.warp_instructions;
        Came { ran, same, executed, zeros: series.zeros() }
    }
}
