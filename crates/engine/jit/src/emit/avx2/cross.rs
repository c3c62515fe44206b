//! Warp-level operations: membermasks, and `shfl` with operands that are not constant. The code
//! exits unless the active lanes are exactly the live lanes of the membermask.

use super::permute::pattern;
use super::{Avx2, Avx2Emitter, PARTS, SCRATCH, Vector};
use crate::emit::asm::{Label, at};
use crate::emit::backend::Primitives;
use crate::emit::register_cache::{Kind, Reg};
use crate::emit::vector::Operand;
use crate::frame::Frame;
use crate::operand::Source;
use crate::region::ExitReason;
use crate::region::{Shuffle, Shuffling, Step};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

const ADD: C = C::VEX_Vpaddd_ymm_ymm_ymmm256;
const SUB: C = C::VEX_Vpsubd_ymm_ymm_ymmm256;
const AND: C = C::VEX_Vpand_ymm_ymm_ymmm256;
const AND_NOT: C = C::VEX_Vpandn_ymm_ymm_ymmm256;
const OR: C = C::VEX_Vpor_ymm_ymm_ymmm256;
const XOR: C = C::VEX_Vpxor_ymm_ymm_ymmm256;
const GREATER: C = C::VEX_Vpcmpgtd_ymm_ymm_ymmm256;
/// The scratch register of the values that lanes read from each other.
pub(super) const ROW: usize = 0;

impl Avx2Emitter<'_> {
    /// See [`crate::emit::backend::Backend::members`].
    pub(super) fn members(&mut self, step: &Step, members: Option<Source>) -> Option<()> {
        // All operands are loaded to registers before the first jump.
        let differs = match members {
            Some(Source::Literal(_)) | None => None,
            Some(source) => {
                self.fill_row(source, ROW, true)?;
                Some(self.temporary())
            }
        };
        let out = self.exit_stub(ExitReason::Instruction, step.at);
        self.lanes_taken(step.guard, R::EBX);
        if let Some(Source::Literal(number)) = members {
            self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as u32));
            self.only_live(out);
        }
        if let Some(differs) = differs {
            self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, R::EBX));
            let row = Frame::scratch(ROW) as i64;
            let lane = MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RAX, 4, row, 1);
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, lane));
            self.asm.put(I::with2(C::VEX_Vmovd_xmm_rm32, SCRATCH.xmm(), R::EAX));
            self.only_live(out);
            let broadcast = C::VEX_Vpbroadcastd_ymm_xmmm32;
            self.asm.put(I::with2(broadcast, SCRATCH.ymm(), SCRATCH.xmm()));
            for part in 0..PARTS {
                let row = at(R::RDI, Frame::scratch(ROW) + usize::from(part) * super::LANES_SIZE);
                let equal = C::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
                self.three(equal, differs, SCRATCH, Operand::Memory(row));
                let to = if part == 0 { R::R12D } else { R::EAX };
                self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, to, differs.ymm()));
                if part != 0 {
                    self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, 8 * u32::from(part)));
                    self.asm.put(I::with2(C::Or_r32_rm32, R::R12D, R::EAX));
                }
            }
            // Lanes that execute the step and whose membermask differs.
            self.asm.put(I::with3(C::VEX_Andn_r32_r32_rm32, R::EAX, R::R12D, R::EBX));
            self.asm.put(I::with2(C::Test_rm32_r32, R::EAX, R::EAX));
            self.asm.jump(C::Jne_rel32_64, out);
        }
        self.cache.unpin();
        Some(())
    }

    /// Exits unless the executing lanes, in `eax`, are exactly the live lanes among those in `ebx`.
    fn only_live(&mut self, out: Label) {
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, at(R::RDI, Frame::LIVE)));
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, R::EBX));
        self.asm.jump(C::Jne_rel32_64, out);
    }

    /// Emits `shfl`. Lanes read from a scratch register, in which inactive lanes are 0.
    pub(super) fn shuffle(&mut self, step: &Step, op: &Shuffle) -> Option<()> {
        self.members(step, op.members)?;
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::scratch(2)), R::EBX));
        for part in 0..PARTS {
            let a = self.low_word(op.a, part)?;
            self.spread_byte(SCRATCH, at(R::RDI, Frame::scratch(2) + usize::from(part)));
            self.three(AND, a, a, SCRATCH);
            let to = at(R::RDI, Frame::scratch(ROW) + usize::from(part) * super::LANES_SIZE);
            self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, to, a.ymm()));
            self.cache.unpin();
        }
        if let Some(pattern) = pattern(op) {
            self.permute(step, op, &pattern);
            return Some(());
        }
        // A source may also be a destination, so that all parts are computed before any is written.
        for part in 0..PARTS {
            let (value, outside) = self.shuffled(op, part)?;
            for (row, reg) in [(1, value), (2, outside)] {
                let offset = Frame::scratch(row) + 64 + usize::from(part) * super::LANES_SIZE;
                self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, at(R::RDI, offset), reg.ymm()));
            }
            self.cache.unpin();
        }
        for part in 0..PARTS {
            let row =
                |row| at(R::RDI, Frame::scratch(row) + 64 + usize::from(part) * super::LANES_SIZE);
            let guard = self.guard(step.guard, part);
            if let Some(to) = op.to {
                let value = self.unary(super::MOVE, Operand::Memory(row(1)));
                self.write_narrow(to, part, value, Kind::BITS, step.guard);
            }
            if let Some(to) = op.valid {
                let value = self.unary(super::MOVE, Operand::Memory(row(2)));
                let ones = self.number(u32::MAX);
                self.three(XOR, value, value, ones);
                self.put_predicate(to, value, guard, part);
            }
            self.cache.unpin();
        }
        Some(())
    }

    /// Computes a part of the results, and a vector mask of lanes whose source lane is out of
    /// range.
    fn shuffled(&mut self, op: &Shuffle, part: u8) -> Option<(Reg, Reg)> {
        let lane = self.low_word(Source::Lane, part)?;
        let b = self.low_word(op.b, part)?;
        let c = self.low_word(op.c, part)?;
        let five = self.number(31);
        self.three(AND, b, b, five);
        // last = lane & segment | clamp & !segment
        let (segment, last) = (self.temporary(), self.temporary());
        self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, segment, c, 8);
        self.three(AND, segment, segment, five);
        self.three(AND, c, c, five);
        self.three(AND_NOT, c, segment, c);
        let first = self.binary(AND, lane, segment);
        self.three(OR, last, first, c);
        let (from, outside) = (self.temporary(), self.temporary());
        match op.mode {
            Shuffling::Up => {
                self.three(SUB, from, lane, b);
                self.three(GREATER, outside, last, from);
            }
            Shuffling::Down | Shuffling::Butterfly | Shuffling::Index => {
                match op.mode {
                    Shuffling::Down => self.three(ADD, from, lane, b),
                    Shuffling::Butterfly => self.three(XOR, from, lane, b),
                    _ => {
                        self.three(AND_NOT, from, segment, b);
                        self.three(OR, from, from, first);
                    }
                }
                self.three(GREATER, outside, from, last);
            }
        }
        Avx2::blend(self, false, (from, from), lane, outside);
        // Selects this element of each of the four parts; then the two high bits of the lane number
        // select the part.
        let values = [last, b, c, segment];
        for (row, value) in (0..).zip(values) {
            let numbers = at(R::RDI, Frame::scratch(ROW) + row * super::LANES_SIZE);
            self.three(C::VEX_Vpermd_ymm_ymm_ymmm256, value, from, Operand::Memory(numbers));
        }
        let [value, other, upper, upper_other] = values;
        self.two_with(C::VEX_Vpslld_ymm_ymm_imm8, SCRATCH, from, 28);
        Avx2::blend(self, false, (value, value), other, SCRATCH);
        Avx2::blend(self, false, (upper, upper), upper_other, SCRATCH);
        self.two_with(C::VEX_Vpslld_ymm_ymm_imm8, SCRATCH, from, 27);
        Avx2::blend(self, false, (value, value), upper, SCRATCH);
        Some((value, outside))
    }
}
