//! The uniform value that an affine address adds to its index.

use super::super::Emitter;
use super::super::asm::at;
use super::super::backend::Backend;
use crate::frame::Frame;
use crate::op::Op;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// A 32-bit value that is added to an index, or subtracted if `minus` is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) struct Addend {
    pub(in crate::emit) number: Source,
    pub(in crate::emit) minus: bool,
}

impl Addend {
    /// The addend that leaves an address unchanged.
    pub(in crate::emit) const NONE: Self = Self { number: Source::Literal(0), minus: false };

    /// If a sum or difference has a uniform operand: the register of the other operand, and the
    /// value that is added.
    pub(in crate::emit) fn of(op: Op, from: &[Source; 3]) -> Option<(u32, Self)> {
        let alike = |source| match source {
            Source::Literal(_) | Source::Constant(_) | Source::Uniform(_) | Source::Bytes32(_) => {
                Some(source)
            }
            _ => None,
        };
        let minus = op == Op::Sub;
        match (from[0], from[1]) {
            (Source::B32(index), number) => Some((index, Self { number: alike(number)?, minus })),
            (number, Source::B32(index)) if !minus => {
                Some((index, Self { number: alike(number)?, minus }))
            }
            _ => None,
        }
    }

    /// Whether the value is a constant so small that indices with and without it mostly touch the
    /// same cache lines.
    pub(in crate::emit) fn is_near(self) -> bool {
        matches!(self.number, Source::Literal(n) if (n as i32).unsigned_abs() < 16)
    }

    /// The sum of two added values, if it can be expressed.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let literal = |of: Self| match of.number {
            Source::Literal(number) if of.minus => Some((number as u32).wrapping_neg()),
            Source::Literal(number) => Some(number as u32),
            _ => None,
        };
        if self == Self::NONE {
            return Some(other);
        }
        let sum = literal(self)?.wrapping_add(literal(other)?);
        Some(Self { number: Source::Literal(sum.into()), minus: false })
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// The memory operand of a uniform value; `by` may be overwritten to address it.
    pub(in crate::emit) fn number_at(&mut self, source: Source, by: R) -> MemoryOperand {
        let (field, displacement) = match source {
            Source::Literal(number) => return at(R::R9, self.pooled(&[number])),
            Source::Constant(i) => (Frame::CONSTANTS, i as usize * 128),
            Source::WideConstant(i) => (Frame::WIDE_CONSTANTS, i as usize * 256),
            Source::Uniform(i) => (Frame::UNIFORMS, i as usize * 4),
            Source::Bytes32(i) | Source::Bytes64(i) => (Frame::BYTES, i as usize),
            Source::FrameAt => return at(R::RDI, Frame::FRAME_AT),
            Source::B32(_) | Source::B64(_) | Source::PerLane(_) | Source::Lane => {
                return at(R::RDI, Frame::BYTES);
            }
        };
        self.asm.put(I::with2(C::Mov_r64_rm64, by, at(R::RDI, field)));
        at(by, displacement)
    }

    /// Emits the addition of an addend to a 32-bit general register; `by` is overwritten.
    pub(in crate::emit) fn add_addend(&mut self, addend: Addend, to: R, by: R) {
        if let Source::Literal(number) = addend.number {
            let number = number as i32;
            let number = if addend.minus { number.wrapping_neg() } else { number };
            if number != 0 {
                self.asm.put(I::with2(C::Add_rm32_imm32, to, number));
            }
            return;
        }
        let from = self.number_at(addend.number, by);
        let code = if addend.minus { C::Sub_r32_rm32 } else { C::Add_r32_rm32 };
        self.asm.put(I::with2(code, to, from));
    }
}
