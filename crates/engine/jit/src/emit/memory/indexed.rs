//! Indexed accesses ([`crate::emit::index`]). If the indices of all 32 lanes are consecutive, only
//! the first is checked, and the access is made by vectors; other indices are checked one by one,
//! and gathered.

use super::access::{Base, MemAccess};
use super::parts::Bytes;
use super::shape::{CONTIGUOUS, Distance, Row, Slot};
use super::{DATA_ROW, OFFSET_ROW, moved};
use crate::emit::Emitter;
use crate::emit::affine::{Addend, Affine};
use crate::emit::asm::{J, Label, at};
use crate::emit::backend::{Backend, OffsetCheck, site};
use crate::emit::index::{CONSECUTIVE, Indexed, SCATTERED};
use crate::emit::register_cache::Reg;
use crate::emit::vector::{Opcode, Operand, V, part_of_row};
use crate::frame::Frame;
use crate::machine::{Mode, Site};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// What an access by consecutive indices does: loads or stores the vectors of each lane group, or
/// records their addresses in a slot.
#[derive(Clone, Copy)]
pub(super) enum ContiguousAccess<'a> {
    Load(&'a [Vec<Reg>], Bytes),
    Store(&'a [Vec<Reg>]),
    /// Records the addresses in a slot, for a load or a store that follows.
    Point {
        slot: Slot,
        stores: bool,
    },
}

impl<B: Backend> Emitter<'_, B> {
    /// Emits an access by consecutive indices. The code jumps to `done` after it, and to
    /// `scattered` if an index is out of bounds; it falls through if the indices are not
    /// consecutive.
    pub(super) fn row_by_index(
        &mut self,
        mem: &MemAccess,
        indexed: Indexed,
        row: ContiguousAccess<'_>,
        [done, scattered]: [Label; 2],
    ) {
        if let (true, Some(bases)) = (indexed.is_row, Self::lane_base(mem)) {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::R8D, -1), J::NE, scattered);
            let first = self.base_part(bases, 0);
            self.first_element(false, R::EAX, first);
            self.cache_row(indexed);
            return self.row_at(mem, indexed, row, [done, scattered]);
        }
        let (look, go, other) = (self.asm.label(), self.asm.label(), self.asm.label());
        if let Some(slot) = indexed.slot {
            let [shape, first] =
                [Frame::index(slot), Frame::first_index(slot)].map(|field| at(R::RDI, field));
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, shape));
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EAX, CONSECUTIVE), J::NE, look);
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, first));
        } else {
            self.asm.goto(look);
        }
        self.asm.bind(go);
        self.row_at(mem, indexed, row, [done, scattered]);
        self.asm.bind(look);
        if indexed.slot.is_some() {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EAX, SCATTERED), J::E, scattered);
        }
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::R8D, -1), J::NE, other);
        self.test_consecutive(mem, other);
        self.cache_row(indexed);
        self.asm.goto(go);
        self.asm.bind(other);
    }

    /// Emits an access by consecutive indices, of which the first (without the uniform value) is in
    /// `eax`.
    fn row_at(
        &mut self,
        mem: &MemAccess,
        indexed: Indexed,
        row: ContiguousAccess<'_>,
        [done, scattered]: [Label; 2],
    ) {
        self.add_addend(indexed.addend, R::EAX, R::R13);
        let rows = site(mem.access.site, offset_of!(Site, rows));
        self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::EAX, rows), J::AE, scattered);
        self.make_row(mem, row);
        self.asm.goto(done);
    }

    /// Prefetches the memory that a later CTA or warp will access by this step.
    fn prefetch_behind(&mut self, mem: &MemAccess, row: Row, stores: bool) {
        let addend = if let Base::Affine(value) = mem.base { value.addend } else { Addend::NONE };
        self.prefetch_row(row.at(0), mem.total as u32, addend, stores);
    }

    /// Records in the index register's cached shape that the indices are not consecutive, so that
    /// later accesses by it skip the test.
    pub(super) fn cache_scattered(&mut self, indexed: Indexed) {
        if let Some(slot) = self.live_slot(indexed) {
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::index(slot)), SCATTERED));
        }
    }

    /// Loads the index of lane 0 into `eax`; jumps to `not` unless the indices are consecutive.
    fn test_consecutive(&mut self, mem: &MemAccess, not: Label) {
        let Some(bases) = Self::lane_base(mem) else { return };
        let [any, moved, ..] = mem.own;
        let parts = self.base_parts(bases);
        self.unless_apart(&parts, (false, parts.len()), 1, [any, moved], not);
        self.first_element(false, R::EAX, parts[0]);
    }

    /// Loads or stores contiguous memory, or records its address; `eax` is the index of lane 0 with
    /// the uniform value added.
    fn make_row(&mut self, mem: &MemAccess, row: ContiguousAccess<'_>) {
        let origin = site(mem.access.site, offset_of!(Site, origin));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, origin));
        let mut scale = mem.total as u32;
        if scale > 8 {
            self.asm.put(I::with2(C::Shl_rm64_imm8, R::RAX, mem.total.trailing_zeros()));
            scale = 1;
        }
        let part_bytes = B::LANES * mem.total;
        let mut index = Some((R::RAX, scale));
        if !B::IS_512 {
            // For four lane groups, memory operands without an index register are shorter code.
            let first = MemoryOperand::with_base_index_scale(R::R13, R::RAX, scale);
            self.asm.put(I::with2(C::Lea_r64_m, R::R13, first));
            index = None;
        }
        let row_of = |part| Row { base: R::R13, index, displacement: part_bytes * part };
        match row {
            ContiguousAccess::Load(to, bytes) => {
                for (part, d) in to.iter().enumerate() {
                    self.load_contiguous(row_of(part), d, bytes);
                }
                self.prefetch_behind(mem, row_of(0), false);
            }
            ContiguousAccess::Store(from) => {
                for (part, from) in from.iter().enumerate() {
                    for (half, &from) in from.iter().enumerate() {
                        self.store(row_of(part).at(half * Self::BYTES), from);
                    }
                }
                self.prefetch_behind(mem, row_of(0), true);
            }
            ContiguousAccess::Point { slot, stores } => {
                slot.forget(self);
                let before = -(slot.data_offset as i64);
                let first =
                    MemoryOperand { displacement: before, displ_size: 1, ..row_of(0).at(0) };
                self.asm.put(I::with2(C::Lea_r64_m, R::RAX, first));
                slot.keep_row(self, Distance::Bytes(part_bytes));
                if stores {
                    let first = slot.row(self, 0);
                    self.prefetch_behind(mem, first, true);
                }
                self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, CONTIGUOUS));
            }
        }
    }

    /// Emits a load at arbitrary indices, of 32-bit elements or, with AVX-512, of up to 64 bits.
    /// Execution falls through if the index of an executing lane is out of bounds.
    pub(super) fn gather(&mut self, mem: &MemAccess, to: &[Vec<Reg>], bytes: Bytes, done: Label) {
        let (Base::Affine(value), true) = (mem.base, mem.total == 4 || B::IS_512 && mem.total <= 8)
        else {
            return;
        };
        let [half, ..] = mem.own;
        let slow = self.asm.label();
        self.indices(mem, slow);
        for (part, d) in (0..).zip(to) {
            let nobody = self.unless_executing(part);
            let index = self.index_register(mem, value, part);
            if mem.total <= 4 {
                B::gather_words(self, mem, (d[0], part), (index, false), mem.total as u32);
                self.keep_bits(d[0], u32::MAX >> (32 - 8 * mem.total));
            } else {
                self.upper_half(half, index);
                let row = Row { base: R::RDI, index: None, displacement: Frame::scratch(DATA_ROW) };
                for (i, index) in [index, half].into_iter().enumerate() {
                    B::gather(self, mem, (d[i], 8), (index, false), (8, 16 * part + 8 * i as u8));
                    if bytes.size != 8 {
                        self.store(row.at(i * Self::BYTES), d[i]);
                    }
                }
                if bytes.size != 8 {
                    self.load_contiguous(row, d, bytes);
                }
            }
            self.asm.bind(nobody);
        }
        if self.is_in_loop() && self.indexed().is_some_and(|of| of.walks) {
            self.last_index(mem, value);
            self.prefetch_walk(mem.total as u32);
        }
        self.asm.goto(done);
        self.asm.bind(slow);
    }

    /// In code for some lanes, jumps to the label if no lane of a lane group executes the access.
    pub(super) fn unless_executing(&mut self, part: u8) -> Label {
        let nobody = self.asm.label();
        if self.mode == Mode::Some {
            let lanes = (u64::MAX >> (64 - B::LANES)) << (B::LANES * usize::from(part));
            self.asm.jump_if(I::with2(C::Test_rm32_imm32, R::EBX, lanes as u32), J::E, nobody);
        }
        nobody
    }

    /// Loads the index of the last lane into `rax`.
    fn last_index(&mut self, mem: &MemAccess, value: Affine) {
        let Some(bases) = Self::lane_base(mem) else { return };
        let quad = B::SPARE.xmm();
        match self.base_part(bases, Self::PARTS - 1) {
            Operand::Register(index) => {
                let (extract, last) = (V::Extract128.code::<B>(), B::LANES as u32 / 4 - 1);
                self.asm.put(I::with3(extract, quad, B::name(index), last));
                self.asm.put(I::with3(V::Extract32.code::<B>(), R::EAX, quad, 3_u32));
            }
            Operand::Memory(row) => {
                self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, moved(row, 4 * (B::LANES - 1))));
            }
        }
        self.add_addend(value.addend, R::EAX, R::RBP);
    }

    /// The register for the indices of a lane group.
    fn index_register(&self, mem: &MemAccess, value: Affine, part: u8) -> Reg {
        let base = Self::lane_base(mem).map(|bases| self.base_part(bases, part));
        match base {
            _ if !B::IS_512 => mem.own[1],
            Some(Operand::Register(index)) if value.addend == Addend::NONE => index,
            _ => mem.own[2 + usize::from(part)],
        }
    }

    /// Computes the indices of executing lanes, if each of them is in bounds; otherwise jumps to
    /// `not`. AVX-512 has them in registers, AVX2 in the scratch register of offsets, where other
    /// lanes get index 0, which is in bounds. Sets `r12` to the address of element 0.
    fn indices(&mut self, mem: &MemAccess, not: Label) {
        let (Base::Affine(value), Some(bases)) = (mem.base, Self::lane_base(mem)) else { return };
        self.load_executing(mem);
        let limit = site(mem.access.site, offset_of!(Site, indices));
        let check = OffsetCheck { limit, wide: false, low_bits: 0 };
        B::begin_check(self, mem, &check, not);
        for part in 0..Self::PARTS {
            let base = self.base_part(bases, part);
            let index = self.index_register(mem, value, part);
            match base {
                _ if value.addend != Addend::NONE => self.sum_of_index(value, index, base),
                Operand::Register(base) if base == index => {}
                base => self.set(false, index, base),
            }
            B::check_part(self, mem, &check, part, (base, index));
            if !B::IS_512 {
                self.store(part_of_row::<B>(OFFSET_ROW, part), index);
            }
        }
        B::end_check(self, mem, &check, not);
        let origin = site(mem.access.site, offset_of!(Site, origin));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
    }
}
