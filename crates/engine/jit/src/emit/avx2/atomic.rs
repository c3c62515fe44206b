//! Atomics, as a loop over lanes.

use super::Avx2Emitter;
use crate::emit::asm::at;
use crate::emit::atomic::{B, OLD, OTHER};
use crate::frame::Frame;
use crate::operand::VReg;
use crate::region::ExitReason;
use crate::region::{Atomic, Step};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl Avx2Emitter<'_> {
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
        self.load_executing(&mem);
        let out = self.exit_stub(ExitReason::Instruction, step.at);
        let (left, last) = (at(R::RDI, Frame::ATOMICS_LEFT), at(R::RDI, Frame::LAST_ATOMIC));
        let (saved, none) = (at(R::RDI, Frame::SAVED), self.asm.label());
        self.asm.put(I::with2(C::Test_rm32_r32, R::EBX, R::EBX));
        self.asm.jump(C::Je_rel32_64, none);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, left, 0));
        self.asm.jump(C::Je_rel32_64, out);
        self.asm.put(I::with2(C::Mov_rm32_r32, saved, R::EBX));
        self.check_lanes(&mem);
        self.asm.put(I::with1(C::Dec_rm32, left));
        let steps = i64::from(self.uncounted) + i64::from(step.counted);
        let steps = MemoryOperand::with_base_displ(R::R10, steps);
        self.asm.put(I::with2(C::Lea_r64_m, R::RAX, steps));
        self.asm.put(I::with2(C::Mov_rm64_r64, last, R::RAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, saved));
        self.each_lane(|e| {
            e.offset_of_lane(&mem);
            e.address_from_offset(&mem);
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
}
