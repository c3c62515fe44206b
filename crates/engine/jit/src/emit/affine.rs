//! Affine addresses: a uniform base plus a scaled 32-bit index per lane, `p + 4 * i`, or `p + 4 *
//! (i + n)` with a uniform n. The analysis is given a region and returns a [`Plan`] for each block:
//! which accesses use affine addresses, and which addresses need not be computed.
//!
//! [`definitions`] finds what is affine in a block and at its beginning: a register keeps its
//! value where all paths to the block agree about it, and its index has not changed. An
//! address that is only used as the base of accesses is deferred: the accesses check the index,
//! which needs half as many vectors as a 64-bit address, and add the base once. An exit before such
//! an access computes the deferred registers ([`DeferredAddress`]). In code for some lanes no
//! address stays deferred across blocks, because waiting lanes need their registers in the register
//! file.

mod addend;
mod definitions;
mod values;

use super::base_groups;
use crate::ir::{Action, Block, Cost, Region, Routine, Space, Step};
use crate::operand::{Predicate, Source, VReg};
pub(super) use addend::Addend;
use definitions::{Definition, Flow};

/// The value `add + scale * (index + addend)`. The inner sum has 32 bits and is extended to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    /// The uniform base.
    pub(super) add: Source,
    /// The register of the index, with 32-bit lanes.
    pub(super) index: u32,
    pub(super) addend: Addend,
    pub(super) signed: bool,
    /// Binary logarithm of the scale.
    pub(super) shift: u8,
}

/// A register that is computed only at exits: an address, or the sum of an index and a uniform
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeferredAddress {
    pub(super) vreg: VReg,
    pub(super) value: Affine,
    /// Whether the register already has this value where the block begins.
    pub(super) from_before: bool,
}

/// The role of a step in affine addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct StepRole {
    /// Whether the step is skipped, because the register that it computes is deferred.
    pub(super) is_deferred: bool,
    /// The affine value of the base register, if the step is an access.
    pub(super) base: Option<Affine>,
    /// Deferred registers that an exit before the step must compute.
    pub(super) deferred: Vec<DeferredAddress>,
}

/// The affine addresses of a block.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The roles of the block's steps; empty if the block has no affine addresses.
    steps: Vec<StepRole>,
    /// Addresses that are deferred where the block begins, and where it ends.
    pub(super) start: Vec<DeferredAddress>,
    pub(super) end: Vec<DeferredAddress>,
}

impl Plan {
    pub(super) fn get(&self, step: usize) -> Option<&StepRole> {
        self.steps.get(step)
    }

    /// The plan of a block, from the definitions of affine values in it.
    fn of(block: &Block, definitions: &[Definition]) -> Self {
        let mut plan = Self::default();
        let uses = |d: &&Definition| d.is_deferred || d.is_from_before();
        for d in definitions.iter().filter(uses) {
            plan.steps.resize(block.steps.len(), StepRole::default());
            let (from_before, lives) = (d.is_from_before(), d.is_live_out);
            let deferred = DeferredAddress { vreg: d.vreg, value: d.value, from_before };
            let first = d.step.map_or(0, |step| step + 1);
            let last = d.readers.iter().map(|&reader| reader + 1).max().unwrap_or(first);
            let last = if lives { block.steps.len() } else { last };
            match d.step {
                Some(step) => plan.steps[step].is_deferred = true,
                None => plan.start.extend(d.is_deferred.then_some(deferred)),
            }
            for (i, step) in block.steps.iter().enumerate().take(last).skip(first) {
                let role = &mut plan.steps[i];
                if d.is_deferred && (step.may_exit() || cost_of(step).is_some()) {
                    role.deferred.push(deferred);
                }
                if d.readers.contains(&i) && d.is_base_of(step) {
                    role.base = Some(d.value);
                }
            }
            if d.is_deferred && lives {
                plan.end.push(deferred);
            }
        }
        plan
    }
}

/// Analyses all blocks of a region in which copies of inputs have been propagated. `original` is
/// the region before the propagation, and `is_pending` says whether a copy of an input to a
/// register is not executed yet where a block begins. Index registers of addresses that later
/// blocks use become live.
pub(super) fn plans(
    original: &Region,
    region: &mut Region,
    is_pending: &dyn Fn(usize, VReg) -> bool,
) -> Vec<Plan> {
    let Flow { definitions, .. } = Flow::of(original, region, is_pending);
    let plans = region.blocks.iter().zip(&definitions);
    let plans = plans.map(|(block, definitions)| Plan::of(block, definitions)).collect();
    for (block, definitions) in region.blocks.iter_mut().zip(&definitions) {
        let used = definitions.iter().filter(|d| d.is_used_later);
        block.kept.extend(used.map(|d| VReg::B32(d.value.index)));
    }
    plans
}

/// The base address and the cost description of an access whose cost a step counts.
fn cost_of(step: &Step) -> Option<(Source, Cost)> {
    let Action::Call(call) = &step.action else { return None };
    let Routine::Notify(tell) = call.routine else { return None };
    Some((call.from[0], tell.cost?))
}

/// The base register of an access that can use an affine address with this scale instead of the
/// register.
fn base(step: &Step, shift: u8) -> Option<u32> {
    let access = match &step.action {
        Action::Load(load) => &load.access,
        Action::Store(store) => &store.access,
        Action::Call(_) => {
            let (Source::B64(base), cost) = cost_of(step)? else { return None };
            return (!cost.banks && cost.bytes >= 1 << shift).then_some(base);
        }
        _ => return None,
    };
    let (VReg::B64(base), total) = base_groups::base(access)? else { return None };
    let whole = access.space == Space::Global && total as u64 >= 1 << shift;
    // The step may read the register a second time, other than as the base.
    let other = match &step.action {
        Action::Store(store) => store.from.contains(&Source::B64(base)),
        Action::Load(load) => {
            step.guard != Predicate::Always && load.to.contains(&Some(VReg::B64(base)))
        }
        _ => false,
    };
    (whole && !other).then_some(base)
}
