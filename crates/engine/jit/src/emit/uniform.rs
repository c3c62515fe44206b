//! Uniform values: one vector register holds the value that all lanes have.
//!
//! A step computes such a value if its sources are launch constants that are known to be uniform
//! ([`Emitter::is_uniform`]). The vector stays in its register where blocks know that the
//! register's stride is 0 ([`crate::region::Region::strides`]).
//!
//! A load gives such values if its base register is expected to have one value in all lanes that
//! are active together. The analysis [`loads`] follows which registers vary between lanes through
//! the blocks. Where a branch can diverge, the registers that its sides write vary from the
//! reconvergence point on. The code tests what it expects ([`Emitter::load_same`]), because lanes
//! can also meet in ways that the region does not show.

use super::Emitter;
use super::backend::Backend;
use super::live::Numbers;
use crate::ir::{Action, End, Load, Region, Space, Step};
use crate::machine::Mode;
use crate::op::Op;
use crate::operand::{Predicate, Source, Test, VReg};
use std::collections::HashSet;
use texunit_flow::Set;

/// Passes over a region after which the analysis gives up, and no load is expected to have one
/// address.
const MAX_PASSES: usize = 32;

/// Whether one processor register can hold each loaded element for all lanes, if the lanes have one
/// address.
pub(super) fn gives_same(step: &Step, load: &Load) -> bool {
    step.guard == Predicate::Always
        && load.access.size == 4
        && load.keep as u32 == u32::MAX
        && load.to.iter().flatten().all(|to| matches!(to, VReg::B32(_)))
}

fn is_candidate(step: &Step) -> bool {
    let Action::Load(load) = &step.action else { return false };
    let of_shared = (Space::Shared, true);
    let by_lane = matches!(load.access.base, Some(Source::B32(_)));
    (load.access.space, by_lane) == of_shared && gives_same(step, load)
}

/// The loads, by block and step, whose lanes are expected to have one address.
pub(super) fn loads(region: &Region) -> HashSet<(usize, usize)> {
    let steps = || region.blocks.iter().flat_map(|block| &block.steps);
    if !steps().any(is_candidate) {
        return HashSet::new();
    }
    let mut analysis = Analysis::of(region);
    // Registers are only added to the sets of varying registers, so that the passes end. Each
    // nested loop and each divergent branch takes one more pass.
    if !(0..MAX_PASSES).any(|_| !analysis.pass(&mut |_| {})) {
        return HashSet::new();
    }
    let mut loads = HashSet::new();
    analysis.pass(&mut |at| {
        loads.insert(at);
    });
    loads
}

impl<B: Backend> Emitter<'_, B> {
    /// Whether each source of a step has one value in all lanes, so that the result is computed
    /// once, in one vector. False in code for some of the live lanes.
    pub(super) fn is_uniform(&self, step: &Step) -> bool {
        if self.mode != Mode::Live || step.guard != Predicate::Always {
            return false;
        }
        let steps = &self.region.blocks[self.block].steps;
        // A per-lane input has the value if the instruction's only step computes it.
        let is_only = || steps.iter().filter(|other| other.at == step.at).count() == 1;
        let of_input = || self.region.made_stride(step.at) == Some(0) && is_only();
        let source = |&source: &Source| match source {
            Source::B32(_) | Source::B64(_) => {
                source.vreg().is_some_and(|vreg| self.cache.is_same(vreg))
            }
            Source::PerLane(_) => of_input(),
            Source::Lane => false,
            _ => true,
        };
        let predicate =
            |of: &Predicate| of.vreg().is_none_or(|vreg| B::MASKS == 0 && self.cache.is_same(vreg));
        match &step.action {
            Action::Compute { op, to: VReg::B32(_), from } => {
                is_integer(*op) && from[..op.sources()].iter().all(source)
            }
            Action::Compare { test: Test::Signed(_) | Test::Unsigned(_), from, with, .. } => {
                B::MASKS == 0 && from.iter().all(source) && predicate(&with.1)
            }
            Action::Logic { from, .. } => B::MASKS == 0 && from.iter().all(predicate),
            _ => false,
        }
    }
}

/// Whether an operation computes each lane's 32 bits only from the 32 bits of its sources in the
/// lane.
fn is_integer(op: Op) -> bool {
    use Op::*;
    let is_shift = matches!(op, ShiftLeft | ShiftRightU | ShiftRightS);
    let is_extreme = matches!(op, MaxS | MaxU | MinS | MinU);
    is_shift || is_extreme || matches!(op, Copy | Add | Sub | Mul | MulAdd | Bits(_))
}

struct Analysis<'a> {
    region: &'a Region,
    numbers: Numbers,
    /// For each block, the registers that vary where it begins.
    varying: Vec<Set>,
    /// Branches that can diverge.
    diverges: HashSet<usize>,
}

impl<'a> Analysis<'a> {
    fn of(region: &'a Region) -> Self {
        let numbers = Numbers::of(region);
        let varying = vec![Set::new(numbers.len()); region.blocks.len()];
        let mut analysis = Self { region, numbers, varying, diverges: HashSet::new() };
        for (b, is_entered) in region.entered().into_iter().enumerate() {
            if is_entered {
                analysis.all_vary(b);
            }
        }
        analysis
    }

    /// Marks all registers as varying where a block begins, except those that hold parameters.
    fn all_vary(&mut self, b: usize) -> bool {
        let before = self.varying[b].clone();
        let mut params = Set::new(self.numbers.len());
        let held = self.region.params.get(b).into_iter().flatten().map(|of| of.0);
        held.filter_map(|of| self.numbers.get(of)).for_each(|i| params.insert(i));
        let others = (0..self.numbers.len()).filter(|&i| !params.has(i));
        others.for_each(|i| self.varying[b].insert(i));
        self.varying[b] != before
    }

    /// Propagates through all blocks once, and calls `found` for each load that is expected to have
    /// one address. Returns whether more registers vary than before.
    fn pass(&mut self, found: &mut dyn FnMut((usize, usize))) -> bool {
        let (region, mut changes) = (self.region, false);
        for (b, block) in region.blocks.iter().enumerate() {
            let mut varying = self.varying[b].clone();
            for &(i, stride) in region.strides.get(b).into_iter().flatten() {
                self.set(&mut varying, VReg::B32(i), stride != 0);
            }
            for (i, step) in block.steps.iter().enumerate() {
                if is_candidate(step) && !self.varies(&varying, step) {
                    found((b, i));
                }
                self.step(&mut varying, step);
            }
            for to in block.end.successors() {
                changes |= match block.end.writes_registers() {
                    true => self.all_vary(to),
                    false => self.varying[to].union(&varying),
                };
            }
            let End::Branch { taken, reconverge_at, .. } = block.end else { continue };
            let condition = taken.vreg().and_then(|of| self.numbers.get(of));
            if condition.is_some_and(|i| varying.has(i)) && self.diverges.insert(b) {
                self.sides_vary(b, reconverge_at);
                changes = true;
            }
        }
        changes
    }

    /// Marks the registers that the sides of a divergent branch write as varying where the sides
    /// reconverge.
    fn sides_vary(&mut self, b: usize, reconverge_at: u32) {
        let blocks = &self.region.blocks;
        let Some(end) = blocks.iter().position(|block| block.at == reconverge_at) else { return };
        let first = blocks[b].end.successors().min().map_or(b, |to| to.min(b));
        for step in blocks[first.min(end)..end].iter().flat_map(|block| &block.steps) {
            step.each_written(&mut |vreg| {
                let _ = self.numbers.get(vreg).map(|i| self.varying[end].insert(i));
            });
        }
    }

    /// Whether an operand of a step varies.
    fn varies(&self, varying: &Set, step: &Step) -> bool {
        let mut varies = false;
        let mut read = |vreg| varies |= self.numbers.get(vreg).is_some_and(|i| varying.has(i));
        step.each_read(&mut read);
        step.guard.vreg().into_iter().for_each(&mut read);
        step.each_source(&mut |source| {
            varies |= matches!(source, Source::PerLane(_) | Source::Lane);
        });
        varies
    }

    fn step(&self, varying: &mut Set, step: &Step) {
        let varies = match &step.action {
            Action::Compute { .. } | Action::Compare { .. } | Action::Logic { .. } => {
                self.varies(varying, step)
            }
            Action::Load(load) => {
                matches!(load.access.space, Space::Local | Space::Frame)
                    || self.varies(varying, step)
            }
            _ => true,
        };
        let varies = self.region.made_stride(step.at).map_or(varies, |stride| stride != 0);
        step.each_written(&mut |vreg| self.set(varying, vreg, varies));
    }

    fn set(&self, varying: &mut Set, vreg: VReg, varies: bool) {
        match self.numbers.get(vreg) {
            Some(i) if varies => varying.insert(i),
            Some(i) => varying.remove(i),
            None => {}
        }
    }
}
