//! Affine addresses: a uniform base plus a scaled 32-bit index per lane, `p + 4 * i`, or `p + 4 *
//! (i + n)` with a uniform n. The analysis is given a region and returns a [`Plan`] for each block:
//! which steps compute affine addresses, which accesses use them, and which of them need not be
//! computed.
//!
//! An affine address that is only used as the base of accesses in its block is deferred: the
//! accesses check the index, which needs half as many vectors as a 64-bit address, and add the base
//! once. An exit before such an access computes the deferred registers ([`DeferredAddress`]).

mod addend;
mod values;

use super::base_groups;
use crate::ir::{Action, Block, Cost, Region, Routine, Space, Step};
use crate::operand::{Predicate, Source, VReg};
pub(super) use addend::Addend;
use std::collections::HashMap;
use values::{AffineResult, Registers};

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
}

/// The role of a step in affine addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct StepRole {
    /// Whether the step is skipped, because the register that it computes is deferred.
    pub(super) is_deferred: bool,
    /// A 64-bit register that the step reads, and that must stay live because an exit computes the
    /// deferred register from it.
    pub(super) reads: Option<u32>,
    /// The affine value of the base register, if the step is an access.
    pub(super) base: Option<Affine>,
    /// The 64-bit register that the step sets to an affine address, and the address.
    pub(super) makes: Option<(u32, Affine)>,
    /// Whether the block loads the index from memory, so that its lanes are probably not
    /// consecutive.
    pub(super) is_loaded: bool,
    /// Registers that an exit before the step computes.
    pub(super) deferred: Vec<DeferredAddress>,
}

/// The roles of a block's steps; empty if the block has no affine addresses.
pub(super) type Plan = Vec<StepRole>;

/// A definition of a register by an affine value, and the readers of the register.
struct Definition {
    step: usize,
    vreg: VReg,
    value: Affine,
    /// The definition of the index, if it is also affine, and the register that holds the uniform
    /// base.
    product: Option<usize>,
    same: Option<u32>,
    readers: Vec<usize>,
    /// Whether no reader needs the register itself.
    is_deferred: bool,
    /// Whether the block loads the index from memory.
    is_loaded: bool,
}

impl Definition {
    /// Whether the step is an access that can use the affine value instead of the register as its
    /// base.
    fn is_base_of(&self, step: &Step) -> bool {
        base(step, self.value.shift).map(VReg::B64) == Some(self.vreg)
    }
}

/// Analyses all blocks of a region.
pub(super) fn plans(region: &Region) -> Vec<Plan> {
    let none = Vec::new();
    let params = |i: usize| region.params.get(i).unwrap_or(&none);
    region.blocks.iter().enumerate().map(|(i, block)| plan(block, params(i))).collect()
}

/// The base address of an access whose cost a step counts.
fn cost_of(step: &Step) -> Option<(Source, Cost)> {
    match &step.action {
        Action::Call(call) => match call.routine {
            Routine::Notify(tell) => Some((call.from[0], tell.cost?)),
            _ => None,
        },
        _ => None,
    }
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

fn plan(block: &Block, params: &[(VReg, u32)]) -> Plan {
    let mut definitions = definitions(block, params);
    choose_deferred(block, &mut definitions);
    if definitions.is_empty() {
        return Plan::new();
    }
    let mut plan = vec![StepRole::default(); block.steps.len()];
    for made in definitions.iter().filter(|d| !d.is_deferred) {
        if let VReg::B64(register) = made.vreg {
            plan[made.step].makes = Some((register, made.value));
        }
    }
    for deferred in definitions.iter().filter(|d| d.is_deferred) {
        (plan[deferred.step].is_deferred, plan[deferred.step].reads) = (true, deferred.same);
        let last = deferred.readers.iter().copied().max().unwrap_or(deferred.step);
        let steps = block.steps.iter().enumerate();
        for (i, step) in steps.take(last + 1).skip(deferred.step + 1) {
            if step.may_exit() || cost_of(step).is_some() {
                plan[i]
                    .deferred
                    .push(DeferredAddress { vreg: deferred.vreg, value: deferred.value });
            }
            if deferred.readers.contains(&i) && deferred.is_base_of(step) {
                plan[i].base = Some(deferred.value);
                plan[i].is_loaded = deferred.is_loaded;
            }
        }
    }
    plan
}

/// Collects the definitions of affine addresses and indices in a block, with their readers.
fn definitions(block: &Block, params: &[(VReg, u32)]) -> Vec<Definition> {
    let mut all: Vec<Definition> = Vec::new();
    // For each register, the definition that reaches the current step.
    let mut current: HashMap<VReg, usize> = HashMap::new();
    let mut known = Registers::new(params);
    for (i, step) in block.steps.iter().enumerate() {
        let (new, same) = (known.value(step), known.same(step));
        step.each_read(&mut |vreg| {
            if let Some(&d) = current.get(&vreg) {
                all[d].readers.push(i);
                // A reader cannot recompute the value once its index register has been overwritten.
                all[d].is_deferred &= known.products.contains_key(&vreg);
            }
        });
        // Only exits of loads and stores compute deferred registers, so that no definition may be
        // deferred across other steps that can exit.
        if step.may_exit() && !matches!(step.action, Action::Load(_) | Action::Store(_)) {
            known.products.clear();
        }
        step.each_written(&mut |vreg| {
            current.remove(&vreg);
            known.forget(vreg);
        });
        known.note_loaded(step);
        if let Some((register, same)) = same {
            known.same.insert(register, same);
        }
        if let Some(AffineResult { vreg, value, product, same }) = new {
            let d = all.len();
            all.push(Definition {
                step: i,
                vreg,
                value,
                product,
                same,
                readers: Vec::new(),
                is_deferred: true,
                is_loaded: known.loaded.contains(&value.index),
            });
            current.insert(vreg, d);
            known.products.insert(vreg, (d, value));
        }
    }
    for (vreg, &d) in &current {
        all[d].is_deferred &= !block.kept.contains(vreg);
    }
    all
}

/// Decides which definitions are deferred: those whose readers are all accesses that use the affine
/// value, or deferred definitions.
fn choose_deferred(block: &Block, all: &mut [Definition]) {
    for d in (0..all.len()).rev() {
        let (before, later) = all.split_at_mut(d + 1);
        let of = &mut before[d];
        let can = |&i: &usize| {
            of.is_base_of(&block.steps[i])
                || later.iter().any(|b| b.step == i && b.is_deferred && b.product == Some(d))
        };
        of.is_deferred &= !of.readers.is_empty() && of.readers.iter().all(can);
    }
}
