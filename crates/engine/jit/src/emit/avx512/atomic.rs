//! Atomics. The addresses of all lanes are checked as vectors, then a loop over lanes executes the
//! operation.

use super::Avx512Emitter;
use super::load::STORE;
use crate::emit::asm::at;
use crate::emit::atomic::{B, OLD, OTHER};
use crate::frame::Frame;
use crate::operand::VReg;
use crate::region::ExitReason;
use crate::region::{Atomic, Space, Step};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// The scratch register of offsets.
const OFFSETS: usize = 0;

impl Avx512Emitter<'_> {
    /// Emits an atomic. The addresses of all lanes are checked before the first lane changes
    /// memory.
    pub(super) fn atomic(&mut self, step: &Step, op: &Atomic) -> Option<()> {
        let wide = op.access.size == 8;
        if op.access.count != 1 || !matches!(op.access.size, 4 | 8) {
            return None;
        }
        let somewhere = matches!(op.access.space, Space::Global | Space::Shared);
        if !somewhere || !self.is_supported(&op.access, true) {
            self.leave_here(step);
            return Some(());
        }
        for (row, source) in [(B, Some(op.b)), (OTHER, op.c)] {
            if let Some(source) = source {
                self.fill_row(source, row, !wide)?;
            }
        }
        self.active(step.guard);
        let mem = self.mem_access(step, &op.access, true)?;
        let out = self.exit_stub(ExitReason::Instruction, step.at);
        let (left, last) = (at(R::RDI, Frame::ATOMICS_LEFT), at(R::RDI, Frame::LAST_ATOMIC));
        let none = self.asm.label();
        self.asm.put(I::with2(C::Test_rm32_r32, R::EBP, R::EBP));
        self.asm.jump(C::Je_rel32_64, none);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, left, 0));
        self.asm.jump(C::Je_rel32_64, out);
        self.checks(&mem);
        for (part, offset) in mem.offsets.iter().enumerate() {
            let to = at(R::RDI, Frame::scratch(OFFSETS) + 64 * part);
            self.asm.put(I::with2(STORE, to, offset.z()));
        }
        self.asm.put(I::with1(C::Dec_rm32, left));
        let steps = i64::from(self.uncounted) + i64::from(step.counted);
        let steps = MemoryOperand::with_base_displ(R::R10, steps);
        self.asm.put(I::with2(C::Lea_r64_m, R::RAX, steps));
        self.asm.put(I::with2(C::Mov_rm64_r64, last, R::RAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, R::EBP));
        let host = super::memory::host(&mem);
        let (load, to, size) =
            if mem.wide { (C::Mov_r64_rm64, R::R12, 8) } else { (C::Mov_r32_rm32, R::R12D, 4) };
        let row = Frame::scratch(OFFSETS) as i64;
        let offset = MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RBP, size, row, 1);
        self.each_lane(|e| {
            e.asm.put(I::with2(load, to, offset));
            e.asm.put(I::with2(C::Add_r64_rm64, R::R12, host));
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
