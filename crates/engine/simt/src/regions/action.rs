//! Translates an instruction of warp code to steps of a region: arithmetic, comparisons and
//! collective operations here, other kinds in the modules beside this one.

use super::operand::{Operands, predicate, vreg};
use super::{access, moves, notify, shadow};
use crate::code::{self, CompareTo, Inst, Op, Shadow, Slot};
use std::sync::Arc;
use texunit_alu::{Alu, Destination, Row};
use texunit_isa::{BoolOp, MatchMode, ShflMode, VoteMode};
use texunit_jit::region::{Action, Call, Match, Routine, Shuffle, Shuffling, Step, Vote};
use texunit_jit::{Combine, Source, VReg};

/// The steps of an instruction, one of which is counted; `None` if the interpreter has to execute
/// it.
pub(super) fn steps(operands: &mut Operands<'_>, inst: &Inst, at: u32) -> Option<Vec<Step>> {
    if let Op::Mark(mark) = &inst.op {
        return notify::step(operands, mark, at).map(|step| vec![step]);
    }
    let guard = predicate(inst.guard);
    if let Op::Shadow(of) = &inst.op
        && let Shadow::Check(check) = &**of
    {
        return Some(shadow::check(operands, check, guard, at));
    }
    let actions = actions(operands, inst, at)?;
    let step = |action| Step { at, guard, counted: false, action };
    let mut steps: Vec<Step> = actions.into_iter().map(step).collect();
    // The first step that can leave the region is the counted one, so that an instruction at which
    // the region is left has not been counted.
    let counts = steps.iter().position(Step::may_exit).unwrap_or(0);
    steps[counts].counted = inst.count != 0;
    Some(steps)
}

fn actions(operands: &mut Operands<'_>, inst: &Inst, at: u32) -> Option<Vec<Action>> {
    let several = moves::actions(operands, &inst.op);
    let several = several.or_else(|| access::in_window(operands, &inst.op));
    if several.is_some() {
        return several;
    }
    let counted = |of: Slot| (of != Slot::TRUE).then(|| predicate(of));
    let action = match &inst.op {
        Op::Compute { row, d, s } if !d.is_none() => return compute(operands, row, *d, s),
        Op::Compare { row, a, b, to } => return compare(operands, row, [*a, *b], to),
        Op::Nop => Action::Nothing,
        &Op::Count { counter, of } => Action::Count { counter, of: counted(of) },
        &Op::Issue { counter, of } => Action::Issue { counter, of: counted(of) },
        Op::CountZero { divisor } => Action::CountZeros(operands.number(*divisor)?),
        Op::Shadow(of) => return shadow::actions(operands, of),
        Op::Load(of) => access::load(operands, of)?,
        Op::Store(of) => access::store(operands, of)?,
        Op::Atomic(of) => access::atomic(operands, of)?,
        op if op.is_collective() => {
            // The executing lanes must be those of the split.
            if inst.guard != Slot::TRUE {
                return None;
            }
            if matches!(op, Op::WarpSync { .. }) && operands.notifies(at) {
                return Some(vec![collective(operands, op)?, notify::joined(at)]);
            }
            collective(operands, op)?
        }
        Op::ActiveMask { d } if !d.is_none() => Action::ActiveMask { to: vreg(*d) },
        op => Action::Call(Box::new(call(operands, op)?)),
    };
    Some(vec![action])
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
fn routine(function: Alu) -> Option<Routine> {
    Some(match function {
        Alu::Narrow(f) => Routine::B32(f),
        Alu::Wide(f) => Routine::B64(f),
        Alu::Convert(_) | Alu::Pack(_) | Alu::Video(_) => {
            Routine::Closure(Arc::new(move |d, [a, b, c, _]| {
                function.run(d, [a, b, c]);
            }))
        }
        _ => return None,
    })
}

/// Arithmetic with carries or an immediate of its own becomes a call of its function.
fn call(operands: &Operands<'_>, op: &Op) -> Option<Call> {
    let Op::Rare(rare) = op else { return None };
    if rare.d.is_predicate() && !rare.d.is_none() {
        return None;
    }
    let mut from = [Source::Literal(0); 4];
    for (to, &slot) in from.iter_mut().zip(&rare.s) {
        *to = operands.number(slot)?;
    }
    let to = (!rare.d.is_none()).then(|| vreg(rare.d));
    Some(Call { routine: routine(rare.alu)?, to, keep: rare.mask, from })
}

/// Translates operations that lanes execute together.
fn collective(operands: &Operands<'_>, op: &Op) -> Option<Action> {
    let members = |slot: Slot| (!slot.is_none()).then(|| operands.source(slot));
    Some(match op {
        Op::WarpSync { mask } => Action::Sync { members: operands.source(*mask) },
        Op::Shuffle(of) => Action::Shuffle(Box::new(shuffle(operands, of)?)),
        Op::Vote { mode, d, p, members: of } => Action::Vote {
            mode: match mode {
                VoteMode::Ballot => Vote::Ballot,
                VoteMode::All => Vote::All,
                VoteMode::Any => Vote::Any,
                VoteMode::Uni => Vote::Uniform,
            },
            to: (!d.is_none()).then(|| vreg(*d))?,
            of: predicate(*p),
            members: members(*of),
        },
        Op::Match { mode, d, p, a, members: of } => Action::Match(Box::new(Match {
            all: *mode == MatchMode::All,
            of: operands.number(*a)?,
            members: members(*of)?,
            to: narrow(*d)?,
            same: (!p.is_none()).then(|| p.predicate_index() as u32),
        })),
        Op::Redux { op, ty, d, a, members: of } => Action::Redux {
            op: access::reduce(*op, *ty)?,
            to: narrow(*d)??,
            of: operands.number(*a)?,
            members: members(*of)?,
        },
        _ => return None,
    })
}

/// The number of a narrow destination register, `Some(None)` if there is no destination; `None` for
/// other kinds of registers.
fn narrow(d: Slot) -> Option<Option<u32>> {
    match vreg(d) {
        _ if d.is_none() => Some(None),
        VReg::B32(i) => Some(Some(i)),
        _ => None,
    }
}

fn shuffle(operands: &Operands<'_>, of: &code::Shuffle) -> Option<Shuffle> {
    Some(Shuffle {
        mode: match of.mode {
            ShflMode::Up => Shuffling::Up,
            ShflMode::Down => Shuffling::Down,
            ShflMode::Bfly => Shuffling::Butterfly,
            ShflMode::Idx => Shuffling::Index,
        },
        a: operands.number(of.a)?,
        b: operands.number(of.b)?,
        c: operands.number(of.c)?,
        members: (!of.members.is_none()).then(|| operands.source(of.members)),
        to: narrow(of.d)?,
        valid: (!of.p.is_none()).then(|| of.p.predicate_index() as u32),
    })
}
