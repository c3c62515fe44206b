//! Translates arithmetic and comparisons to steps of a region.

use super::operand::{Operands, predicate, vreg};
use crate::code::{CompareTo, Op, Slot};
use texunit_alu::{Alu, FinalStep, LoweredStep, Row};
use texunit_isa::BoolOp;
use texunit_jit::region::{Action, Call, Routine};
use texunit_jit::{Combine, Predicate, Source};

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
    let Some(steps) = row.lowered(&from, operands.temporaries) else {
        return Some(vec![call(routine(row.function())?, d, from)]);
    };
    let FinalStep::Compute(op, from) = steps.last else { return None };
    let last = Action::Compute { op, to: vreg(d), from };
    Some(steps.before.into_iter().map(action).chain([last]).collect())
}

fn compare(
    operands: &Operands<'_>,
    row: &Row,
    sources: [Slot; 2],
    to: &CompareTo,
) -> Option<Vec<Action>> {
    let from = sources.map(|slot| operands.source(slot));
    let steps = row.lowered(&from, operands.temporaries)?;
    let FinalStep::Compare(test, from) = steps.last else { return None };
    let combine = match to.op {
        BoolOp::And => Combine::And,
        BoolOp::Or => Combine::Or,
        BoolOp::Xor => Combine::Xor,
    };
    let number = |slot: Slot| (!slot.is_none()).then(|| slot.predicate_index() as u32);
    let to = ([to.p, to.q].map(number), (combine, predicate(to.c)));
    let last = Action::Compare { test, from, to: to.0, with: to.1 };
    Some(steps.before.into_iter().map(action).chain([last]).collect())
}

/// Converts an intermediate action of an operation.
fn action(placed: LoweredStep) -> Action {
    match placed {
        LoweredStep::Compute { op, to, from } => Action::Compute { op, to, from },
        LoweredStep::Compare { test, to, from } => {
            let with = (Combine::And, Predicate::Always);
            Action::Compare { test, from, to: [Some(to), None], with }
        }
        LoweredStep::Rarely { of, steps } => Action::Rarely { of: Predicate::If(of), steps },
    }
}

fn call(routine: Routine, d: Slot, from: [Source; 4]) -> Action {
    Action::Call(Box::new(Call { routine, to: Some(vreg(d)), keep: u64::MAX, from }))
}

fn routine(function: Alu) -> Option<Routine> {
    Some(match function {
        Alu::Narrow(f) => Routine::B32(f),
        Alu::Wide(f) => Routine::B64(f),
        _ => return None,
    })
}
