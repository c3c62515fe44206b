//! Translates moves, special registers and address conversions to steps of a region.

use super::operand::{Operands, predicate, vreg};
use crate::code::{Op, Slot, of_cta};
use texunit_alu::{L64, Temporaries};
use texunit_isa::SpecialReg;
use texunit_jit::region::{Action, Call, Routine};
use texunit_jit::{Combine, Op as J, Predicate, Relation, Source, Test, VReg};
use texunit_memory::{SpaceKind, WINDOW_SIZE, space_of};

const ZERO: Source = Source::Literal(0);
/// The truth table of `!a` for [`J::Bits`].
const NOT_A: u8 = 0x0f;

/// A step that computes a register from up to three sources.
pub(super) fn compute(op: J, to: VReg, from: &[Source]) -> Action {
    let mut all = [ZERO; 3];
    all.iter_mut().zip(from).for_each(|(all, &from)| *all = from);
    Action::Compute { op, to, from: all }
}

/// A call with 64-bit operands.
fn call(routine: Routine, d: Slot, from: &[Source]) -> Action {
    let mut all = [ZERO; 4];
    all.iter_mut().zip(from).for_each(|(all, &from)| *all = from);
    let to = (!d.is_none()).then(|| vreg(d));
    Action::Call(Box::new(Call { routine, to, keep: u64::MAX, from: all }))
}

/// The actions of an operation, in order; `None` if the operation is of another kind or is left to
/// the interpreter.
pub(super) fn actions(operands: &Operands<'_>, op: &Op) -> Option<Vec<Action>> {
    match op {
        Op::Special { d, reg, component } if d.is_narrow() => {
            let (to, lane) = (vreg(*d), (*component).into());
            let source = match reg {
                SpecialReg::Tid if *component < 3 => Some(Source::PerLane(lane)),
                reg => of_cta(*reg, *component).map(Source::Uniform),
            };
            match source {
                Some(source) => Some(vec![compute(J::Copy, to, &[source])]),
                None => of_lane(to, *reg),
            }
        }
        Op::Mov { d, a } => {
            let op = if d.is_wide() { J::CopyWide } else { J::Copy };
            Some(vec![compute(op, vreg(*d), &[operands.source(*a)])])
        }
        Op::Select { d, a, b, p } => {
            let from = [operands.source(*a), operands.source(*b)];
            let p = predicate(*p);
            let op = if d.is_wide() { J::SelectWide(p) } else { J::Select(p) };
            Some(vec![compute(op, vreg(*d), &from)])
        }
        Op::Lop3 { d, s, table } => {
            let from = s.map(|slot| operands.source(slot));
            Some(vec![compute(J::Bits(*table), vreg(*d), &from)])
        }
        Op::Logic { d, .. } if d.is_none() => Some(vec![Action::Nothing]),
        Op::Logic { table, d, a, b } => Some(vec![Action::Logic {
            table: *table,
            to: d.predicate_index() as u32,
            from: [*a, *b].map(predicate),
        }]),
        Op::FrameAddress { d, offset } if !d.is_none() => frame_address(operands, *d, *offset),
        Op::Cvta { d, a, window, to } if is_wide(*d) && is_wide(*a) => {
            Some(converted(operands, (*d, *a), *window, *to))
        }
        Op::IsSpace { d, a, space } if !d.is_none() => {
            let routine: fn(&L64, &L64) -> u32 = match space {
                SpaceKind::Global => |a, _| those(a, |a| space_of(a) == SpaceKind::Global),
                SpaceKind::Shared => |a, _| those(a, |a| space_of(a) == SpaceKind::Shared),
                SpaceKind::Local => |a, _| those(a, |a| space_of(a) == SpaceKind::Local),
                SpaceKind::Const => |a, _| those(a, |a| space_of(a) == SpaceKind::Const),
                SpaceKind::Param => |a, _| those(a, |a| space_of(a) == SpaceKind::Param),
            };
            Some(vec![call(Routine::TestWide(routine), *d, &[operands.number(*a)?])])
        }
        _ => None,
    }
}

/// The address of an offset in the call frame, which is a constant in a kernel.
fn frame_address(operands: &Operands<'_>, d: Slot, offset: u64) -> Option<Vec<Action>> {
    let (to, offset) = (vreg(d), Source::Literal(offset));
    if operands.is_entry {
        let op = if d.is_wide() { J::CopyWide } else { J::Copy };
        return Some(vec![compute(op, to, &[offset])]);
    }
    let from = [Source::FrameAt, offset];
    Some(match to {
        VReg::B64(_) => vec![compute(J::AddWide, to, &from)],
        VReg::B32(_) => {
            let sum = operands.temporaries.wide;
            vec![
                compute(J::AddWide, VReg::B64(sum), &from),
                compute(J::Low, to, &[Source::B64(sum)]),
            ]
        }
        VReg::Predicate(_) => return None,
    })
}

/// Converts an address of a window to generic form (`to`: from generic form). Addresses of
/// parameters are generic already.
fn converted(operands: &Operands<'_>, (d, a): (Slot, Slot), window: u64, to: bool) -> Vec<Action> {
    let (a, window) = (operands.source(a), Source::Literal(window));
    let Temporaries { wide: less, predicates: inside, .. } = operands.temporaries;
    let other = less + 1;
    let compare = Action::Compare {
        test: Test::UnsignedWide(Relation::Lt),
        from: [Source::B64(less), Source::Literal(WINDOW_SIZE)],
        to: [Some(inside), None],
        with: (Combine::And, Predicate::Always),
    };
    let select = J::SelectWide(Predicate::If(inside));
    let mut actions = vec![compute(J::SubWide, VReg::B64(less), &[a, window]), compare];
    if to {
        actions.push(compute(select, vreg(d), &[Source::B64(less), a]));
    } else {
        actions.push(compute(J::AddWide, VReg::B64(other), &[a, window]));
        actions.push(compute(select, vreg(d), &[a, Source::B64(other)]));
    }
    actions
}

fn is_wide(slot: Slot) -> bool {
    !slot.is_none() && slot.is_wide() && !slot.is_predicate()
}

/// Mask of the lanes for which a condition holds.
fn those(a: &L64, holds: impl Fn(u64) -> bool) -> u32 {
    (0..32).fold(0, |mask, lane| mask | u32::from(holds(a[lane])) << lane)
}

/// The value of a special register that depends only on the lane.
fn of_lane(to: VReg, reg: SpecialReg) -> Option<Vec<Action>> {
    let shifted =
        |number: u32| compute(J::ShiftLeft, to, &[Source::Literal(number.into()), Source::Lane]);
    let VReg::B32(own) = to else { return None };
    let not = |action| Some(vec![action, compute(J::Bits(NOT_A), to, &[Source::B32(own)])]);
    match reg {
        SpecialReg::Laneid => Some(vec![compute(J::Copy, to, &[Source::Lane])]),
        SpecialReg::LanemaskEq => Some(vec![shifted(1)]),
        SpecialReg::LanemaskGe => Some(vec![shifted(!0)]),
        SpecialReg::LanemaskGt => Some(vec![shifted(!1)]),
        SpecialReg::LanemaskLt => not(shifted(!0)),
        SpecialReg::LanemaskLe => not(shifted(!1)),
        _ => None,
    }
}
