//! Finds which results of a fetch or atomic a kernel uses, and which operations read
//! nondeterministic registers, for checks and for launches of a part of a grid.

use super::Listing;
use crate::code::{Inst, MemSpace, Op, Slot};
use crate::flow::FunctionCode;
use crate::lower::is_nondeterministic;
use std::collections::HashSet;
use std::ops::ControlFlow;
use texunit_flow::reached_uses;
use texunit_isa::{AtomOp, ScalarType};

/// Maximum number of operations visited for a register; beyond it the register counts as used.
const MAX: usize = 1 << 16;

/// Operation and type of an atomic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicForm {
    /// The operation.
    pub op: AtomOp,
    /// Type of its operands.
    pub ty: ScalarType,
    /// Whether the kernel uses the previous value.
    pub is_used: bool,
}

impl Listing<'_> {
    /// The form of an atomic; `None` if the operation is not an atomic.
    pub fn atomic(&self, op: u32) -> Option<AtomicForm> {
        let Op::Atomic(atomic) = &self.code.insts.get(op as usize)?.op else { return None };
        let mut results = atomic.access.parts.iter().filter(|slot| !slot.is_none());
        // A value stored in the call frame may be loaded again, so it counts as used.
        let is_used = results.any(|slot| self.is_used(op, *slot, None));
        Some(AtomicForm { op: atomic.op, ty: atomic.ty, is_used })
    }

    /// Operations that read a clock or a multiprocessor number, and the names of those registers.
    pub fn nondeterministic_inputs(&self) -> Vec<(u32, &'static str)> {
        let name = |(op, inst): (u32, &Inst)| match inst.op {
            Op::Special { reg, .. } if is_nondeterministic(reg) => Some((op, reg.name())),
            _ => None,
        };
        (0..).zip(&self.code.insts).filter_map(name).collect()
    }

    /// Mask of the destination registers of a fetch whose values are used later; 0 for other
    /// operations. Copies are followed. Stores to the call frame do not count as uses, because
    /// unoptimised code stores every value there.
    pub fn components_used(&self, op: u32) -> u8 {
        let Some(Op::Fetch(fetch)) = self.code.insts.get(op as usize).map(|inst| &inst.op) else {
            return 0;
        };
        let frame = self.frame_pointers(op);
        let parts = (0..).zip(&fetch.parts).filter(|(_, slot)| !slot.is_none());
        let used = parts.filter(|(_, slot)| self.is_used(op, **slot, Some(&frame)));
        used.fold(0, |used, (i, _)| used | 1 << i)
    }

    /// Registers of the surrounding function that point into its call frame.
    fn frame_pointers(&self, op: u32) -> Vec<Slot> {
        let function = self.operations(self.function(op));
        let insts = &self.code.insts[function.start as usize..function.end as usize];
        let mut all = Vec::new();
        for inst in insts {
            let pointer = match &inst.op {
                Op::FrameAddress { d, .. } => *d,
                Op::Cvta { d, a, .. } if all.contains(a) => *d,
                Op::Mov { d, a } if d.is_wide() && all.contains(a) => *d,
                _ => continue,
            };
            all.push(pointer);
        }
        all
    }

    /// Whether an operation's result is used later. Stores through the `frame` registers do not
    /// count as uses; with `None` they do.
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
            let flow = reached_uses(&code, place, &mut left, &mut |read| {
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

/// Use of a register by an instruction.
enum Effect {
    None,
    Uses,
    /// The instruction copies the register to another one.
    Copies(Slot),
}

fn effect(inst: &Inst, slot: Slot, frame: Option<&[Slot]>) -> Effect {
    match &inst.op {
        Op::Mov { d, a } if *a == slot && !d.is_wide() => Effect::Copies(*d),
        Op::Store(store) if store.at.base != slot && inst.guard.plain() != slot.plain() => {
            let own = matches!(store.at.mem_space, MemSpace::Frame | MemSpace::Local);
            let is_kept = frame.is_some_and(|frame| own || frame.contains(&store.at.base));
            if is_kept { Effect::None } else { Effect::Uses }
        }
        _ => Effect::Uses,
    }
}
