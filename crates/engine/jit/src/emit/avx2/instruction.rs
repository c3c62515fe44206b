//! Helpers that emit vector instructions with register or memory operands, and constants in all
//! lanes.

use super::{Avx2Emitter, Operand, PoolVector, Vector};
use crate::emit::asm::at;
use crate::emit::register_cache::Reg;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx2Emitter<'_> {
    /// A constant vector of the pool.
    pub(super) fn pool_vector(&mut self, row: PoolVector) -> Operand {
        Operand::Memory(at(R::R9, self.pooled(&row)))
    }

    /// A 32-bit constant in all lanes, as a memory operand.
    pub(super) fn number(&mut self, number: u32) -> Operand {
        self.wide_number(u64::from(number) << 32 | u64::from(number))
    }

    /// A 64-bit constant in all lanes, as a memory operand.
    pub(super) fn wide_number(&mut self, number: u64) -> Operand {
        self.pool_vector([number; 4])
    }

    /// Emits an instruction with two sources.
    pub(super) fn three(&mut self, code: C, d: Reg, a: Reg, b: impl Into<Operand>) {
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with3(code, d.ymm(), a.ymm(), b.ymm()),
            Operand::Memory(b) => I::with3(code, d.ymm(), a.ymm(), b),
        });
    }

    /// Emits an instruction with two sources and an immediate.
    pub(super) fn three_with(
        &mut self,
        code: C,
        d: Reg,
        a: Reg,
        b: impl Into<Operand>,
        number: u32,
    ) {
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with4(code, d.ymm(), a.ymm(), b.ymm(), number),
            Operand::Memory(b) => I::with4(code, d.ymm(), a.ymm(), b, number),
        });
    }

    /// Emits an instruction with one source.
    pub(super) fn two(&mut self, code: C, d: Reg, a: impl Into<Operand>) {
        self.asm.put(match a.into() {
            Operand::Register(a) => I::with2(code, d.ymm(), a.ymm()),
            Operand::Memory(a) => I::with2(code, d.ymm(), a),
        });
    }

    /// Emits an instruction with one source and an immediate.
    pub(super) fn two_with(&mut self, code: C, d: Reg, a: impl Into<Operand>, number: u32) {
        self.asm.put(match a.into() {
            Operand::Register(a) => I::with3(code, d.ymm(), a.ymm(), number),
            Operand::Memory(a) => I::with3(code, d.ymm(), a, number),
        });
    }

    /// Selects `b` in lanes where the mask is set, else `a`.
    pub(super) fn blend(&mut self, d: Reg, a: Reg, b: impl Into<Operand>, mask: Reg) {
        let code = C::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with4(code, d.ymm(), a.ymm(), b.ymm(), mask.ymm()),
            Operand::Memory(b) => I::with4(code, d.ymm(), a.ymm(), b, mask.ymm()),
        });
    }

    /// Emits an instruction with two sources into a new temporary.
    pub(super) fn binary(&mut self, code: C, a: Reg, b: impl Into<Operand>) -> Reg {
        let (d, b) = (self.temporary(), b.into());
        self.three(code, d, a, b);
        d
    }

    /// Emits an instruction with one source into a new temporary.
    pub(super) fn unary(&mut self, code: C, a: impl Into<Operand>) -> Reg {
        let (d, a) = (self.temporary(), a.into());
        self.two(code, d, a);
        d
    }

    /// Whether a register is a temporary of the step, which may be overwritten.
    pub(super) fn is_temporary(&self, reg: Reg) -> bool {
        self.cache.get(reg).key.is_none()
    }

    /// Frees a register if it is a temporary.
    pub(super) fn release(&mut self, reg: Reg) {
        if self.is_temporary(reg) {
            self.cache.release(reg);
        }
    }
}
