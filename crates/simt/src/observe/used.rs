//! Which results of a fetch a kernel uses: for checks of what a texture does not have.

use super::Listing;
use crate::code::{Inst, Op, Place, Slot};
use crate::flow::{Use, each_slot, each_successor};
use std::collections::HashSet;

/// Places that are looked at for one register; where there are more, it counts as used.
const MOST: usize = 1 << 16;

impl Listing<'_> {
    /// Registers of a fetch whose values something uses later, bit 0 for the first; none of what is no fetch. Copies are
    /// followed, and what is put into the frame of the function counts for nothing: code that is not optimised puts all
    /// there.
    pub fn components_used(&self, op: u32) -> u8 {
        let Some(Op::Fetch(fetch)) = self.code.insts.get(op as usize).map(|inst| &inst.op) else {
            return 0;
        };
        let frame = self.frame_pointers(op);
        let parts = (0..).zip(&fetch.parts).filter(|(_, slot)| !slot.is_none());
        let used = parts.filter(|(_, slot)| self.is_used(op, **slot, &frame));
        used.fold(0, |used, (i, _)| used | 1 << i)
    }

    /// Registers of the function around an operation that point into its frame.
    fn frame_pointers(&self, op: u32) -> Vec<Slot> {
        let function = self.operations(self.function(op));
        let insts = &self.code.insts[function.start as usize..function.end as usize];
        let mut all = Vec::new();
        for inst in insts {
            let pointer = match &inst.op {
                Op::FrameAddress { d, .. } => *d,
                Op::Cvta { d, a, .. } if all.contains(a) => *d,
                _ => continue,
            };
            all.push(pointer);
        }
        all
    }

    /// Whether something behind an operation uses what it has put into a register.
    fn is_used(&self, op: u32, slot: Slot, frame: &[Slot]) -> bool {
        let insts = &self.code.insts;
        let mut seen = HashSet::new();
        let mut open = Vec::new();
        each_successor(&insts[op as usize], op as usize, |next| open.push((next, slot)));
        while let Some((pc, slot)) = open.pop() {
            let Some(inst) = insts.get(pc as usize).filter(|_| seen.insert((pc, slot))) else {
                continue;
            };
            if seen.len() > MOST {
                return true;
            }
            match effect(inst, slot, frame) {
                Effect::Uses => return true,
                Effect::Copies(to) => open.push((pc + 1, to)),
                Effect::Ends => continue,
                Effect::None => {}
            }
            each_successor(inst, pc as usize, |next| open.push((next, slot)));
        }
        false
    }
}

/// What an instruction does with a register.
enum Effect {
    None,
    Uses,
    /// It copies it to another one.
    Copies(Slot),
    /// It gives it another value.
    Ends,
}

fn effect(inst: &Inst, slot: Slot, frame: &[Slot]) -> Effect {
    let (mut reads, mut writes) = (inst.guard == slot, false);
    each_slot(&inst.op, |does, &other| match does {
        Use::Reads => reads |= other == slot,
        Use::Writes => writes |= other == slot,
    });
    match &inst.op {
        Op::MovNarrow { d, a, .. } if reads && *a == slot => return Effect::Copies(*d),
        Op::Store(store) if reads && store.base != slot => {
            let own = matches!(store.place, Place::Frame | Place::Local);
            if own || frame.contains(&store.base) {
                return Effect::None;
            }
        }
        _ => {}
    }
    match (reads, writes && inst.guard == Slot::TRUE) {
        (true, _) => Effect::Uses,
        (false, true) => Effect::Ends,
        (false, false) => Effect::None,
    }
}
