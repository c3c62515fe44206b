//! The values of a loop as registers of their own: what a program has in one register, one after the other, can be a number once and
//! a float then.

use crate::emit::affine::Affine;
use crate::op::Op;
use crate::operand::{Place, Predicate, Source};
use crate::region::{Action, Step};
use std::collections::HashMap;

/// A step, and the index by which it loads, if its site knows all indices: its base is not read then.
#[derive(Clone, Debug)]
pub(super) struct LaneStep {
    pub(super) step: Step,
    pub(super) by: Option<Affine>,
    /// How that is looked at.
    pub(super) look: Look,
}

/// How an index is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    /// The site that says where index 0 lies: the first one of those whose addresses are made alike.
    pub(super) site: u32,
    /// What is added to the index, if that is a small number: then the index itself is looked at.
    pub(super) behind: Option<u32>,
    /// Whether it is done here, and for how many indices behind this one; none: it has been done before.
    pub(super) covers: Option<u32>,
}

/// A block: what is done, by what it branches, and where the results of the loop are behind it.
#[derive(Clone, Debug)]
pub(super) struct LaneBlock {
    pub(super) steps: Vec<LaneStep>,
    pub(super) taken: Predicate,
    pub(super) results: Vec<Place>,
}

/// Gives values their names, along a chain of blocks.
#[derive(Default)]
pub(super) struct Names {
    /// By register: its value now.
    now: HashMap<Place, u32>,
    /// By value: one that it is the same as.
    same: Vec<u32>,
}

/// A register by its number.
fn numbered(place: Place, i: u32) -> Place {
    match place {
        Place::Narrow(_) => Place::Narrow(i),
        Place::Wide(_) => Place::Wide(i),
        Place::Predicate(_) => Place::Predicate(i),
    }
}

fn number(place: Place) -> u32 {
    let (Place::Narrow(i) | Place::Wide(i) | Place::Predicate(i)) = place;
    i
}

/// Other registers in a predicate.
fn predicate(of: Predicate, f: &mut impl FnMut(Place, bool) -> Place) -> Predicate {
    match of {
        Predicate::If(i) => Predicate::If(number(f(Place::Predicate(i), false))),
        Predicate::Unless(i) => Predicate::Unless(number(f(Place::Predicate(i), false))),
        other => other,
    }
}

impl LaneStep {
    /// Other registers in a step: first in what it reads, then (`true`) in what it writes.
    fn rename(&mut self, f: &mut impl FnMut(Place, bool) -> Place) {
        let step = &mut self.step;
        step.guard = predicate(step.guard, f);
        let source = |of: &mut Source| match of {
            Source::Narrow(i) => *i = number(f(Place::Narrow(*i), false)),
            Source::Wide(i) => *i = number(f(Place::Wide(*i), false)),
            _ => {}
        };
        match &mut step.action {
            Action::Compute { op, from, .. } => from.iter_mut().take(op.sources()).for_each(source),
            Action::Compare { from, .. } => from.iter_mut().for_each(source),
            Action::Load(load) if self.by.is_none() => load.access.base.iter_mut().for_each(source),
            Action::Load(load) => load.access.base = None,
            _ => {}
        }
        if let Some(by) = &mut self.by {
            by.index = number(f(Place::Narrow(by.index), false));
        }
        match &mut step.action {
            Action::Compute { op, to, .. } => {
                if let Op::Select(p) | Op::SelectWide(p) = op {
                    *p = predicate(*p, f);
                }
                *to = f(*to, true);
            }
            Action::Compare { to, with, .. } => {
                with.1 = predicate(with.1, f);
                to.iter_mut().flatten().for_each(|i| *i = number(f(Place::Predicate(*i), true)));
            }
            Action::Logic { to, from, .. } => {
                from.iter_mut().for_each(|of| *of = predicate(*of, f));
                *to = number(f(Place::Predicate(*to), true));
            }
            Action::Load(load) => load.to.iter_mut().flatten().for_each(|to| *to = f(*to, true)),
            _ => {}
        }
    }
}

impl Names {
    /// The value that a register has now: a new one, if there was none or it is written.
    pub(super) fn of(&mut self, place: Place, is_new: bool) -> Place {
        if is_new || !self.now.contains_key(&place) {
            let new = self.same.len() as u32;
            self.same.push(new);
            self.now.insert(place, new);
        }
        numbered(place, self.now[&place])
    }

    /// What a branch looks at.
    pub(super) fn taken(&mut self, of: Predicate) -> Predicate {
        predicate(of, &mut |place, _| self.of(place, false))
    }

    /// A step, behind which registers that it writes have other values; where a guard may keep it from that, the same.
    pub(super) fn step(&mut self, step: &Step, by: Option<Affine>) -> LaneStep {
        let is_certain = step.guard == Predicate::Always;
        let mut step = LaneStep { step: step.clone(), by, look: Look::default() };
        step.rename(&mut |place, writes| self.of(place, writes && is_certain));
        step
    }

    /// The end of the chain: where it goes on at its beginning, registers have their values where they had them there.
    pub(super) fn close(&mut self, begins: &[(Place, Place)]) {
        for &(place, first) in begins {
            let (first, last) = (self.root(number(first)), self.root(self.now[&place]));
            self.same[last as usize] = first;
        }
    }

    fn root(&self, mut value: u32) -> u32 {
        while self.same[value as usize] != value {
            value = self.same[value as usize];
        }
        value
    }

    /// The one name of a value.
    pub(super) fn settled(&self, place: Place) -> Place {
        numbered(place, self.root(number(place)))
    }

    /// Blocks with one name of each value.
    pub(super) fn settle(&self, blocks: &mut [LaneBlock]) {
        for block in blocks {
            block.taken = predicate(block.taken, &mut |place, _| self.settled(place));
            block.results.iter_mut().for_each(|place| *place = self.settled(*place));
            for step in &mut block.steps {
                step.rename(&mut |place, _| self.settled(place));
            }
        }
    }
}
