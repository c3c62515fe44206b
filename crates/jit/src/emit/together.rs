//! `redux` and `match`, lane after lane in general registers, the same for all back ends.
//!
//! The numbers lie in a scratch row; `ebx` has the active lanes.

use super::Emitter;
use super::backend::Backend;
use super::frame::Frame;
use crate::region::Reduce;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// The scratch rows of numbers and of results.
pub(super) const NUMBERS: usize = 1;
pub(super) const RESULT: usize = 4;

fn of_lane(row: usize, lane: R, size: u32) -> MemoryOperand {
    let row = Frame::scratch(row) as i64;
    MemoryOperand::with_base_index_scale_displ_size(R::RDI, lane, size, row, 1)
}

impl<B: Backend> Emitter<'_, B> {
    /// `r12d` becomes one number of those of 32 bits.
    pub(super) fn reduce_lanes(&mut self, op: Reduce) {
        let neutral = match op {
            Reduce::Add | Reduce::MaxU | Reduce::Or | Reduce::Xor => 0,
            Reduce::MinU | Reduce::And => u32::MAX,
            Reduce::MinS => i32::MAX as u32,
            Reduce::MaxS => i32::MIN as u32,
        };
        let (join, compares) = match op {
            Reduce::Add => (C::Add_r32_rm32, false),
            Reduce::And => (C::And_r32_rm32, false),
            Reduce::Or => (C::Or_r32_rm32, false),
            Reduce::Xor => (C::Xor_r32_rm32, false),
            Reduce::MinS => (C::Cmovg_r32_rm32, true),
            Reduce::MaxS => (C::Cmovl_r32_rm32, true),
            Reduce::MinU => (C::Cmova_r32_rm32, true),
            Reduce::MaxU => (C::Cmovb_r32_rm32, true),
        };
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R12D, neutral));
        self.each_lane(|e| {
            let number = of_lane(NUMBERS, R::RBP, 4);
            e.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, number));
            if compares {
                e.asm.put(I::with2(C::Cmp_r32_rm32, R::R12D, R::EAX));
            }
            e.asm.put(I::with2(join, R::R12D, R::EAX));
        });
    }

    /// `r12d` becomes those of the lanes in `r13d` whose numbers of 64 bits are that of the first. Uses `rax`, `rbx`,
    /// `rbp` and `r14`.
    fn like_the_first(&mut self) {
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, R::R13D));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R14, of_lane(NUMBERS, R::RAX, 8)));
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R12D, R::R12D));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, R::R13D));
        self.each_lane(|e| {
            let differs = e.asm.label();
            e.asm.put(I::with2(C::Cmp_r64_rm64, R::R14, of_lane(NUMBERS, R::RBP, 8)));
            e.asm.jump(C::Jne_rel32_64, differs);
            e.asm.put(I::with2(C::Bts_rm32_r32, R::R12D, R::EBP));
            e.asm.bind(differs);
        });
    }

    /// `r12d` becomes the active lanes if all have the same number, else 0.
    pub(super) fn match_all(&mut self) {
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::EBX));
        self.like_the_first();
        self.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, R::EAX));
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::R12D, R::R13D));
        self.asm.put(I::with2(C::Cmovne_r32_rm32, R::R12D, R::EAX));
    }

    /// The row of results gets, for each active lane, those with its number.
    pub(super) fn match_any(&mut self) {
        let (again, result) = (self.asm.label(), of_lane(RESULT, R::RBP, 4));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::EBX));
        self.asm.bind(again);
        self.like_the_first();
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, R::R12D));
        self.each_lane(|e| e.asm.put(I::with2(C::Mov_rm32_r32, result, R::R12D)));
        self.asm.put(I::with3(C::VEX_Andn_r32_r32_rm32, R::R13D, R::R12D, R::R13D));
        self.asm.jump(C::Jne_rel32_64, again);
    }

    /// `r12d` becomes all ones if it is not 0.
    pub(super) fn spread_truth(&mut self) {
        self.asm.put(I::with1(C::Neg_rm32, R::R12D));
        self.asm.put(I::with2(C::Sbb_r32_rm32, R::R12D, R::R12D));
    }
}
