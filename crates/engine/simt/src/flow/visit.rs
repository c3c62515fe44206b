//! Visitors of the operands that an operation reads and writes: the single definition for the
//! analyses, the observers and the JIT.

use crate::code::{Callee, HeapAction, MatrixAction, Op, Shadow, Slot, Stack, StackAction, Value};
use texunit_flow::Access;

/// Defines a visitor of the operands of operations whose operands are all registers of the
/// executing lane, by shared or mutable reference. Sources are visited before destinations.
macro_rules! each_operand {
    ($(#[$doc:meta])* $name:ident $($mutable:ident)?) => {
        $(#[$doc])*
        pub(crate) fn $name(op: &$($mutable)? Op, mut f: impl FnMut(Access, &$($mutable)? Slot)) -> bool {
            return visit(op, &mut f);

            // The body is a separate function with a dynamic callback, so that it is compiled only
            // once.
            fn visit(op: &$($mutable)? Op, f: &mut dyn FnMut(Access, &$($mutable)? Slot)) -> bool {
                macro_rules! all {
                    ($what:ident: $slots:expr) => {
                        for slot in $slots {
                            f(Access::$what, slot);
                        }
                    };
                }
                match op {
                    Op::Join | Op::Nop | Op::Mark(_) | Op::Yield => {}
                    Op::Branch { .. } | Op::ClusterBarrier { .. } => {}
                    Op::Exit | Op::Return | Op::Trap | Op::Breakpoint => {}
                    Op::Count { of: a, .. }
                    | Op::Issue { of: a, .. }
                    | Op::CountIndexed { index: a, .. }
                    | Op::BranchIndexed { index: a, .. }
                    | Op::CountZero { divisor: a }
                    | Op::WarpSync { mask: a }
                    | Op::Converge { members: a } => f(Access::Use, a),
                    Op::IssueIndexed { of, index, .. } => all!(Use: [of, index]),
                    Op::Special { d, .. }
                    | Op::FrameAddress { d, .. }
                    | Op::EnvReg { d, .. }
                    | Op::ActiveMask { d } => f(Access::Def, d),
                    Op::Shadow(shadow) => return match &$($mutable)? **shadow {
                        Shadow::Load(access) => {
                            f(Access::Use, &$($mutable)? access.base);
                            all!(Def: &$($mutable)? access.parts);
                            true
                        }
                        Shadow::Store(access) => {
                            f(Access::Use, &$($mutable)? access.base);
                            all!(Use: &$($mutable)? access.parts);
                            true
                        }
                        Shadow::Check(check) => {
                            all!(Use: &$($mutable)? check.shadows);
                            if let Some(access) = &$($mutable)? check.access {
                                f(Access::Use, &$($mutable)? access.base);
                            }
                            true
                        }
                        _ => false,
                    },
                    Op::Compute { d, s, .. } => {
                        all!(Use: s);
                        f(Access::Def, d);
                    }
                    Op::Lop3 { d, s, .. } => {
                        all!(Use: s);
                        f(Access::Def, d);
                    }
                    Op::Rare(rare) => {
                        all!(Use: &$($mutable)? rare.s);
                        f(Access::Def, &$($mutable)? rare.d);
                    }
                    Op::Mov { d, a }
                    | Op::Cvta { d, a, .. }
                    | Op::IsSpace { d, a, .. }
                    | Op::SharedRank { d, a, .. } => {
                        f(Access::Use, a);
                        f(Access::Def, d);
                    }
                    Op::Logic { d, a, b, .. }
                    | Op::MapShared { d, a, rank: b, .. }
                    | Op::Vote { d, p: a, members: b, .. }
                    | Op::Redux { d, a, members: b, .. } => {
                        all!(Use: [a, b]);
                        f(Access::Def, d);
                    }
                    Op::Compare { a, b, to, .. } | Op::ComparePair { a, b, to, .. } => {
                        all!(Use: [a, b, &$($mutable)? to.c]);
                        all!(Def: [&$($mutable)? to.p, &$($mutable)? to.q]);
                    }
                    Op::Select { d, a, b, p } => {
                        all!(Use: [a, b, p]);
                        f(Access::Def, d);
                    }
                    Op::Load(access) | Op::LoadQuad(access) => {
                        f(Access::Use, &$($mutable)? access.base);
                        all!(Def: &$($mutable)? access.parts);
                    }
                    Op::Store(access) | Op::StoreQuad(access) => {
                        f(Access::Use, &$($mutable)? access.base);
                        all!(Use: &$($mutable)? access.parts);
                    }
                    Op::Atomic(atomic) => {
                        f(Access::Use, &$($mutable)? atomic.base);
                        all!(Use: &$($mutable)? atomic.b);
                        all!(Use: &$($mutable)? atomic.c);
                        all!(Def: &$($mutable)? atomic.d);
                    }
                    Op::Fetch(fetch) => {
                        f(Access::Use, &$($mutable)? fetch.texture.slot);
                        if let Some(sampler) = &$($mutable)? fetch.sampler {
                            f(Access::Use, &$($mutable)? sampler.slot);
                        }
                        all!(Use: &$($mutable)? fetch.coords);
                        if let Some(more) = &$($mutable)? fetch.more {
                            all!(Use: [&$($mutable)? more.level, &$($mutable)? more.compare]);
                            all!(Use: &$($mutable)? more.dpdx);
                            all!(Use: &$($mutable)? more.dpdy);
                            all!(Use: &$($mutable)? more.offset);
                        }
                        all!(Def: &$($mutable)? fetch.parts);
                        f(Access::Def, &$($mutable)? fetch.resident);
                    }
                    Op::SurfaceLoad(access) => {
                        f(Access::Use, &$($mutable)? access.surface.slot);
                        all!(Use: &$($mutable)? access.coords);
                        all!(Def: &$($mutable)? access.parts);
                    }
                    Op::SurfaceStore(access) => {
                        f(Access::Use, &$($mutable)? access.surface.slot);
                        all!(Use: &$($mutable)? access.coords);
                        all!(Use: &$($mutable)? access.parts);
                    }
                    Op::Query(query) => {
                        all!(Use: [&$($mutable)? query.handle.slot, &$($mutable)? query.level]);
                        f(Access::Def, &$($mutable)? query.d);
                    }
                    Op::Barrier(barrier) => {
                        all!(Use: [&$($mutable)? barrier.id, &$($mutable)? barrier.threads]);
                        f(Access::Use, &$($mutable)? barrier.p);
                        f(Access::Def, &$($mutable)? barrier.d);
                    }
                    Op::Match { d, p, a, members, .. } => {
                        all!(Use: [a, members]);
                        all!(Def: [d, p]);
                    }
                    Op::Elect { d, p, members } => {
                        f(Access::Use, members);
                        all!(Def: [d, p]);
                    }
                    // Sources of lanes outside the active mask are not read.
                    Op::Shuffle(shuffle) => {
                        all!(Use: [&$($mutable)? shuffle.a, &$($mutable)? shuffle.b]);
                        all!(Use: [&$($mutable)? shuffle.c, &$($mutable)? shuffle.members]);
                        all!(Def: [&$($mutable)? shuffle.d, &$($mutable)? shuffle.p]);
                    }
                    // Matrix operations write registers of other lanes than those whose registers
                    // they read.
                    Op::Matrix(_) | Op::Mma(_) => return false,
                    // Operands of these calls can be locations in the call frame.
                    Op::Call(_) | Op::Printf(_) | Op::AssertFail(_) | Op::HeapCall(_) => return false,
                    Op::Runtime(_) => return false,
                    Op::AsyncCopy(_) | Op::Mbarrier(_) | Op::Stack(_) | Op::Unsupported => return false,
                }
                true
            }
        }
    };
}

each_operand! {
    /// As [`each_operand`], by shared references.
    each_plain
}
each_operand! {
    /// As [`each_plain`], with mutable operands.
    each_slot_mut mut
}

/// Calls `f` with each operand of an operation except its guard, sources first. Returns false if
/// the operation may access further operands or registers of other lanes.
pub(crate) fn each_slot(op: &Op, f: &mut dyn FnMut(Access, Slot)) -> bool {
    let is_plain = each_plain(op, |access, slot| f(access, *slot));
    if !is_plain {
        each_other(op, f);
    }
    is_plain
}

/// Visits the register operands of an operation that also has operands of other kinds.
fn each_other(op: &Op, f: &mut dyn FnMut(Access, Slot)) {
    let mut all = |access: Access, slots: &[Slot]| slots.iter().for_each(|slot| f(access, *slot));
    let registers = |values: &[Value]| -> Vec<Slot> {
        let register = |value: &Value| match value {
            Value::Register(slot) => Some(*slot),
            _ => None,
        };
        values.iter().filter_map(register).collect()
    };
    match op {
        Op::Matrix(of) => {
            all(Access::Use, &of.parts);
            all(Access::Use, &[of.at.base, of.members]);
            match of.action {
                MatrixAction::Load => all(Access::Def, &of.parts),
                MatrixAction::Transpose => all(Access::Def, &[of.d]),
                MatrixAction::Store => {}
            }
        }
        Op::Mma(of) => {
            of.each_source(|slot| all(Access::Use, &[slot]));
            all(Access::Def, &of.d);
        }
        Op::Call(call) => {
            let arguments: Vec<Value> = call.arguments.iter().map(|to| to.value).collect();
            all(Access::Use, &registers(&arguments));
            if let Callee::Indirect { address, .. } = call.callee {
                all(Access::Use, &[address]);
            }
            let results: Vec<Value> = call.results.iter().map(|result| result.value).collect();
            all(Access::Def, &registers(&results));
        }
        Op::AsyncCopy(of) => {
            let ends = [of.to.base, of.from.base];
            all(Access::Use, &ends);
            all(Access::Use, &[of.size, of.read, of.ignore, of.ranks, of.bytes]);
        }
        Op::Mbarrier(of) => {
            all(Access::Use, &[of.at.base, of.value, of.ranks]);
            all(Access::Def, &[of.d]);
        }
        Op::Stack(Stack { action, .. }) => match action {
            StackAction::Allocate { d, size, .. } => {
                all(Access::Use, &[*size]);
                all(Access::Def, &[*d]);
            }
            StackAction::Restore { a } => all(Access::Use, &[*a]),
            StackAction::Save { d } => all(Access::Def, &[*d]),
        },
        Op::HeapCall(call) => {
            let read = match call.action {
                HeapAction::Allocate { size, align } => {
                    registers(&[Some(size), align].into_iter().flatten().collect::<Vec<_>>())
                }
                HeapAction::Free { pointer } => registers(&[pointer]),
            };
            all(Access::Use, &read);
            all(Access::Def, &registers(call.result.as_slice()));
        }
        Op::Runtime(call) => {
            all(Access::Use, &registers(&call.arguments));
            all(Access::Def, &registers(call.result.as_slice()));
        }
        Op::Printf(printf) => all(Access::Def, &registers(printf.result.as_slice())),
        _ => {}
    }
}

/// Calls `f` with each register or constant that an operation reads, except its guard.
pub(crate) fn reads(op: &Op, f: &mut dyn FnMut(Slot)) {
    each_slot(op, &mut |access, slot| {
        if access == Access::Use {
            f(slot);
        }
    });
}

/// Calls `f` with each register that an operation writes.
pub(crate) fn writes(op: &Op, f: &mut dyn FnMut(Slot)) {
    each_slot(op, &mut |access, slot| {
        if access == Access::Def {
            f(slot);
        }
    });
}
