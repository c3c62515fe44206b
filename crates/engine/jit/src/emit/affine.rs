//! Addresses that are a number for all lanes and a multiple of one of 32 bits for each: `p + 4 * i`, and the same of
//! `i + n`, where all lanes have n.
//!
//! Where such an address is only the base of accesses of its block, it is not computed: the accesses look at the number
//! of 32 bits, which fills half as many vectors, and add the rest once. Wherever the region is left before
//! one of them, the registers that have not been computed are ([`Late`]).

mod plus;
mod values;

use super::same_base;
use crate::operand::{Place, Predicate, Source};
use crate::region::{Action, Block, Region, Space, Step};
pub(super) use plus::Plus;
use std::collections::HashMap;
use values::{New, Registers};

/// `add + scale * (index + plus)`, with the sum in brackets, of 32 bits, extended to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    /// What is the same in all lanes.
    pub(super) add: Source,
    /// A narrow register.
    pub(super) index: u32,
    pub(super) plus: Plus,
    pub(super) signed: bool,
    /// The logarithm of the scale.
    pub(super) shift: u8,
}

/// A register that has not been computed: a wide one, or a narrow one that is the index and what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Late {
    pub(super) place: Place,
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
    /// A wide register that it makes such an address, and does.
    pub(super) makes: Option<(u32, Affine)>,
    /// Whether the index of the base has been loaded in the block: then it may be anything.
    pub(super) is_loaded: bool,
    /// Registers that have their values only if it leaves.
    pub(super) late: Vec<Late>,
}

/// By step of a block; nothing, if there is no such address.
pub(super) type Plan = Vec<Known>;

/// A definition of a register in a block, with what reads it.
struct Definition {
    step: usize,
    place: Place,
    value: Affine,
    /// The definition that a part of it is, and the register that the other part is in.
    product: Option<usize>,
    same: Option<u32>,
    readers: Vec<usize>,
    /// Whether it is only read by what can do without it.
    is_late: bool,
    /// Whether the index has been loaded.
    is_loaded: bool,
}

impl Definition {
    /// Whether it is the base of an access that can do with it as it is made.
    fn is_base_of(&self, step: &Step) -> bool {
        base(step, self.value.shift).map(Place::Wide) == Some(self.place)
    }
}

/// The plans of all blocks.
pub(super) fn plans(region: &Region) -> Vec<Plan> {
    let none = Vec::new();
    let params = |i: usize| region.params.get(i).unwrap_or(&none);
    region.blocks.iter().enumerate().map(|(i, block)| plan(block, params(i))).collect()
}

/// The base register of an access that can do with the address as it is made.
fn base(step: &Step, shift: u8) -> Option<u32> {
    let access = match &step.action {
        Action::Load(load) => &load.access,
        Action::Store(store) => &store.access,
        _ => return None,
    };
    let (Place::Wide(base), total) = same_base::base(access)? else { return None };
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
    if definitions.is_empty() {
        return Plan::new();
    }
    let mut plan = vec![Known::default(); block.steps.len()];
    for made in definitions.iter().filter(|d| !d.is_late) {
        if let Place::Wide(register) = made.place {
            plan[made.step].makes = Some((register, made.value));
        }
    }
    for late in definitions.iter().filter(|d| d.is_late) {
        (plan[late.step].is_late, plan[late.step].reads) = (true, late.same);
        let last = late.readers.iter().copied().max().unwrap_or(late.step);
        let steps = block.steps.iter().enumerate();
        for (i, step) in steps.take(last + 1).skip(late.step + 1) {
            if step.may_leave() {
                plan[i].late.push(Late { place: late.place, value: late.value });
            }
            if late.readers.contains(&i) && late.is_base_of(step) {
                plan[i].base = Some(late.value);
                plan[i].is_loaded = late.is_loaded;
            }
        }
    }
    plan
}

/// Definitions of registers as such addresses and indices, and what reads them.
fn definitions(block: &Block, params: &[(Place, u32)]) -> Vec<Definition> {
    let mut all: Vec<Definition> = Vec::new();
    // By register: the definition that holds; those whose index is another number by now are not known any more.
    let mut current: HashMap<Place, usize> = HashMap::new();
    let mut known = Registers::new(params);
    for (i, step) in block.steps.iter().enumerate() {
        let (new, same) = (known.value(step), known.same(step));
        step.each_read(|place| {
            if let Some(&d) = current.get(&place) {
                all[d].readers.push(i);
                // What was its index is another number now.
                all[d].is_late &= known.products.contains_key(&place);
            }
        });
        // Others than loads and stores do not compute what is late where they leave.
        if step.may_leave() && !matches!(step.action, Action::Load(_) | Action::Store(_)) {
            known.products.clear();
        }
        step.each_written(|place| {
            current.remove(&place);
            known.forget(place);
        });
        known.note_loaded(step);
        if let Some((register, same)) = same {
            known.same.insert(register, same);
        }
        if let Some(New { place, value, product, same }) = new {
            let d = all.len();
            all.push(Definition {
                step: i,
                place,
                value,
                product,
                same,
                readers: Vec::new(),
                is_late: true,
                is_loaded: known.loaded.contains(&value.index),
            });
            current.insert(place, d);
            known.products.insert(place, (d, value));
        }
    }
    for (place, &d) in &current {
        all[d].is_late &= !block.kept.contains(place);
    }
    all
}

/// Finds which of them are late: those of which all readers can do without.
fn settle(block: &Block, all: &mut [Definition]) {
    for d in (0..all.len()).rev() {
        let (before, behind) = all.split_at_mut(d + 1);
        let of = &mut before[d];
        let can = |&i: &usize| {
            of.is_base_of(&block.steps[i])
                || behind.iter().any(|b| b.step == i && b.is_late && b.product == Some(d))
        };
        of.is_late &= !of.readers.is_empty() && of.readers.iter().all(can);
    }
}
