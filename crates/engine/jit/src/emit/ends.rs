//! Prologue and epilogue, and how a series continues with its next warp when one has retired.

use super::Emitter;
use super::asm::at;
use super::backend::Backend;
use super::divergence::ARRIVED;
use super::frame::Frame;
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Callee-saved registers.
const SAVED: [R; 6] = [R::RBX, R::RBP, R::R12, R::R13, R::R14, R::R15];

impl<B: Backend> Emitter<'_, B> {
    /// Entry of the function: `rdi` has the frame, `rsi` the address of an entry.
    pub(super) fn prologue(&mut self) {
        for register in SAVED {
            self.asm.put(I::with1(C::Push_r64, register));
        }
        self.asm.put(I::with2(C::Sub_rm64_imm8, R::RSP, 8));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::RSI));
        let next_warp_entry = self.next_warp_entry;
        self.asm.bind(next_warp_entry);
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R10D, R::R10D));
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R11D, R::R11D));
        self.fixed_registers();
        self.asm.put(I::with1(C::Jmp_rm64, R::RAX));
    }

    /// Loads the registers that have a fixed meaning, except `rdi`.
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

    /// Returns; `eax` has the next instruction.
    pub(super) fn epilogue(&mut self) {
        let (exit, out, ended) = (self.exit, self.asm.label(), self.asm.label());
        self.asm.bind(exit);
        if !self.yield_points.is_empty() {
            self.yield_at_exit(out);
        }
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, at(R::RDI, Frame::RETIRE_AT)));
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
        if !self.yield_points.is_empty() {
            self.yield_slot(out);
        }
    }

    /// Jumps to `out` if lanes are diverged. Uses `ebx`.
    pub(super) fn unless_converged(&mut self, out: super::Label) {
        let field = |field| at(R::RDI, field);
        if self.has_both_modes {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, field(Frame::DEPTH)));
            self.asm.put(I::with2(C::Or_r32_rm32, R::EBX, field(ARRIVED)));
            self.asm.put(I::with2(C::Or_r32_rm32, R::EBX, field(Frame::PENDING)));
            self.asm.jump(C::Jne_rel32_64, out);
        }
    }

    /// Accounts for a retired warp and starts the next one, with the same register files and its own per-lane inputs. Jumps to
    /// `out` if its lanes are diverged, its steps are used up, or no warp follows.
    fn next_warp(&mut self, out: super::Label) {
        let field = |field| at(R::RDI, field);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, field(Frame::WHY), 0));
        self.asm.jump(C::Jne_rel32_64, out);
        self.unless_converged(out);
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::R10, field(Frame::LIMIT)));
        self.asm.jump(C::Jae_rel32_64, out);
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::ALL_STEPS), R::R10));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, R::R10));
        if self.has_both_modes {
            self.asm.put(I::with2(C::Sub_r64_rm64, R::RBX, field(Frame::COUNTED)));
        }
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EBP, R::R8D));
        self.asm.put(I::with2(C::Imul_r64_rm64, R::RBX, R::RBP));
        self.asm.put(I::with2(C::Sub_r64_rm64, R::RBX, R::R11));
        if self.has_both_modes {
            self.asm.put(I::with2(C::Add_r64_rm64, R::RBX, field(Frame::THREADS)));
        }
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::ALL_THREADS), R::RBX));
        self.asm.put(I::with2(C::Sub_rm32_imm8, field(Frame::REMAINING), 1));
        self.asm.jump(C::Jb_rel32_64, out);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::ROW_BYTES)));
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::ROWS), R::RAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, field(Frame::LIVE)));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::MASK), R::EAX));
        if self.has_both_modes {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::END)));
            self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::LIMIT), R::RAX));
            self.asm.put(I::with2(C::Mov_rm64_imm32, field(Frame::COUNTED), 0));
            self.asm.put(I::with2(C::Mov_rm64_imm32, field(Frame::THREADS), 0));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::TARGET)));
        let next_warp_entry = self.next_warp_entry;
        self.asm.jump(C::Jmp_rel32_64, next_warp_entry);
    }
}
