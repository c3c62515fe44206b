//! Loads: from uniform addresses, from contiguous or scattered lanes, and by index.

use super::access::{Base, MemAccess, data_of_lane, is_wide_source};
use super::addressing::Addressing;
use super::indexed::ContiguousAccess;
use super::offsets::is_wide;
use super::parts::{Bytes, Parts};
use super::shape::{Row, Slot};
use super::{DATA_ROW, moved};
use crate::emit::Emitter;
use crate::emit::affine::Addend;
use crate::emit::asm::{J, Label, at};
use crate::emit::backend::Backend;
use crate::emit::index::SCATTERED;
use crate::emit::register_cache::Reg;
use crate::emit::uniform::gives_same;
use crate::emit::vector::{Opcode, V};
use crate::frame::Frame;
use crate::ir::{Load, Space, Step};
use crate::machine::Mode;
use crate::operand::Predicate;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl<B: Backend> Emitter<'_, B> {
    /// Emits a load that may exit. With AVX2, whose registers it may need for the elements, values
    /// are evicted with any NaN.
    pub(in crate::emit) fn load_lanes(&mut self, step: &Step, load: &Load) -> Option<()> {
        self.cache.defers_nans = !B::IS_512;
        let emitted = self.load_from_lanes(step, load);
        self.cache.defers_nans = false;
        emitted
    }

    fn load_from_lanes(&mut self, step: &Step, load: &Load) -> Option<()> {
        if load.to.len() != usize::from(load.access.count) {
            return None;
        }
        let addressing = self.addressing(&load.access);
        if addressing == Addressing::Uniform {
            return self.load_one(step, load);
        }
        if addressing == Addressing::Same {
            return self.load_same(step, load);
        }
        let mem = self.mem_access(&load.access, step.guard, step.at);
        if mem.never {
            return Some(());
        }
        let (indexed, slot) = (self.indexed(), Slot::of(mem.member));
        self.begin_group(&mem);
        let [scattered, none, done] = std::array::from_fn(|_| self.asm.label());
        // If there are enough registers for the elements of all lanes, they are loaded at once.
        let (bytes, parts) = (Bytes::of(&load.access), 0..Self::PARTS);
        let own: Vec<Vec<Reg>> = match mem.total {
            // The registers of the access, except that of indices, are free once all lanes are
            // checked.
            ..=4 if !B::IS_512 && (indexed.is_some() || Self::has_words(&mem)) => {
                [0, 2, 3, 4].map(|i| vec![mem.own[i]]).into()
            }
            ..=4 if indexed.is_some() => self.registers_of_parts(parts.len(), bytes),
            ..=16 if B::IS_512 => self.registers_of_parts(parts.len(), bytes),
            _ => Vec::new(),
        };
        if let Some(indexed) = indexed.filter(|of| of.rows) {
            let row = match own.is_empty() {
                true => ContiguousAccess::Point { slot, stores: false },
                false => ContiguousAccess::Load(&own, bytes),
            };
            self.row_by_index(&mem, indexed, row, [done, scattered]);
        }
        let is_tested = matches!(addressing, Addressing::Tested | Addressing::Index);
        let from = if is_tested { Parts::Slot(slot) } else { Parts::Contiguous(slot) };
        let by_offsets = self.mode == Mode::Some && self.has_rows_of_offsets(&mem);
        let is_reached =
            (is_tested || addressing == Addressing::Row && indexed.is_none()) && !by_offsets;
        if is_reached {
            if let Some(slot) = indexed.filter(|of| !of.rows).and_then(|of| of.slot) {
                self.asm.put(I::with2(C::Cmp_rm32_imm8, at(R::RDI, Frame::index(slot)), SCATTERED));
                self.asm.jump(J::E, scattered);
            }
            let is_global = mem.access.space == Space::Global;
            let is_alone = indexed.is_none() && mem.member.is_none();
            let prefetches = is_global && is_alone && self.is_in_loop();
            self.reach(&mem, is_tested, none);
            if prefetches {
                let first = slot.row(self, 0).at(0);
                self.prefetch_row(first, mem.total as u32, Addend::NONE, false);
            }
            if !own.is_empty() {
                self.load_parts(parts.clone(), from, bytes, &own);
            }
        }
        let has_row = is_reached || indexed.is_some_and(|of| of.rows);
        let before = has_row.then(|| self.begin_cold(done));
        self.asm.bind(none);
        if let Some(indexed) = indexed {
            self.cache_scattered(indexed);
        }
        self.asm.bind(scattered);
        if !own.is_empty() {
            self.gather(&mem, &own, bytes, done);
        }
        if !self.gather_lanes(&mem, &own, done) {
            self.fetch_lanes(&mem);
            self.point_to_data(&mem, slot);
            if !own.is_empty() {
                self.load_parts(parts.clone(), Parts::Contiguous(slot), bytes, &own);
            }
        }
        self.end_cold(before, done);
        if own.is_empty() {
            self.cache.unpin();
            return self.load_to_destinations(load, step.guard, from);
        }
        self.write_parts(load, &load.to, (parts, bytes), &own, step.guard)
    }

    /// Emits a load from a uniform address. Exits if a lane executes the load and the address is
    /// out of bounds.
    fn load_one(&mut self, step: &Step, load: &Load) -> Option<()> {
        let one = |source| Base::One(source, is_wide_source(source));
        let base = load.access.base.map_or(Base::None, one);
        let mem = self.access_with_base(base, &load.access, (step.guard, step.at), 6);
        if mem.never {
            return Some(());
        }
        let (nowhere, done) = (self.asm.label(), self.asm.label());
        if mem.access.space == Space::Local {
            self.fetch_lanes(&mem);
            self.point_to_data(&mem, Slot::default());
            self.cache.unpin();
            return self.load_to_destinations(load, step.guard, Parts::Contiguous(Slot::default()));
        }
        // Without a guard, at least one lane executes the load.
        let always = step.guard == Predicate::Always;
        let not = if always { mem.out } else { nowhere };
        self.uniform_base(&mem);
        self.offset_from_base(&mem, R::RAX, Some(not));
        let (limit, origin) = (self.limit(&mem), self.origin(&mem));
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::RAX, limit), J::AE, not);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, origin));
        self.asm.put(I::with2(C::Add_r64_rm64, R::R13, R::RAX));
        if !always {
            self.asm.goto(done);
            self.asm.bind(nowhere);
            self.load_executing(&mem);
            self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), J::NE, mem.out);
            self.data_rows();
        }
        self.asm.bind(done);
        if self.mode == Mode::Live && gives_same(step, load) {
            self.same_to_destinations(load, Row::R13);
            return Some(());
        }
        self.cache.unpin();
        self.load_to_destinations(load, step.guard, Parts::One)
    }

    /// Whether each lane loads 32-bit elements, which AVX2 gathers to registers.
    fn has_words(mem: &MemAccess) -> bool {
        !B::IS_512 && mem.total == 4 && Self::has_offsets(mem)
    }

    /// Gathers whole 32-bit or, with AVX-512, 64-bit elements to registers, and exits if a lane is
    /// out of bounds. Returns whether it does.
    fn gather_lanes(&mut self, mem: &MemAccess, to: &[Vec<Reg>], taken: Label) -> bool {
        if Self::has_words(mem) {
            self.load_executing(mem);
            self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), J::E, taken);
            self.offsets(mem);
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, self.origin(mem)));
            let index = (self.offset_register(mem, 0), is_wide(mem));
            for (part, d) in (0..).zip(to) {
                let nobody = self.unless_executing(part);
                B::gather_words(self, mem, (d[0], part), index, 1);
                self.asm.bind(nobody);
            }
            return true;
        }
        let is_element = usize::from(mem.access.size) == mem.total && !to.is_empty();
        if !Self::is_gathered(mem) || !is_element {
            return false;
        }
        self.load_executing(mem);
        self.offsets(mem);
        let scattered = self.asm.label();
        if self.has_rows_of_offsets(mem) {
            self.point_to_executing(mem, scattered);
            for (part, d) in (0..).zip(to) {
                let row = Slot::default().row(self, part);
                B::load_masked(self, mem, row, d, part);
            }
            self.asm.goto(taken);
        }
        self.asm.bind(scattered);
        self.gather_by_offsets(mem, to);
        true
    }

    /// Copies the data of each lane to the frame. Exits if a lane is out of bounds.
    fn fetch_lanes(&mut self, mem: &MemAccess) {
        let done = self.asm.label();
        self.spill(mem);
        self.load_executing(mem);
        self.data_rows();
        if Self::has_offsets(mem) {
            self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), J::E, done);
            self.offsets(mem);
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

    /// Loads the address of the scratch registers that hold the data in the frame into `r13`.
    pub(super) fn data_rows(&mut self) {
        self.asm.put(I::with2(C::Lea_r64_m, R::R13, at(R::RDI, Frame::scratch(DATA_ROW))));
    }

    /// Copies the data of lane `ebp` between its address in `rax` and its slot in the frame, to the
    /// address if `stores`.
    pub(super) fn copy_data(&mut self, mem: &MemAccess, stores: bool) {
        let frame = data_of_lane(self, mem.total);
        let ends = |memory, frame| if stores { (frame, memory) } else { (memory, frame) };
        let is_local = mem.access.space == Space::Local;
        let (step, stride) = if is_local { (4, 128) } else { (16, 16) };
        for i in 0..mem.total.div_ceil(step) {
            let (from, to) = ends(at(R::RAX, stride * i), moved(frame, step * i));
            let spare = B::SPARE.xmm();
            let (load, store, into, data) = match mem.total.min(step) {
                1 => (C::Movzx_r32_rm8, C::Mov_rm8_r8, R::R14D, R::R14L),
                2 => (C::Movzx_r32_rm16, C::Mov_rm16_r16, R::R14D, R::R14W),
                4 => (C::Mov_r32_rm32, C::Mov_rm32_r32, R::R14D, R::R14D),
                8 => (C::Mov_r64_rm64, C::Mov_rm64_r64, R::R14, R::R14),
                _ => (V::Load128.code::<B>(), V::Store128.code::<B>(), spare, spare),
            };
            self.asm.put(I::with2(load, into, from));
            self.asm.put(I::with2(store, to, data));
        }
    }
}
