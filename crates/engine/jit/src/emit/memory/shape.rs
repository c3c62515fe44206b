//! Shapes of addresses: whether the lanes of each lane group are contiguous or have one address.
//! The code tests for one of the two shapes; lanes with neither shape are scattered.

use super::access::{Base, LaneBase, MemAccess, low_32, sized};
use super::{DATA_ROW, moved};
use crate::emit::Emitter;
use crate::emit::affine::Affine;
use crate::emit::asm::{J, Label, at, with_index};
use crate::emit::backend::Backend;
use crate::emit::base_groups::Member;
use crate::emit::register_cache::Key;
use crate::emit::vector::{Opcode, Operand, V};
use crate::frame::Frame;
use crate::machine::Mode;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// Shapes, as cached in slots and returned in `ebp`: the lanes of each lane group are contiguous;
/// the lanes of each lane group have one address; all lanes have one address (or, where code tests
/// for the first two, the lanes of each group). 0 if the shape is not known.
pub(super) const CONTIGUOUS: u32 = 1;
pub(super) const UNIFORM: u32 = 2;
pub(super) const ONE: u32 = 3;

/// The registers that hold the addresses of the lane groups, if there are only two groups
/// (AVX-512).
const POINTERS: [R; 2] = [R::R13, R::R14];

/// Where the addresses of the lane groups are stored: in the slot of the base group, or in the
/// frame; and the distance of the data from these addresses. With AVX-512, `r13` and `r14` have the
/// addresses, and only those of base groups are stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    group: Option<usize>,
    pub(super) data_offset: usize,
}

/// The address of a lane group's data: a register, a register times a scale, and a displacement.
#[derive(Clone, Copy, Debug)]
pub(in crate::emit) struct Row {
    pub(super) base: R,
    pub(super) index: Option<(R, u32)>,
    pub(super) displacement: usize,
}

impl Row {
    /// The data at the address in `r13`.
    pub(super) const R13: Self = Self { base: R::R13, index: None, displacement: 0 };

    /// The memory operand at a displacement from the data of the lane group's first lane.
    pub(in crate::emit) fn at(self, displacement: usize) -> MemoryOperand {
        let (index, scale) = self.index.unwrap_or((R::None, 1));
        with_index(at(self.base, self.displacement + displacement), index, scale)
    }
}

impl Slot {
    pub(super) fn of(member: Option<Member>) -> Self {
        let data_offset = member.map_or(0, |member| member.delta as usize);
        Self { group: member.map(|member| member.slot), data_offset }
    }

    /// Clears the cached shape of the base group.
    pub(super) fn forget<B: Backend>(self, e: &mut Emitter<'_, B>) {
        if let Some(slot) = self.group {
            e.asm.put(I::with2(C::Mov_rm64_imm32, shape(slot), 0));
        }
    }

    /// The memory operand of the address of a lane group.
    pub(super) fn pointer(self, part: u8) -> MemoryOperand {
        let part = usize::from(part);
        at(
            R::RDI,
            self.group.map_or(Frame::PARTS + 8 * part, |slot| Frame::part_address(slot, part)),
        )
    }

    /// The register in which [`Self::keep`] expects the address of a lane group.
    pub(super) fn register<B: Backend>(part: u8) -> R {
        if B::IS_512 { POINTERS[usize::from(part)] } else { R::RAX }
    }

    /// Keeps the address of a lane group that is in [`Self::register`].
    fn keep<B: Backend>(self, e: &mut Emitter<'_, B>, part: u8) {
        if !B::IS_512 || self.group.is_some() {
            e.asm.put(I::with2(C::Mov_rm64_r64, self.pointer(part), Self::register::<B>(part)));
        }
    }

    /// Keeps the addresses of lane groups that follow each other at a distance. The address of the
    /// first group is in `rax`.
    pub(super) fn keep_row<B: Backend>(self, e: &mut Emitter<'_, B>, distance: Distance) {
        for part in 0..Emitter::<'_, B>::PARTS {
            if part != 0 {
                e.asm.put(match distance {
                    Distance::Bytes(bytes) => I::with2(C::Add_rm64_imm32, R::RAX, bytes as i32),
                    Distance::Register(by) => I::with2(C::Add_r64_rm64, R::RAX, by),
                });
            }
            if B::IS_512 {
                let to = Self::register::<B>(part);
                e.asm.put(I::with2(C::Mov_r64_rm64, to, R::RAX));
            }
            self.keep(e, part);
        }
    }

    /// With AVX-512, loads the addresses that the first access of the base group has kept.
    pub(super) fn load<B: Backend>(self, e: &mut Emitter<'_, B>) {
        for part in 0..if B::IS_512 { Emitter::<'_, B>::PARTS } else { 0 } {
            let to = Self::register::<B>(part);
            e.asm.put(I::with2(C::Mov_r64_rm64, to, self.pointer(part)));
        }
    }

    /// The address of the data of a lane group. With AVX2, loads it into `r13`.
    pub(super) fn row<B: Backend>(self, e: &mut Emitter<'_, B>, part: u8) -> Row {
        let base = if B::IS_512 { Self::register::<B>(part) } else { R::R13 };
        if !B::IS_512 {
            e.asm.put(I::with2(C::Mov_r64_rm64, base, self.pointer(part)));
        }
        Row { base, index: None, displacement: self.data_offset }
    }
}

/// The distance between the addresses of two lane groups.
#[derive(Clone, Copy, Debug)]
pub(super) enum Distance {
    Bytes(usize),
    Register(R),
}

/// The memory operand of the cached shape of a base group.
pub(super) fn shape(slot: usize) -> MemoryOperand {
    at(R::RDI, Frame::shape(slot))
}

impl<B: Backend> Emitter<'_, B> {
    /// If the current access is the first of its base group, clears the shape that is cached from
    /// an earlier run of the block.
    pub(super) fn begin_group(&mut self, mem: &MemAccess) {
        if mem.member.is_some_and(|member| member.leads) {
            Slot::of(mem.member).forget(self);
        }
    }

    /// Finds the shape of the addresses and checks their bounds: the slot gets the addresses of the
    /// lane groups, `ebp` the shape. Jumps to `not` if the lanes are scattered or out of bounds.
    /// Uses all general registers of the step but `rbx`.
    pub(super) fn reach(&mut self, mem: &MemAccess, same: bool, not: Label) {
        if let Some(member) = mem.member.filter(|member| !member.leads) {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EBP, shape(member.slot)));
            if same {
                self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBP, R::EBP), J::E, not);
            } else {
                self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, CONTIGUOUS), J::NE, not);
            }
            return Slot::of(mem.member).load(self);
        }
        // Later accesses of the base group use the shape that the first access finds, so that it
        // tests both shapes, unless the lanes are known to be contiguous.
        let same = same || mem.member.is_some() && !self.is_shared_row();
        if self.mode == Mode::Some {
            self.reach_some(mem, same, not);
        } else {
            self.reach_all(mem, same, not);
        }
        if let Some(member) = mem.member {
            self.asm.put(I::with2(C::Mov_rm32_r32, shape(member.slot), R::EBP));
        }
    }

    /// [`Self::reach`] where all lanes are active; each lane group is tested separately.
    fn reach_all(&mut self, mem: &MemAccess, same: bool, not: Label) {
        let Some(bases) = Self::lane_base(mem) else {
            return self.asm.goto(not);
        };
        let (other, found) = (self.asm.label(), self.asm.label());
        let (parts, [any, t, ..]) = (self.base_parts(bases), mem.own);
        let (halves, own) = ((bases.wide, if bases.wide { 2 } else { 1 }), [any, t]);
        let span = mem.member.map_or(0, |member| member.span as usize);
        let is_row = self.is_shared_row();
        if !is_row {
            self.first_distance(bases);
            self.asm.put(I::with2(C::Cmp_rm64_imm32, R::RAX, mem.unit as i32));
            self.asm.jump(J::NE, if same { other } else { not });
            self.unless_apart(&parts, halves, mem.unit as u64, own, not);
        }
        let lanes = if is_row { 32 } else { B::LANES };
        self.shape_of(mem, CONTIGUOUS, (lanes - 1) * mem.total + span, not);
        if same && !is_row {
            self.asm.goto(found);
            self.asm.bind(other);
            self.asm.jump_if(I::with2(C::Test_rm64_r64, R::RAX, R::RAX), J::NE, not);
            self.unless_apart(&parts, halves, 0, own, not);
            self.shape_of(mem, UNIFORM, span, not);
            self.asm.bind(found);
        }
        self.point(mem, is_row, not);
    }

    /// Loads a shape into `ebp`, and into `r12` the exclusive limit of an offset that `bytes` bytes
    /// follow.
    pub(super) fn shape_of(&mut self, mem: &MemAccess, shape: u32, bytes: usize, not: Label) {
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, shape));
        self.limit_before(mem, bytes, not);
    }

    /// Loads the exclusive limit of an offset that `bytes` bytes follow into `r12`.
    pub(super) fn limit_before(&mut self, mem: &MemAccess, bytes: usize, not: Label) {
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, self.limit(mem)));
        if bytes != 0 {
            self.asm.jump_if(I::with2(C::Sub_rm64_imm32, R::R12, bytes as i32), J::BE, not);
        }
    }

    /// Keeps the host address of each lane group's first lane, at the lowest offset of the access's
    /// base group. If the shape is known, the lane groups follow the first. Jumps to `not` if an
    /// address is misaligned or out of bounds.
    fn point(&mut self, mem: &MemAccess, is_row: bool, not: Label) {
        let (Some(bases), slot) = (Self::lane_base(mem), Slot::of(mem.member)) else { return };
        let (wide, halves) = (bases.wide, if bases.wide { 2 } else { 1 });
        if let Base::Affine(value) = mem.base {
            self.scalar(value.add, true);
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, R::RAX));
        }
        for part in 0..if is_row { 1 } else { Self::PARTS } {
            let to = if is_row { R::RAX } else { Slot::register::<B>(part) };
            let first = self.base_part(bases, halves * part);
            self.first_element(wide, sized(to, wide), first);
            if let Base::Affine(value) = mem.base {
                let by = if to == R::RAX { R::R14 } else { R::RAX };
                self.add_addend(value.addend, low_32(to), by);
                self.unless_wrapping(mem, value, B::LANES - 1, low_32(to), not);
                self.add_index(value, R::RBX, to, to);
            }
            self.address_of_first(mem, to, not);
            if is_row {
                return slot.keep_row(self, Distance::Bytes(B::LANES * mem.total));
            }
            slot.keep(self, part);
        }
    }

    /// Jumps to `not` if the index that is `lanes` lanes after the one in a register may wrap
    /// around.
    pub(super) fn unless_wrapping(
        &mut self,
        mem: &MemAccess,
        value: Affine,
        lanes: usize,
        index: R,
        not: Label,
    ) {
        let last = (lanes * mem.unit) as u32;
        let (most, above) =
            if value.signed { (i32::MAX as u32 - last, J::G) } else { (u32::MAX - last, J::A) };
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm32, index, most as i32), above, not);
    }

    /// Turns a base into the host address at the lowest offset of the access's base group. Jumps to
    /// `not` if the address is misaligned, or its offset is not below the limit in `r12`.
    pub(super) fn address_of_first(&mut self, mem: &MemAccess, to: R, not: Label) {
        self.offset_from_base(mem, to, Some(not));
        let least = mem.member.map_or(mem.access.offset, |member| member.lowest);
        let before = least.wrapping_sub(mem.access.offset) as i32;
        if before != 0 {
            self.asm.put(I::with2(C::Add_rm64_imm32, to, before));
        }
        let origin = self.origin(mem);
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, to, R::R12), J::AE, not);
        self.asm.put(I::with2(C::Add_r64_rm64, to, origin));
    }

    /// Loads the difference between the bases of the first two lanes into `rax`, which decides
    /// which shape is tested.
    fn first_distance(&mut self, bases: LaneBase) {
        let wide = bases.wide;
        let (load, sub, extract) = if wide {
            (C::Mov_r64_rm64, C::Sub_r64_rm64, V::Extract64)
        } else {
            (C::Mov_r32_rm32, C::Sub_r32_rm32, V::Extract32)
        };
        let [rax, rbp] = [R::RAX, R::RBP].map(|long| sized(long, wide));
        match self.base_part(bases, 0) {
            Operand::Memory(row) => {
                self.asm.put(I::with2(load, rax, moved(row, if wide { 8 } else { 4 })));
                self.asm.put(I::with2(sub, rax, row));
            }
            first @ Operand::Register(reg) => {
                self.asm.put(I::with3(extract.code::<B>(), rax, reg.xmm(), 1_u32));
                self.first_element(wide, rbp, first);
                self.asm.put(I::with2(sub, rax, rbp));
            }
        }
    }

    /// Makes the slot point to the data that was copied to scratch registers in the frame.
    pub(super) fn point_to_data(&mut self, mem: &MemAccess, slot: Slot) {
        // With AVX-512 the addresses are only in registers, so that the cached addresses of the
        // base group remain.
        let slot = if B::IS_512 { Slot { group: None, ..slot } } else { slot };
        let data = Frame::scratch(DATA_ROW) as i64 - slot.data_offset as i64;
        self.asm.put(I::with2(C::Lea_r64_m, R::RAX, MemoryOperand::with_base_displ(R::RDI, data)));
        slot.keep_row(self, Distance::Bytes(B::LANES * mem.total));
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, CONTIGUOUS));
    }

    /// The operands of all lane groups of a base.
    pub(super) fn base_parts(&self, bases: LaneBase) -> Vec<Operand> {
        (0..Self::parts_of_width(bases.wide)).map(|part| self.base_part(bases, part)).collect()
    }

    /// The operand of a lane group of a base: a register if it is cached, else memory.
    pub(super) fn base_part(&self, LaneBase { row, vreg, .. }: LaneBase, part: u8) -> Operand {
        let key = vreg.and_then(|vreg| Key::all::<B>(vreg).nth(part.into()));
        let held = key.and_then(|key| self.cache.position(key));
        held.map_or_else(
            || Operand::Memory(moved(row, usize::from(part) * Self::BYTES)),
            Operand::Register,
        )
    }
}
