//! Atomics, as a loop over lanes. The operation is executed in general registers; operands and old
//! values are in scratch registers of the frame.

use super::Emitter;
use super::asm::{J, at};
use super::backend::Backend;
use super::collective;
use super::memory::sized;
use super::vector::{Opcode, V};
use crate::frame::Frame;
use crate::ir::{Atomic, Change, Reduce, Space, Step};
use crate::operand::VReg;
use crate::run::ExitReason;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// Numbers of the scratch registers that hold operand b, operand c, and the old values.
const B: usize = 1;
const OTHER: usize = 2;
const OLD: usize = 3;

/// The instruction for elements of 32 or 64 bits.
fn code(wide: bool, narrow: C, long: C) -> C {
    if wide { long } else { narrow }
}

/// The memory operand of lane `ebp` in a scratch register.
fn of_lane(row: usize, wide: bool) -> MemoryOperand {
    collective::of_lane(row, R::RBP, if wide { 8 } else { 4 })
}

fn locked(instruction: Result<I, iced_x86::IcedError>) -> Result<I, iced_x86::IcedError> {
    instruction.map(|mut i| {
        i.set_has_lock_prefix(true);
        i
    })
}

impl<Z: Backend> Emitter<'_, Z> {
    /// Emits a loop over the lanes of the mask in `ebx`; the body finds the lane's number in `ebp`.
    pub(super) fn each_lane(&mut self, body: impl FnOnce(&mut Self)) {
        let (again, done) = (self.asm.label(), self.asm.label());
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), J::E, done);
        self.asm.bind(again);
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EBP, R::EBX));
        body(self);
        self.asm.put(I::with2(C::VEX_Blsr_r32_rm32, R::EBX, R::EBX));
        self.asm.jump(J::NE, again);
        self.asm.bind(done);
    }

    /// Emits an atomic. The addresses of all lanes are checked before the first lane changes
    /// memory.
    pub(super) fn atomic(&mut self, step: &Step, op: &Atomic) -> Option<()> {
        let wide = op.access.size == 8;
        if op.access.count != 1 || !matches!(op.access.size, 4 | 8) {
            return None;
        }
        for (row, source) in [(B, Some(op.b)), (OTHER, op.c)] {
            if let Some(source) = source {
                self.fill_row(source, row, !wide)?;
            }
        }
        let mem = self.mem_access(&op.access, step.guard, step.at);
        self.spill(&mem);
        self.lanes_taken(step.guard, R::EBX);
        let out = self.exit_stub(ExitReason::Instruction, step.at);
        let [left, last, saved] =
            [Frame::ATOMICS_LEFT, Frame::LAST_ATOMIC, Frame::SAVED].map(|field| at(R::RDI, field));
        let none = self.asm.label();
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), J::E, none);
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, left, 0), J::E, out);
        self.asm.put(I::with2(C::Mov_rm32_r32, saved, R::EBX));
        self.check_lanes(&mem);
        self.asm.put(I::with1(C::Dec_rm32, left));
        let steps = i64::from(self.uncounted) + i64::from(step.counted);
        let steps = MemoryOperand::with_base_displ(R::R10, steps);
        self.asm.put(I::with2(C::Lea_r64_m, R::RAX, steps));
        self.asm.put(I::with2(C::Mov_rm64_r64, last, R::RAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, saved));
        self.each_lane(|e| {
            e.address_of_lane(&mem);
            e.asm.put(I::with2(C::Mov_r64_rm64, R::R12, R::RAX));
            e.change(op);
        });
        self.asm.bind(none);
        self.cache.unpin();
        let Some(to) = op.to else { return Some(()) };
        if wide != matches!(to, VReg::B64(_)) {
            return None;
        }
        self.take_row((OLD, !wide), to, u64::MAX, step.guard)
    }

    /// Executes the atomic at address `r12` for lane `ebp`. Uses `rax`, `r13` and `r14`.
    fn change(&mut self, op: &Atomic) {
        let wide = op.access.size == 8;
        let w = |register| sized(register, wide);
        let memory = at(R::R12, 0);
        let (load, store) = (
            code(wide, C::Mov_r32_rm32, C::Mov_r64_rm64),
            code(wide, C::Mov_rm32_r32, C::Mov_rm64_r64),
        );
        let global = op.access.space == Space::Global;
        if global && op.change == Change::Reduce(Reduce::Add) {
            let add = code(wide, C::Xadd_rm32_r32, C::Xadd_rm64_r64);
            self.asm.put(I::with2(load, w(R::RAX), of_lane(B, wide)));
            self.asm.put(locked(I::with2(add, memory, w(R::RAX))));
        } else {
            self.asm.put(I::with2(load, w(R::RAX), memory));
            let again = self.asm.label();
            self.asm.bind(again);
            self.changed(op, wide);
            if global {
                let code = code(wide, C::Cmpxchg_rm32_r32, C::Cmpxchg_rm64_r64);
                self.asm.put(locked(I::with2(code, memory, w(R::R14))));
                self.asm.jump(J::NE, again);
            } else {
                // Shared memory needs no locked instruction, because no other thread accesses it
                // during the run.
                self.asm.put(I::with2(store, memory, w(R::R14)));
            }
        }
        if op.to.is_some() {
            self.asm.put(I::with2(store, of_lane(OLD, wide), w(R::RAX)));
        }
    }

    /// Computes the new value in `r14` from the old value in `rax`, which is preserved. Uses `r13`.
    fn changed(&mut self, op: &Atomic, wide: bool) {
        let w = |register| sized(register, wide);
        let (b, c) = (of_lane(B, wide), of_lane(OTHER, wide));
        let load = code(wide, C::Mov_r32_rm32, C::Mov_r64_rm64);
        let (compare, test) = (
            code(wide, C::Cmp_r32_rm32, C::Cmp_r64_rm64),
            code(wide, C::Test_rm32_r32, C::Test_rm64_r64),
        );
        let (old, new, zero) = (w(R::RAX), w(R::R14), w(R::R13));
        match op.change {
            Change::Reduce(op) => {
                self.asm.put(I::with2(load, new, b));
                self.reduce(op, wide, new, old);
            }
            Change::Exchange => self.asm.put(I::with2(load, new, b)),
            Change::Compare => {
                self.asm.put(I::with2(load, new, old));
                self.asm.put(I::with2(compare, old, b));
                self.asm.put(I::with2(code(wide, C::Cmove_r32_rm32, C::Cmove_r64_rm64), new, c));
            }
            Change::Inc => {
                self.asm.put(I::with2(C::Xor_r32_rm32, R::R13D, R::R13D));
                self.step_by(1, wide);
                self.asm.put(I::with2(compare, old, b));
                let not_below = code(wide, C::Cmovae_r32_rm32, C::Cmovae_r64_rm64);
                self.asm.put(I::with2(not_below, new, zero));
            }
            Change::Dec => {
                self.step_by(-1, wide);
                self.asm.put(I::with2(compare, old, b));
                self.asm.put(I::with2(code(wide, C::Cmova_r32_rm32, C::Cmova_r64_rm64), new, b));
                self.asm.put(I::with2(test, old, old));
                self.asm.put(I::with2(code(wide, C::Cmove_r32_rm32, C::Cmove_r64_rm64), new, b));
            }
            Change::AddFloat => self.add_float(b, wide, op.access.space == Space::Global),
        }
    }

    fn step_by(&mut self, by: i64, wide: bool) {
        let sum = MemoryOperand::with_base_displ(R::RAX, by);
        self.asm.put(I::with2(code(wide, C::Lea_r32_m, C::Lea_r64_m), sized(R::R14, wide), sum));
    }

    /// Adds f32. In global memory subnormals become zeros of their sign. A NaN result becomes the
    /// canonical NaN.
    fn add_float(&mut self, b: MemoryOperand, wide: bool, global: bool) {
        if wide {
            return self.add_double(b, global);
        }
        let flush = global;
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, b));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, R::EAX));
        if flush {
            self.flush_word(R::R13D);
            self.flush_word(R::R14D);
        }
        self.sum(false);
        if flush {
            self.flush_word(R::R14D);
        }
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::R14D));
        self.asm.put(I::with2(C::And_rm32_imm32, R::R13D, i32::MAX));
        self.asm.put(I::with2(C::Cmp_rm32_imm32, R::R13D, 0x7f80_0000));
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R13D, 0x7fff_ffff));
        self.asm.put(I::with2(C::Cmova_r32_rm32, R::R14D, R::R13D));
    }

    /// Adds f64. If both operands are NaNs, the result in global memory is b; in other spaces it is
    /// the old value, made quiet.
    fn add_double(&mut self, b: MemoryOperand, global: bool) {
        let (load, copy) = (C::Mov_r64_rm64, |to, from| I::with2(C::Mov_r64_rm64, to, from));
        if !global {
            self.asm.put(copy(R::R13, R::RAX));
            self.asm.put(I::with2(load, R::R14, b));
            return self.sum(true);
        }
        let done = self.asm.label();
        self.asm.put(I::with2(load, R::R13, b));
        // The number is shifted left by one bit, so that the sign does not take part in the
        // comparison.
        let infinity = at(R::R9, self.pooled(&[0x7ff << 53]));
        for source in [R::R13, R::RAX] {
            let number = self.asm.label();
            let twice = MemoryOperand::with_base_index(source, source);
            self.asm.put(I::with2(C::Lea_r64_m, R::R14, twice));
            self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::R14, infinity), J::BE, number);
            self.asm.put(copy(R::R14, source));
            self.asm.goto(done);
            self.asm.bind(number);
        }
        self.asm.put(copy(R::R14, R::RAX));
        self.sum(true);
        self.asm.bind(done);
    }

    /// Emits `r14 = r13 + r14` of f32 or f64; if both are NaNs, the result is the NaN in `r13`.
    fn sum(&mut self, wide: bool) {
        let other = at(R::RDI, Frame::SAVED + 8);
        let moment = Z::SPARE.xmm();
        let add = if wide { V::AddOneD } else { V::AddOneF }.code::<Z>();
        self.asm.put(I::with2(C::Mov_rm64_r64, other, R::R14));
        self.asm.put(I::with2(V::FromGeneral.code::<Z>(), moment, R::R13));
        self.asm.put(I::with3(add, moment, moment, other));
        self.asm.put(I::with2(V::ToGeneral.code::<Z>(), R::R14, moment));
    }

    fn flush_word(&mut self, register: R) {
        let done = self.asm.label();
        self.asm.jump_if(I::with2(C::Test_rm32_imm32, register, 0x7f80_0000), J::NE, done);
        self.asm.put(I::with2(C::And_rm32_imm32, register, i32::MIN));
        self.asm.bind(done);
    }
}
