//! Code of `vote`, `redux` and `match` in general registers, shared by the back ends; `redux` and
//! `match` loop over lanes. The operands are in a scratch register of the frame, and `ebx` is the
//! mask of active lanes. A step exits unless the active lanes are exactly the live lanes of the
//! membermask.

use super::Emitter;
use super::asm::{J, Label, at, with_index};
use super::backend::Backend;
use super::vector::{Opcode, V, part_of_row};
use crate::frame::Frame;
use crate::ir::{Match, Reduce, Step, Vote};
use crate::machine::Mode;
use crate::operand::{Predicate, Source, VReg};
use crate::run::ExitReason;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// The numbers of the scratch registers that hold the operands and the results.
pub(super) const NUMBERS: usize = 1;
pub(super) const RESULT: usize = 4;
/// The scratch register of membermasks, and of the values that lanes read from each other.
pub(super) const ROW: usize = 0;

/// The memory operand of a lane in a scratch register with `size` bytes per lane.
pub(super) fn of_lane(row: usize, lane: R, size: u32) -> MemoryOperand {
    with_index(at(R::RDI, Frame::scratch(row)), lane, size)
}

impl<B: Backend> Emitter<'_, B> {
    /// Checks that the membermasks of the executing lanes are equal and name exactly these lanes
    /// among the live ones, and sets `ebx` to the mask. Exits otherwise.
    pub(super) fn members(&mut self, step: &Step, members: Option<Source>) -> Option<()> {
        // All operands are loaded to registers before the first jump.
        if let Some(source) = members
            && !matches!(source, Source::Literal(_))
        {
            self.fill_row(source, ROW, true)?;
        }
        self.lanes_taken(step.guard, R::EBX);
        let out = self.exit_stub(ExitReason::Instruction, step.at);
        let all = self.mode == Mode::Live && step.guard == Predicate::Always;
        match members {
            None => {}
            Some(Source::Literal(number)) if all && number as u32 == u32::MAX => {}
            Some(Source::Literal(number)) => {
                self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as u32));
                self.only_live(out);
            }
            Some(_) => {
                let first = at(R::RDI, Frame::scratch(RESULT));
                self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, R::EBX));
                self.asm.copy(first, of_lane(ROW, R::RAX, 4), R::EAX);
                self.only_live(out);
                for part in 0..Self::PARTS {
                    self.two(V::Spread32, B::SPARE, first);
                    self.three(V::Equal32, B::SPARE_MASK, B::SPARE, part_of_row::<B>(ROW, part));
                    self.collect_condition(part, false);
                }
                // `eax` becomes the lanes that execute the step and whose membermask differs.
                self.asm.put(I::with3(C::VEX_Andn_r32_r32_rm32, R::EAX, R::R12D, R::EBX));
                self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EAX, R::EAX), J::NE, out);
            }
        }
        self.cache.unpin();
        Some(())
    }

    /// Exits unless the executing lanes, in `ebx`, are exactly the live lanes among those in `eax`.
    fn only_live(&mut self, out: Label) {
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, at(R::RDI, Frame::LIVE)));
        self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::EAX, R::EBX), J::NE, out);
    }

    /// Adds the condition of a lane group of 32-bit or 64-bit lanes to the mask in `r12d`, which
    /// lane group 0 begins. Uses `rax`.
    fn collect_condition(&mut self, part: u8, wide: bool) {
        let lanes = B::LANES as u32 / if wide { 2 } else { 1 };
        let code = if wide { V::Condition64 } else { V::Condition32 }.code::<B>();
        let to = if part == 0 { R::R12D } else { R::EAX };
        self.asm.put(I::with2(code, to, B::name(B::SPARE_MASK)));
        if part != 0 {
            self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, lanes * u32::from(part)));
            self.asm.put(I::with2(C::Or_r32_rm32, R::R12D, R::EAX));
        }
    }

    /// Sets `r12d` to the mask of lanes whose value is zero.
    pub(super) fn zeros(&mut self, of: Source) -> Option<()> {
        for part in 0..2 * Self::PARTS {
            let value = self.whole_of(of, part)?;
            let zero = self.wide_number(0);
            self.three(V::Equal64, B::SPARE_MASK, value, zero);
            self.collect_condition(part, true);
            self.cache.unpin();
        }
        Some(())
    }

    pub(super) fn vote(
        &mut self,
        step: &Step,
        mode: Vote,
        to: VReg,
        of: Predicate,
        members: Option<Source>,
    ) -> Option<()> {
        self.members(step, members)?;
        self.lanes(of, R::R12D);
        self.asm.put(I::with2(C::And_r32_rm32, R::R12D, R::EBX));
        match mode {
            Vote::Ballot => {}
            Vote::Any => {
                self.asm.put(I::with2(C::Test_rm32_r32, R::R12D, R::R12D));
                self.asm.put(I::with1(C::Setne_rm8, R::AL));
            }
            Vote::All | Vote::Uniform => {
                self.asm.put(I::with2(C::Cmp_r32_rm32, R::R12D, R::EBX));
                self.asm.put(I::with1(C::Sete_rm8, R::AL));
            }
        }
        if mode == Vote::Uniform {
            self.asm.put(I::with2(C::Test_rm32_r32, R::R12D, R::R12D));
            self.asm.put(I::with1(C::Sete_rm8, R::R12L));
            self.asm.put(I::with2(C::Or_r8_rm8, R::AL, R::R12L));
        }
        if mode != Vote::Ballot {
            self.asm.put(I::with2(C::Movzx_r32_rm8, R::R12D, R::AL));
            if let VReg::Predicate(_) = to {
                self.asm.put(I::with1(C::Neg_rm32, R::R12D));
            }
        }
        self.put_number(to, step.guard)
    }

    /// Emits `redux`, which reduces the values of the active lanes to one value.
    pub(super) fn redux(
        &mut self,
        step: &Step,
        op: Reduce,
        to: u32,
        (of, members): (Source, Source),
    ) -> Option<()> {
        self.fill_row(of, NUMBERS, true)?;
        self.members(step, Some(members))?;
        self.reduce_lanes(op);
        self.put_number(VReg::B32(to), step.guard)
    }

    /// Emits `match`, which gives each active lane the mask of the lanes that have its value.
    pub(super) fn matching(&mut self, step: &Step, op: &Match) -> Option<()> {
        self.fill_row(op.of, NUMBERS, false)?;
        self.members(step, Some(op.members))?;
        if op.all {
            self.match_all();
        } else {
            self.match_any();
        }
        match op.to.map(VReg::B32) {
            Some(to) if op.all => self.put_number(to, step.guard)?,
            Some(to) => self.take_row((RESULT, true), to, u64::MAX, step.guard)?,
            None => {}
        }
        let Some(same) = op.same.filter(|_| op.all) else { return Some(()) };
        self.is_some(R::R12D);
        self.put_number(VReg::Predicate(same), step.guard)
    }

    /// Sets `r12d` to the reduction of the active lanes' 32-bit values.
    fn reduce_lanes(&mut self, op: Reduce) {
        let neutral = match op {
            Reduce::Add | Reduce::MaxU | Reduce::Or | Reduce::Xor => 0,
            Reduce::MinU | Reduce::And => u32::MAX,
            Reduce::MinS => i32::MAX as u32,
            Reduce::MaxS => i32::MIN as u32,
        };
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R12D, neutral));
        self.each_lane(|e| {
            e.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, of_lane(NUMBERS, R::RBP, 4)));
            e.reduce(op, false, R::R12D, R::EAX);
        });
    }

    /// Combines the number in a general register of 32 or 64 bits with the number in another.
    pub(super) fn reduce(&mut self, op: Reduce, wide: bool, to: R, with: R) {
        // For a minimum or maximum, the other number is copied if it is smaller or larger.
        let (codes, compares) = match op {
            Reduce::Add => ([C::Add_r32_rm32, C::Add_r64_rm64], false),
            Reduce::And => ([C::And_r32_rm32, C::And_r64_rm64], false),
            Reduce::Or => ([C::Or_r32_rm32, C::Or_r64_rm64], false),
            Reduce::Xor => ([C::Xor_r32_rm32, C::Xor_r64_rm64], false),
            Reduce::MinS => ([C::Cmovl_r32_rm32, C::Cmovl_r64_rm64], true),
            Reduce::MaxS => ([C::Cmovg_r32_rm32, C::Cmovg_r64_rm64], true),
            Reduce::MinU => ([C::Cmovb_r32_rm32, C::Cmovb_r64_rm64], true),
            Reduce::MaxU => ([C::Cmova_r32_rm32, C::Cmova_r64_rm64], true),
        };
        if compares {
            let compare = [C::Cmp_r32_rm32, C::Cmp_r64_rm64][usize::from(wide)];
            self.asm.put(I::with2(compare, with, to));
        }
        self.asm.put(I::with2(codes[usize::from(wide)], to, with));
    }

    /// Sets `r12d` to the lanes of `r13d` whose 64-bit value equals that of the lowest lane. Uses
    /// `rax`, `rbx`, `rbp` and `r14`.
    fn like_the_first(&mut self) {
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, R::R13D));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R14, of_lane(NUMBERS, R::RAX, 8)));
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R12D, R::R12D));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, R::R13D));
        self.each_lane(|e| {
            let differs = e.asm.label();
            e.asm.put(I::with2(C::Cmp_r64_rm64, R::R14, of_lane(NUMBERS, R::RBP, 8)));
            e.asm.jump(J::NE, differs);
            e.asm.put(I::with2(C::Bts_rm32_r32, R::R12D, R::EBP));
            e.asm.bind(differs);
        });
    }

    /// Sets `r12d` to the active lanes if all of them have the same value, else to 0.
    fn match_all(&mut self) {
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::EBX));
        self.like_the_first();
        self.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, R::EAX));
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::R12D, R::R13D));
        self.asm.put(I::with2(C::Cmovne_r32_rm32, R::R12D, R::EAX));
    }

    /// Stores for each active lane the mask of the lanes that have its value.
    fn match_any(&mut self) {
        let (again, result) = (self.asm.label(), of_lane(RESULT, R::RBP, 4));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::EBX));
        self.asm.bind(again);
        self.like_the_first();
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, R::R12D));
        self.each_lane(|e| e.asm.put(I::with2(C::Mov_rm32_r32, result, R::R12D)));
        self.asm.put(I::with3(C::VEX_Andn_r32_r32_rm32, R::R13D, R::R12D, R::R13D));
        self.asm.jump(J::NE, again);
    }
}
