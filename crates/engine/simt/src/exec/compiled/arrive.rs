//! Profiling for compilation: counts how many instructions are interpreted from each instruction
//! on, so that hot parts are compiled, and which instructions are interpreted within regions.

use super::{Compiled, mode};
use crate::code::{Code, Op};
use crate::exec::context::Context;
use crate::exec::warp::{Split, Warp};
use crate::regions::Table;
use crate::stats::Interpreted;
use texunit_forms::sort_by_key;
use texunit_jit::region::Mode;
use texunit_syntax::Span;

/// The cost of leaving a region where lanes diverge and of entering another region, in interpreted
/// instructions.
const APART: u64 = 24;
/// Sampling interval: of short arrivals only one in this many is counted, because its counter is
/// usually not in the cache.
const LOOKED_AT: u64 = 8;
/// Arrivals after more steps than this are always counted.
const LONG: u64 = 128;
impl Compiled<'_> {
    /// Counts an instruction that is interpreted within a region.
    #[inline]
    pub(super) fn count_left(&mut self, at: u32) {
        if self.left.is_empty() {
            self.left = vec![0; self.table.len()];
        }
        self.left.get_mut(at as usize).into_iter().for_each(|count| *count += 1);
    }
}

impl Context<'_> {
    /// Counts steps that compiled code would not save.
    #[inline]
    pub(in crate::exec) fn count_with_regions(&mut self, steps: u64) {
        self.compiled.iter_mut().for_each(|compiled| compiled.steps += steps);
    }

    /// For each instruction: how often it was interpreted within regions. Empty if none was.
    pub(in crate::exec) fn take_left(&mut self) -> Vec<u64> {
        self.compiled.as_mut().map_or_else(Vec::new, |compiled| std::mem::take(&mut compiled.left))
    }

    /// Called when a split arrives at an instruction from which it is interpreted: by a backward
    /// jump, from a region, or at the beginning of a turn.
    #[inline]
    pub(in crate::exec) fn arrives(&mut self, warp: &Warp, split: &Split) {
        let (mode, to) = (mode(warp, split), split.pc);
        let interpreted = self.counters.executed.warp_instructions;
        let Some(compiled) = &mut self.compiled else { return };
        let interpreted = interpreted.saturating_sub(compiled.steps);
        let (before, pc, from) = std::mem::replace(&mut compiled.since, (mode, to, interpreted));
        let mut steps = interpreted.saturating_sub(from).min(Table::LONGEST);
        if before == Mode::Some {
            steps += APART;
        }
        let (table, code, setting) = (compiled.table, self.launch.code, compiled.setting);
        if setting.always {
            if table.at(mode, to).is_none() {
                table.make(code, setting, mode, to);
            }
            return;
        }
        // Long arrivals are always counted.
        let mut weight = 1;
        if steps < LONG {
            let next = compiled.chance.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            compiled.chance = next;
            if next >= u32::MAX / LOOKED_AT as u32 {
                return;
            }
            weight = LOOKED_AT;
        }
        if steps != 0 && table.warm(code, before, pc, weight * steps) {
            table.make(code, setting, before, pc);
        }
    }
}

/// The counts of interpreted instructions (`left`) as [`Interpreted`], the highest first.
pub(in crate::exec) fn interpreted(code: &Code, left: &[u64]) -> Interpreted {
    let is_told = |op: &Op| {
        let by_plan = matches!(op, Op::Fetch(_) | Op::SurfaceLoad(_) | Op::SurfaceStore(_));
        let by_nature = matches!(
            op,
            Op::Barrier(_)
                | Op::Call(_)
                | Op::Return
                | Op::Exit
                | Op::Mark(_)
                | Op::Shadow(_)
                | Op::Branch { .. }
                | Op::Join
        );
        !by_plan && !by_nature
    };
    let all = code.insts.iter().zip(left).filter(|(inst, n)| **n != 0 && is_told(&inst.op));
    let mut sums: Vec<(Span, u64)> = all.map(|(inst, &n)| (inst.span, n)).collect();
    sort_by_key(&mut sums, |(span, n)| (std::cmp::Reverse(*n), *span));
    Interpreted(sums)
}
