//! What operations read and write, of all kinds, and which of it matters.

use super::Sink;
use crate::code::{HeapAction, Inst, Located, MbarrierAction, Op, Slot, Stack, StackAction, Value};
use crate::flow::{Use, each_slot};
use texunit_isa::AtomOp;

/// Calls `f` with each register that an operation reads as a number of its own, but for its guard.
pub(in crate::observe) fn reads(op: &Op, mut f: impl FnMut(Slot)) {
    each_slot(op, |does, &slot| {
        if does == Use::Reads {
            f(slot);
        }
    });
    match op {
        Op::Matrix(of) => {
            of.parts.iter().copied().for_each(&mut f);
            [of.at.base, of.members].into_iter().for_each(f);
        }
        Op::Mma(of) => of.each_source(f),
        Op::Call(call) => {
            for argument in &call.arguments {
                if let Value::Register(slot) = argument.value {
                    f(slot);
                }
            }
            if let crate::code::Callee::Indirect { address, .. } = call.callee {
                f(address);
            }
        }
        Op::AsyncCopy(of) => {
            [of.to.base, of.from.base, of.bytes, of.ignore].into_iter().for_each(f);
        }
        Op::Mbarrier(of) => [of.at.base, of.value].into_iter().for_each(f),
        Op::Stack(Stack { action, .. }) => match action {
            StackAction::Allocate { size, .. } => f(*size),
            StackAction::Restore { a } => f(*a),
            StackAction::Save { .. } => {}
        },
        Op::HeapCall(call) => match call.action {
            HeapAction::Allocate { size, align } => {
                [Some(size), align].into_iter().flatten().for_each(|value| register(value, &mut f));
            }
            HeapAction::Free { pointer } => register(pointer, f),
        },
        _ => {}
    }
}

fn register(value: Value, mut f: impl FnMut(Slot)) {
    if let Value::Register(slot) = value {
        f(slot);
    }
}

/// Calls `f` with each register that an operation writes.
pub(in crate::observe) fn writes(op: &Op, mut f: impl FnMut(Slot)) {
    each_slot(op, |does, &slot| {
        if does == Use::Writes {
            f(slot);
        }
    });
    match op {
        Op::Matrix(of) => match of.action {
            crate::code::MatrixAction::Load => of.parts.iter().copied().for_each(f),
            crate::code::MatrixAction::Transpose => f(of.d),
            crate::code::MatrixAction::Store => {}
        },
        Op::Mma(of) => of.d.iter().copied().for_each(f),
        Op::Call(call) => call.results.iter().for_each(|result| register(result.value, &mut f)),
        Op::Mbarrier(of) => f(of.d),
        Op::Stack(Stack { action, .. }) => match action {
            StackAction::Allocate { d, .. } | StackAction::Save { d } => f(*d),
            StackAction::Restore { .. } => {}
        },
        Op::HeapCall(call) => call.result.into_iter().for_each(|value| register(value, &mut f)),
        Op::Printf(printf) => printf.result.into_iter().for_each(|value| register(value, &mut f)),
        _ => {}
    }
}

/// Calls `f` with each register of an instruction of which it matters that it is defined, and why. Values that are stored
/// matter only if they were computed: they are not among them.
pub(super) fn sinks(inst: &Inst, mut f: impl FnMut(Sink, Slot)) {
    let is_branch = matches!(inst.op, Op::Branch { .. });
    f(if is_branch { Sink::Branch } else { Sink::Guard }, inst.guard);
    let address = |f: &mut dyn FnMut(Sink, Slot), at: &Located| f(Sink::Address, at.base);
    match &inst.op {
        Op::Load(access) | Op::LoadQuad(access) | Op::Store(access) | Op::StoreQuad(access) => {
            f(Sink::Address, access.base);
        }
        Op::Atomic(atomic) => {
            f(Sink::Address, atomic.base);
            if atomic.op != AtomOp::Exch {
                atomic.b.iter().chain(&atomic.c).for_each(|&slot| f(Sink::Operand, slot));
            }
        }
        Op::BranchIndexed { index, .. } => f(Sink::Branch, *index),
        Op::Call(call) => {
            if let crate::code::Callee::Indirect { address, .. } = call.callee {
                f(Sink::Address, address);
            }
        }
        Op::Shuffle(of) => {
            [of.b, of.c, of.members].into_iter().for_each(|slot| f(Sink::Collective, slot));
        }
        Op::Matrix(of) => {
            address(&mut f, &of.at);
            f(Sink::Collective, of.members);
        }
        Op::Mma(of) => {
            [of.metadata, of.members].into_iter().for_each(|slot| f(Sink::Collective, slot));
        }
        Op::AsyncCopy(of) => {
            address(&mut f, &of.to);
            address(&mut f, &of.from);
            f(Sink::Address, of.bytes);
            f(Sink::Guard, of.ignore);
        }
        Op::Mbarrier(of) => {
            if of.action != MbarrierAction::PendingCount {
                address(&mut f, &of.at);
            }
            f(Sink::Collective, of.value);
        }
        Op::SurfaceLoad(of) | Op::SurfaceStore(of) => {
            f(Sink::Fetch, of.surface.slot);
            of.coords.into_iter().for_each(|&slot| f(Sink::Fetch, slot));
            if of.is_reduction() {
                of.parts.iter().for_each(|&slot| f(Sink::Operand, slot));
            }
        }
        Op::Fetch(_) | Op::Query(_) => reads(&inst.op, |slot| f(Sink::Fetch, slot)),
        Op::WarpSync { .. }
        | Op::Barrier(_)
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Redux { .. }
        | Op::Converge { .. }
        | Op::Elect { .. } => reads(&inst.op, |slot| f(Sink::Collective, slot)),
        Op::Stack(_) | Op::HeapCall(_) => reads(&inst.op, |slot| f(Sink::Address, slot)),
        _ => {}
    }
}
