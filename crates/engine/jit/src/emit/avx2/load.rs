//! Loads: from uniform addresses, from contiguous or scattered lanes, and by index.

use super::address::{DATA_ROW, MemAccess, data_of_lane, is_by_lane, moved};
use super::indexed::{ContiguousAccess, Continuations};
use super::shape::Slot;
use super::{Avx2Emitter, PARTS, SCRATCH, Vector};
use crate::emit::affine::Addend;
use crate::emit::asm::at;
use crate::emit::index::Indexed;
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use crate::region::{Load, Space, Step};
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx2Emitter<'_> {
    /// Emits a load that may exit.
    pub(super) fn load_lanes(&mut self, step: &Step, load: &Load) -> Option<()> {
        if !is_by_lane(load.access.base) {
            return self.load_one(step, load);
        }
        let member = self.facts.base_groups.member(self.block, self.step);
        let mem = self.mem_access(&load.access, step.guard, step.at);
        if mem.never {
            return Some(());
        }
        let (scattered, done) = (self.asm.label(), self.asm.label());
        let slot = Slot::of(member);
        if let Some(indexed) = self.indexed() {
            return self.load_indexed(step, load, &mem, indexed);
        }
        if mem.access.space != Space::Local {
            self.reach(&mem, member, true, scattered);
            if mem.access.space == Space::Global && member.is_none() && self.is_in_loop() {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, slot.pointer(0)));
                self.prefetch_row(at(R::R13, 0), mem.total as u32, Addend::NONE, false);
            }
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(scattered);
        }
        self.fetch_lanes(&mem);
        self.point_to_data(&mem, slot);
        self.asm.bind(done);
        self.cache.unpin();
        self.load_to_destinations(load, step.guard, slot, false)
    }

    /// Emits a load whose index is checked instead of its addresses.
    fn load_indexed(
        &mut self,
        step: &Step,
        load: &Load,
        mem: &MemAccess,
        indexed: Indexed,
    ) -> Option<()> {
        let member = self.facts.base_groups.member(self.block, self.step);
        let slot = Slot::of(member);
        let [scattered, none, done, taken] = std::array::from_fn(|_| self.asm.label());
        // Small elements are loaded to registers at once.
        let parts: Vec<Reg> = match mem.total {
            1..=4 => (0..PARTS).map(|_| self.temporary()).collect(),
            _ => Vec::new(),
        };
        let (row, at) = match parts.is_empty() {
            true => (ContiguousAccess::Point(slot), done),
            false => (ContiguousAccess::Load(&parts[..]), taken),
        };
        if member.is_some_and(|member| member.leads) {
            slot.forget(self);
        }
        if !indexed.is_loaded {
            if indexed.rows {
                self.row_by_index(mem, indexed, row, Continuations { done: at, scattered });
            }
            if !indexed.is_row {
                self.reach(mem, member, true, none);
                self.asm.jump(C::Jmp_rel32_64, done);
                self.asm.bind(none);
                self.cache_scattered(indexed);
            }
        }
        self.asm.bind(scattered);
        if !parts.is_empty() {
            self.gather(mem, &parts, taken);
        }
        self.fetch_lanes(mem);
        self.point_to_data(mem, slot);
        self.asm.bind(done);
        if parts.is_empty() {
            self.cache.unpin();
            return self.load_to_destinations(load, step.guard, slot, false);
        }
        self.load_small(load, &parts, slot);
        self.asm.bind(taken);
        self.write_loaded(load, &parts, step.guard)
    }

    /// Emits a load from a uniform address. Exits if a lane executes the load and the address is
    /// out of bounds.
    fn load_one(&mut self, step: &Step, load: &Load) -> Option<()> {
        let mem = self.uniform_access(&load.access, step.guard, step.at);
        if mem.never {
            return Some(());
        }
        let slot = Slot::default();
        if mem.access.space == Space::Local {
            self.fetch_lanes(&mem);
            self.point_to_data(&mem, slot);
            self.cache.unpin();
            return self.load_to_destinations(load, step.guard, slot, false);
        }
        let (scattered, done) = (self.asm.label(), self.asm.label());
        self.first(&mem);
        self.reach_one(&mem, scattered);
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(scattered);
        self.load_executing(&mem);
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), C::Jne_rel32_64, mem.out);
        self.point_to_data(&mem, slot);
        self.asm.bind(done);
        self.cache.unpin();
        self.load_to_destinations(load, step.guard, slot, true)
    }

    /// Copies the data of each lane to the frame. Exits if a lane is out of bounds.
    fn fetch_lanes(&mut self, mem: &MemAccess) {
        let done = self.asm.label();
        self.spill(mem);
        self.load_executing(mem);
        self.data_rows();
        if Self::has_offsets(mem) {
            self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), C::Je_rel32_64, done);
            self.check_lanes(mem);
            self.fetch_by_offsets(mem);
        } else {
            self.each_lane(|e| {
                e.checked_offset(mem);
                e.address_from_offset(mem);
                e.copy_data(mem, false);
            });
        }
        self.asm.bind(done);
    }

    /// Loads the address of the data in the frame into `r13`.
    pub(super) fn data_rows(&mut self) {
        let data = at(R::RDI, Frame::scratch(DATA_ROW));
        self.asm.put(I::with2(C::Lea_r64_m, R::R13, data));
    }

    /// Copies the data of lane `ebp` between its address in `rax` and its slot in the frame, to the
    /// address if `stores`.
    pub(super) fn copy_data(&mut self, mem: &MemAccess, stores: bool) {
        let frame = data_of_lane(self, mem.total);
        let ends = |memory, frame| if stores { (frame, memory) } else { (memory, frame) };
        if mem.access.space == Space::Local && mem.total > 4 {
            for i in 0..mem.total / 4 {
                let (from, to) = ends(at(R::RAX, 128 * i), moved(frame, 4 * i));
                self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, from));
                self.asm.put(I::with2(C::Mov_rm32_r32, to, R::R14D));
            }
            return;
        }
        let (load, store, data) = match mem.total {
            1 => (C::Movzx_r32_rm8, C::Mov_rm8_r8, R::R14L),
            2 => (C::Movzx_r32_rm16, C::Mov_rm16_r16, R::R14W),
            4 => (C::Mov_r32_rm32, C::Mov_rm32_r32, R::R14D),
            8 => (C::Mov_r64_rm64, C::Mov_rm64_r64, R::R14),
            16 => (C::VEX_Vmovdqu_xmm_xmmm128, C::VEX_Vmovdqu_xmmm128_xmm, SCRATCH.xmm()),
            _ => (C::VEX_Vmovdqu_ymm_ymmm256, C::VEX_Vmovdqu_ymmm256_ymm, SCRATCH.ymm()),
        };
        let (from, to) = ends(at(R::RAX, 0), frame);
        let into = if mem.total <= 2 { R::R14D } else { data };
        self.asm.put(I::with2(load, into, from));
        self.asm.put(I::with2(store, to, data));
    }
}
