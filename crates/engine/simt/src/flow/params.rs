//! Which registers have a kernel's parameter of 64 or of 32 bits: forward data flow over the instructions
//! of a function, for each thread by itself. What all threads have there is the same then.

use super::visit::{Use, each_slot, each_successor};
use super::{Facts, Numbers};
use crate::code::{Inst, Op, Place, Slot};
use std::collections::VecDeque;

/// It has something else, or nobody knows.
const OTHER: u32 = u32::MAX;
/// No way has been found there yet.
const NOWHERE: u32 = u32::MAX - 1;

/// By register: the offset of the parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    narrow: Vec<u32>,
    wide: Vec<u32>,
}

impl Held {
    fn new(numbers: Numbers, value: u32) -> Self {
        Self { narrow: vec![value; numbers.narrow], wide: vec![value; numbers.wide] }
    }

    fn get_mut(&mut self, slot: Slot) -> Option<&mut u32> {
        if slot.is_constant() || slot.is_none() || slot.is_predicate() {
            return None;
        }
        let list = if slot.is_wide() { &mut self.wide } else { &mut self.narrow };
        list.get_mut(slot.index())
    }

    /// The offset of the one that a register has.
    pub(crate) fn get(&self, slot: Slot) -> Option<u32> {
        if slot.is_constant() || slot.is_none() || slot.is_predicate() {
            return None;
        }
        let list = if slot.is_wide() { &self.wide } else { &self.narrow };
        list.get(slot.index()).copied().filter(|&offset| offset < NOWHERE)
    }

    /// All registers that have one, with its offset: those of 64 and of 32 bits.
    pub(crate) fn all(&self) -> [Vec<(u32, u32)>; 2] {
        [&self.wide, &self.narrow].map(|list| {
            let all = (0..).zip(list).filter(|(_, offset)| **offset < NOWHERE);
            all.map(|(i, &offset)| (i, offset)).collect()
        })
    }

    /// Goes on behind an instruction.
    pub(crate) fn behind(&mut self, inst: &Inst) {
        // Of which width it is.
        let (value, wide) = match &inst.op {
            Op::Load(of)
                if of.place == Place::KernelParam && of.base.is_none() && of.parts.len() == 1 =>
            {
                let whole = match of.size {
                    8 => of.mask == u64::MAX,
                    4 => of.mask as u32 == u32::MAX,
                    _ => false,
                };
                (u32::try_from(of.offset).ok().filter(|_| whole), of.size == 8)
            }
            Op::MovWide { a, .. } | Op::MovNarrow { a, .. } => {
                (self.get_mut(*a).map(|held| *held), a.is_wide())
            }
            _ => (None, false),
        };
        let value = value.filter(|&offset| offset < NOWHERE);
        let known = each_slot(&inst.op, |does, slot| {
            let value = value.filter(|_| slot.is_wide() == wide).unwrap_or(OTHER);
            if does == Use::Writes
                && let Some(held) = self.get_mut(*slot)
                && (inst.guard == Slot::TRUE || *held != value)
            {
                *held = if inst.guard == Slot::TRUE { value } else { OTHER };
            }
        });
        if !known {
            self.narrow.fill(OTHER);
            self.wide.fill(OTHER);
        }
    }

    /// Another way leads here. Whether that changes something.
    fn meet(&mut self, other: &Self) -> bool {
        let mut changed = false;
        let here = self.wide.iter_mut().chain(&mut self.narrow);
        for (here, &there) in here.zip(other.wide.iter().chain(&other.narrow)) {
            let both = if *here == NOWHERE || *here == there { there } else { OTHER };
            changed |= both != *here;
            *here = both;
        }
        changed
    }
}

/// What registers have where each block begins.
#[derive(Debug)]
pub(super) struct Params(Vec<Held>);

impl Params {
    pub(super) fn of(facts: &Facts, numbers: Numbers, first: u32, insts: &[Inst]) -> Self {
        let blocks = facts.starts.len();
        let mut held = vec![Held::new(numbers, NOWHERE); blocks];
        let mut waiting: VecDeque<usize> = VecDeque::new();
        if let Some(start) = held.first_mut() {
            *start = Held::new(numbers, OTHER);
            waiting.push_back(0);
        }
        let mut is_waiting = vec![false; blocks];
        while let Some(block) = waiting.pop_front() {
            is_waiting[block] = false;
            let range = facts.block(block, insts.len());
            let (last, mut here) = (range.end - 1, held[block].clone());
            range.for_each(|i| here.behind(&insts[i]));
            each_successor(&insts[last], first as usize + last, |pc| {
                let to = facts.starts.binary_search(&(pc.wrapping_sub(first) as usize));
                if let Ok(to) = to
                    && held[to].meet(&here)
                    && !is_waiting[to]
                {
                    is_waiting[to] = true;
                    waiting.push_back(to);
                }
            });
        }
        Self(held)
    }

    pub(super) fn at_start(&self, block: usize) -> Option<&Held> {
        self.0.get(block)
    }
}
