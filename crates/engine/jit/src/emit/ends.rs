//! How a function begins and ends, and how it goes on with the next warp where one has come to the end of the kernel.

use super::Emitter;
use super::asm::at;
use super::backend::Backend;
use super::frame::Frame;
use super::part::ARRIVED;
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Registers that a function must give back as they were.
const SAVED: [R; 6] = [R::RBX, R::RBP, R::R12, R::R13, R::R14, R::R15];

impl<B: Backend> Emitter<'_, B> {
    /// `rdi` has the frame, `rsi` where it goes on.
    pub(super) fn prologue(&mut self) {
        for register in SAVED {
            self.asm.put(I::with1(C::Push_r64, register));
        }
        self.asm.put(I::with2(C::Sub_rm64_imm8, R::RSP, 8));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::RSI));
        let again = self.again;
        self.asm.bind(again);
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R10D, R::R10D));
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R11D, R::R11D));
        self.fixed_registers();
        self.asm.put(I::with1(C::Jmp_rm64, R::RAX));
    }

    /// Registers that hold the same all the time, but for `rdi`.
    pub(super) fn fixed_registers(&mut self) {
        let fields = [
            (R::RSI, Frame::NARROW),
            (R::RDX, Frame::WIDE),
            (R::RCX, Frame::PREDICATES),
            (R::R9, Frame::POOL),
            (R::R15, Frame::SITES),
        ];
        for (register, field) in fields {
            self.asm.put(I::with2(C::Mov_r64_rm64, register, at(R::RDI, field)));
        }
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, at(R::RDI, Frame::MASK)));
        B::begin(self);
    }

    /// `eax` has the number of the instruction that comes next.
    pub(super) fn epilogue(&mut self) {
        let (exit, out, ended) = (self.exit, self.asm.label(), self.asm.label());
        self.asm.bind(exit);
        if !self.pauses.is_empty() {
            self.leave_together(out);
        }
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, at(R::RDI, Frame::ENDS_AT)));
        self.asm.jump(C::Je_rel32_64, ended);
        self.asm.bind(out);
        self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RDI, Frame::STEPS), R::R10));
        self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RDI, Frame::MISSED), R::R11));
        self.asm.put(Ok(I::with(C::VEX_Vzeroupper)));
        self.asm.put(I::with2(C::Add_rm64_imm8, R::RSP, 8));
        for register in SAVED.into_iter().rev() {
            self.asm.put(I::with1(C::Pop_r64, register));
        }
        self.asm.put(Ok(I::with(C::Retnq)));
        self.asm.bind(ended);
        self.next_warp(out);
        if !self.pauses.is_empty() {
            self.wait_together(out);
        }
    }

    /// To `out` where lanes have parted that have not met again. Uses `ebx`.
    pub(super) fn unless_together(&mut self, out: super::Label) {
        let field = |field| at(R::RDI, field);
        if self.both {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, field(Frame::DEPTH)));
            self.asm.put(I::with2(C::Or_r32_rm32, R::EBX, field(ARRIVED)));
            self.asm.put(I::with2(C::Or_r32_rm32, R::EBX, field(Frame::STANDS)));
            self.asm.jump(C::Jne_rel32_64, out);
        }
    }

    /// Counts a warp that has come to the end of the kernel, and goes on with the next one: in the same files, with rows of
    /// its own. To `out` where its lanes are not all there, its steps are over, or there is none.
    fn next_warp(&mut self, out: super::Label) {
        let field = |field| at(R::RDI, field);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, field(Frame::WHY), 0));
        self.asm.jump(C::Jne_rel32_64, out);
        self.unless_together(out);
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::R10, field(Frame::LIMIT)));
        self.asm.jump(C::Jae_rel32_64, out);
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::ALL_STEPS), R::R10));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, R::R10));
        if self.both {
            self.asm.put(I::with2(C::Sub_r64_rm64, R::RBX, field(Frame::COUNTED)));
        }
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EBP, R::R8D));
        self.asm.put(I::with2(C::Imul_r64_rm64, R::RBX, R::RBP));
        self.asm.put(I::with2(C::Sub_r64_rm64, R::RBX, R::R11));
        if self.both {
            self.asm.put(I::with2(C::Add_r64_rm64, R::RBX, field(Frame::THREADS)));
        }
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::ALL_THREADS), R::RBX));
        self.asm.put(I::with2(C::Sub_rm32_imm8, field(Frame::FOLLOW), 1));
        self.asm.jump(C::Jb_rel32_64, out);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::ROW_BYTES)));
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::ROWS), R::RAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, field(Frame::LIVE)));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::MASK), R::EAX));
        if self.both {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::END)));
            self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::LIMIT), R::RAX));
            self.asm.put(I::with2(C::Mov_rm64_imm32, field(Frame::COUNTED), 0));
            self.asm.put(I::with2(C::Mov_rm64_imm32, field(Frame::THREADS), 0));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::TARGET)));
        let again = self.again;
        self.asm.jump(C::Jmp_rel32_64, again);
    }
}
