//! Warps that run together, one after the other, up to an instruction that somebody does for all of them: what is known of
//! each lies in the table of [`Linked`], and code goes from one to the next by itself.

use super::Emitter;
use super::asm::{Label, at};
use super::backend::Backend;
use super::frame::{Frame, Linked};
use super::stub::Reason;
use super::values::Values;
use crate::machine::Mode;
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::mem::offset_of;

/// What of a warp goes to the frame where it runs, but for registers: fields of the table, and of the frame.
const OF_PARTS: [(usize, usize); 4] = [
    (offset_of!(Linked, limit), Frame::LIMIT),
    (offset_of!(Linked, end), Frame::END),
    (offset_of!(Linked, counted), Frame::COUNTED),
    (offset_of!(Linked, threads), Frame::THREADS),
];

/// A field of the warp that runs.
fn of(field: usize) -> iced_x86::MemoryOperand {
    at(R::RBX, field)
}

impl<B: Backend> Emitter<'_, B> {
    /// An instruction that is not compiled: warps that run together wait there for each other. Inputs that are known
    /// behind it are not filled then, and are where one leaves.
    pub(super) fn pause(&mut self, number: u32) {
        self.write_all_back();
        if self.mode == Mode::Some {
            return self.leave(Reason::Instruction, number, self.pending);
        }
        self.add_steps(self.pending);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as i32));
        self.asm.put(I::with2(C::Cmp_rm64_imm8, at(R::RDI, Frame::LINK), 0));
        let (waits, out) = (self.waits, self.asm.label());
        self.asm.jump(C::Jne_rel32_64, waits);
        // Who has waited leaves from here, too, and has nothing in registers.
        self.values = Values::default();
        self.asm.bind(out);
        self.pauses.push((number, out));
        self.fill_owed();
        self.write_all_back();
        self.leave(Reason::Instruction, number, 0);
    }

    /// The function is left before the instruction in `eax`: if that is where warps end, and the lanes of the one that runs are
    /// together, the next one runs that it runs together with.
    pub(super) fn leave_together(&mut self, out: Label) {
        let (next, alone) = (self.next_link, self.asm.label());
        self.asm.put(I::with2(C::Cmp_rm64_imm8, at(R::RDI, Frame::LINK), 0));
        self.asm.jump(C::Je_rel32_64, alone);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, at(R::RDI, Frame::WHY), 0));
        self.asm.jump(C::Jne_rel32_64, out);
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, at(R::RDI, Frame::ENDS_AT)));
        self.asm.jump(C::Jne_rel32_64, out);
        self.unless_together(out);
        self.asm.put(I::with2(C::Xor_r32_rm32, R::EBP, R::EBP));
        self.asm.jump(C::Jmp_rel32_64, next);
        self.asm.bind(alone);
    }

    /// A warp waits at the instruction in `eax`. The next one runs where all of them begin.
    pub(super) fn wait_together(&mut self, out: Label) {
        let (waits, next, links) = (self.waits, self.next_link, self.links);
        self.asm.bind(waits);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, 1));
        self.asm.bind(next);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, at(R::RDI, Frame::LINK)));
        self.asm.put(I::with2(C::Mov_rm64_r64, of(offset_of!(Linked, steps)), R::R10));
        self.asm.put(I::with2(C::Mov_rm64_r64, of(offset_of!(Linked, missed)), R::R11));
        self.asm.put(I::with2(C::Mov_rm32_r32, of(offset_of!(Linked, at)), R::EAX));
        self.asm.put(I::with2(C::Mov_rm32_r32, of(offset_of!(Linked, waits)), R::EBP));
        if self.both {
            for (to, from) in OF_PARTS {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, from)));
                self.asm.put(I::with2(C::Mov_rm64_r64, of(to), R::RAX));
            }
        }
        self.asm.put(I::with2(C::Sub_rm32_imm8, at(R::RDI, Frame::FOLLOW), 1));
        self.asm.jump(C::Jb_rel32_64, out);
        self.asm.put(I::with2(C::Add_rm64_imm32, R::RBX, size_of::<Linked>() as i32));
        self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RDI, Frame::LINK), R::RBX));
        self.asm.bind(links);
        self.begin_link();
    }

    /// Runs the warp whose entry of the table `rbx` has, from the target on.
    fn begin_link(&mut self) {
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, at(R::RDI, Frame::LINK)));
        let files = [
            (R::RSI, offset_of!(Linked, narrow), Frame::NARROW),
            (R::RDX, offset_of!(Linked, wide), Frame::WIDE),
            (R::RCX, offset_of!(Linked, predicates), Frame::PREDICATES),
            (R::RAX, offset_of!(Linked, rows), Frame::ROWS),
            (R::RAX, offset_of!(Linked, frame_at), Frame::FRAME_AT),
        ];
        for (register, from, to) in files {
            self.asm.put(I::with2(C::Mov_r64_rm64, register, of(from)));
            self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RDI, to), register));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R10, of(offset_of!(Linked, steps))));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R11, of(offset_of!(Linked, missed))));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, of(offset_of!(Linked, live))));
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::MASK), R::R8D));
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::LIVE), R::R8D));
        let fields = if self.both { &OF_PARTS[..] } else { &OF_PARTS[..1] };
        for &(from, to) in fields {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, of(from)));
            self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RDI, to), R::RAX));
        }
        if self.both {
            self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::WHOLE), R::R8D));
        }
        self.asm.put(I::with1(C::Jmp_rm64, at(R::RDI, Frame::TARGET)));
    }
}
