//! Registers whose NaNs are canonical where a block begins, so that the code may hold any NaN in
//! their place ([`Nans::Any`]) from block to block, and replaces it only where it stores the value.

use super::live::Numbers;
use super::register_cache::{Key, Nans, Width, kind_of};
use crate::ir::{Action, Region, Step};
use crate::op::Op;
use crate::operand::{Predicate, Source, VReg};
use texunit_flow::Set;

/// Passes over a region after which the analysis gives up, and no register's NaNs are known.
const MAX_PASSES: usize = 32;

/// For each block, the registers that may have a NaN other than the canonical one where it begins.
pub(super) fn noncanonical(region: &Region, numbers: &Numbers) -> Vec<Set> {
    let (none, mut all) = (Set::new(numbers.len()), Set::new(numbers.len()));
    (0..numbers.len()).for_each(|i| all.insert(i));
    let start = |is_entered| if is_entered { all.clone() } else { none.clone() };
    let mut starts: Vec<Set> = region.entered().into_iter().map(start).collect();
    // Registers are only added to the sets, so that the passes end.
    for _ in 0..MAX_PASSES {
        let mut changes = false;
        for (b, block) in region.blocks.iter().enumerate() {
            let mut now = starts[b].clone();
            block.steps.iter().for_each(|step| transfer(step, numbers, &mut now));
            let end = if block.end.writes_registers() { &all } else { &now };
            for to in block.end.successors() {
                changes |= starts[to].union(end);
            }
        }
        if !changes {
            return starts;
        }
    }
    vec![all; region.blocks.len()]
}

/// Changes the set of noncanonical registers before a step to the set after it.
fn transfer(step: &Step, numbers: &Numbers, set: &mut Set) {
    let is_canonical = |source: &Source| match source {
        Source::B32(_) => source.vreg().and_then(|of| numbers.get(of)).is_some_and(|i| !set.has(i)),
        _ => kind_of(Key::Other(*source, Width::B32, 0)).nans == Nans::Canonical,
    };
    let is_float = match &step.action {
        Action::Compute { op, from, .. } => match op {
            Op::Float { .. } | Op::FromHalf | Op::FromU(_) | Op::FromS => true,
            Op::Copy => is_canonical(&from[0]),
            Op::Select(_) => from[..2].iter().all(is_canonical),
            _ => false,
        },
        _ => false,
    };
    step.each_written(&mut |vreg| match (vreg, numbers.get(vreg)) {
        (VReg::B32(_), Some(i)) if !is_float => set.insert(i),
        // Lanes whose guard is false keep the old value.
        (VReg::B32(_), Some(i)) if step.guard == Predicate::Always => set.remove(i),
        _ => {}
    });
}
