//! Accesses by scattered lanes. The offsets of executing lanes are checked as vectors, and stored
//! to a scratch register from which the lanes' addresses are formed.

use super::access::{Base, LaneBase, MemAccess};
use super::{DATA_ROW, OFFSET_ROW, REST, moved};
use crate::emit::Emitter;
use crate::emit::affine::{Addend, Affine};
use crate::emit::asm::{J, at, with_index};
use crate::emit::backend::{Backend, OffsetCheck, site};
use crate::emit::register_cache::Reg;
use crate::emit::vector::{Opcode, Operand, V, part_of_row};
use crate::frame::Frame;
use crate::ir::Space;
use crate::machine::Site;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// The memory operand of lane `rbp + lane` in a scratch register with `size` bytes per lane.
fn of_lane(row: usize, size: usize, lane: usize) -> MemoryOperand {
    with_index(at(R::RDI, Frame::scratch(row) + size * lane), R::RBP, size as u32)
}

/// Whether offsets are computed with 64 bits.
pub(super) fn is_wide(mem: &MemAccess) -> bool {
    matches!(mem.base, Base::Lanes(LaneBase { wide: true, .. }) | Base::Affine(_))
}

impl<B: Backend> Emitter<'_, B> {
    /// Whether offsets are checked as vectors; otherwise each lane is checked separately.
    pub(super) fn has_offsets(mem: &MemAccess) -> bool {
        let aligned = mem.access.offset.is_multiple_of(mem.total as u64);
        mem.total <= 16
            && match mem.base {
                Base::Lanes(LaneBase { wide: true, .. }) => {
                    mem.access.space != Space::Local && aligned
                }
                Base::Lanes(_) => mem.access.space == Space::Shared || mem.total <= 4,
                // Indices by another scale do not tell the alignment of the addresses.
                Base::Affine(_) => aligned && mem.unit == 1,
                Base::None | Base::One(..) => false,
            }
    }

    /// Exits if one of the lanes in `ebx` is out of bounds; otherwise [`Self::address_of_lane`]
    /// gives their addresses.
    pub(in crate::emit) fn check_lanes(&mut self, mem: &MemAccess) {
        if !Self::has_offsets(mem) {
            return self.each_lane(|e| e.checked_offset(mem));
        }
        let none = self.asm.label();
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), J::E, none);
        self.offsets(mem);
        self.store_offsets(mem);
        self.asm.bind(none);
    }

    /// Loads the host address of lane `ebp`, whose offset has been checked, into `rax`.
    pub(in crate::emit) fn address_of_lane(&mut self, mem: &MemAccess) {
        if !Self::has_offsets(mem) {
            self.base_of_lane(mem);
            self.offset_from_base(mem, R::RAX, None);
            return self.address_from_offset(mem);
        }
        self.load_offset(is_wide(mem), 0);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, self.origin(mem)));
    }

    /// Computes the offsets of the lanes in `ebx`: with AVX-512 in registers, with AVX2 in a
    /// scratch register, where other lanes get offset 0. Exits if a lane is out of bounds. With
    /// AVX2, at least one lane must execute the access.
    pub(super) fn offsets(&mut self, mem: &MemAccess) {
        let Some(bases) = Self::lane_base(mem) else { return };
        let (wide, is_affine) = (is_wide(mem), matches!(mem.base, Base::Affine(_)));
        // The uniform base of an affine address is checked separately.
        let low_bits = if is_affine { 0 } else { mem.total as u64 - 1 };
        let check = OffsetCheck { limit: self.limit(mem), wide, low_bits };
        B::begin_check(self, mem, &check, mem.out);
        let add = self.added(mem, wide);
        let code = if wide { V::Add64 } else { V::Add32 };
        for part in 0..Self::parts_of_width(wide) {
            let base = self.base_part(bases, if is_affine { part / 2 } else { part });
            let offset = self.offset_register(mem, part);
            match (mem.base, base, add) {
                (Base::Affine(value), ..) => {
                    self.extend_index(value, base, part % 2, offset);
                    if let Some(add) = add {
                        self.three(code, offset, offset, add);
                    }
                }
                (_, Operand::Register(base), None) if base == offset => {}
                (_, _, None) => self.set(wide, offset, base),
                (_, Operand::Register(base), Some(add)) => self.three(code, offset, base, add),
                (_, _, Some(Operand::Register(add))) => self.three(code, offset, add, base),
                (_, _, Some(add)) => {
                    self.set(wide, offset, base);
                    self.three(code, offset, offset, add);
                }
            }
            B::check_part(self, mem, &check, part, (base, offset));
            if mem.access.space == Space::Local {
                self.interleave(offset, part);
            }
            if !B::IS_512 {
                self.store(part_of_row::<B>(OFFSET_ROW, part), offset);
            }
        }
        B::end_check(self, mem, &check, mem.out);
    }

    /// The register for the offsets of a lane group.
    pub(super) fn offset_register(&self, mem: &MemAccess, part: u8) -> Reg {
        if !B::IS_512 {
            return mem.own[1];
        }
        let is_base = matches!(mem.base, Base::Lanes(LaneBase { wide: false, .. }))
            && mem.access.offset as u32 == 0
            && mem.access.space != Space::Local;
        match Self::lane_base(mem).filter(|_| is_base).map(|base| self.base_part(base, part)) {
            Some(Operand::Register(base)) => base,
            _ => mem.own[2 + usize::from(part)],
        }
    }

    /// Stores the offsets of executing lanes, and 0 for inactive lanes, to a scratch register. With
    /// AVX2, the scratch register has them already.
    fn store_offsets(&mut self, mem: &MemAccess) {
        let wide = is_wide(mem);
        for part in 0..if B::IS_512 { Self::parts_of_width(wide) } else { 0 } {
            let offset = self.offset_register(mem, part);
            self.two(V::Move, B::SPARE, offset);
            B::keep_lanes(self, mem, (wide, part), &[B::SPARE]);
            self.store(part_of_row::<B>(OFFSET_ROW, part), B::SPARE);
        }
    }

    /// Turns offsets in the local memory of each lane into offsets in the memory of the warp, where
    /// 4 bytes of each of the 32 lanes follow each other.
    fn interleave(&mut self, offset: Reg, part: u8) {
        let (low, lanes) = (self.number(3), self.multiples(false, part, 4));
        self.three(V::And32, B::SPARE, offset, low);
        self.three(V::Xor32, offset, offset, B::SPARE);
        self.two_with(V::Left32, offset, offset, 5);
        self.three(V::Or32, offset, offset, B::SPARE);
        self.three(V::Add32, offset, offset, lanes);
    }

    /// Extends half a lane group of indices to 64 bits, and scales them.
    fn extend_index(&mut self, value: Affine, mut index: Operand, half: u8, to: Reg) {
        if value.addend != Addend::NONE {
            self.sum_of_index(value, to, index);
            index = to.into();
        }
        let code = if value.signed { V::ExtendS } else { V::ExtendU };
        match index {
            Operand::Memory(row) => {
                self.two(code, to, moved(row, usize::from(half) * Self::BYTES / 2));
            }
            Operand::Register(reg) => self.widen_half(code, to, reg, half),
        }
        self.two_with(V::Left64, to, to, u32::from(value.shift));
    }

    /// What is added to a base, if it is not 0: a register, or a memory operand of AVX-512.
    fn added(&mut self, mem: &MemAccess, wide: bool) -> Option<Operand> {
        let to = mem.own[if B::IS_512 { 1 } else { 3 }];
        let more = site(mem.access.site, offset_of!(Site, add));
        let number = if let Base::Affine(value) = mem.base {
            self.scalar(value.add, true);
            if mem.total > 1 {
                // The uniform base must be aligned; the scaled indices are multiples of the
                // alignment.
                self.asm.put(I::with2(C::Test_rm8_imm8, R::AL, mem.total as u32 - 1));
                self.asm.jump(J::NE, mem.out);
            }
            self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, more));
            B::spread_general(self, true, to);
            return Some(to.into());
        } else if mem.access.space == Space::Global {
            Operand::Memory(MemoryOperand { is_broadcast: true, ..more })
        } else if mem.access.offset as u32 == 0 && (!wide || mem.access.offset == 0) && B::IS_512 {
            return None;
        } else if wide {
            self.wide_number(mem.access.offset)
        } else {
            self.number(mem.access.offset as u32)
        };
        if B::IS_512 {
            return Some(number);
        }
        self.set(wide, to, number);
        Some(to.into())
    }

    /// Copies the data at the offsets to the frame. Elements are first combined in a register,
    /// because a vector load cannot be forwarded from several smaller stores.
    pub(super) fn fetch_by_offsets(&mut self, mem: &MemAccess) {
        let (wide, total) = (is_wide(mem), mem.total);
        let [x, y, ..] = mem.own;
        if !Self::is_gathered(mem) {
            self.store_offsets(mem);
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, self.origin(mem)));
        if Self::is_gathered(mem) {
            return self.each_vector(mem, (None, y), |e, index, memory, lane| {
                B::gather(e, mem, (x, total), (index, wide), (1, lane));
                match wide && total == 4 {
                    true => e.asm.put(I::with2(V::StoreHalf.code::<B>(), memory, B::half(x))),
                    false => e.store(memory, x),
                }
            });
        }
        self.asm.put(I::with2(C::Xor_r32_rm32, R::EBP, R::EBP));
        let again = self.asm.label();
        self.asm.bind(again);
        if total == 16 {
            self.copy_quad(wide, x);
            self.asm.put(I::with1(C::Inc_rm32, R::EBP));
        } else {
            let lanes = if total == 8 { 4 } else { 8 };
            for first in (0..8).step_by(lanes) {
                for i in 0..lanes {
                    let half = if total >= 4 { lanes / 2 } else { lanes };
                    let to = if i < half { x } else { y }.xmm();
                    self.insert_lane(wide, (total, first + i), to, i % half);
                }
                let data = of_lane(DATA_ROW, total, first);
                match total {
                    1 => self.asm.put(I::with2(V::Store64.code::<B>(), data, x.xmm())),
                    2 => self.asm.put(I::with2(V::Store128.code::<B>(), data, x.xmm())),
                    _ => {
                        self.insert_half(x, y);
                        self.store(data, x);
                    }
                }
            }
            self.asm.put(I::with2(C::Add_rm32_imm8, R::EBP, 8));
        }
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, 32), J::B, again);
    }

    /// Whether the elements are gathered and scattered by instructions.
    pub(super) fn is_gathered(mem: &MemAccess) -> bool {
        B::IS_512 && Self::has_offsets(mem) && matches!(mem.total, 4 | 8)
    }

    /// Gathers elements at the offsets to the registers of each lane group.
    pub(super) fn gather_by_offsets(&mut self, mem: &MemAccess, to: &[Vec<Reg>]) {
        let (wide, [high, half, ..]) = (is_wide(mem), mem.own);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, self.origin(mem)));
        self.each_vector(mem, (None, half), |e, index, _, lane| {
            let d = &to[usize::from(lane) / B::LANES];
            let is_high = usize::from(lane) % B::LANES != 0;
            let to = match (mem.total, is_high) {
                (8, _) => d[usize::from(is_high)],
                (_, true) => high,
                (_, false) => d[0],
            };
            B::gather(e, mem, (to, mem.total), (index, wide), (1, lane));
            if mem.total == 4 && is_high {
                e.insert_half(d[0], high);
            }
        });
    }

    /// Stores the elements of each lane group at the offsets of the lanes that execute the access.
    pub(super) fn scatter_values(&mut self, mem: &MemAccess, values: &[Vec<Reg>]) {
        let (wide, [high, half, ..]) = (is_wide(mem), mem.own);
        let (Some([lanes, _]), origin) = (mem.masks, self.origin(mem)) else { return };
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
        self.each_vector(mem, (None, half), |e, index, _, lane| {
            let d = &values[usize::from(lane) / B::LANES];
            let is_high = usize::from(lane) % B::LANES != 0;
            let from = match (mem.total, is_high) {
                (8, _) => d[usize::from(is_high)],
                (_, true) => {
                    e.upper_half(high, d[0]);
                    high
                }
                (_, false) => d[0],
            };
            B::scatter(e, (from, mem.total), (index, wide), (lanes, lane));
        });
    }

    /// Emits code for each vector of offsets, which are in the registers of the access, or in the
    /// frame if there is a register to load them to, and of data in the frame.
    fn each_vector(
        &mut self,
        mem: &MemAccess,
        (loaded, half): (Option<Reg>, Reg),
        mut code: impl FnMut(&mut Self, Reg, MemoryOperand, u8),
    ) {
        let wide = is_wide(mem);
        let lanes = if wide || mem.total == 8 { B::LANES / 2 } else { B::LANES };
        for (part, lane) in (0..).zip((0..32).step_by(lanes)) {
            let is_half = wide != (lanes == B::LANES / 2);
            let of = if is_half { part / 2 } else { part };
            let mut index = loaded.unwrap_or_else(|| self.offset_register(mem, of));
            if let Some(to) = loaded {
                self.two(V::Load, to, part_of_row::<B>(OFFSET_ROW, of));
            }
            if is_half && part % 2 == 1 {
                self.upper_half(half, index);
                index = half;
            }
            let memory = at(R::RDI, Frame::scratch(DATA_ROW) + lane * mem.total);
            code(self, index, memory, lane as u8);
        }
    }

    /// Copies the data of the lanes of the mask [`REST`] from the frame to their addresses.
    pub(super) fn scatter(&mut self, mem: &MemAccess) {
        let rest = at(R::RDI, REST);
        if Self::is_gathered(mem) {
            let (wide, origin, none) = (is_wide(mem), self.origin(mem), self.asm.label());
            let [index, data, half] = [(); 3].map(|()| self.temporary());
            let lanes = self.temporary_mask();
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, rest, 0), J::E, none);
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, rest));
            B::keep_executing(self, &MemAccess { masks: Some([lanes; 2]), ..*mem });
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
            self.each_vector(mem, (Some(index), half), |e, index, memory, lane| {
                e.two(V::Load, data, memory);
                B::scatter(e, (data, mem.total), (index, wide), (lanes, lane));
            });
            return self.asm.bind(none);
        }
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, rest));
        self.data_rows();
        self.each_lane(|e| {
            e.address_of_lane(mem);
            e.copy_data(mem, true);
        });
    }

    /// Copies 16 bytes of lane `ebp` to the frame.
    fn copy_quad(&mut self, wide: bool, x: Reg) {
        self.load_offset(wide, 0);
        let from = MemoryOperand::with_base_index(R::R12, R::RAX);
        self.asm.put(I::with2(V::Load128.code::<B>(), x.xmm(), from));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, R::EBP));
        self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, 4));
        let to = with_index(at(R::RDI, Frame::scratch(DATA_ROW)), R::RAX, 1);
        self.asm.put(I::with2(V::Store128.code::<B>(), to, x.xmm()));
    }

    /// Loads the offset of lane `rbp + lane` into `rax`.
    fn load_offset(&mut self, wide: bool, lane: usize) {
        let (code, to, size) =
            if wide { (C::Mov_r64_rm64, R::RAX, 8) } else { (C::Mov_r32_rm32, R::EAX, 4) };
        self.asm.put(I::with2(code, to, of_lane(OFFSET_ROW, size, lane)));
    }

    /// Inserts a lane's element into a register.
    fn insert_lane(&mut self, wide: bool, (total, lane): (usize, usize), to: R, position: usize) {
        self.load_offset(wide, lane);
        let from = MemoryOperand::with_base_index(R::R12, R::RAX);
        let position = position as u32;
        let insert = |code: V| I::with4(code.code::<B>(), to, to, from, position);
        self.asm.put(match (total, position) {
            (4, 0) => I::with2(C::VEX_Vmovd_xmm_rm32, to, from),
            (8, 0) => I::with2(C::VEX_Vmovq_xmm_xmmm64, to, from),
            (4, _) => I::with4(C::VEX_Vpinsrd_xmm_xmm_rm32_imm8, to, to, from, position),
            (8, _) => I::with3(C::VEX_Vmovhps_xmm_xmm_m64, to, to, from),
            (2, _) => insert(V::Insert16),
            _ => insert(V::Insert8),
        });
    }
}
