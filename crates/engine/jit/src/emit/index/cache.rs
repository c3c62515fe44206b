//! Code for indexed accesses: the cached shapes of index registers, and prefetches.

use super::{CONSECUTIVE, Indexed, Slots, all_lanes_execute};
use crate::emit::Emitter;
use crate::emit::affine::Addend;
use crate::emit::asm::{at, with_index};
use crate::emit::backend::Backend;
use crate::frame::{Frame, INDICES};
use crate::machine::Mode;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

const LINE: usize = 64;

impl<B: Backend> Emitter<'_, B> {
    /// Prefetches the cache lines that another CTA or warp will access at this step, because
    /// hardware prefetchers do not follow accesses that jump after a few cache lines. Uses `rax`
    /// and `r12`.
    ///
    /// Consecutive CTAs access consecutive memory, so that outside loops the distance is two CTAs.
    /// In a loop, where a thread visits other memory before the next CTA begins, the distance is
    /// the next warp. An access by the same index plus a small constant would prefetch the same
    /// lines, and is skipped.
    pub(in crate::emit) fn prefetch_row(
        &mut self,
        mut first: MemoryOperand,
        bytes: u32,
        addend: Addend,
        stores: bool,
    ) {
        if addend != Addend::NONE && addend.is_near() {
            return;
        }
        if first.index != R::None {
            self.asm.put(I::with2(C::Lea_r64_m, R::RAX, first));
            first = at(R::RAX, 0);
        }
        let row = i64::from(32 * bytes);
        let (index, scale, before) = if self.is_in_loop() {
            (R::None, 1, row)
        } else {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, at(R::RDI, Frame::PREFETCH_DISTANCE)));
            (R::R12, bytes.min(8), 0)
        };
        let code = crate::emit::processor::request(stores);
        for line in (before..before + row).step_by(LINE) {
            let line = first.displacement + line;
            let other = with_index(MemoryOperand { displacement: line, ..first }, index, scale);
            self.asm.put(I::with1(code, other));
        }
    }

    /// Prefetches a cache line behind the data of the last lane, for a loop in which each lane
    /// steps through a range of memory of its own: the ranges of the next warp follow there. The
    /// index, in `rax`, decides which one of 32 lines. `r12` is the address of element 0. Uses
    /// `rbp`.
    pub(in crate::emit) fn prefetch_walk(&mut self, bytes: u32) {
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBP, R::EAX));
        self.asm.put(I::with2(C::And_rm32_imm8, R::EBP, 31));
        self.asm.put(I::with2(C::Shl_rm32_imm8, R::EBP, LINE.trailing_zeros()));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RBP, R::R12));
        let behind = with_index(at(R::RBP, LINE), R::RAX, bytes);
        self.asm.put(I::with1(crate::emit::processor::request(false), behind));
    }

    /// Whether the current block is part of a loop.
    pub(in crate::emit) fn is_in_loop(&self) -> bool {
        let here = self.block;
        let mut loops = self.facts.loops.iter().enumerate();
        loops.any(|(head, last)| head <= here && last.is_some_and(|last| here <= last))
    }

    /// Whether the current step accesses shared memory at addresses that are known to be
    /// contiguous.
    pub(in crate::emit) fn is_shared_row(&self) -> bool {
        let at = (self.block, self.step);
        self.facts.indices.is_shared_row(at, &self.region.blocks[at.0].steps[at.1])
    }

    /// How the access of the current step is indexed; `None` if it has no index.
    pub(in crate::emit) fn indexed(&self) -> Option<Indexed> {
        let step = &self.region.blocks[self.block].steps[self.step];
        let plan = self.facts.plans.get(self.block)?;
        let indexed = self.facts.indices.access(plan, (self.block, self.step), step)?;
        let rows = self.mode == Mode::Live && all_lanes_execute(step);
        let slot = indexed.slot.filter(|_| all_lanes_execute(step));
        Some(Indexed { slot, rows, is_row: indexed.is_row && rows, ..indexed })
    }

    /// The slot of an access of the current step, if its shape is read later.
    pub(in crate::emit) fn live_slot(&self, indexed: Indexed) -> Option<usize> {
        let live = self.facts.indices.live_after(self.block, self.step);
        indexed.slot.filter(|slot| live >> slot & 1 != 0)
    }

    /// Records in the cached shape that the indices are consecutive, and the first index, which is
    /// in `eax`.
    pub(in crate::emit) fn cache_row(&mut self, indexed: Indexed) {
        if let Some(slot) = self.live_slot(indexed) {
            let [shape, first] = [Frame::index(slot), Frame::first_index(slot)];
            self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, first), R::EAX));
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, shape), CONSECUTIVE));
        }
    }

    /// Clears the cached shapes of index registers in these slots.
    pub(in crate::emit) fn forget_indices(&mut self, slots: Slots) {
        for slot in (0..INDICES).filter(|slot| slots >> slot & 1 != 0) {
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::index(slot)), 0));
        }
    }

    /// Updates the cached shapes of registers that steps have written, if the shapes are live.
    pub(in crate::emit) fn note_changed(&mut self, steps: std::ops::Range<usize>) {
        if self.facts.indices.slots.is_empty() {
            return;
        }
        for i in steps {
            let Some(plan) = self.facts.plans.get(self.block) else { return };
            let step = &self.region.blocks[self.block].steps[i];
            let open = self.facts.indices.live_after(self.block, i);
            let (_, changes) = self.facts.indices.effects(plan, (self.block, i), step);
            // In code for some lanes, only whether indices are scattered is read.
            if self.mode == Mode::Live
                && let Some((slot, addend)) = self.facts.indices.increment(step)
                && open >> slot & 1 != 0
            {
                let first = at(R::RDI, Frame::first_index(slot));
                self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, first));
                self.add_addend(addend, R::EAX, R::R13);
                self.asm.put(I::with2(C::Mov_rm32_r32, first, R::EAX));
            }
            self.forget_indices(changes & open);
        }
    }
}
