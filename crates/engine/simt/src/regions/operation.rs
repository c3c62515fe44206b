//! Translates arithmetic and comparisons to steps of a region.

use super::operand::{Operands, predicate, vreg};
use crate::code::{CompareTo, Op, Slot};
use std::sync::Arc;
use texunit_alu::{Alu, Destination, Row};
use texunit_isa::BoolOp;
use texunit_jit::Combine;
use texunit_jit::region::{Action, Call, Routine};

/// The actions of an arithmetic operation or comparison, in order; `None` if the operation is of
/// another kind or is left to the interpreter.
pub(super) fn actions(operands: &Operands<'_>, op: &Op) -> Option<Vec<Action>> {
    match op {
        Op::Compute { row, d, s } if !d.is_none() => compute(operands, row, *d, s),
        Op::Compare { row, a, b, to } => compare(operands, row, [*a, *b], to),
        _ => None,
    }
}

fn compute(operands: &Operands<'_>, row: &Row, d: Slot, s: &[Slot; 4]) -> Option<Vec<Action>> {
    let from = s.map(|slot| operands.source(slot));
    row.lowered(&from, operands.temporaries, vreg(d).into()).or_else(|| {
        let (routine, to) = (routine(row.function())?, Some(vreg(d)));
        Some(vec![Action::Call(Box::new(Call { routine, to, keep: u64::MAX, from }))])
    })
}

fn compare(
    operands: &Operands<'_>,
    row: &Row,
    sources: [Slot; 2],
    to: &CompareTo,
) -> Option<Vec<Action>> {
    let from = sources.map(|slot| operands.source(slot));
    let combine = match to.op {
        BoolOp::And => Combine::And,
        BoolOp::Or => Combine::Or,
        BoolOp::Xor => Combine::Xor,
    };
    let number = |slot: Slot| (!slot.is_none()).then(|| slot.predicate_index() as u32);
    let to = Destination::Predicates([to.p, to.q].map(number), (combine, predicate(to.c)));
    row.lowered(&from, operands.temporaries, to)
}

/// The function of an operation that has no steps.
pub(super) fn routine(function: Alu) -> Option<Routine> {
    Some(match function {
        Alu::Narrow(f) => Routine::B32(f),
        Alu::Wide(f) => Routine::B64(f),
        Alu::Convert(_) | Alu::SmallFloat(_) | Alu::Video(_) => {
            Routine::Closure(Arc::new(move |d, [a, b, c, _]| {
                function.run(d, [a, b, c]);
            }))
        }
        _ => return None,
    })
}
