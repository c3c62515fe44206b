//! Visitors of the parts of operations that have operands besides registers of the executing lane:
//! locations in the call frame, and registers of other lanes.

use super::parts::{Parts, PartsMut};
use crate::code::{
    Callee, HeapAction, MatrixAction, MbarrierAction, Op, Stack, StackAction, Value,
};
use texunit_flow::Access;

/// Defines a function that calls a visitor with each part of such an operation, by shared or
/// mutable reference. It returns false, because the analyses do not know all effects.
macro_rules! each_other {
    ($(#[$doc:meta])* $name:ident $parts:ident $($mutable:ident)?) => {
        $(#[$doc])*
        pub(super) fn $name(op: &$($mutable)? Op, v: &mut impl $parts) -> bool {
            use Access::{Def, Use};
            macro_rules! all {
                ($what:ident: $slots:expr) => {
                    for slot in $slots {
                        v.slot($what, slot);
                    }
                };
            }
            macro_rules! located {
                ($at:expr) => {
                    v.word(&$($mutable)? $at.mem_space);
                    v.address(&$($mutable)? $at.base, &$($mutable)? $at.offset);
                };
            }
            match op {
                // Matrix operations write registers of other lanes than those whose registers they
                // read.
                Op::Matrix(of) => {
                    v.word(&$($mutable)? of.action);
                    v.flag("trans", &$($mutable)? of.transposed);
                    located!(of.at);
                    let access = if of.action == MatrixAction::Load { Def } else { Use };
                    v.list(access, &$($mutable)? of.parts);
                    v.slot(Use, &$($mutable)? of.members);
                    v.slot(Def, &$($mutable)? of.d);
                }
                Op::Mma(of) => {
                    v.operation(&$($mutable)? of.operation);
                    for source in &$($mutable)? of.sources {
                        v.list(Use, source);
                    }
                    all!(Use: [&$($mutable)? of.metadata, &$($mutable)? of.members]);
                    v.list(Def, &$($mutable)? of.d);
                }
                // Operands of these calls can be locations in the call frame.
                Op::Call(call) => {
                    v.word(&$($mutable)? call.callee);
                    v.passed(Use, &$($mutable)? call.arguments);
                    match &$($mutable)? call.callee {
                        Callee::Direct(function) => v.function(function),
                        Callee::Indirect { address, reconverge } => {
                            v.slot(Use, address);
                            v.meets(reconverge);
                        }
                    }
                    v.passed(Def, &$($mutable)? call.results);
                    v.field("results", &$($mutable)? call.shape.0, Vec::new());
                    v.field("parameters", &$($mutable)? call.shape.1, Vec::new());
                }
                Op::Printf(printf) => {
                    v.value(Use, &$($mutable)? printf.format);
                    v.value(Use, &$($mutable)? printf.arguments);
                    v.result(&$($mutable)? printf.result);
                }
                Op::AssertFail(of) => {
                    v.value(Use, &$($mutable)? of.message);
                    v.value(Use, &$($mutable)? of.file);
                    v.value(Use, &$($mutable)? of.line);
                    v.value(Use, &$($mutable)? of.function);
                }
                Op::HeapCall(call) => {
                    v.word(&$($mutable)? call.action);
                    match &$($mutable)? call.action {
                        HeapAction::Allocate { size, align } => {
                            v.value(Use, size);
                            v.some("aligned", align, || Value::Frame(0));
                            if let Some(align) = align {
                                v.value(Use, align);
                            }
                        }
                        HeapAction::Free { pointer } => v.value(Use, pointer),
                    }
                    v.result(&$($mutable)? call.result);
                }
                Op::Runtime(call) => {
                    v.word(&$($mutable)? call.function);
                    v.values(Use, &$($mutable)? call.arguments);
                    v.result(&$($mutable)? call.result);
                }
                Op::AsyncCopy(of) => {
                    v.flag("bulk", &$($mutable)? of.is_bulk);
                    v.word(&$($mutable)? of.grain);
                    located!(of.to);
                    located!(of.from);
                    all!(Use: [&$($mutable)? of.size, &$($mutable)? of.read]);
                    all!(Use: [&$($mutable)? of.ignore, &$($mutable)? of.ranks]);
                    v.slot(Use, &$($mutable)? of.bytes);
                    v.field("reduce", &$($mutable)? of.reduce, None);
                }
                Op::Mbarrier(of) => {
                    v.word(&$($mutable)? of.action);
                    match &$($mutable)? of.action {
                        MbarrierAction::Arrive { drops, expects, completes } => {
                            v.flag("drop", drops);
                            v.flag("expect_tx", expects);
                            v.flag("completes", completes);
                        }
                        MbarrierAction::CopyArrive { increments } => v.flag("inc", increments),
                        MbarrierAction::Test { parity } => v.flag("parity", parity),
                        MbarrierAction::Init { v1 } | MbarrierAction::CheckLayout { v1 } => {
                            v.flag("v1", v1);
                        }
                        _ => {}
                    }
                    located!(of.at);
                    all!(Use: [&$($mutable)? of.value, &$($mutable)? of.ranks]);
                    v.slot(Def, &$($mutable)? of.d);
                }
                Op::Stack(Stack { action, at, end }) => {
                    v.word(action);
                    match action {
                        StackAction::Allocate { d, size, align } => {
                            v.word(align);
                            v.slot(Use, size);
                            v.slot(Def, d);
                        }
                        StackAction::Restore { a } => v.slot(Use, a),
                        StackAction::Save { d } => v.slot(Def, d),
                    }
                    v.field("at", at, 0);
                    v.field("end", end, 0);
                }
                _ => {}
            }
            false
        }
    };
}

each_other! {
    /// Visits the parts of an operation that [`super::visit::each_part`] does not describe.
    each_other Parts
}
each_other! {
    /// As [`each_other`], with mutable parts.
    each_other_mut PartsMut mut
}
