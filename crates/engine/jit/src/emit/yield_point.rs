//! Yield points: a warp of a table is saved in its [`WarpSlot`], and the code continues with the next slot.

use super::Emitter;
use super::asm::{Label, at};
use super::backend::Backend;
use super::frame::{Frame, WarpSlot};
use super::register_cache::RegisterCache;
use crate::machine::Mode;
use crate::region::ExitReason;
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::mem::offset_of;

/// Fields of a slot, and of the frame, that a running warp has in the frame; registers are separate.
const OF_PARTS: [(usize, usize); 4] = [
    (offset_of!(WarpSlot, limit), Frame::LIMIT),
    (offset_of!(WarpSlot, end), Frame::END),
    (offset_of!(WarpSlot, counted), Frame::COUNTED),
    (offset_of!(WarpSlot, threads), Frame::THREADS),
];

/// A field of the running warp's slot.
fn of(field: usize) -> iced_x86::MemoryOperand {
    at(R::RBX, field)
}

impl<B: Backend> Emitter<'_, B> {
    /// Emits the end of a block with a yield point. Copies that are known in the next block stay pending while the warp waits;
    /// the exit from there materialises them.
    pub(super) fn yield_point(&mut self, number: u32) {
        self.write_all_back();
        if self.mode == Mode::Some {
            return self.leave(ExitReason::Instruction, number, self.uncounted);
        }
        self.add_steps(self.uncounted);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as i32));
        self.asm.put(I::with2(C::Cmp_rm64_imm8, at(R::RDI, Frame::SLOT), 0));
        let (yield_stub, out) = (self.yield_stub, self.asm.label());
        self.asm.jump(C::Jne_rel32_64, yield_stub);
        // Warps that have waited exit from here as well; their register cache is empty.
        self.cache = RegisterCache::default();
        self.asm.bind(out);
        self.yield_points.push((number, out));
        self.materialize_copies();
        self.write_all_back();
        self.leave(ExitReason::Instruction, number, 0);
    }

    /// Before an exit at the instruction in `eax`: if the running warp retires there with its lanes converged, the next slot runs.
    pub(super) fn yield_at_exit(&mut self, out: Label) {
        let (next, alone) = (self.next_slot, self.asm.label());
        self.asm.put(I::with2(C::Cmp_rm64_imm8, at(R::RDI, Frame::SLOT), 0));
        self.asm.jump(C::Je_rel32_64, alone);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, at(R::RDI, Frame::WHY), 0));
        self.asm.jump(C::Jne_rel32_64, out);
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, at(R::RDI, Frame::RETIRE_AT)));
        self.asm.jump(C::Jne_rel32_64, out);
        self.unless_converged(out);
        self.asm.put(I::with2(C::Xor_r32_rm32, R::EBP, R::EBP));
        self.asm.jump(C::Jmp_rel32_64, next);
        self.asm.bind(alone);
    }

    /// Saves a warp that yields at the instruction in `eax`, and starts the next slot at the common target.
    pub(super) fn yield_slot(&mut self, out: Label) {
        let (yield_stub, next, batch_entry) = (self.yield_stub, self.next_slot, self.batch_entry);
        self.asm.bind(yield_stub);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, 1));
        self.asm.bind(next);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, at(R::RDI, Frame::SLOT)));
        self.asm.put(I::with2(C::Mov_rm64_r64, of(offset_of!(WarpSlot, steps)), R::R10));
        self.asm.put(I::with2(C::Mov_rm64_r64, of(offset_of!(WarpSlot, missed)), R::R11));
        self.asm.put(I::with2(C::Mov_rm32_r32, of(offset_of!(WarpSlot, at)), R::EAX));
        self.asm.put(I::with2(C::Mov_rm32_r32, of(offset_of!(WarpSlot, yielded)), R::EBP));
        if self.has_both_modes {
            for (to, from) in OF_PARTS {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, from)));
                self.asm.put(I::with2(C::Mov_rm64_r64, of(to), R::RAX));
            }
        }
        self.asm.put(I::with2(C::Sub_rm32_imm8, at(R::RDI, Frame::REMAINING), 1));
        self.asm.jump(C::Jb_rel32_64, out);
        self.asm.put(I::with2(C::Add_rm64_imm32, R::RBX, size_of::<WarpSlot>() as i32));
        self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RDI, Frame::SLOT), R::RBX));
        self.asm.bind(batch_entry);
        self.begin_slot();
    }

    /// Starts the warp of the current slot at the target.
    fn begin_slot(&mut self) {
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, at(R::RDI, Frame::SLOT)));
        let files = [
            (R::RSI, offset_of!(WarpSlot, narrow), Frame::NARROW),
            (R::RDX, offset_of!(WarpSlot, wide), Frame::WIDE),
            (R::RCX, offset_of!(WarpSlot, predicates), Frame::PREDICATES),
            (R::RAX, offset_of!(WarpSlot, rows), Frame::ROWS),
            (R::RAX, offset_of!(WarpSlot, frame_at), Frame::FRAME_AT),
        ];
        for (register, from, to) in files {
            self.asm.put(I::with2(C::Mov_r64_rm64, register, of(from)));
            self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RDI, to), register));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R10, of(offset_of!(WarpSlot, steps))));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R11, of(offset_of!(WarpSlot, missed))));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, of(offset_of!(WarpSlot, live))));
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::MASK), R::R8D));
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::LIVE), R::R8D));
        let fields = if self.has_both_modes { &OF_PARTS[..] } else { &OF_PARTS[..1] };
        for &(from, to) in fields {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, of(from)));
            self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RDI, to), R::RAX));
        }
        if self.has_both_modes {
            self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::FULL_MASK), R::R8D));
        }
        self.asm.put(I::with1(C::Jmp_rm64, at(R::RDI, Frame::TARGET)));
    }
}
