//! The loop over warps that compiled code contains: the prologue, which starts the warp of the
//! first slot; the exit, which saves a warp and starts the next one if the warp waits or retires;
//! yield points at which all warps have arrived; and the epilogue.
//!
//! ```text
//!  prologue -> start: load the slot -> entry ... -> exit or yield point: save the slot
//!                ^                                      |
//!                |- the next slot, if the warp waits or retires
//!                |- the first slot, if all warps wait at one yield point: a barrier is released
//!                |  here, other instructions are executed by the runtime (`routine::pass`)
//!                |- the next warp with the same register files (`Batch::follow`), or the next
//!                |  CTA, if the warp retires
//!                                                       `-> epilogue: anything else
//! ```
//!
//! At an exit, `eax` is the instruction and `ebp` the reason; for the other registers at a yield
//! point see `yield_point`.

use super::Emitter;
use super::asm::{J, Label, at};
use super::backend::{Backend, field};
use super::divergence::ARRIVED;
use crate::frame::Frame;
use crate::ir::{Action, Region, Space, Step};
use crate::run::ExitReason;
use crate::warp_slot::WarpSlot;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// Callee-saved registers.
const SAVED: [R; 6] = [R::RBX, R::RBP, R::R12, R::R13, R::R14, R::R15];

/// The memory operand of a field of a slot, whose address is in `rbx`.
pub(super) fn of(field: usize) -> MemoryOperand {
    at(R::RBX, field)
}

/// Whether a region has a step that the predicate selects.
fn has(region: &Region, is: fn(&Step) -> bool) -> bool {
    region.blocks.iter().flat_map(|block| &block.steps).any(is)
}

fn is_atomic(step: &Step) -> bool {
    matches!(step.action, Action::Atomic(_))
}

fn accesses_local(step: &Step) -> bool {
    step.access().is_some_and(|of| matches!(of.0.space, Space::Local | Space::Frame))
}

impl<B: Backend> Emitter<'_, B> {
    /// Emits the entry of the function; `rdi` is the address of the frame.
    pub(super) fn prologue(&mut self) {
        for register in SAVED {
            self.asm.put(I::with1(C::Push_r64, register));
        }
        self.asm.put(I::with2(C::Sub_rm64_imm8, R::RSP, 8));
        let (start, restart) = (self.labels.start, self.labels.restart);
        self.asm.bind(start);
        self.load_slot();
        self.load_shared();
        self.asm.bind(restart);
        B::begin(self);
        self.asm.put(I::with1(C::Jmp_rm64, field(Frame::TARGET)));
    }

    /// Emits the load of the current slot: registers, and the frame's fields that the code may
    /// read. Uses `rax` and `rbx`.
    fn load_slot(&mut self) {
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, field(Frame::SLOT)));
        let files = [
            (R::RSI, offset_of!(WarpSlot, narrow), Frame::NARROW),
            (R::RDX, offset_of!(WarpSlot, wide), Frame::WIDE),
            (R::RCX, offset_of!(WarpSlot, predicates), Frame::PREDICATES),
        ];
        // After a call, and in a listener, the fields of the frame are read.
        let has_calls = has(self.region, |step| matches!(step.action, Action::Call(_)));
        for (register, from, to) in files {
            self.asm.put(I::with2(C::Mov_r64_rm64, register, of(from)));
            if has_calls {
                self.asm.put(I::with2(C::Mov_rm64_r64, field(to), register));
            }
        }
        self.asm.copy(field(Frame::MASK), of(offset_of!(WarpSlot, mask)), R::R8D);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R10, of(offset_of!(WarpSlot, steps))));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R11, of(offset_of!(WarpSlot, missed))));
        let mut wide = vec![
            (offset_of!(WarpSlot, per_lane), Frame::PER_LANE),
            (offset_of!(WarpSlot, frame_at), Frame::FRAME_AT),
            (offset_of!(WarpSlot, limit), Frame::LIMIT),
        ];
        let mut narrow = vec![(offset_of!(WarpSlot, live), Frame::LIVE)];
        if has_calls {
            narrow.push((offset_of!(WarpSlot, index), Frame::INDEX));
        }
        if has(self.region, accesses_local) {
            wide.extend([
                (offset_of!(WarpSlot, local), Frame::LOCAL),
                (offset_of!(WarpSlot, frame), Frame::FRAME),
            ]);
        }
        if self.has_both_modes {
            wide.extend([
                (offset_of!(WarpSlot, end), Frame::END),
                (offset_of!(WarpSlot, counted), Frame::COUNTED),
                (offset_of!(WarpSlot, threads), Frame::THREADS),
            ]);
            narrow.push((offset_of!(WarpSlot, full_mask), Frame::FULL_MASK));
        }
        if has(self.region, is_atomic) {
            wide.push((offset_of!(WarpSlot, last_atomic), Frame::LAST_ATOMIC));
            narrow.push((offset_of!(WarpSlot, atomics_left), Frame::ATOMICS_LEFT));
        }
        for (from, to) in wide {
            self.asm.copy(field(to), of(from), R::RAX);
        }
        for (from, to) in narrow {
            self.asm.copy(field(to), of(from), R::EAX);
        }
    }

    /// Emits loads of the registers that have a fixed meaning, except `rdi`.
    pub(super) fn fixed_registers(&mut self) {
        let files = [(R::RSI, Frame::NARROW), (R::RDX, Frame::WIDE), (R::RCX, Frame::PREDICATES)];
        for (register, from) in files {
            self.asm.put(I::with2(C::Mov_r64_rm64, register, field(from)));
        }
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, field(Frame::MASK)));
        self.load_shared();
        B::begin(self);
    }

    /// Loads the fixed registers that are the same for all warps.
    pub(super) fn load_shared(&mut self) {
        for (register, from) in [(R::R9, Frame::POOL), (R::R15, Frame::SITES)] {
            self.asm.put(I::with2(C::Mov_r64_rm64, register, field(from)));
        }
    }

    /// Emits the exit of a warp, the change to the next warp, and the return to the caller.
    pub(super) fn epilogue(&mut self) {
        let [out, save, next, last, series] = [(); 5].map(|()| self.asm.label());
        let (exit, start) = (self.labels.exit, self.labels.start);
        let (yields, passes) = (!self.yield_points.is_empty(), self.has_passes());
        self.asm.bind(exit);
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, field(Frame::FOLLOW), 0), J::NE, series);
        self.asm.bind(save);
        self.save_slot();
        if yields {
            let waits = ExitReason::Yield.code();
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, waits), J::E, next);
        }
        self.unless_retired(out);
        if passes {
            self.asm.put(I::with2(C::Xor_r32_rm32, R::R14D, R::R14D));
        }
        self.asm.bind(next);
        self.asm.put(I::with2(C::Sub_rm32_imm8, field(Frame::REMAINING), 1));
        self.asm.jump(J::B, if passes { last } else { out });
        self.asm.put(I::with2(C::Add_rm64_imm32, field(Frame::SLOT), size_of::<WarpSlot>() as i32));
        self.asm.goto(start);
        if passes {
            self.asm.bind(last);
            self.pass(out);
        }
        self.asm.bind(out);
        self.asm.put(Ok(I::with(C::VEX_Vzeroupper)));
        self.asm.put(I::with2(C::Add_rm64_imm8, R::RSP, 8));
        for register in SAVED.into_iter().rev() {
            self.asm.put(I::with1(C::Pop_r64, register));
        }
        self.asm.put(Ok(I::with(C::Retnq)));
        self.asm.bind(series);
        self.next_of_series(save, out);
    }

    /// Emits the stores that save the running warp in its slot. Uses `rbx` and `rcx`.
    fn save_slot(&mut self) {
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, field(Frame::SLOT)));
        let wide = [(offset_of!(WarpSlot, steps), R::R10), (offset_of!(WarpSlot, missed), R::R11)];
        for (to, register) in wide {
            self.asm.put(I::with2(C::Mov_rm64_r64, of(to), register));
        }
        let narrow = [
            (offset_of!(WarpSlot, at), R::EAX),
            (offset_of!(WarpSlot, why), R::EBP),
            (offset_of!(WarpSlot, mask), R::R8D),
        ];
        for (to, register) in narrow {
            self.asm.put(I::with2(C::Mov_rm32_r32, of(to), register));
        }
        let mut changed = Vec::new();
        if self.has_both_modes {
            changed.extend([
                (offset_of!(WarpSlot, limit), Frame::LIMIT),
                (offset_of!(WarpSlot, counted), Frame::COUNTED),
                (offset_of!(WarpSlot, threads), Frame::THREADS),
            ]);
        }
        if has(self.region, is_atomic) {
            changed.push((offset_of!(WarpSlot, last_atomic), Frame::LAST_ATOMIC));
            self.asm.copy(
                of(offset_of!(WarpSlot, atomics_left)),
                field(Frame::ATOMICS_LEFT),
                R::ECX,
            );
        }
        for (to, from) in changed {
            self.asm.copy(of(to), field(from), R::RCX);
        }
    }

    /// Jumps to `out` unless the warp retires with all its lanes. Uses `ebx`.
    fn unless_retired(&mut self, out: Label) {
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBP, R::EBP), J::NE, out);
        self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::EAX, field(Frame::RETIRE_AT)), J::NE, out);
        if self.has_both_modes {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, field(Frame::INNERMOST)));
            self.asm.put(I::with2(C::Or_r32_rm32, R::EBX, field(ARRIVED)));
            self.asm.jump_if(I::with2(C::Or_r32_rm32, R::EBX, field(Frame::PENDING)), J::NE, out);
        }
    }

    /// Emits the end of a warp in a series: counts the retired warp, and starts the next one with
    /// the same register files and its own per-lane inputs, or the first warp of the next CTA.
    /// Jumps to `save` if the warp stopped for another reason or used up its steps, and to `out`
    /// after the last CTA.
    fn next_of_series(&mut self, save: Label, out: Label) {
        let (next, restart) = (self.asm.label(), self.labels.restart);
        self.unless_retired(save);
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::R10, field(Frame::LIMIT)), J::AE, save);
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::ALL_STEPS), R::R10));
        if self.has_both_modes {
            self.asm.put(I::with2(C::Sub_r64_rm64, R::R10, field(Frame::COUNTED)));
        }
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EBX, R::R8D));
        self.asm.put(I::with2(C::Imul_r64_rm64, R::R10, R::RBX));
        self.asm.put(I::with2(C::Sub_r64_rm64, R::R10, R::R11));
        if self.has_both_modes {
            self.asm.put(I::with2(C::Add_r64_rm64, R::R10, field(Frame::THREADS)));
        }
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::ALL_THREADS), R::R10));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::PER_LANE)));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, field(Frame::PER_LANE_BYTES)));
        self.asm.jump_if(I::with2(C::Sub_rm32_imm8, field(Frame::FOLLOW), 1), J::NE, next);
        self.asm.jump_if(I::with2(C::Sub_rm32_imm8, field(Frame::CTAS), 1), J::B, out);
        self.asm.copy(field(Frame::FOLLOW), field(Frame::PER_CTA), R::EAX);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::UNIFORM_BYTES)));
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::UNIFORMS), R::RAX));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::FIRST_PER_LANE)));
        self.asm.bind(next);
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::PER_LANE), R::RAX));
        self.asm.copy(field(Frame::MASK), field(Frame::LIVE), R::R8D);
        if self.has_both_modes {
            self.asm.copy(field(Frame::LIMIT), field(Frame::END), R::RAX);
            self.asm.put(I::with2(C::Mov_rm64_imm32, field(Frame::COUNTED), 0));
            self.asm.put(I::with2(C::Mov_rm64_imm32, field(Frame::THREADS), 0));
        }
        if has(self.region, is_atomic) {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, field(Frame::SLOT)));
            self.asm.copy(field(Frame::ATOMICS_LEFT), of(offset_of!(WarpSlot, atomics)), R::EAX);
            self.asm.put(I::with2(C::Mov_rm64_imm32, field(Frame::LAST_ATOMIC), 0));
        }
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R10D, R::R10D));
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R11D, R::R11D));
        self.asm.goto(restart);
    }
}
