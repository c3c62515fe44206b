//! Which results of a fetch or an atomic a kernel uses, and what of it depends on more than memory: for checks, and for
//! launches of some CTAs of a grid.

use super::Listing;
use crate::code::{Inst, Op, Place, Slot};
use crate::flow::FunctionCode;
use std::collections::HashSet;
use std::ops::ControlFlow;
use texunit_flow::reached_uses;
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
    pub fn nondeterministic_inputs(&self) -> Vec<(u32, &'static str)> {
        let name = |(op, inst): (u32, &Inst)| match inst.op {
            Op::Special { reg, .. } if is_nondeterministic(reg) => Some((op, reg.name())),
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
        let Some(code) = FunctionCode::around(self.code, op) else { return true };
        let (mut seen, mut left) = (HashSet::new(), MAX);
        let mut open = vec![((op - code.first) as usize, slot)];
        while let Some((at, slot)) = open.pop() {
            let Some(register) = code.registers.number(slot).filter(|_| seen.insert((at, slot)))
            else {
                continue;
            };
            let place = (register as u32, at);
            let flow = reached_uses(&code, place, &mut left, |read| {
                match effect(&code.insts[read], slot, frame) {
                    Effect::Uses => return ControlFlow::Break(()),
                    Effect::Copies(to) => open.push((read, to)),
                    Effect::None => {}
                }
                ControlFlow::Continue(())
            });
            if flow.is_break() {
                return true;
            }
        }
        false
    }
}

/// Whether a register has other values in another run: clocks, and what depends on the threads of the host.
pub(crate) fn is_nondeterministic(reg: SpecialReg) -> bool {
    use SpecialReg as R;
    let clock = matches!(reg, R::Clock | R::ClockHi | R::Clock64);
    let timer = matches!(reg, R::Globaltimer | R::GlobaltimerLo | R::GlobaltimerHi);
    clock || timer || matches!(reg, R::Smid | R::Nsmid)
}

/// What an instruction does with a register that it reads.
enum Effect {
    None,
    Uses,
    /// It copies it to another one.
    Copies(Slot),
}

fn effect(inst: &Inst, slot: Slot, frame: Option<&[Slot]>) -> Effect {
    match &inst.op {
        Op::MovNarrow { d, a } if *a == slot => Effect::Copies(*d),
        Op::Store(store) if store.base != slot && inst.guard.plain() != slot.plain() => {
            let own = matches!(store.place, Place::Frame | Place::Local);
            let is_kept = frame.is_some_and(|frame| own || frame.contains(&store.base));
            if is_kept { Effect::None } else { Effect::Uses }
        }
        _ => Effect::Uses,
    }
}
