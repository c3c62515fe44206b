//! Yield points: the code of a warp that waits, and what follows when all warps of a table wait at
//! the same yield point: a barrier is released, other instructions are executed by the runtime
//! (`routine::pass`), and all warps resume.
//!
//! At the exit of a warp that waits, `eax` is the instruction, `ebp` the reason, `r14` the address
//! of the entry after the instruction (0 if there is none), and `r13d` the number of instructions
//! that a barrier counts as (0 if the instruction is not a barrier).

use super::Emitter;
use super::asm::{J, Label};
use super::backend::{Backend, field};
use super::register_cache::RegisterCache;
use super::stub::StubKind;
use super::warps::of;
use crate::frame::Frame;
use crate::ir::{End, Target};
use crate::machine::Mode;
use crate::routine::{ENDS_TURNS, POINT, STEPS};
use crate::run::ExitReason;
use crate::warp_slot::WarpSlot;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

impl<B: Backend> Emitter<'_, B> {
    /// Whether the region has yield points after which the code continues.
    pub(super) fn has_passes(&self) -> bool {
        let passes = |end: &End| matches!(end, End::Yield { next: Target::Block(_), .. });
        self.region.blocks.iter().any(|block| passes(&block.end))
    }

    /// Emits the end of a block with a yield point. Copies whose values are known in the next block
    /// stay pending while the warp waits; the exit from the yield point materialises them.
    pub(super) fn yield_point(&mut self, number: u32, next: Target, barrier: Option<u32>) {
        self.write_all_back();
        if self.mode == Mode::Some {
            return self.leave(ExitReason::Instruction, number, self.uncounted);
        }
        self.add_steps(self.uncounted);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as i32));
        let passes = match next {
            Target::Block(next) => Some((next as usize, barrier.unwrap_or(0))),
            Target::Leave(_) => None,
        };
        self.asm.put(I::with2(C::Cmp_rm32_imm8, field(Frame::YIELDS), 0));
        let (stub, out) = (self.stub(StubKind::Yield(passes), number), self.asm.label());
        self.asm.jump(J::NE, stub);
        // Warps that have waited exit from here too, with an empty register cache.
        self.cache = RegisterCache::default();
        self.asm.bind(out);
        self.yield_points.push((number, out));
        self.exit(ExitReason::Instruction, number, 0);
    }

    /// Emits the code of a warp that waits at a yield point. `passes` has the block after it, and
    /// the number of instructions that a barrier counts as.
    pub(super) fn wait(&mut self, passes: Option<(usize, u32)>) {
        match passes {
            Some((next, counted)) => {
                self.asm.address(R::R14, self.versions[0].block_entries[next]);
                self.asm.put(I::with2(C::Mov_r32_imm32, R::R13D, counted as i32));
            }
            None => self.asm.put(I::with2(C::Xor_r32_rm32, R::R14D, R::R14D)),
        }
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, ExitReason::Yield.code()));
        self.asm.goto(self.labels.exit);
    }

    /// Emits what follows when the last slot's warp has stopped. If all warps wait at the same
    /// yield point, they resume after it: after a barrier, if none has used up its turn; after
    /// another instruction, if the runtime has executed it.
    pub(super) fn pass(&mut self, out: Label) {
        let [test, has_steps, call, resume, count] = [(); 5].map(|()| self.asm.label());
        self.asm.jump_if(I::with2(C::Test_rm64_r64, R::R14, R::R14), J::E, out);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::ECX, field(Frame::ALL)));
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::ECX, R::ECX), J::E, out);
        self.asm.put(I::with2(C::Lea_r64_m, R::RBX, field(Frame::SLOTS)));
        self.asm.bind(test);
        self.asm.put(I::with2(C::Cmp_rm32_r32, of(offset_of!(WarpSlot, at)), R::EAX));
        self.asm.jump(J::NE, out);
        self.asm.put(I::with2(C::Cmp_rm32_r32, of(offset_of!(WarpSlot, why)), R::EBP));
        self.asm.jump(J::NE, out);
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::R13D, R::R13D), J::E, has_steps);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RSI, of(offset_of!(WarpSlot, steps))));
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::RSI, of(offset_of!(WarpSlot, limit))));
        self.asm.jump(J::AE, out);
        self.asm.bind(has_steps);
        self.next_slot(test);
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::R13D, R::R13D), J::E, call);
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, field(Frame::RELEASES), 0), J::E, call);
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::PASSED), R::EAX));
        // A barrier ends the turns of all warps.
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R12D, ENDS_TURNS as i32));
        self.asm.goto(resume);
        self.asm.bind(call);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::ESI, R::EAX));
        self.asm.put(I::with2(C::Or_rm32_imm32, R::ESI, POINT as i32));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, R::RDI));
        self.asm.put(Ok(I::with(C::VEX_Vzeroupper)));
        self.asm.put(I::with1(C::Call_rm64, field(Frame::CALL)));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RDI, R::R12));
        self.asm.jump_if(I::with2(C::Test_rm64_r64, R::RAX, R::RAX), J::E, out);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, R::EAX));
        self.asm.put(I::with2(C::And_rm32_imm8, R::R12D, ENDS_TURNS as i32));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, R::RAX));
        self.asm.put(I::with2(C::Shr_rm64_imm8, R::R13, STEPS as i32));
        self.asm.bind(resume);
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::TARGET), R::R14));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::ECX, field(Frame::ALL)));
        self.asm.put(I::with2(C::Lea_r32_m, R::EDX, MemoryOperand::with_base_displ(R::RCX, -1)));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::REMAINING), R::EDX));
        self.asm.put(I::with2(C::Lea_r64_m, R::RBX, field(Frame::SLOTS)));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::SLOT), R::RBX));
        self.asm.bind(count);
        self.asm.put(I::with2(C::Add_rm64_r64, of(offset_of!(WarpSlot, steps)), R::R13));
        let left = of(offset_of!(WarpSlot, atomics_left));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EDX, left));
        self.asm.put(I::with2(C::Test_rm32_r32, R::R12D, R::R12D));
        self.asm.put(I::with2(C::Cmovne_r32_rm32, R::EDX, of(offset_of!(WarpSlot, atomics))));
        self.asm.put(I::with2(C::Mov_rm32_r32, left, R::EDX));
        self.next_slot(count);
        self.asm.goto(self.labels.start);
    }

    /// Emits the end of a loop over `ecx` slots.
    fn next_slot(&mut self, start: Label) {
        self.asm.put(I::with2(C::Add_rm64_imm32, R::RBX, size_of::<WarpSlot>() as i32));
        self.asm.jump_if(I::with2(C::Sub_rm32_imm8, R::ECX, 1), J::NE, start);
    }
}
