//! Addresses that are a number for all lanes and a multiple of one of 32 bits for each: `p + 4 * i`.
//!
//! Where such an address is only the base of accesses of its block, it is not computed: the accesses look at the number
//! of 32 bits, which fills half as many vectors, and add the rest once. Wherever the region is left before
//! one of them, the registers that have not been computed are ([`Late`]).

use super::near;
use crate::op::Op;
use crate::operand::{Place, Predicate, Source};
use crate::region::{Action, Block, Region, Space, Step};
use std::collections::HashMap;

/// `add + scale * index`, with the index extended to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    /// What is the same in all lanes.
    pub(super) add: Source,
    /// A narrow register.
    pub(super) index: u32,
    pub(super) signed: bool,
    /// The logarithm of the scale.
    pub(super) shift: u8,
}

/// A wide register that has not been computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Late {
    pub(super) register: u32,
    pub(super) value: Affine,
}

/// What is known of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// It is not done, as what it computes is late.
    pub(super) is_late: bool,
    /// A wide register that it reads all the same: whoever does it elsewhere needs it.
    pub(super) reads: Option<u32>,
    /// The base of its access.
    pub(super) base: Option<Affine>,
    /// Registers that have their values only if it leaves.
    pub(super) late: Vec<Late>,
}

/// By step of a block; nothing, if there is no such address.
pub(super) type Plan = Vec<Known>;

/// A definition of a wide register in a block, with what reads it.
struct Definition {
    step: usize,
    register: u32,
    value: Affine,
    /// The definition that a part of it is, and the register that the other part is in.
    product: Option<usize>,
    same: Option<u32>,
    readers: Vec<usize>,
    /// Whether it is only read by what can do without it.
    is_late: bool,
}

/// The plans of all blocks.
pub(super) fn plans(region: &Region) -> Vec<Plan> {
    let none = Vec::new();
    let params = |i: usize| region.params.get(i).unwrap_or(&none);
    region.blocks.iter().enumerate().map(|(i, block)| plan(block, params(i))).collect()
}

/// What wide registers have at a step.
#[derive(Default)]
struct Registers {
    /// Such addresses, and their definitions.
    products: HashMap<u32, (usize, Affine)>,
    /// Numbers that are the same in all lanes.
    same: HashMap<u32, Source>,
}

/// What a step computes.
struct New {
    register: u32,
    value: Affine,
    product: Option<usize>,
    same: Option<u32>,
}

const ZERO: Source = Source::Literal(0);

impl Registers {
    /// A source that is the same in all lanes, and the register that it is in.
    fn alike(&self, source: Source) -> Option<(Source, Option<u32>)> {
        match source {
            Source::Literal(_) | Source::Bytes64(_) | Source::WideConstant(_) => {
                Some((source, None))
            }
            Source::Wide(i) => self.same.get(&i).map(|&same| (same, Some(i))),
            _ => None,
        }
    }

    /// The register that a step makes the same in all lanes.
    fn same(&self, step: &Step) -> Option<(u32, Source)> {
        if step.guard != Predicate::Always {
            return None;
        }
        match &step.action {
            Action::Compute { op: Op::CopyWide, to: Place::Wide(to), from } => {
                Some((*to, self.alike(from[0])?.0))
            }
            Action::Load(load) => {
                let access = &load.access;
                let whole = (access.space, access.size, access.count, load.keep)
                    == (Space::Param, 8, 1, u64::MAX);
                match load.to[..] {
                    [Some(Place::Wide(to))] if whole && access.base.is_none() => {
                        Some((to, Source::Bytes64(u32::try_from(access.offset).ok()?)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A part of the sum that is a product alone.
    fn product(&self, source: Source) -> Option<(usize, Affine)> {
        let Source::Wide(i) = source else { return None };
        self.products.get(&i).copied().filter(|(_, value)| value.add == ZERO)
    }

    /// The address that a step computes, if it computes one.
    fn value(&self, step: &Step) -> Option<New> {
        let Action::Compute { op, to: Place::Wide(register), from } = &step.action else {
            return None;
        };
        let register = *register;
        if step.guard != Predicate::Always {
            return None;
        }
        let new = |value| New { register, value, product: None, same: None };
        Some(match op {
            Op::ExtendU | Op::ExtendS => {
                let Source::Narrow(index) = from[0] else { return None };
                new(Affine { add: ZERO, index, signed: *op == Op::ExtendS, shift: 0 })
            }
            Op::ProductU | Op::ProductS => new(scaled(from, *op == Op::ProductS)?),
            Op::ProductAddU | Op::ProductAddS => {
                let (add, same) = self.alike(from[2])?;
                let value = Affine { add, ..scaled(from, *op == Op::ProductAddS)? };
                New { same, ..new(value) }
            }
            Op::ShiftLeftWide => {
                let Source::Literal(shift @ 0..=4) = from[1] else { return None };
                let (product, of) = self.product(from[0]).filter(|(_, of)| of.shift == 0)?;
                New { product: Some(product), ..new(Affine { shift: shift as u8, ..of }) }
            }
            Op::AddWide => {
                let either = |a, b| Some((self.product(a)?, self.alike(b)?));
                let ((product, of), (add, same)) =
                    either(from[0], from[1]).or_else(|| either(from[1], from[0]))?;
                New { register, value: Affine { add, ..of }, product: Some(product), same }
            }
            _ => return None,
        })
    }
}

/// A narrow register times a power of two.
fn scaled(from: &[Source; 3], signed: bool) -> Option<Affine> {
    let (index, scale) = match (from[0], from[1]) {
        (Source::Narrow(index), Source::Literal(scale))
        | (Source::Literal(scale), Source::Narrow(index)) => (index, scale),
        _ => return None,
    };
    let small = scale.is_power_of_two() && scale <= 16;
    let shift = scale.trailing_zeros() as u8;
    small.then_some(Affine { add: ZERO, index, signed, shift })
}

/// The base register of an access that can do with the address as it is made.
fn base(step: &Step, shift: u8) -> Option<u32> {
    let access = match &step.action {
        Action::Load(load) => &load.access,
        Action::Store(store) => &store.access,
        _ => return None,
    };
    let (Place::Wide(base), total) = near::base(access)? else { return None };
    let whole = access.space == Space::Global && total as u64 >= 1 << shift;
    // It may be read in another way, too.
    let other = match &step.action {
        Action::Store(store) => store.from.contains(&Source::Wide(base)),
        Action::Load(load) => {
            step.guard != Predicate::Always && load.to.contains(&Some(Place::Wide(base)))
        }
        _ => false,
    };
    (whole && !other).then_some(base)
}

fn plan(block: &Block, params: &[(Place, u32)]) -> Plan {
    let mut definitions = definitions(block, params);
    settle(block, &mut definitions);
    if !definitions.iter().any(|d| d.is_late) {
        return Plan::new();
    }
    let mut plan = vec![Known::default(); block.steps.len()];
    for late in definitions.iter().filter(|d| d.is_late) {
        (plan[late.step].is_late, plan[late.step].reads) = (true, late.same);
        let last = late.readers.iter().copied().max().unwrap_or(late.step);
        let steps = block.steps.iter().enumerate();
        for (i, step) in steps.take(last + 1).skip(late.step + 1) {
            if step.may_leave() {
                plan[i].late.push(Late { register: late.register, value: late.value });
            }
            if late.readers.contains(&i) && base(step, late.value.shift) == Some(late.register) {
                plan[i].base = Some(late.value);
            }
        }
    }
    plan
}

/// Definitions of wide registers as such addresses, and what reads them.
fn definitions(block: &Block, params: &[(Place, u32)]) -> Vec<Definition> {
    let mut all: Vec<Definition> = Vec::new();
    // By register: the definition that holds; those whose index is another number by now are not known any more.
    let mut current: HashMap<u32, usize> = HashMap::new();
    let mut known = Registers::default();
    known.same.extend(params.iter().filter_map(|&(place, at)| match place {
        Place::Wide(register) => Some((register, Source::Bytes64(at))),
        _ => None,
    }));
    for (i, step) in block.steps.iter().enumerate() {
        let (new, same) = (known.value(step), known.same(step));
        step.each_read(|place| {
            if let Place::Wide(register) = place
                && let Some(&d) = current.get(&register)
            {
                all[d].readers.push(i);
                // What was its index is another number now.
                all[d].is_late &= known.products.contains_key(&register);
            }
        });
        // Others than loads and stores do not compute what is late where they leave.
        if step.may_leave() && !matches!(step.action, Action::Load(_) | Action::Store(_)) {
            known.products.clear();
        }
        step.each_written(|place| match place {
            Place::Narrow(index) => known.products.retain(|_, (_, value)| value.index != index),
            Place::Wide(register) => {
                current.remove(&register);
                known.products.remove(&register);
                known.same.remove(&register);
            }
            Place::Predicate(_) => {}
        });
        if let Some((register, same)) = same {
            known.same.insert(register, same);
        }
        if let Some(New { register, value, product, same }) = new {
            let d = all.len();
            all.push(Definition {
                step: i,
                register,
                value,
                product,
                same,
                readers: Vec::new(),
                is_late: true,
            });
            current.insert(register, d);
            known.products.insert(register, (d, value));
        }
    }
    for (register, &d) in &current {
        all[d].is_late &= !block.kept.contains(&Place::Wide(*register));
    }
    all
}

/// Finds which of them are late: those of which all readers can do without.
fn settle(block: &Block, all: &mut [Definition]) {
    for d in (0..all.len()).rev() {
        let (before, behind) = all.split_at_mut(d + 1);
        let of = &mut before[d];
        let can = |&i: &usize| {
            base(&block.steps[i], of.value.shift) == Some(of.register)
                || behind.iter().any(|b| b.step == i && b.is_late && b.product == Some(d))
        };
        of.is_late &= !of.readers.is_empty() && of.readers.iter().all(can);
    }
}
