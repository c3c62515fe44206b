//! Instructions of the inner loop as steps of a block.

use crate::alu::Kind;
use crate::code::{CompareTo, Inst, Op, Quick, Slot};
use texunit_isa::BoolOp;
use texunit_jit::{
    Action, Combine, Float, Op as J, Place, Predicate, Relation, Rounding, Source, Step, Test,
};

/// Bits of three sources, as tables have them.
const A: u8 = 0xf0;
const B: u8 = 0xcc;

/// What an instruction does, if the code knows it. `source` says where an operand comes from.
pub(crate) fn step(inst: &Inst, source: &dyn Fn(Slot) -> Source) -> Option<Step> {
    let action = match inst.op {
        Op::Lop3 { d, s, table, .. } => compute(J::Bits(table), d, s.map(source)),
        Op::CompareNarrow { kind, a, b, ref to, .. }
        | Op::CompareWide { kind, a, b, ref to, .. } => {
            compare(test(kind)?, [a, b].map(source), to)
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
        Kind::OfCta => compute(J::Copy, d, at(Source::Word)),
        Kind::Tid => compute(J::Copy, d, at(Source::Row)),
        Kind::ParamNarrow => compute(J::Copy, d, at(Source::Bytes32)),
        Kind::ParamWide => compute(J::CopyWide, d, at(Source::Bytes64)),
        Kind::SelectNarrow | Kind::SelectWide => {
            let p = predicate(s[2]);
            let op = if kind == Kind::SelectWide { J::SelectWide(p) } else { J::Select(p) };
            compute(op, d, [source(s[0]), source(s[1]), nothing[2]])
        }
        Kind::FRcp => {
            let one = Source::Literal(f32::to_bits(1.0).into());
            compute(float(Float::Div), d, [one, source(s[0]), nothing[2]])
        }
        Kind::NegS => compute(J::Sub, d, [Source::Literal(0), source(s[0]), nothing[2]]),
        Kind::Low8 | Kind::Low16 => {
            let bits = Source::Literal(if kind == Kind::Low8 { 0xff } else { 0xffff });
            compute(J::Bits(A & B), d, [source(s[0]), bits, nothing[2]])
        }
        _ => {
            let op = op(kind)?;
            let mut from = nothing;
            for (to, &slot) in from.iter_mut().zip(&s).filter(|(_, slot)| !slot.is_none()) {
                *to = source(slot);
            }
            compute(op, d, from)
        }
    })
}

const fn of(op: Float, flush: bool, saturate: bool) -> J {
    J::Float { op, flush, saturate }
}

const fn float(op: Float) -> J {
    of(op, false, false)
}

/// Operations that take the instruction's operands as they are.
#[rustfmt::skip]
fn op(kind: Kind) -> Option<J> {
    use Kind as K;
    Some(match kind {
        K::MovNarrow => J::Copy,
        K::Add => J::Add,
        K::Sub => J::Sub,
        K::MulLo => J::Mul,
        K::MadLo => J::MulAdd,
        K::MulHi => J::MulHighU,
        K::MulHiS => J::MulHighS,
        K::MinS => J::MinS,
        K::MaxS => J::MaxS,
        K::MinU => J::MinU,
        K::MaxU => J::MaxU,
        K::AbsS => J::Abs,
        K::And => J::Bits(A & B),
        K::Or => J::Bits(A | B),
        K::Xor => J::Bits(A ^ B),
        K::Not => J::Bits(!A),
        K::Shl => J::ShiftLeft,
        K::ShrU => J::ShiftRightU,
        K::ShrS => J::ShiftRightS,
        K::ShfL => J::FunnelLeft,
        K::ShfR => J::FunnelRight,
        K::FAdd => float(Float::Add),
        K::FSub => float(Float::Sub),
        K::FMul => float(Float::Mul),
        K::FFma => float(Float::Fma),
        K::FDiv => float(Float::Div),
        K::FSqrt => float(Float::Sqrt),
        K::FMin => float(Float::Min),
        K::FMax => float(Float::Max),
        K::FNeg => float(Float::Neg),
        K::FAbs => float(Float::Abs),
        K::FAddSat => of(Float::Add, false, true),
        K::FMulSat => of(Float::Mul, false, true),
        K::FFmaSat => of(Float::Fma, false, true),
        K::ZAdd => of(Float::Add, true, false),
        K::ZSub => of(Float::Sub, true, false),
        K::ZMul => of(Float::Mul, true, false),
        K::ZFma => of(Float::Fma, true, false),
        K::ZMin => of(Float::Min, true, false),
        K::ZMax => of(Float::Max, true, false),
        K::ZNeg => of(Float::Neg, true, false),
        K::ZAbs => of(Float::Abs, true, false),
        K::FromU => J::FromU(u32::MAX),
        K::FromU16 => J::FromU(0xffff),
        K::FromU8 => J::FromU(0xff),
        K::FromS => J::FromS,
        K::ToU => J::ToU(Rounding::Trunc),
        K::ToS => J::ToS(Rounding::Trunc),
        K::FloorS => J::ToS(Rounding::Floor),
        K::NearS => J::ToS(Rounding::Near),
        K::Floor => float(Float::Round(Rounding::Floor)),
        K::Ceil => float(Float::Round(Rounding::Ceil)),
        K::Near => float(Float::Round(Rounding::Near)),
        K::Trunc => float(Float::Round(Rounding::Trunc)),
        K::MovWide => J::CopyWide,
        K::AddW => J::AddWide,
        K::SubW => J::SubWide,
        K::MulW => J::MulWide,
        K::AndW => J::BitsWide(A & B),
        K::OrW => J::BitsWide(A | B),
        K::XorW => J::BitsWide(A ^ B),
        K::MulWideU => J::ProductU,
        K::MulWideS => J::ProductS,
        K::MadWideU => J::ProductAddU,
        K::MadWideS => J::ProductAddS,
        K::ZeroExtend => J::ExtendU,
        K::SignExtend => J::ExtendS,
        K::Cut => J::Low,
        K::ShlW => J::ShiftLeftWide,
        K::ShrWU => J::ShiftRightWideU,
        K::ShrWS => J::ShiftRightWideS,
        _ => return None,
    })
}

/// Comparisons.
#[rustfmt::skip]
fn test(kind: Kind) -> Option<Test> {
    use Kind as K;
    use Relation as R;
    let float = |relation, unordered| Test::Float { relation, unordered };
    Some(match kind {
        // Of bits, either way.
        K::Eq => Test::Signed(R::Eq),
        K::Ne => Test::Signed(R::Ne),
        K::LtS => Test::Signed(R::Lt),
        K::LeS => Test::Signed(R::Le),
        K::GtS => Test::Signed(R::Gt),
        K::GeS => Test::Signed(R::Ge),
        K::LtU => Test::Unsigned(R::Lt),
        K::LeU => Test::Unsigned(R::Le),
        K::GtU => Test::Unsigned(R::Gt),
        K::GeU => Test::Unsigned(R::Ge),
        K::EqW => Test::SignedWide(R::Eq),
        K::NeW => Test::SignedWide(R::Ne),
        K::LtWS => Test::SignedWide(R::Lt),
        K::LeWS => Test::SignedWide(R::Le),
        K::GtWS => Test::SignedWide(R::Gt),
        K::GeWS => Test::SignedWide(R::Ge),
        K::LtWU => Test::UnsignedWide(R::Lt),
        K::LeWU => Test::UnsignedWide(R::Le),
        K::GtWU => Test::UnsignedWide(R::Gt),
        K::GeWU => Test::UnsignedWide(R::Ge),
        K::FEq => float(R::Eq, false),
        K::FNeu => float(R::Ne, true),
        K::FLt => float(R::Lt, false),
        K::FLe => float(R::Le, false),
        K::FGt => float(R::Gt, false),
        K::FGe => float(R::Ge, false),
        K::FLtu => float(R::Lt, true),
        K::FLeu => float(R::Le, true),
        K::FGtu => float(R::Gt, true),
        K::FGeu => float(R::Ge, true),
        _ => return None,
    })
}
