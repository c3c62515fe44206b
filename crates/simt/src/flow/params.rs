//! Which registers have a kernel's parameter of 64 bits, an address mostly: forward data flow over the instructions
//! of a function, for each thread by itself. What all threads have there is the same then.

use super::visit::{Use, each_slot, each_successor};
use super::{Facts, Numbers};
use crate::code::{Inst, Op, Place, Slot};
use std::collections::VecDeque;

/// It has something else, or nobody knows.
const OTHER: u32 = u32::MAX;
/// No way has been found there yet.
const NOWHERE: u32 = u32::MAX - 1;

/// By wide register: the offset of the parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held(Vec<u32>);

impl Held {
    /// The offset of the parameter that a register has.
    fn of(&self, slot: Slot) -> Option<u32> {
        let known = slot.is_wide() && !slot.is_constant() && !slot.is_none();
        let &offset = self.0.get(slot.index()).filter(|_| known)?;
        (offset < NOWHERE).then_some(offset)
    }

    /// All registers that have one, with its offset.
    pub(crate) fn all(&self) -> Vec<(u32, u32)> {
        let all = (0..).zip(&self.0).filter(|(_, offset)| **offset < NOWHERE);
        all.map(|(i, &offset)| (i, offset)).collect()
    }

    /// Goes on behind an instruction.
    pub(crate) fn behind(&mut self, inst: &Inst) {
        // It writes narrow registers.
        if matches!(inst.op, Op::Shuffle(_)) {
            return;
        }
        let value = match &inst.op {
            Op::Load(of)
                if of.place == Place::KernelParam
                    && of.base.is_none()
                    && (of.size, of.parts.len(), of.mask) == (8, 1, u64::MAX) =>
            {
                u32::try_from(of.offset).ok()
            }
            Op::MovWide { a, .. } => self.of(*a),
            _ => None,
        };
        let value = value.filter(|&offset| offset < NOWHERE).unwrap_or(OTHER);
        let known = each_slot(&inst.op, |does, slot| {
            if does == Use::Writes
                && slot.is_wide()
                && !slot.is_none()
                && let Some(held) = self.0.get_mut(slot.index())
                && (inst.guard == Slot::TRUE || *held != value)
            {
                *held = if inst.guard == Slot::TRUE { value } else { OTHER };
            }
        });
        if !known {
            self.0.fill(OTHER);
        }
    }

    /// Another way leads here. Whether that changes something.
    fn meet(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (here, &there) in self.0.iter_mut().zip(&other.0) {
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
        let mut held = vec![Held(vec![NOWHERE; numbers.wide]); blocks];
        let mut waiting: VecDeque<usize> = VecDeque::new();
        if let Some(start) = held.first_mut() {
            start.0.fill(OTHER);
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
