//! Translates moves between registers of different kinds, special registers and address conversions
//! to steps of a region.

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::operand::{Operands, predicate, vreg};
use crate::code::{Op, Slot, of_cta};
use std::sync::Arc;
use texunit_alu::{L32, L64, Temporaries};
use texunit_isa::SpecialReg;
use texunit_jit::region::{Action, Call, Routine};
use texunit_jit::{Combine, Op as J, Predicate, Relation, Source, Test, VReg};
use texunit_memory::{SpaceKind, WINDOW_SIZE, space_of};

/// Truth-table columns of the three sources of a bitwise operation.
const A: u8 = 0xf0;
const B: u8 = 0xcc;
const C: u8 = 0xaa;

const ZERO: Source = Source::Literal(0);

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

/// The current value of a destination register, as a source of an operation that keeps some of its
/// bits.
fn again(to: VReg) -> Option<Source> {
    match to {
        VReg::B32(i) => Some(Source::B32(i)),
        VReg::B64(i) => Some(Source::B64(i)),
        VReg::Predicate(_) => None,
    }
}

/// The actions of an operation, in order; `None` if the operation is of another kind or is left to
/// the interpreter.
pub(super) fn actions(operands: &Operands<'_>, op: &Op) -> Option<Vec<Action>> {
    match op {
        Op::Convert { d, a, mask } => convert(operands, *d, *a, *mask),
        Op::Pack { d, parts, bits } if !d.is_none() => pack(operands, *d, parts, *bits),
        Op::Unpack { parts, a, bits } => unpack(operands, parts, *a, *bits),
        Op::Special { d, reg, component } if is_narrow(*d) => {
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
        Op::Lop3 { d, s, table, .. } => {
            let from = s.map(|slot| operands.source(slot));
            Some(vec![compute(J::Bits(*table), vreg(*d), &from)])
        }
        Op::Logic { d, .. } if d.is_none() => Some(vec![Action::Nothing]),
        Op::Logic { f, d, a, b } => Some(vec![Action::Logic {
            // `f` applied to these two numbers gives its results for all four combinations of bits
            // at once.
            table: (f(0b1100, 0b1010) & 0xf) as u8,
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

fn is_narrow(slot: Slot) -> bool {
    !slot.is_none() && !slot.is_wide() && !slot.is_predicate()
}

/// Mask of the lanes for which a condition holds.
fn those(a: &L64, holds: impl Fn(u64) -> bool) -> u32 {
    (0..32).fold(0, |mask, lane| mask | u32::from(holds(a[lane])) << lane)
}

/// The value of a special register that depends only on the lane.
fn of_lane(to: VReg, reg: SpecialReg) -> Option<Vec<Action>> {
    let shifted =
        |number: u32| compute(J::ShiftLeft, to, &[Source::Literal(number.into()), Source::Lane]);
    let not = |action| Some(vec![action, compute(J::Bits(!A), to, &[again(to)?])]);
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

fn convert(operands: &Operands<'_>, d: Slot, a: Slot, mask: u64) -> Option<Vec<Action>> {
    if d.is_none() || a.is_none() {
        return None;
    }
    let to = vreg(d);
    if d.is_predicate() {
        // A conversion to a predicate tests whether any bit is set.
        let all = if a.is_wide() { u64::MAX } else { u64::from(u32::MAX) };
        if a.is_predicate() || mask & all != all {
            return None;
        }
        let test = if a.is_wide() { Test::SignedWide } else { Test::Signed };
        let with = (Combine::And, Predicate::Always);
        let from = [operands.source(a), ZERO];
        let to = [Some(d.predicate_index() as u32), None];
        return Some(vec![Action::Compare { test: test(Relation::Ne), from, to, with }]);
    }
    let one = Source::Literal(mask & 1);
    let mut actions = vec![match (a.is_predicate(), d.is_wide()) {
        (true, false) => return Some(vec![compute(J::Select(predicate(a)), to, &[one, ZERO])]),
        (true, true) => return Some(vec![compute(J::SelectWide(predicate(a)), to, &[one, ZERO])]),
        (false, _) if a.is_wide() && d.is_wide() => compute(J::CopyWide, to, &[operands.source(a)]),
        (false, true) => compute(J::ExtendU, to, &[operands.source(a)]),
        (false, false) if a.is_wide() => compute(J::Low, to, &[operands.source(a)]),
        (false, false) => compute(J::Copy, to, &[operands.source(a)]),
    }];
    let all = if a.is_wide() && d.is_wide() { u64::MAX } else { u64::from(u32::MAX) };
    if mask & all != all {
        let op = if d.is_wide() { J::BitsWide(A & B) } else { J::Bits(A & B) };
        actions.push(compute(op, to, &[again(to)?, Source::Literal(mask & all)]));
    }
    Some(actions)
}

fn pack(operands: &Operands<'_>, d: Slot, parts: &[Slot], bits: u8) -> Option<Vec<Action>> {
    let to = vreg(d);
    let sources: Option<Vec<Source>> = parts.iter().map(|&part| operands.number(part)).collect();
    let sources = sources?;
    let own = again(to)?;
    let narrow = parts.iter().all(|&part| is_narrow(part));
    match (&sources[..], bits) {
        (&[low, high], 32) if d.is_wide() && narrow => Some(vec![
            compute(J::ExtendU, to, &[high]),
            compute(J::ShiftLeftWide, to, &[own, Source::Literal(32)]),
            compute(J::ProductAddU, to, &[low, Source::Literal(1), own]),
        ]),
        (&[low, high], 16) if !d.is_wide() && narrow && high != own => Some(vec![
            compute(J::ShiftLeft, to, &[low, Source::Literal(16)]),
            compute(J::FunnelLeft, to, &[own, high, Source::Literal(16)]),
        ]),
        (&[low, high], 16) if !d.is_wide() && narrow && low != own => Some(vec![
            compute(J::ShiftLeft, to, &[high, Source::Literal(16)]),
            compute(J::Bits(A & B | C), to, &[low, Source::Literal(0xffff), own]),
        ]),
        (all, _) if all.len() <= 4 => {
            let (bits, keep) = (u32::from(bits), crate::lower::mask_of(bits.into()));
            let pack = move |d: &mut L64, from: [&L64; 4]| {
                for lane in 0..32 {
                    let parts = (0..)
                        .zip(from)
                        .map(|(i, from)| (from[lane] & keep).checked_shl(bits * i).unwrap_or(0));
                    d[lane] = parts.fold(0, |all, part| all | part);
                }
            };
            Some(vec![call(Routine::Closure(Arc::new(pack)), d, all)])
        }
        _ => None,
    }
}

fn unpack(operands: &Operands<'_>, parts: &[Slot], a: Slot, bits: u8) -> Option<Vec<Action>> {
    if a.is_none() || parts.iter().any(|part| !part.is_none() && part.is_predicate()) {
        return None;
    }
    let from = operands.number(a)?;
    let mut actions = Vec::new();
    let mut own = None;
    for (i, &part) in (0_u32..).zip(parts).filter(|(_, part)| !part.is_none()) {
        let to = vreg(part);
        let shift = u32::from(bits) * i;
        let action = match (a.is_wide(), is_narrow(part), bits) {
            (true, true, 32) if i == 0 => compute(J::Low, to, &[from]),
            (false, true, 16) if i == 0 => {
                compute(J::Bits(A & B), to, &[from, Source::Literal(0xffff)])
            }
            (false, true, 16) if i == 1 => {
                compute(J::ShiftRightU, to, &[from, Source::Literal(16)])
            }
            (true, true, 32) if i == 1 => call(Routine::Narrow(upper), part, &[from]),
            _ => {
                let keep = crate::lower::mask_of(bits.into());
                let unpack = move |d: &mut L64, [a, ..]: [&L64; 4]| {
                    for lane in 0..32 {
                        d[lane] = a[lane].checked_shr(shift).unwrap_or(0) & keep;
                    }
                };
                call(Routine::Closure(Arc::new(unpack)), part, &[from])
            }
        };
        // The part that overwrites the source is written last.
        if part == a {
            own = Some(action);
        } else {
            actions.push(action);
        }
    }
    // A register that is the destination of two parts has to receive the later one, which this
    // order might not write last.
    let twice =
        parts.iter().enumerate().any(|(i, part)| parts[..i].contains(part) && !part.is_none());
    actions.extend(own);
    if actions.is_empty() {
        actions.push(Action::Nothing);
    }
    (!twice).then_some(actions)
}

/// Extracts the upper halves.
fn upper(d: &mut L32, a: &L64) {
    for lane in 0..32 {
        d[lane] = (a[lane] >> 32) as u32;
    }
}
