//! Steps on vectors of lanes, for both instruction sets: instructions with register or memory
//! operands ([`super::instructions`]), sources, destinations, and the operations of compute steps.
//! Operations that differ between instruction sets are primitives of [`super::backend::Backend`].
//!
//! A *condition* is the result of a comparison in [`super::backend::Primitives::SPARE_MASK`];
//! allocating a register may overwrite it.

mod affine;
mod bytes;
mod compute;
mod convert;
mod destination;
mod double;
mod float;
mod frame;
mod integer;
mod lanes;
mod scratch;
mod source;
mod wide;

use super::Emitter;
use super::backend::Backend;
pub(super) use super::instructions::{Opcode, Operand, V};
use super::register_cache::Reg;
pub(super) use float::{GREATER_OR_EQUAL, ORDERED, UNORDERED, of_floats};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
pub(super) use integer::power_of_two;
pub(super) use scratch::part_of_row;
pub(super) use source::register_file;

impl<B: Backend> Emitter<'_, B> {
    /// Emits an instruction with two sources.
    pub(super) fn three(&mut self, code: impl Opcode, d: Reg, a: Reg, b: impl Into<Operand>) {
        let (code, d) = (code.code::<B>(), B::name(d));
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with3(code, d, B::name(a), B::name(b)),
            Operand::Memory(b) => I::with3(code, d, B::name(a), b),
        });
    }

    /// Emits an instruction with two sources and an immediate.
    pub(super) fn three_with(
        &mut self,
        code: impl Opcode,
        d: Reg,
        a: Reg,
        b: impl Into<Operand>,
        number: u32,
    ) {
        let (code, d) = (code.code::<B>(), B::name(d));
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with4(code, d, B::name(a), B::name(b), number),
            Operand::Memory(b) => I::with4(code, d, B::name(a), b, number),
        });
    }

    /// Emits an instruction with one source.
    pub(super) fn two(&mut self, code: impl Opcode, d: Reg, a: impl Into<Operand>) {
        let (code, d) = (code.code::<B>(), B::name(d));
        self.asm.put(match a.into() {
            Operand::Register(a) => I::with2(code, d, B::name(a)),
            Operand::Memory(a) => I::with2(code, d, a),
        });
    }

    /// Emits an instruction with one source and an immediate.
    pub(super) fn two_with(
        &mut self,
        code: impl Opcode,
        d: Reg,
        a: impl Into<Operand>,
        number: u32,
    ) {
        let (code, d) = (code.code::<B>(), B::name(d));
        self.asm.put(match a.into() {
            Operand::Register(a) => I::with3(code, d, B::name(a), number),
            Operand::Memory(a) => I::with3(code, d, a, number),
        });
    }

    /// Emits an instruction that widens the elements of half a register.
    pub(super) fn widen(&mut self, code: V, d: Reg, a: Reg) {
        self.asm.put(I::with2(code.code::<B>(), B::name(d), B::half(a)));
    }

    /// Emits an instruction that widens the elements of the lower or the upper half of a register.
    pub(super) fn widen_half(&mut self, code: V, d: Reg, a: Reg, half: u8) {
        if half == 1 {
            self.upper_half(d, a);
        }
        self.widen(code, d, if half == 1 { d } else { a });
    }

    /// Emits an instruction that narrows elements to half a register.
    pub(super) fn shrink(&mut self, code: V, d: Reg, a: Reg) {
        self.asm.put(I::with2(code.code::<B>(), B::half(d), B::name(a)));
    }

    /// Broadcasts the first element of 32 bits, or of 64 if `wide`.
    pub(super) fn spread(&mut self, wide: bool, d: Reg, a: Operand) {
        let code = if wide { V::Spread64 } else { V::Spread32 }.code::<B>();
        self.asm.put(match a {
            Operand::Register(a) => I::with2(code, B::name(d), a.xmm()),
            Operand::Memory(a) => I::with2(code, B::name(d), a),
        });
    }

    /// Loads the first element of 32 bits, or of 64 if `wide`, into a general register.
    pub(super) fn first_element(&mut self, wide: bool, to: R, a: Operand) {
        self.asm.put(match (a, wide) {
            (Operand::Register(a), true) => I::with2(V::ToGeneral.code::<B>(), to, a.xmm()),
            (Operand::Register(a), false) => I::with2(V::ToGeneral32.code::<B>(), to, a.xmm()),
            (Operand::Memory(a), true) => I::with2(C::Mov_r64_rm64, to, a),
            (Operand::Memory(a), false) => I::with2(C::Mov_r32_rm32, to, a),
        });
    }

    /// Copies the upper half of a register to the lower half of another.
    pub(super) fn upper_half(&mut self, d: Reg, a: Reg) {
        self.asm.put(I::with3(V::UpperHalf.code::<B>(), B::half(d), B::name(a), 1_u32));
    }

    /// Makes the second register the upper half of the first.
    pub(super) fn insert_half(&mut self, low: Reg, high: Reg) {
        let (code, d) = (V::JoinHalves.code::<B>(), B::name(low));
        self.asm.put(I::with4(code, d, d, B::half(high), 1_u32));
    }

    /// Makes the second register, which is released, the upper half of the first.
    pub(super) fn join_halves(&mut self, low: Reg, high: Reg) {
        self.insert_half(low, high);
        self.release(high);
    }

    pub(super) fn zero(&mut self, d: Reg) {
        self.three(V::Xor32, d, d, d);
    }

    /// Loads a register or a memory operand of elements of 32 bits, or of 64 if `wide`.
    pub(super) fn set(&mut self, wide: bool, d: Reg, a: impl Into<Operand>) {
        match a.into() {
            Operand::Memory(a) if a.is_broadcast => {
                let a = MemoryOperand { is_broadcast: false, ..a };
                self.two(if wide { V::Spread64 } else { V::Spread32 }, d, Operand::Memory(a));
            }
            a @ Operand::Memory(_) => self.two(V::Load, d, a),
            a => self.two(V::Move, d, a),
        }
    }

    pub(super) fn store(&mut self, to: MemoryOperand, from: Reg) {
        self.asm.put(I::with2(V::Store.code::<B>(), to, B::name(from)));
    }

    /// Emits an instruction with two sources into a new temporary.
    pub(super) fn binary(&mut self, code: impl Opcode, a: Reg, b: impl Into<Operand>) -> Reg {
        let (d, b) = (self.temporary(), b.into());
        self.three(code, d, a, b);
        d
    }

    /// Emits an instruction with one source into a new temporary.
    pub(super) fn unary(&mut self, code: impl Opcode, a: impl Into<Operand>) -> Reg {
        let (d, a) = (self.temporary(), a.into());
        self.two(code, d, a);
        d
    }

    /// Emits an instruction with one source and an immediate into a new temporary.
    fn unary_with(&mut self, code: impl Opcode, a: impl Into<Operand>, number: u32) -> Reg {
        let (d, a) = (self.temporary(), a.into());
        self.two_with(code, d, a, number);
        d
    }

    /// A copy in a new temporary.
    pub(super) fn copied(&mut self, wide: bool, a: impl Into<Operand>) -> Reg {
        let (d, a) = (self.temporary(), a.into());
        self.set(wide, d, a);
        d
    }

    /// Whether a register is a temporary of the current step, which the step may overwrite.
    pub(super) fn is_temporary(&self, reg: Reg) -> bool {
        self.cache.get(reg).key.is_none()
    }

    /// Frees a register if it is a temporary of the current step.
    pub(super) fn release(&mut self, reg: Reg) {
        if self.is_temporary(reg) {
            self.cache.release(reg);
        }
    }
}
