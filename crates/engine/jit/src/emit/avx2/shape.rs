//! Shapes of addresses: whether the lanes of each part of 8 lanes are contiguous or have one
//! address. The code tests for one of the two shapes; lanes with neither shape are scattered.

use super::address::{MemAccess, moved};
use super::{Avx2, Avx2Emitter, LANES_SIZE, PARTS, Vector};
use crate::emit::asm::{Label, at};
use crate::emit::backend::Primitives;
use crate::emit::base_groups::Member;
use crate::emit::register_cache::Key;
use crate::emit::vector::{Operand, V};
use crate::frame::Frame;
use crate::machine::Mode;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// Shapes, as cached in slots and returned in `ebp`: the lanes of each part are contiguous, or the
/// lanes of each part have one address; 0 if the shape is not known.
pub(super) const CONTIGUOUS: u32 = 1;
pub(super) const UNIFORM: u32 = 2;

pub(super) const ADD: C = C::VEX_Vpaddq_ymm_ymm_ymmm256;
pub(super) const XOR: C = C::VEX_Vpxor_ymm_ymm_ymmm256;
pub(super) const SPREAD: C = C::VEX_Vpbroadcastq_ymm_xmmm64;

/// The memory operand, the register and the width of a base; see [`Avx2Emitter::base_part`].
pub(super) type Bases = (MemoryOperand, Option<u32>, bool);

/// Where the addresses of the parts are stored: in the slot of the base group, or in the frame; and
/// the distance of the data from these addresses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    group: Option<usize>,
    pub(super) data_offset: usize,
}

impl Slot {
    pub(super) fn of(member: Option<Member>) -> Self {
        let data_offset = member.map_or(0, |member| member.delta as usize);
        Self { group: member.map(|member| member.slot), data_offset }
    }

    /// Clears the cached shape of the base group.
    pub(super) fn forget(self, e: &mut Avx2Emitter<'_>) {
        if let Some(slot) = self.group {
            e.asm.put(I::with2(C::Mov_rm64_imm32, shape(slot), 0));
        }
    }

    /// The memory operand of the address of a part.
    pub(super) fn pointer(self, part: u8) -> MemoryOperand {
        let part = usize::from(part);
        at(
            R::RDI,
            self.group.map_or(Frame::PARTS + 8 * part, |slot| Frame::part_address(slot, part)),
        )
    }
}

/// The memory operand of the cached shape of a base group.
fn shape(slot: usize) -> MemoryOperand {
    at(R::RDI, Frame::shape(slot))
}

impl Avx2Emitter<'_> {
    /// Finds the shape of the addresses and checks their bounds: the slot gets the addresses of the
    /// parts, `ebp` the shape. Jumps to `not` if the lanes are scattered or out of bounds.
    pub(super) fn reach(
        &mut self,
        mem: &MemAccess,
        member: Option<Member>,
        same: bool,
        not: Label,
    ) {
        if let Some(member) = member.filter(|member| !member.leads) {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EBP, shape(member.slot)));
            if same {
                self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBP, R::EBP), C::Je_rel32_64, not);
            } else {
                self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EBP, CONTIGUOUS));
                self.asm.jump(C::Jne_rel32_64, not);
            }
            return;
        }
        Slot::of(member).forget(self);
        // Later accesses of the group use the shape that the first one finds, so that both shapes
        // are tested.
        let same = same || member.is_some();
        if self.mode == Mode::Some {
            self.reach_some(mem, member, same, not);
        } else {
            self.reach_all(mem, member, same, not);
        }
        if let Some(member) = member {
            self.asm.put(I::with2(C::Mov_rm32_r32, shape(member.slot), R::EBP));
        }
    }

    /// [`Self::reach`] where all lanes are active; each part is tested separately.
    fn reach_all(&mut self, mem: &MemAccess, member: Option<Member>, same: bool, not: Label) {
        let Some(bases) = Self::bases(mem) else {
            return self.asm.jump(C::Jmp_rel32_64, not);
        };
        let (other, found) = (self.asm.label(), self.asm.label());
        let span = member.map_or(0, |member| member.span as usize);
        let ready = |e: &mut Self, kind: u32, bytes: usize| {
            e.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, kind));
            e.asm.put(I::with2(C::Mov_r32_imm32, R::R12D, (bytes + span) as u32));
        };
        let is_row = self.is_shared_row();
        if !is_row {
            self.first_distance(mem);
            self.asm.put(I::with2(C::Cmp_rm64_imm32, R::RAX, mem.unit as i32));
            self.asm.jump(C::Jne_rel32_64, if same { other } else { not });
            self.unless_like(mem, bases, mem.unit as u64, not);
        }
        ready(self, CONTIGUOUS, 7 * mem.total);
        if same && !is_row {
            self.asm.jump(C::Jmp_rel32_64, found);
            self.asm.bind(other);
            self.asm.jump_if(I::with2(C::Test_rm64_r64, R::RAX, R::RAX), C::Jne_rel32_64, not);
            self.unless_like(mem, bases, 0, not);
            ready(self, UNIFORM, 0);
            self.asm.bind(found);
        }
        let least = member.map_or(mem.access.offset, |member| member.lowest);
        self.point(mem, least, Slot::of(member), not);
    }

    /// Loads the difference between the bases of the first two lanes into `rax`, which decides
    /// which shape is tested.
    fn first_distance(&mut self, mem: &MemAccess) {
        let Some((row, number, wide)) = Self::bases(mem) else { return };
        match (self.base_part((row, number, wide), 0), wide) {
            (Operand::Memory(row), true) => {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, moved(row, 8)));
                self.asm.put(I::with2(C::Sub_r64_rm64, R::RAX, row));
            }
            (Operand::Memory(row), false) => {
                self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, moved(row, 4)));
                self.asm.put(I::with2(C::Sub_r32_rm32, R::EAX, row));
            }
            (Operand::Register(reg), true) => {
                let extract = C::VEX_Vpextrq_rm64_xmm_imm8;
                self.asm.put(I::with3(extract, R::RAX, reg.xmm(), 1_u32));
                self.asm.put(I::with2(C::VEX_Vmovq_rm64_xmm, R::RBP, reg.xmm()));
                self.asm.put(I::with2(C::Sub_r64_rm64, R::RAX, R::RBP));
            }
            (Operand::Register(reg), false) => {
                let extract = C::VEX_Vpextrd_rm32_xmm_imm8;
                self.asm.put(I::with3(extract, R::EAX, reg.xmm(), 1_u32));
                self.asm.put(I::with2(C::VEX_Vmovd_rm32_xmm, R::EBP, reg.xmm()));
                self.asm.put(I::with2(C::Sub_r32_rm32, R::EAX, R::EBP));
            }
        }
    }

    /// [`Self::reach`] for the uniform base in `rax`.
    pub(super) fn reach_one(&mut self, mem: &MemAccess, not: Label) {
        let [to, ..] = mem.own;
        self.offset_from_base(mem, Some(not));
        let (limit, origin) = (self.limit(mem), self.origin(mem));
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::RAX, limit), C::Jae_rel32_64, not);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, origin));
        self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, to.xmm(), R::RAX));
        self.asm.put(I::with2(SPREAD, to.ymm(), to.xmm()));
        self.store(Slot::default().pointer(0), to);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, UNIFORM));
    }

    /// Makes the slot point to the data in the frame.
    pub(super) fn point_to_data(&mut self, mem: &MemAccess, slot: Slot) {
        for part in 0..PARTS {
            let bytes = usize::from(part) * 8 * mem.total;
            let data =
                (Frame::scratch(super::address::DATA_ROW) + bytes) as i64 - slot.data_offset as i64;
            let data = MemoryOperand::with_base_displ(R::RDI, data);
            self.asm.put(I::with2(C::Lea_r64_m, R::RAX, data));
            self.asm.put(I::with2(C::Mov_rm64_r64, slot.pointer(part), R::RAX));
        }
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, CONTIGUOUS));
    }

    /// Jumps to `not` unless the bases increase by `distance` from lane to lane within each part.
    fn unless_like(&mut self, mem: &MemAccess, bases: Bases, distance: u64, not: Label) {
        let (wide, [any, t, ..]) = (bases.2, mem.own);
        let parts = self.base_parts(bases);
        self.unless_apart(&parts, (wide, if wide { 2 } else { 1 }), distance, [any, t], not);
    }

    /// All parts of a base.
    pub(super) fn base_parts(&self, bases: Bases) -> Vec<Operand> {
        let parts = if bases.2 { 2 * PARTS } else { PARTS };
        (0..parts).map(|part| self.base_part(bases, part)).collect()
    }

    /// Jumps to `not` unless the bases of executing lanes increase by `distance` from lane to lane,
    /// starting with the base in `r13`.
    pub(super) fn if_like(&mut self, mem: &MemAccess, bases: Bases, distance: u64, not: Label) {
        let [any, t, u, lanes, ..] = mem.own;
        let wide = bases.2;
        let (code, from) =
            if wide { (C::VEX_Vmovq_xmm_rm64, R::R13) } else { (C::VEX_Vmovd_xmm_rm32, R::R13D) };
        self.asm.put(I::with2(code, t.xmm(), from));
        self.spread(wide, t, t.into());
        for (part, base) in (0..).zip(self.base_parts(bases)) {
            let to = if part == 0 { any } else { u };
            let mut from = t;
            if distance != 0 {
                let elements = self.multiples(wide, part, distance);
                self.three(if wide { V::Add64 } else { V::Add32 }, to, t, elements);
                from = to;
            }
            self.three(V::Xor32, to, from, base);
            let of = if wide { (part / 2, Some(part % 2)) } else { (part, None) };
            self.zero_not_executing(mem.guard, of, &[to], lanes);
            if part != 0 {
                self.three(V::Or32, any, any, u);
            }
        }
        Avx2::jump_if_any(self, any, not);
    }

    /// A part of a base, in a register if it is cached.
    pub(super) fn base_part(&self, (row, number, wide): Bases, part: u8) -> Operand {
        let key = number.map(|i| if wide { Key::B64(i, part) } else { Key::B32(i, part) });
        let held = key.and_then(|key| self.cache.position(key));
        held.map_or_else(
            || Operand::Memory(moved(row, usize::from(part) * LANES_SIZE)),
            Operand::Register,
        )
    }
}
