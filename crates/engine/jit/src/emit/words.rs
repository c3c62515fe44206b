//! Words that lie behind each other in each lane: loads of a block by one index and up to [`COUNT`] - 1 more, or by one address and
//! offsets. Where the lanes lie anywhere, the first one loads all of them, and they wait in the frame
//! ([`super::frame::Frame::loaded`]) for those that they are of. Whoever enters the code between them clears that.
//!
//! Only weak loads are made earlier so, and only where nothing but such and what has to do with registers alone stands
//! between them ([`crate::region::Load::weak`]): their order is promised to nobody (ARCHITECTURE.md, "Races").

use super::affine::{Affine, Plan, Plus};
use super::slots::Slots;
use crate::operand::{Place, Predicate, Source};
use crate::region::{Action, Region, Space, Step};
use std::collections::HashMap;

/// How many words are loaded at once.
pub(crate) const COUNT: usize = 4;

/// How many such groups there can be at a time.
pub(crate) const SLOTS: usize = 2;

/// A group with fewer words is none.
const FEWEST: usize = 3;

/// A load of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Where in the frame the words are.
    pub(super) slot: usize,
    /// Which of them it is. The first one loads all.
    pub(super) place: usize,
}

/// All groups of a region.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// By block and step.
    all: HashMap<(usize, usize), Word>,
    slots: Slots,
}

/// What addresses are made of: an index, without what is added to it, or a wide register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Index(Affine),
    Address(u32),
}

impl Base {
    fn register(self) -> Place {
        match self {
            Self::Index(value) => Place::Narrow(value.index),
            Self::Address(register) => Place::Wide(register),
        }
    }
}

/// How far a word lies behind the first one of its group, by what is added to the index and by the offset. They are kept apart, as
/// a sum of 32 bits can wrap where one of 64 does not: only of words behind the first one in both it is known that they lie where
/// that says.
#[derive(Clone, Copy)]
struct Distance {
    plus: i64,
    offset: i64,
}

/// A group in the making.
struct Group {
    base: Base,
    /// Which memory it is ([`crate::region::Access::map`]).
    map: u8,
    /// The place of its first word.
    first: Distance,
    /// Steps, and which words they load.
    steps: Vec<(usize, usize)>,
    is_open: bool,
}

/// By what a step loads a word, of which memory, and the place of that word from there.
fn word(plan: &Plan, i: usize, step: &Step) -> Option<(Base, u8, Distance)> {
    let Action::Load(load) = &step.action else { return None };
    let access = &load.access;
    let is_word = access.space == Space::Global && (access.size, access.count) == (4, 1);
    if !is_word || !load.weak || step.guard != Predicate::Always {
        return None;
    }
    let offset = access.offset as i64;
    let offset = (offset % 4 == 0).then_some(offset / 4)?;
    let Some(value) = plan.get(i).and_then(|known| known.base) else {
        let Some(Source::Wide(register)) = access.base else { return None };
        return Some((Base::Address(register), access.map, Distance { plus: 0, offset }));
    };
    let (Source::Literal(plus), Source::Literal(_) | Source::Bytes64(_), 2) =
        (value.plus.number, value.add, value.shift)
    else {
        return None;
    };
    let plus = i64::from(plus as i32);
    let plus = if value.plus.minus { -plus } else { plus };
    let base = Base::Index(Affine { plus: Plus::NONE, ..value });
    Some((base, access.map, Distance { plus, offset }))
}

/// Whether loads may be made before a step that stand behind it.
fn lets_pass(step: &Step) -> bool {
    match &step.action {
        Action::Compute { .. }
        | Action::Compare { .. }
        | Action::Logic { .. }
        | Action::Count { .. } => true,
        Action::Load(load) => load.weak,
        _ => false,
    }
}

impl Words {
    /// Those of a region.
    pub(super) fn of(region: &Region, plans: &[Plan]) -> Self {
        let mut words = Self::default();
        for (b, (block, plan)) in region.blocks.iter().zip(plans).enumerate() {
            let mut groups: Vec<Group> = Vec::new();
            for (i, step) in block.steps.iter().enumerate() {
                if !lets_pass(step) {
                    groups.iter_mut().for_each(|group| group.is_open = false);
                }
                if let Some(of) = word(plan, i, step)
                    && !groups.iter_mut().any(|group| group.takes(i, of))
                {
                    let (base, map, first) = of;
                    let steps = vec![(i, 0)];
                    groups.push(Group { base, map, first, steps, is_open: true });
                }
                step.each_written(|written| {
                    let is_of = |group: &&mut Group| group.base.register() == written;
                    groups.iter_mut().filter(is_of).for_each(|group| group.is_open = false);
                });
            }
            words.add(b, &groups);
        }
        words
    }

    /// Groups of a block, as many as there are slots for.
    fn add(&mut self, block: usize, groups: &[Group]) {
        self.slots.begin_block();
        for group in groups.iter().filter(|group| group.has_enough()) {
            let [first, last] =
                [&group.steps[0], &group.steps[group.steps.len() - 1]].map(|step| step.0);
            let Some(slot) = self.slots.take(SLOTS, (first, last)) else { continue };
            self.all.extend(
                group.steps.iter().map(|&(step, place)| ((block, step), Word { slot, place })),
            );
        }
    }

    /// Which word of a group a step loads, if it has one.
    pub(super) fn word(&self, block: usize, step: usize) -> Option<Word> {
        self.all.get(&(block, step)).copied()
    }

    /// Slots that steps behind one look at, as bits.
    pub(super) fn open(&self, block: usize, step: usize) -> u8 {
        self.slots.open(block, step)
    }
}

impl Group {
    /// Takes a load, if it is one of the group.
    fn takes(&mut self, step: usize, (base, map, at): (Base, u8, Distance)) -> bool {
        let plus = usize::try_from(at.plus - self.first.plus).ok();
        let offset = usize::try_from(at.offset - self.first.offset).ok();
        let place = plus.zip(offset).and_then(|(plus, offset)| plus.checked_add(offset));
        let Some(place) = place.filter(|&place| place < COUNT) else { return false };
        let takes = self.is_open && (self.base, self.map) == (base, map);
        if takes {
            self.steps.push((step, place));
        }
        takes
    }

    fn has_enough(&self) -> bool {
        (0..COUNT).filter(|word| self.steps.iter().any(|step| step.1 == *word)).count() >= FEWEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::affine::plans;
    use crate::op::Op;
    use crate::region::{Access, Block, End, Load};

    /// Loads of four words by one index, and an action before each of them. Those of some numbers are not weak.
    fn region(strong: &[u32], before: &[(u32, Action)]) -> Region {
        let mut actions = Vec::new();
        let (sum, zero) = (Source::Narrow(1), Source::Literal(0));
        for n in 0..4 {
            let compute = |op, to, from| Action::Compute { op, to, from };
            actions.extend(before.iter().filter(|of| of.0 == n).map(|of| of.1.clone()));
            let plus = [Source::Narrow(0), Source::Literal(n.into()), zero];
            actions.push(compute(Op::Add, Place::Narrow(1), plus));
            let product = [sum, Source::Literal(4), Source::Bytes64(0)];
            actions.push(compute(Op::ProductAddU, Place::Wide(0), product));
            let (space, base) = (Space::Global, Some(Source::Wide(0)));
            let access = Access { space, size: 4, count: 1, base, offset: 0, site: n, map: 0 };
            let (weak, to) = (!strong.contains(&n), vec![Some(Place::Narrow(2 + n))]);
            let load = Load { access, weak, signed: false, keep: u64::MAX, to };
            actions.push(Action::Load(Box::new(load)));
        }
        let step = |(at, action)| Step { at, guard: Predicate::Always, counted: true, action };
        let steps = (0..).zip(actions).map(step).collect();
        let kept = (2..6).map(Place::Narrow).collect();
        let end = End::Leave { at: 100 };
        let block = Block { at: 0, is_entry: true, joins: false, steps, end, kept };
        Region { blocks: vec![block], sites: 4, ..Region::default() }
    }

    /// Four loads, each of a map, by an index with what is added to it, and an offset.
    fn of(loads: [(u8, u64, u64); 4]) -> usize {
        let mut region = region(&[], &[]);
        let steps = region.blocks[0].steps.iter_mut();
        for (i, step) in steps.enumerate() {
            let (map, plus, offset) = loads[i / 3];
            match &mut step.action {
                Action::Compute { op: Op::Add, from, .. } => from[1] = Source::Literal(plus),
                Action::Load(load) => (load.access.map, load.access.offset) = (map, offset),
                _ => {}
            }
        }
        Words::of(&region, &plans(&region)).all.len()
    }

    #[test]
    fn sums_that_may_wrap_and_other_memories_are_others() {
        assert_eq!(of([(0, 0, 0), (0, 1, 0), (0, 2, 0), (0, 3, 0)]), 4);
        assert_eq!(of([(0, 0, 0), (0, 1, 0), (0, 1, 4), (0, 1, 8)]), 4);
        // The sum of the first one may wrap where that of the others does not.
        assert_eq!(of([(0, 1, 0), (0, 0, 8), (0, 0, 12), (0, 0, 16)]), 3);
        assert_eq!(of([(0, 1, 0), (0, 0, 8), (0, 0, 12), (0, 1, 8)]), 0);
        assert_eq!(of([(0, 0, 0), (0, 1, 0), (0, 2, 0), (1, 3, 0)]), 3);
        assert_eq!(of([(0, 0, 0), (1, 1, 0), (0, 2, 0), (1, 3, 0)]), 0);
    }

    /// Words that are loaded at once.
    fn at_once(strong: &[u32], before: &[(u32, Action)]) -> usize {
        let region = region(strong, before);
        Words::of(&region, &plans(&region)).all.len()
    }

    #[test]
    fn only_weak_loads_are_made_earlier() {
        assert_eq!(at_once(&[], &[]), 4);
        // It is not one of them, and those behind it are too few.
        assert_eq!(at_once(&[0], &[]), 3);
        assert_eq!(at_once(&[1], &[]), 0);
        assert_eq!(at_once(&[3], &[]), 3);
    }

    #[test]
    fn nothing_that_others_could_see_is_passed() {
        let fence = |before| [(before, Action::Nothing)];
        assert_eq!(at_once(&[], &fence(0)), 4);
        assert_eq!(at_once(&[], &fence(1)), 3);
        assert_eq!(at_once(&[], &fence(2)), 0);
        let sync = Action::Sync { members: Source::Literal(u64::from(u32::MAX)) };
        assert_eq!(at_once(&[], &[(2, sync)]), 0);
        let counts = Action::Count { counter: 0, of: None };
        assert_eq!(at_once(&[], &[(2, counts)]), 4);
    }
}
