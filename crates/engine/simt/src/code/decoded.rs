//! The compact form of instructions for the interpreter's inner loop.
//!
//! [`Decoded::of`] is given a full [`Inst`] and returns 24 bytes with the same guard and operands,
//! or [`Kind::Leave`] if the inner loop cannot execute the instruction. The compact forms are
//! stored parallel to the full instructions.

use super::{Inst, MemSpace, Op, Slot};
use texunit_alu::Kind;
use texunit_isa::{BoolOp, SpecialReg};

/// A compact instruction, or the mark [`Kind::Leave`], which sends the interpreter to the full
/// instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    pub(crate) kind: Kind,
    /// Number of PTX instructions that the statistics count for this instruction ([`Inst::count`]).
    pub(crate) count: u8,
    pub(crate) guard: Slot,
    pub(crate) d: Slot,
    /// Source operands. The first operand of a branch is its target. For CTA values, `%tid` and
    /// parameters the first operand is a number.
    pub(crate) s: [Slot; 3],
}

/// Number of values that are equal for all threads of a CTA: the special registers that [`of_cta`]
/// numbers, followed by the product of `%ctaid` and `%ntid` for each component.
pub(crate) const OF_CTA: usize = 12;

/// For each product of two CTA values: the numbers of both factors and the number of the product.
pub(crate) const PRODUCTS: [[u32; 3]; 3] = [[0, 3, 9], [1, 4, 10], [2, 5, 11]];

/// Number of a special register that is equal for all threads of a CTA, as an index into
/// `Context::of_cta`.
pub(crate) fn of_cta(reg: SpecialReg, component: u8) -> Option<u32> {
    let first = match reg {
        SpecialReg::Ctaid => 0,
        SpecialReg::Ntid => 3,
        SpecialReg::Nctaid => 6,
        _ => return None,
    };
    (component < 3).then_some(first + u32::from(component))
}

impl Decoded {
    /// Converts an instruction to its compact form.
    pub(crate) fn of(inst: &Inst) -> Self {
        let leave = (Kind::Leave, Slot::NONE, [Slot::NONE; 3]);
        let (kind, d, s) = Self::parts(&inst.op).unwrap_or(leave);
        Self { kind, count: inst.count, guard: inst.guard, d, s }
    }

    fn parts(op: &Op) -> Option<(Kind, Slot, [Slot; 3])> {
        let none = Slot::NONE;
        let number = Slot::number;
        Some(match *op {
            Op::Nop => (Kind::Nop, none, [none; 3]),
            Op::Join => (Kind::Join, none, [none; 3]),
            Op::Count { counter, of } => (Kind::Count, none, [number(counter), of, none]),
            Op::Issue { counter, of } => (Kind::Issue, none, [number(counter), of, none]),
            Op::Branch { target, .. } => (Kind::Branch, none, [number(target), none, none]),
            Op::Compute { row, d, s: [a, b, c, _] } => (row.kind(), d, [a, b, c]),
            Op::Lop3 { .. } | Op::ComparePair { .. } | Op::Logic { .. } => {
                (Kind::Call, none, [none; 3])
            }
            Op::Compare { row, a, b, ref to } => {
                let plain = to.q.is_none() && to.op == BoolOp::And && to.c == Slot::TRUE;
                let kind = if plain && !to.p.is_none() { row.kind() } else { Kind::Call };
                (kind, to.p, [a, b, none])
            }
            Op::Mov { d, a } => {
                (if d.is_wide() { Kind::MovWide } else { Kind::MovNarrow }, d, [a, none, none])
            }
            Op::Select { d, a, b, p } => {
                (if d.is_wide() { Kind::SelectWide } else { Kind::SelectNarrow }, d, [a, b, p])
            }
            Op::Special { d, reg, component } if d.is_narrow() => match reg {
                SpecialReg::Tid if component < 3 => {
                    (Kind::Tid, d, [number(component.into()), none, none])
                }
                _ => (Kind::OfCta, d, [number(of_cta(reg, component)?), none, none]),
            },
            Op::Load(ref access) if access.at.mem_space == MemSpace::KernelParam => {
                let [d] = access.parts[..] else { return None };
                let offset = u32::try_from(access.at.offset).ok()?;
                let kind = match access.size {
                    4 if d.is_narrow() && access.mask >= u64::from(u32::MAX) => Kind::ParamNarrow,
                    8 if !d.is_none() && d.is_wide() && access.mask == u64::MAX => Kind::ParamWide,
                    _ => return None,
                };
                let aligned = offset % u32::from(access.size) == 0 && !access.constant;
                aligned.then_some((kind, d, [number(offset), none, none]))?
            }
            _ => return None,
        })
    }
}
