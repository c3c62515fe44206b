//! Instructions of the inner loop as steps of a block.

use crate::alu::{Does, Kind, Operand, Row};
use crate::code::{CompareTo, Inst, Op, Quick, Slot};
use texunit_isa::BoolOp;
use texunit_jit::{Action, Combine, Op as J, Place, Predicate, Source, Step, Test};

/// What an instruction does, if the code knows it. `source` says where an operand comes from.
pub(crate) fn step(inst: &Inst, source: &dyn Fn(Slot) -> Source) -> Option<Step> {
    let action = match inst.op {
        Op::Lop3 { d, s, table, .. } => compute(J::Bits(table), d, s.map(source)),
        Op::Compute { row, d, ref s } => {
            let (Does::Compute(op), from) = single(row, s, source)? else { return None };
            compute(op, d, from)
        }
        Op::Compare { row, a, b, ref to } => {
            let (Does::Compare(test), [a, b, _]) = single(row, &[a, b], source)? else {
                return None;
            };
            compare(test, [a, b], to)
        }
        Op::Logic { d, .. } if d.is_none() => Action::Nothing,
        Op::Logic { f, d, a, b } => Action::Logic {
            // All four pairs of bits at once.
            table: (f(0b1100, 0b1010) & 0xf) as u8,
            to: d.predicate_index() as u32,
            from: [a, b].map(predicate),
        },
        _ => of_quick(&Quick::of(inst), source)?,
    };
    Some(Step { guard: predicate(inst.guard), counted: inst.count != 0, action })
}

fn predicate(slot: Slot) -> Predicate {
    let i = slot.predicate_index() as u32;
    match (slot.is_constant(), slot.is_negated()) {
        (true, false) => Predicate::Always,
        (true, true) => Predicate::Never,
        (false, false) => Predicate::If(i),
        (false, true) => Predicate::Unless(i),
    }
}

fn place(slot: Slot) -> Place {
    let i = slot.index() as u32;
    if slot.is_wide() { Place::Wide(i) } else { Place::Narrow(i) }
}

fn compute(op: J, d: Slot, from: [Source; 3]) -> Action {
    Action::Compute { op, to: place(d), from }
}

fn compare(test: Test, from: [Source; 2], to: &CompareTo) -> Action {
    let combine = match to.op {
        BoolOp::And => Combine::And,
        BoolOp::Or => Combine::Or,
        BoolOp::Xor => Combine::Xor,
    };
    let number = |slot: Slot| (!slot.is_none()).then(|| slot.predicate_index() as u32);
    Action::Compare { test, from, to: [to.p, to.q].map(number), with: (combine, predicate(to.c)) }
}

/// Instructions that the inner loop has inline.
fn of_quick(quick: &Quick, source: &dyn Fn(Slot) -> Source) -> Option<Action> {
    let Quick { kind, d, s, .. } = *quick;
    let nothing = [Source::Literal(0); 3];
    let at = |source: fn(u32) -> Source| [source(s[0].as_number()); 3];
    Some(match kind {
        Kind::Nop => Action::Nothing,
        Kind::MovNarrow => compute(J::Copy, d, [source(s[0]), nothing[1], nothing[2]]),
        Kind::MovWide => compute(J::CopyWide, d, [source(s[0]), nothing[1], nothing[2]]),
        Kind::OfCta => compute(J::Copy, d, at(Source::Word)),
        Kind::Tid => compute(J::Copy, d, at(Source::Row)),
        Kind::ParamNarrow => compute(J::Copy, d, at(Source::Bytes32)),
        Kind::ParamWide => compute(J::CopyWide, d, at(Source::Bytes64)),
        Kind::SelectNarrow | Kind::SelectWide => {
            let p = predicate(s[2]);
            let op = if kind == Kind::SelectWide { J::SelectWide(p) } else { J::Select(p) };
            compute(op, d, [source(s[0]), source(s[1]), nothing[2]])
        }
        _ => return None,
    })
}

/// The step of an operation that compiled code does in one.
fn single(row: &Row, s: &[Slot], source: &dyn Fn(Slot) -> Source) -> Option<(Does, [Source; 3])> {
    let [step] = row.compiled()?[..] else { return None };
    // What regions alone have.
    let of_regions = match step.does {
        Does::Compute(op) => matches!(
            op,
            J::Double(_)
                | J::DoubleFromU
                | J::DoubleFromS
                | J::DoubleFromWideU
                | J::DoubleFromWideS
        ),
        Does::Compare(test) => matches!(test, Test::Double { .. }),
        Does::Select => true,
    };
    if of_regions {
        return None;
    }
    let mut from = [Source::Literal(0); 3];
    for (to, operand) in from.iter_mut().zip(step.from) {
        *to = match operand {
            Operand::Source(i) => source(*s.get(usize::from(i))?),
            Operand::Literal(number) => Source::Literal(number),
            Operand::Step(_) => return None,
        };
    }
    Some((step.does, from))
}
