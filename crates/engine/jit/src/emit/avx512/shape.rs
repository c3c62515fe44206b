//! Accesses of all lanes by vectors, where the lanes of each half of the warp are contiguous or
//! have one address.

use super::Avx512Emitter;
use super::memory::{ACTIVE, HOST, MemAccess, host, limit, site};
use super::pieces::Pieces;
use crate::emit::affine::Addend;
use crate::emit::asm::{Label, at};
use crate::emit::base_groups::Member;
use crate::emit::vector::Operand;
use crate::frame::Frame;
use crate::machine::{GroupBounds, Site};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// The registers of the addresses of the halves' first lanes.
const FIRSTS: [R; 2] = [R::RAX, R::R12];

/// The shape of the addresses in each half of the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The lanes are contiguous.
    Contiguous = 1,
    /// The lanes have one address.
    Uniform = 2,
}

/// The memory operands of the halves' first lanes.
#[derive(Clone, Copy)]
pub(super) struct HalfAddresses {
    pub(super) base: [R; 2],
    pub(super) index: Option<[R; 2]>,
    pub(super) scale: u32,
    pub(super) displacement: usize,
    /// The distance of the second half from the first, if both are relative to one base.
    pub(super) half_stride: usize,
}

impl HalfAddresses {
    /// The memory operands of an access in a base group; [`FIRSTS`] has the addresses at the lowest
    /// offset.
    fn of(member: Member) -> Self {
        Self {
            base: FIRSTS,
            index: None,
            scale: 1,
            displacement: member.delta as usize,
            half_stride: 0,
        }
    }

    /// The memory operand at a displacement from the first lane of a half.
    pub(super) fn at(&self, half: usize, displacement: usize) -> MemoryOperand {
        let displacement = (self.displacement + half * self.half_stride + displacement) as i64;
        let base = self.base[half];
        match self.index {
            Some(index) => MemoryOperand::with_base_index_scale_displ_size(
                base,
                index[half],
                self.scale,
                displacement,
                1,
            ),
            None => MemoryOperand::with_base_displ_size(base, displacement, 1),
        }
    }
}

impl Avx512Emitter<'_> {
    /// Emits an access of all lanes by their shape. Execution falls through if the lanes are
    /// scattered; `each` is the label of the code that accesses lanes separately.
    pub(super) fn shapes(
        &mut self,
        mem: &MemAccess,
        pieces: &Pieces,
        member: Option<Member>,
        (done, each): (Label, Label),
    ) {
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, ACTIVE, -1), C::Jne_rel32_64, each);
        let (other, none) = (self.asm.label(), self.asm.label());
        let is_row = self.is_shared_row();
        for (shape, to) in [(Shape::Contiguous, other), (Shape::Uniform, none)] {
            // If all lanes store to one address, the last lane's value remains.
            let stays = shape == Shape::Uniform && mem.stores;
            if stays && member.is_none() || is_row && shape == Shape::Uniform {
                continue;
            }
            if !is_row {
                self.differs(mem, shape, to);
            }
            if shape == Shape::Contiguous {
                self.new_row(mem, pieces, (done, each));
            }
            let mut places = self.firsts(mem, member, shape, each);
            if let Some(member) = member {
                places = self.cache_addresses(member, shape, places);
            }
            match shape {
                _ if stays => self.asm.jump(C::Jmp_rel32_64, each),
                Shape::Contiguous => {
                    self.contiguous_pieces(pieces, &places, mem);
                    let loads = mem.wide && member.is_none() && !mem.stores;
                    if loads && self.is_in_loop() {
                        let row = places.at(0, 0);
                        self.prefetch_row(row, mem.total as u32, Addend::NONE, false);
                    }
                }
                Shape::Uniform => self.uniform_pieces(pieces, &places, mem.total),
            }
            if !stays {
                self.asm.jump(C::Jmp_rel32_64, done);
            }
            if shape == Shape::Contiguous {
                self.asm.bind(other);
            }
        }
        self.asm.bind(none);
        self.cache_scattered(mem);
    }

    /// Emits an access after the first one (the leader) of its base group: accesses whose addresses
    /// differ by constants. The code uses the shape that the leader has cached, and falls through
    /// if there is none.
    pub(super) fn follow(&mut self, mem: &MemAccess, pieces: &Pieces, member: Member, done: Label) {
        let shape = at(R::RDI, Frame::shape(member.slot));
        for of in [Shape::Contiguous, Shape::Uniform] {
            if of == Shape::Uniform && mem.stores {
                continue;
            }
            let other = self.asm.label();
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, shape, of as i32), C::Jne_rel32_64, other);
            for (half, first) in FIRSTS.into_iter().enumerate() {
                let address = at(R::RDI, Frame::part_address(member.slot, half));
                self.asm.put(I::with2(C::Mov_r64_rm64, first, address));
            }
            let places = HalfAddresses::of(member);
            match of {
                Shape::Contiguous => self.contiguous_pieces(pieces, &places, mem),
                Shape::Uniform => self.uniform_pieces(pieces, &places, mem.total),
            }
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(other);
        }
    }

    /// Emits a store of the address shape of a base group to the group's frame slot, from which
    /// later accesses of the group read it.
    pub(super) fn set_shape(&mut self, member: Member, shape: i32) {
        let to = at(R::RDI, Frame::shape(member.slot));
        self.asm.put(I::with2(C::Mov_rm32_imm32, to, shape));
    }

    /// Emits stores of the address shape and the addresses of the first access of a base group (its
    /// leader) to the group's frame slot. Returns the memory operands of that access.
    fn cache_addresses(
        &mut self,
        member: Member,
        shape: Shape,
        places: HalfAddresses,
    ) -> HalfAddresses {
        for (half, first) in FIRSTS.into_iter().enumerate() {
            self.asm.put(I::with2(C::Lea_r64_m, first, places.at(half, 0)));
            let to = at(R::RDI, Frame::part_address(member.slot, half));
            self.asm.put(I::with2(C::Mov_rm64_r64, to, first));
        }
        self.set_shape(member, shape as i32);
        HalfAddresses::of(member)
    }

    /// Jumps to `to` if the lanes of a half do not have the shape.
    fn differs(&mut self, mem: &MemAccess, shape: Shape, to: Label) {
        let (regs, wide, step) = match &mem.affine {
            Some((value, index)) => (index.to_vec(), false, mem.total >> value.shift),
            None => (mem.bases.clone(), mem.wide, mem.total),
        };
        let parts: Vec<Operand> = regs.into_iter().map(Operand::Register).collect();
        let apart = if shape == Shape::Contiguous { step } else { 0 };
        let group = (wide, parts.len() / 2);
        self.unless_apart(&parts, group, apart, [mem.scratch, mem.offsets[0]], to);
    }

    /// Computes the addresses of the halves' first lanes, at the access's offset or at the lowest
    /// offset of its base group. Jumps to `to` if an address is out of bounds or misaligned.
    fn firsts(
        &mut self,
        mem: &MemAccess,
        member: Option<Member>,
        shape: Shape,
        to: Label,
    ) -> HalfAddresses {
        let mut scale = mem.total.min(8) as u32;
        if mem.wide {
            let around = offset_of!(Site, group);
            let [add, rows, elements] = if member.is_some() {
                let around = |field| around + field;
                [
                    around(offset_of!(GroupBounds, add)),
                    around(offset_of!(GroupBounds, halves)),
                    around(offset_of!(GroupBounds, elements)),
                ]
            } else {
                [offset_of!(Site, add), offset_of!(Site, halves), offset_of!(Site, elements)]
            };
            let below = if shape == Shape::Contiguous { rows } else { elements };
            self.affine_firsts(mem, add, shape == Shape::Contiguous, to);
            for (half, first) in FIRSTS.into_iter().enumerate() {
                if mem.affine.is_none() {
                    let base = mem.bases[2 * half];
                    self.asm.put(I::with2(C::EVEX_Vmovq_rm64_xmm, first, base.x()));
                    self.asm.put(I::with2(C::Add_r64_rm64, first, site(mem, add)));
                }
                if mem.total > 1 {
                    // The rotation makes a misaligned offset a large number, which fails the bounds
                    // check.
                    let bits = mem.total.trailing_zeros();
                    self.asm.put(I::with3(C::VEX_Rorx_r64_rm64_imm8, first, first, bits));
                }
                self.asm.put(I::with2(C::Cmp_r64_rm64, first, site(mem, below)));
                self.asm.jump(C::Jae_rel32_64, to);
            }
            if mem.total > 8 {
                let bits = mem.total.trailing_zeros();
                for first in FIRSTS {
                    self.asm.put(I::with2(C::Shl_rm64_imm8, first, bits));
                }
                scale = 1;
            }
        } else {
            scale = 1;
            self.firsts_of_shared(mem, member, shape, to);
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, host(mem)));
        HalfAddresses {
            base: [HOST; 2],
            index: Some(FIRSTS),
            scale,
            displacement: 0,
            half_stride: 0,
        }
    }

    /// [`Self::firsts`] for 32-bit offsets in shared memory.
    fn firsts_of_shared(
        &mut self,
        mem: &MemAccess,
        member: Option<Member>,
        shape: Shape,
        to: Label,
    ) {
        let (offset, span) = match member {
            Some(member) => (member.lowest, member.span),
            None => (mem.access.offset, 0),
        };
        let last_offset = span + if shape == Shape::Contiguous { 15 * mem.total } else { 0 };
        let halves = [(R::EAX, R::RAX), (R::R12D, R::R12)];
        for (half, (low, first)) in halves.into_iter().enumerate() {
            self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, low, mem.bases[half].x()));
            if offset as u32 != 0 {
                self.asm.put(I::with2(C::Add_rm32_imm32, low, offset as i32));
            }
            let last = MemoryOperand::with_base_displ(first, last_offset as i64);
            self.asm.put(I::with2(C::Lea_r64_m, R::R13, last));
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::R13, limit(mem, mem.total)));
            self.asm.jump(C::Jae_rel32_64, to);
        }
        if mem.total > 1 {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::EAX));
            self.asm.put(I::with2(C::Or_r32_rm32, R::R13D, R::R12D));
            self.asm.put(I::with2(C::Test_rm8_imm8, R::R13L, mem.total as i32 - 1));
            self.asm.jump(C::Jne_rel32_64, to);
        }
    }

    /// Emits an access with a uniform address.
    pub(super) fn one(&mut self, mem: &MemAccess, pieces: &Pieces) {
        let offset = mem.access.offset;
        let below = if mem.wide {
            self.asm.put(I::with2(C::EVEX_Vmovq_rm64_xmm, R::RAX, mem.bases[0].x()));
            if mem.total > 1 {
                let mut tested = R::AL;
                if !offset.is_multiple_of(mem.total) {
                    self.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, R::EAX));
                    self.asm.put(I::with2(C::Add_rm32_imm32, R::R12D, offset as i32));
                    tested = R::R12L;
                }
                self.asm.put(I::with2(C::Test_rm8_imm8, tested, mem.total as i32 - 1));
                self.asm.jump(C::Jne_rel32_64, mem.out);
            }
            self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, site(mem, offset_of!(Site, add))));
            site(mem, offset_of!(Site, limit))
        } else {
            self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, R::EAX, mem.bases[0].x()));
            if offset != 0 {
                self.asm.put(I::with2(C::Add_rm32_imm32, R::EAX, offset as i32));
            }
            if mem.total > 1 {
                self.asm.put(I::with2(C::Test_rm8_imm8, R::AL, mem.total as i32 - 1));
                self.asm.jump(C::Jne_rel32_64, mem.out);
            }
            limit(mem, mem.total)
        };
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::RAX, below), C::Jae_rel32_64, mem.out);
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, host(mem)));
        let index = Some([R::RAX; 2]);
        let places =
            HalfAddresses { base: [HOST; 2], index, scale: 1, displacement: 0, half_stride: 0 };
        self.uniform_pieces(pieces, &places, mem.total);
    }
}
