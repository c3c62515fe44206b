//! Which results of a fetch or an atomic a kernel uses, and what of it depends on more than memory: for checks, and for
//! launches of some CTAs of a grid.

use super::Listing;
use crate::code::{Inst, Op, Place, Slot};
use crate::flow::{Use, each_slot, each_successor};
use std::collections::HashSet;
use texunit_isa::{AtomOp, ScalarType, SpecialReg};

/// Places that are looked at for one register; where there are more, it counts as used.
const MAX: usize = 1 << 16;

/// An atomic, as its instruction says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicForm {
    /// What is done.
    pub op: AtomOp,
    /// With numbers of this type.
    pub ty: ScalarType,
    /// Whether something uses what was there before.
    pub is_used: bool,
}

impl Listing<'_> {
    /// What an atomic does; `None`: the operation is none.
    pub fn atomic(&self, op: u32) -> Option<AtomicForm> {
        let Op::Atomic(atomic) = &self.code.insts.get(op as usize)?.op else { return None };
        let mut results = atomic.d.iter().filter(|slot| !slot.is_none());
        // What is put into the frame may be taken out again.
        let is_used = results.any(|slot| self.is_used(op, *slot, None));
        Some(AtomicForm { op: atomic.op, ty: atomic.ty, is_used })
    }

    /// Operations that read a clock or the number of a multiprocessor, and the names of those registers.
    pub fn fleeting(&self) -> Vec<(u32, &'static str)> {
        let name = |(op, inst): (u32, &Inst)| match inst.op {
            Op::Special { reg, .. } if is_fleeting(reg) => Some((op, reg.name())),
            _ => None,
        };
        (0..).zip(&self.code.insts).filter_map(name).collect()
    }

    /// Registers of a fetch whose values something uses later, bit 0 for the first; none of what is no fetch. Copies are
    /// followed, and what is put into the frame of the function counts for nothing: code that is not optimised puts all
    /// there.
    pub fn components_used(&self, op: u32) -> u8 {
        let Some(Op::Fetch(fetch)) = self.code.insts.get(op as usize).map(|inst| &inst.op) else {
            return 0;
        };
        let frame = self.frame_pointers(op);
        let parts = (0..).zip(&fetch.parts).filter(|(_, slot)| !slot.is_none());
        let used = parts.filter(|(_, slot)| self.is_used(op, **slot, Some(&frame)));
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
                Op::Cvta { d, a, .. } | Op::MovWide { d, a } if all.contains(a) => *d,
                _ => continue,
            };
            all.push(pointer);
        }
        all
    }

    /// Whether something behind an operation uses what it has put into a register. What is put into the frame, which
    /// these registers point to, is no use; `None`: it is.
    fn is_used(&self, op: u32, slot: Slot, frame: Option<&[Slot]>) -> bool {
        let insts = &self.code.insts;
        let mut seen = HashSet::new();
        let mut open = Vec::new();
        each_successor(&insts[op as usize], op as usize, |next| open.push((next, slot)));
        while let Some((pc, slot)) = open.pop() {
            let Some(inst) = insts.get(pc as usize).filter(|_| seen.insert((pc, slot))) else {
                continue;
            };
            if seen.len() > MAX {
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

/// Whether a register has other values in another run: clocks, and what depends on the threads of the host.
pub(crate) fn is_fleeting(reg: SpecialReg) -> bool {
    use SpecialReg as R;
    let clock = matches!(reg, R::Clock | R::ClockHi | R::Clock64);
    let timer = matches!(reg, R::Globaltimer | R::GlobaltimerLo | R::GlobaltimerHi);
    clock || timer || matches!(reg, R::Smid | R::Nsmid)
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

fn effect(inst: &Inst, slot: Slot, frame: Option<&[Slot]>) -> Effect {
    let (mut reads, mut writes) = (inst.guard == slot, false);
    each_slot(&inst.op, |does, &other| match does {
        Use::Reads => reads |= other == slot,
        Use::Writes => writes |= other == slot,
    });
    match &inst.op {
        Op::MovNarrow { d, a, .. } if reads && *a == slot => return Effect::Copies(*d),
        Op::Store(store) if reads && store.base != slot => {
            let own = matches!(store.place, Place::Frame | Place::Local);
            if frame.is_some_and(|frame| own || frame.contains(&store.base)) {
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
