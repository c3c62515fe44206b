//! Indexed accesses ([`crate::emit::index`]). If the indices of all 32 lanes are consecutive, only
//! the first is checked, and the access is made by vectors; other indices are checked one by one,
//! and gathered.

use super::address::{Base, MemAccess, OFFSET_ROW, site};
use super::offsets::EXECUTING;
use super::shape::{Bases, Slot};
use super::{Avx2Emitter, LANES_SIZE, PARTS, Vector};
use crate::emit::affine::{Addend, Affine};
use crate::emit::asm::{Label, at};
use crate::emit::index::{CONSECUTIVE, Indexed, SCATTERED};
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use crate::machine::{Mode, Site};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

const XOR: C = C::VEX_Vpxor_ymm_ymm_ymmm256;

/// What an access by consecutive indices does: loads or stores the parts, or records their
/// addresses in a slot.
#[derive(Clone, Copy)]
pub(super) enum ContiguousAccess<'a> {
    Load(&'a [Reg]),
    Store(&'a [Reg]),
    Point(Slot),
}

/// Labels where the code continues: after an access by consecutive indices, and if the lanes are
/// scattered.
#[derive(Clone, Copy)]
pub(super) struct Continuations {
    pub(super) done: Label,
    pub(super) scattered: Label,
}

impl Avx2Emitter<'_> {
    /// Emits an access by consecutive indices. Execution falls through if the indices are not
    /// consecutive.
    pub(super) fn row_by_index(
        &mut self,
        mem: &MemAccess,
        indexed: Indexed,
        row: ContiguousAccess<'_>,
        to: Continuations,
    ) {
        if let (true, Some(bases)) = (indexed.is_row, Self::bases(mem)) {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::R8D, -1), C::Jne_rel32_64, to.scattered);
            let first = self.base_part(bases, 0);
            self.first_element(false, R::EAX, first);
            self.cache_row(indexed);
            return self.row_at(mem, indexed, row, to);
        }
        let (look, go, other) = (self.asm.label(), self.asm.label(), self.asm.label());
        let looks = matches!(mem.base, Base::Affine(_));
        let scattered = if looks { to.scattered } else { other };
        let names = indexed.slot.map(|slot| {
            [Frame::index(slot), Frame::first_index(slot)].map(|field| at(R::RDI, field))
        });
        if let Some([shape, first]) = names {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, shape));
            self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EAX, CONSECUTIVE));
            self.asm.jump(C::Jne_rel32_64, look);
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, first));
        } else {
            self.asm.jump(C::Jmp_rel32_64, look);
        }
        self.asm.bind(go);
        self.row_at(mem, indexed, row, Continuations { scattered, ..to });
        self.asm.bind(look);
        if looks {
            if indexed.slot.is_some() {
                self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EAX, SCATTERED));
                self.asm.jump(C::Je_rel32_64, to.scattered);
            }
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::R8D, -1), C::Jne_rel32_64, other);
            self.test_consecutive(mem, other);
            self.cache_row(indexed);
            self.asm.jump(C::Jmp_rel32_64, go);
        }
        self.asm.bind(other);
    }

    /// Emits an access by consecutive indices, of which the first (without the uniform value) is in
    /// `eax`.
    fn row_at(
        &mut self,
        mem: &MemAccess,
        indexed: Indexed,
        row: ContiguousAccess<'_>,
        to: Continuations,
    ) {
        self.add_addend(indexed.addend, R::EAX, R::R13);
        let rows = site(&mem.access, offset_of!(Site, rows));
        self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::EAX, rows), C::Jae_rel32_64, to.scattered);
        self.make_row(mem, row);
        self.asm.jump(C::Jmp_rel32_64, to.done);
    }

    /// Prefetches the memory that a later CTA or warp accesses, relative to `r13`.
    fn prefetch_behind(&mut self, mem: &MemAccess, stores: bool) {
        let addend = if let Base::Affine(value) = mem.base { value.addend } else { Addend::NONE };
        self.prefetch_row(at(R::R13, 0), mem.total as u32, addend, stores);
    }

    /// Caches that the indices are not consecutive.
    pub(super) fn cache_scattered(&mut self, indexed: Indexed) {
        if let Some(slot) = self.live_slot(indexed).filter(|_| !indexed.is_carried) {
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::index(slot)), SCATTERED));
        }
    }

    /// Loads the index of lane 0 into `eax`; jumps to `not` unless the indices are consecutive.
    fn test_consecutive(&mut self, mem: &MemAccess, not: Label) {
        let Some(bases) = Self::bases(mem) else { return };
        let [any, moved, ..] = mem.own;
        let parts = self.base_parts(bases);
        self.unless_apart(&parts, (false, parts.len()), 1, [any, moved], not);
        self.first_element(false, R::EAX, parts[0]);
    }

    /// Loads or stores contiguous memory, or records its address; `eax` is the index of lane 0 with
    /// the uniform value added.
    fn make_row(&mut self, mem: &MemAccess, row: ContiguousAccess<'_>) {
        let origin = site(&mem.access, offset_of!(Site, origin));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, origin));
        let mut scale = mem.total as u32;
        if scale > 8 {
            self.asm.put(I::with2(C::Shl_rm64_imm8, R::RAX, mem.total.trailing_zeros()));
            scale = 1;
        }
        match row {
            ContiguousAccess::Load(to) => {
                let first = MemoryOperand::with_base_index_scale(R::R13, R::RAX, scale);
                self.asm.put(I::with2(C::Lea_r64_m, R::R13, first));
                for (part, &d) in to.iter().enumerate() {
                    self.back.data_offset = 8 * mem.total * part;
                    self.load_plain(d, mem.total);
                }
                self.back.data_offset = 0;
                self.prefetch_behind(mem, false);
            }
            ContiguousAccess::Store(from) => {
                let first = MemoryOperand::with_base_index_scale(R::R13, R::RAX, scale);
                self.asm.put(I::with2(C::Lea_r64_m, R::R13, first));
                for (part, from) in from.iter().enumerate() {
                    let to = self.lane_data(8 * mem.total * part);
                    self.store(to, *from);
                }
                self.prefetch_behind(mem, true);
            }
            ContiguousAccess::Point(slot) => {
                slot.forget(self);
                let displacement = -(slot.data_offset as i64);
                let first = MemoryOperand::with_base_index_scale_displ_size(
                    R::R13,
                    R::RAX,
                    scale,
                    displacement,
                    1,
                );
                self.asm.put(I::with2(C::Lea_r64_m, R::RAX, first));
                for part in 0..PARTS {
                    self.asm.put(I::with2(C::Mov_rm64_r64, slot.pointer(part), R::RAX));
                    if part + 1 != PARTS {
                        self.asm.put(I::with2(C::Add_rm64_imm32, R::RAX, 8 * mem.total as i32));
                    }
                }
                self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, super::shape::CONTIGUOUS));
            }
        }
    }

    /// Emits a load of 32-bit elements at arbitrary indices. Execution falls through if the index
    /// of an executing lane is out of bounds.
    ///
    /// On many processors with AVX2, gather instructions are slow and serialise their cache misses.
    /// There the elements are loaded one by one, with indices from memory, and combined in
    /// registers.
    pub(super) fn gather(&mut self, mem: &MemAccess, to: &[Reg], done: Label) {
        let (Base::Affine(value), 4, Some(bases)) = (mem.base, mem.total, Self::bases(mem)) else {
            return;
        };
        let [sum, _, _, lanes, ..] = mem.own;
        let slow = self.asm.label();
        self.indices(mem, (value, bases), 0, slow);
        let at_once = crate::emit::processor::has_fast_gathers();
        self.each_part_executing(to, |e, part, d| {
            let row = Frame::scratch(OFFSET_ROW) + part * LANES_SIZE;
            match at_once {
                true => e.words_at_once(d, row, [sum, lanes]),
                false => e.words(d, row, sum),
            }
        });
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(slow);
    }

    /// Emits code for each part, which is skipped if no lane of the part executes the step.
    pub(super) fn each_part_executing(
        &mut self,
        to: &[Reg],
        mut code: impl FnMut(&mut Self, usize, Reg),
    ) {
        for (part, &d) in to.iter().enumerate() {
            let nobody = self.asm.label();
            if self.mode == Mode::Some {
                self.asm.put(I::with2(C::Cmp_rm8_imm8, at(R::RDI, EXECUTING + part), 0));
                self.asm.jump(C::Je_rel32_64, nobody);
            }
            code(self, part, d);
            self.asm.bind(nobody);
        }
    }

    /// Stores the indices of executing lanes to the scratch register of offsets, if each of them
    /// plus `span` is in bounds; otherwise jumps to `not`. Other lanes get index 0, which is in
    /// bounds. Sets `r12` to the address of element 0.
    pub(super) fn indices(
        &mut self,
        mem: &MemAccess,
        (value, bases): (Affine, Bases),
        span: u32,
        not: Label,
    ) {
        let [sum, t, most, lanes, noncanonical, _] = mem.own;
        self.load_executing(mem);
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, EXECUTING), R::EBX));
        let below = site(&mem.access, offset_of!(Site, indices));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, below));
        self.asm.put(I::with2(C::Sub_rm32_imm8, R::EAX, span as i32));
        self.asm.jump(C::Jbe_rel32_64, not);
        self.asm.put(I::with2(C::VEX_Vmovd_xmm_rm32, most.xmm(), R::EAX));
        self.asm.put(I::with2(C::VEX_Vpbroadcastd_ymm_xmmm32, most.ymm(), most.xmm()));
        for part in 0..PARTS {
            let index = self.base_part(bases, part);
            if value.addend == Addend::NONE {
                self.two(super::MOVE, sum, index);
            } else {
                self.sum_of_index(value, sum, index);
            }
            self.zero_not_executing(mem.guard, (part, None), &[sum], lanes);
            let row = at(R::RDI, Frame::scratch(OFFSET_ROW) + usize::from(part) * LANES_SIZE);
            self.store(row, sum);
            // A mask of lanes whose index is not below the limit.
            let to = if part == 0 { noncanonical } else { t };
            self.three(C::VEX_Vpmaxud_ymm_ymm_ymmm256, to, most, sum);
            self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, to, to, sum);
            if part != 0 {
                self.three(C::VEX_Vpor_ymm_ymm_ymmm256, noncanonical, noncanonical, t);
            }
        }
        self.two(C::VEX_Vptest_ymm_ymmm256, noncanonical, noncanonical);
        self.asm.jump(C::Jne_rel32_64, not);
        let origin = site(&mem.access, offset_of!(Site, origin));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
    }

    /// Loads eight 32-bit elements at indices in the frame, relative to `r12`.
    pub(super) fn words(&mut self, d: Reg, row: usize, upper: Reg) {
        for lane in 0..8 {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, at(R::RDI, row + 4 * lane)));
            let from = MemoryOperand::with_base_index_scale(R::R12, R::RAX, 4);
            let half = if lane < 4 { d.xmm() } else { upper.xmm() };
            self.asm.put(match lane as u32 % 4 {
                0 => I::with2(C::VEX_Vmovd_xmm_rm32, half, from),
                vreg => I::with4(C::VEX_Vpinsrd_xmm_xmm_rm32_imm8, half, half, from, vreg),
            });
        }
        let insert = C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
        self.asm.put(I::with4(insert, d.ymm(), d.ymm(), upper.xmm(), 1_u32));
    }

    /// Loads eight 32-bit elements at indices in the frame by one gather, which needs valid indices
    /// in all lanes.
    fn words_at_once(&mut self, d: Reg, row: usize, [index, all]: [Reg; 2]) {
        self.two(super::MOVE, index, at(R::RDI, row));
        self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, all, all, all);
        // Zeroing the destination breaks the dependency of the gather on the register's old value.
        self.three(XOR, d, d, d);
        let from = MemoryOperand::with_base_index_scale(R::R12, index.ymm(), 4);
        self.asm.put(I::with3(C::VEX_Vpgatherdd_ymm_vm32y_ymm, d.ymm(), from, all.ymm()));
    }
}
