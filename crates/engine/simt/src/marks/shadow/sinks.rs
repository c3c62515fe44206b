//! Uses that require an initialised value.

use crate::code::{Inst, Located, MbarrierAction, Op, Sink, Slot};
use crate::flow::reads;
use texunit_isa::AtomOp;

/// Calls `f` with each register that an instruction requires to be initialised, and the kind of
/// use. Stored values are not included, because they must be initialised only if they were
/// computed.
pub(super) fn sinks(inst: &Inst, mut f: impl FnMut(Sink, Slot)) {
    let is_branch = matches!(inst.op, Op::Branch { .. });
    f(if is_branch { Sink::Branch } else { Sink::Guard }, inst.guard);
    let address = |f: &mut dyn FnMut(Sink, Slot), at: &Located| f(Sink::Address, at.base);
    if let Some(access) = inst.op.access() {
        address(&mut f, &access.at);
    }
    match &inst.op {
        Op::Atomic(atomic) if atomic.op != AtomOp::Exch => {
            atomic.b.iter().chain(&atomic.c).for_each(|&slot| f(Sink::Operand, slot));
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
            let sizes = [of.size, of.read, of.ranks, of.bytes];
            sizes.into_iter().for_each(|slot| f(Sink::Address, slot));
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
        Op::Fetch(_) | Op::Query(_) => reads(&inst.op, &mut |slot| f(Sink::Fetch, slot)),
        Op::Builtin(call) if call.function.function.reads_text() => {}
        Op::Stack(_) | Op::Builtin(_) => reads(&inst.op, &mut |slot| f(Sink::Address, slot)),
        op if op.is_collective() || matches!(op, Op::Barrier(_)) => {
            reads(op, &mut |slot| f(Sink::Collective, slot));
        }
        _ => {}
    }
}
