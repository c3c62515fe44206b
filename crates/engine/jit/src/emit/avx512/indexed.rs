//! Indexed accesses ([`crate::emit::index`]). If the indices of all 32 lanes are consecutive, only
//! the first is checked, and the access is made by vectors; other indices are checked as vectors,
//! and gathered.

#![allow(clippy::needless_range_loop, reason = "a part indexes several arrays at once")]

use super::memory::{ACTIVE, HOST, MemAccess, site, spread_of};
use super::pieces::Pieces;
use super::shape::HalfAddresses;
use super::{Avx512Emitter, SCRATCH, SCRATCH_MASK};
use crate::emit::asm::{Label, at};
use crate::emit::index::{CONSECUTIVE, SCATTERED};
use crate::emit::vector::Operand;
use crate::frame::Frame;
use crate::machine::Site;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

impl Avx512Emitter<'_> {
    /// Emits an access by indices that are cached as consecutive; jumps to `each` if they are
    /// cached as not consecutive.
    pub(super) fn known_row(
        &mut self,
        mem: &MemAccess,
        pieces: &Pieces,
        (done, each): (Label, Label),
    ) {
        let Some(indexed) = mem.indexed.filter(|of| of.rows) else { return };
        if indexed.is_row
            && let Some((_, index)) = mem.affine
        {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, ACTIVE, -1), C::Jne_rel32_64, each);
            self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, R::EAX, index[0].x()));
            self.cache_row(indexed);
            return self.row_from_first(mem, pieces, (done, each));
        }
        let Some(slot) = indexed.slot else { return };
        let other = self.asm.label();
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, at(R::RDI, Frame::index(slot))));
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EAX, CONSECUTIVE), C::Jne_rel32_64, other);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, at(R::RDI, Frame::first_index(slot))));
        self.row_from_first(mem, pieces, (done, each));
        self.asm.bind(other);
        if !indexed.is_carried {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EAX, SCATTERED), C::Je_rel32_64, each);
        }
    }

    /// Emits an access where the indices of each half are consecutive. If the second half continues
    /// the first, the shape is cached and the access is made.
    pub(super) fn new_row(&mut self, mem: &MemAccess, pieces: &Pieces, to: (Label, Label)) {
        let (Some(indexed), Some((_, index))) = (mem.indexed.filter(|of| of.rows), mem.affine)
        else {
            return;
        };
        let scattered = self.asm.label();
        for (low, index) in [(R::EAX, index[0]), (R::R12D, index[1])] {
            self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, low, index.x()));
        }
        let next_half = MemoryOperand::with_base_displ(R::RAX, 16);
        self.asm.put(I::with2(C::Lea_r32_m, R::R13D, next_half));
        self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::R13D, R::R12D), C::Jne_rel32_64, scattered);
        self.cache_row(indexed);
        self.row_from_first(mem, pieces, to);
        self.asm.bind(scattered);
    }

    /// Caches that the indices are not consecutive.
    pub(super) fn cache_scattered(&mut self, mem: &MemAccess) {
        if let Some(slot) = mem.indexed.filter(|of| of.rows).and_then(|of| self.live_slot(of))
            && mem.affine.is_some()
        {
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::index(slot)), SCATTERED));
        }
    }

    /// Accesses 32 contiguous lanes; `eax` is the index of lane 0 without the uniform value.
    fn row_from_first(&mut self, mem: &MemAccess, pieces: &Pieces, (done, each): (Label, Label)) {
        let Some(indexed) = mem.indexed else { return };
        self.add_addend(indexed.addend, R::EAX, R::R13);
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, site(mem, offset_of!(Site, rows))));
        self.asm.jump(C::Jae_rel32_64, each);
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, site(mem, offset_of!(Site, origin))));
        let mut scale = mem.total as u32;
        if scale > 8 {
            self.asm.put(I::with2(C::Shl_rm64_imm8, R::RAX, mem.total.trailing_zeros()));
            scale = 1;
        }
        let (index, half_stride) = (Some([R::RAX; 2]), 16 * mem.total as usize);
        let places = HalfAddresses { base: [HOST; 2], index, scale, displacement: 0, half_stride };
        self.contiguous_pieces(pieces, &places, mem);
        let row = MemoryOperand::with_base_index_scale(HOST, R::RAX, scale);
        self.prefetch_row(row, mem.total as u32, indexed.addend, mem.stores);
        self.asm.jump(C::Jmp_rel32_64, done);
    }

    /// Emits a load at arbitrary indices. Execution falls through if the index of an active lane is
    /// out of bounds.
    pub(super) fn gather(&mut self, mem: &MemAccess, pieces: &Pieces, done: Label) {
        let (Some(_), Some(known)) = (mem.indexed, mem.affine) else { return };
        if mem.stores || mem.total > 8 {
            return;
        }
        let slow = self.asm.label();
        let low = mem.masks[0].k();
        let limit = spread_of(site(mem, offset_of!(Site, indices)));
        let indices = self.index_checks(mem, known, Operand::Memory(limit), slow);
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, site(mem, offset_of!(Site, origin))));
        self.partial_by_index(mem, pieces, indices, done);
        let scale = mem.total as u32;
        match pieces {
            Pieces::Dwords(dwords) => {
                self.each_part_active(dwords[0], |e, part, to| {
                    let index = indices[part];
                    let memory = MemoryOperand::with_base_index_scale(HOST, index.z(), scale);
                    e.shift_mask(SCRATCH_MASK, low, 16 * part as u8);
                    e.lanes_of_dwords(to, memory, false);
                });
            }
            Pieces::Qwords(qwords) => {
                for (part, &piece) in qwords[0].iter().enumerate() {
                    let mut index = indices[part / 2];
                    if part % 2 == 1 {
                        self.upper_half(SCRATCH, index);
                        index = SCRATCH;
                    }
                    let memory = MemoryOperand::with_base_index_scale(HOST, index.y(), scale);
                    self.shift_mask(SCRATCH_MASK, low, 8 * part as u8);
                    self.zero(piece);
                    let gather = C::EVEX_Vpgatherdq_zmm_k1_vm32y;
                    self.asm.put_masked(SCRATCH_MASK, I::with2(gather, piece.z(), memory));
                }
            }
        }
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(slow);
    }
}
