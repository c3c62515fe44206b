//! Accesses by scattered lanes. The offsets of executing lanes are checked as vectors, and stored
//! to a scratch register from which the lanes' addresses are formed.

use super::access::{Base, LaneBase, MemAccess};
use super::{DATA_ROW, EXECUTING, OFFSET_ROW, REST, moved};
use crate::emit::Emitter;
use crate::emit::affine::{Addend, Affine};
use crate::emit::asm::{Label, at};
use crate::emit::backend::{Backend, site};
use crate::emit::register_cache::Reg;
use crate::emit::vector::{Opcode, Operand, V, low_128, part_of_row};
use crate::frame::Frame;
use crate::machine::{Mode, Site};
use crate::operand::Predicate;
use crate::region::Space;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// The memory operand of lane `rbp + lane` in a scratch register with `size` bytes per lane.
fn of_lane(row: usize, size: usize, lane: usize) -> MemoryOperand {
    let first = (Frame::scratch(row) + size * lane) as i64;
    MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RBP, size as u32, first, 1)
}

/// Whether offsets are computed with 64 bits.
fn is_wide(mem: &MemAccess) -> bool {
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

    /// Exits if one of the lanes in `ebx` is out of bounds.
    pub(in crate::emit) fn check_lanes(&mut self, mem: &MemAccess) {
        if !Self::has_offsets(mem) {
            return self.each_lane(|e| e.checked_offset(mem));
        }
        let none = self.asm.label();
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), C::Je_rel32_64, none);
        self.offsets(mem, mem.out);
        self.asm.bind(none);
    }

    /// Loads the host address of lane `ebp`, whose offset has been checked, into `rax`.
    pub(in crate::emit) fn address_of_lane(&mut self, mem: &MemAccess) {
        if !Self::has_offsets(mem) {
            self.known_offset(mem);
            return self.address_from_offset(mem);
        }
        self.load_offset(is_wide(mem), 0);
        let origin = self.origin(mem);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, origin));
    }

    /// Stores the offsets of the lanes in `ebx`, which is not empty, to a scratch register, if they
    /// are in bounds; otherwise jumps to `not`. Other lanes get offset 0, which is in bounds.
    fn offsets(&mut self, mem: &MemAccess, not: Label) {
        let [any, t, last, add, bits, lanes] = mem.own;
        let Some(bases) = Self::lane_base(mem) else { return };
        let (wide, of_64) = (is_wide(mem), bases.wide);
        self.ready_to_compare(mem, wide, not);
        self.zero(any);
        if of_64 {
            self.zero(bits);
        }
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, EXECUTING), R::EBX));
        let low_bits = mem.total as u64 - 1;
        for part in 0..Self::parts_of_width(wide) {
            let base = self.base_part(bases, if wide && !of_64 { part / 2 } else { part });
            let code = if wide { V::Add64 } else { V::Add32 };
            let bits = if let Base::Affine(value) = mem.base {
                self.extend_index(value, base, part % 2, t);
                self.three(code, t, t, add);
                None
            } else {
                self.three(code, t, add, base);
                of_64.then_some((bits, base))
            };
            self.collect(mem, (wide, part), bits, [t, lanes]);
            if wide {
                B::or_above_wide(self, any, t, last);
            } else {
                let mask = self.number(!(low_bits as u32));
                self.three(V::MinU32, B::SPARE, t, last);
                self.three(V::And32, B::SPARE, B::SPARE, mask);
                B::or_difference(self, (any, B::SPARE), B::SPARE, t.into());
            }
            if mem.access.space == Space::Local {
                self.interleave(t, part);
            }
            self.store(part_of_row::<B>(OFFSET_ROW, part), t);
        }
        B::jump_if_any(self, any, not);
        if of_64 && low_bits != 0 {
            let mask = self.wide_number(low_bits);
            self.three(V::And64, bits, bits, mask);
            B::jump_if_any(self, bits, not);
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

    /// Sets the offsets of lanes that do not execute the step to 0, and collects the low address
    /// bits of the others, which tell the alignment.
    fn collect(
        &mut self,
        mem: &MemAccess,
        of: (bool, u8),
        collected: Option<(Reg, Operand)>,
        [t, lanes]: [Reg; 2],
    ) {
        let some = self.mode == Mode::Some && mem.guard == Predicate::Always;
        let (fewer, done) = (self.asm.label(), self.asm.label());
        if !some {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBX, -1), C::Jne_rel32_64, fewer);
            if let Some((bits, base)) = collected {
                self.three(V::Or64, bits, bits, base);
            }
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(fewer);
        }
        if let Some((bits, base)) = collected {
            self.set(true, B::SPARE, base);
            B::keep_lanes(self, mem.guard, of, &[t, B::SPARE], lanes);
            self.three(V::Or64, bits, bits, B::SPARE);
        } else {
            B::keep_lanes(self, mem.guard, of, &[t], lanes);
        }
        self.asm.bind(done);
    }

    /// Extends half a part of indices to 64 bits, and scales them.
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
            Operand::Register(reg) if half == 0 => self.widen(code, to, reg),
            Operand::Register(reg) => {
                self.upper_half(to, reg);
                self.widen(code, to, to);
            }
        }
        self.two_with(V::Left64, to, to, u32::from(value.shift));
    }

    /// Prepares the vector that is added to a base, and the last offset that the sum is compared
    /// with.
    fn ready_to_compare(&mut self, mem: &MemAccess, wide: bool, not: Label) {
        let [_, _, last, add, ..] = mem.own;
        let limit = self.limit(mem);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, limit));
        self.asm.jump_if(I::with2(C::Sub_rm64_imm8, R::RAX, 1), C::Jb_rel32_64, not);
        if wide && !B::IS_512 {
            // Flipping the sign bits makes a signed comparison compare unsigned numbers.
            self.asm.put(I::with2(C::Btc_rm64_imm8, R::RAX, 63));
        }
        self.spread_general(wide, last);
        if let Base::Affine(value) = mem.base {
            self.scalar(value.add, true);
            if mem.total > 1 {
                // The uniform base must be aligned; the scaled indices are multiples of the
                // alignment.
                self.asm.put(I::with2(C::Test_rm8_imm8, R::AL, mem.total as u32 - 1));
                self.asm.jump(C::Jne_rel32_64, not);
            }
            let more = site(mem.access.site, offset_of!(Site, add));
            self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, more));
            self.spread_general(true, add);
        } else if mem.access.space == Space::Global {
            self.two(V::Spread64, add, site(mem.access.site, offset_of!(Site, add)));
        } else if wide {
            let offset = self.wide_number(mem.access.offset);
            self.set(true, add, offset);
        } else {
            let offset = self.number(mem.access.offset as u32);
            self.set(false, add, offset);
        }
    }

    /// Broadcasts `eax`, or `rax` if `wide`.
    pub(super) fn spread_general(&mut self, wide: bool, to: Reg) {
        let (code, from) = if wide { (V::FromGeneral, R::RAX) } else { (V::FromGeneral32, R::EAX) };
        self.asm.put(I::with2(code.code::<B>(), low_128(to), from));
        self.spread(wide, to, to.into());
    }

    /// Copies the data at the offsets to the frame. Elements are first combined in a register,
    /// because a vector load cannot be forwarded from several smaller stores.
    pub(super) fn fetch_by_offsets(&mut self, mem: &MemAccess) {
        let (wide, total) = (is_wide(mem), mem.total);
        let [x, y, ..] = mem.own;
        let origin = self.origin(mem);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
        if B::IS_512 && (total == 4 || total == 8) {
            return self.each_vector(mem, [x, y, mem.own[2]], |e, (index, data), memory, lane| {
                B::gather(e, (data, total), (index, wide), (1, lane));
                match wide && total == 4 {
                    true => e.asm.put(I::with2(V::StoreHalf.code::<B>(), memory, B::half(data))),
                    false => e.store(memory, data),
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
                    let to = low_128(if i < half { x } else { y });
                    self.insert_lane(wide, (total, first + i), to, i % half);
                }
                let data = (Frame::scratch(DATA_ROW) + total * first) as i64;
                let data = MemoryOperand::with_base_index_scale_displ_size(
                    R::RDI,
                    R::RBP,
                    total as u32,
                    data,
                    1,
                );
                match total {
                    1 => self.asm.put(I::with2(V::Store64.code::<B>(), data, low_128(x))),
                    2 => self.asm.put(I::with2(V::Store128.code::<B>(), data, low_128(x))),
                    _ => {
                        self.insert_half(x, y);
                        self.store(data, x);
                    }
                }
            }
            self.asm.put(I::with2(C::Add_rm32_imm8, R::EBP, 8));
        }
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, 32), C::Jb_rel32_64, again);
    }

    /// Gathers elements at the offsets to the registers of each part.
    pub(super) fn gather_by_offsets(&mut self, mem: &MemAccess, to: &[Vec<Reg>]) {
        let (wide, [index, high, half, ..]) = (is_wide(mem), mem.own);
        let origin = self.origin(mem);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
        self.each_vector(mem, [index, high, half], |e, (index, high), _, lane| {
            let d = &to[usize::from(lane) / B::LANES];
            let is_high = usize::from(lane) % B::LANES != 0;
            let to = match (mem.total, is_high) {
                (8, _) => d[usize::from(is_high)],
                (_, true) => high,
                (_, false) => d[0],
            };
            B::gather(e, (to, mem.total), (index, wide), (1, lane));
            if mem.total == 4 && is_high {
                e.insert_half(d[0], high);
            }
        });
    }

    /// Stores the elements of each part at the offsets of the lanes of the mask [`REST`].
    pub(super) fn scatter_values(&mut self, mem: &MemAccess, values: &[Vec<Reg>]) {
        let (wide, [index, high, half, ..]) = (is_wide(mem), mem.own);
        let origin = self.origin(mem);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
        self.each_vector(mem, [index, high, half], |e, (index, high), _, lane| {
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
            B::scatter(e, (from, mem.total), (index, wide), (REST, lane));
        });
    }

    /// Emits code for each vector of offsets and of data in the frame.
    fn each_vector(
        &mut self,
        mem: &MemAccess,
        [index, data, half]: [Reg; 3],
        mut code: impl FnMut(&mut Self, (Reg, Reg), MemoryOperand, u8),
    ) {
        let wide = is_wide(mem);
        let lanes = if wide || mem.total == 8 { B::LANES / 2 } else { B::LANES };
        for (part, lane) in (0..).zip((0..32).step_by(lanes)) {
            let mut from = index;
            if wide == (lanes == B::LANES / 2) {
                self.two(V::Load, index, part_of_row::<B>(OFFSET_ROW, part));
            } else if part % 2 == 0 {
                self.two(V::Load, index, part_of_row::<B>(OFFSET_ROW, part / 2));
            } else {
                self.upper_half(half, index);
                from = half;
            }
            let memory = at(R::RDI, Frame::scratch(DATA_ROW) + lane * mem.total);
            code(self, (from, data), memory, lane as u8);
        }
    }

    /// Copies the data of the lanes of the mask [`REST`] from the frame to their addresses.
    pub(super) fn scatter(&mut self, mem: &MemAccess) {
        let rest = at(R::RDI, REST);
        if B::IS_512 && Self::has_offsets(mem) && (mem.total == 4 || mem.total == 8) {
            let (wide, origin, none) = (is_wide(mem), self.origin(mem), self.asm.label());
            let own = std::array::from_fn(|_| self.temporary());
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, rest, 0), C::Je_rel32_64, none);
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
            self.each_vector(mem, own, |e, (index, data), memory, lane| {
                e.two(V::Load, data, memory);
                B::scatter(e, (data, mem.total), (index, wide), (REST, lane));
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
        self.asm.put(I::with2(V::Load128.code::<B>(), low_128(x), from));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, R::EBP));
        self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, 4));
        let row = Frame::scratch(DATA_ROW) as i64;
        let to = MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RAX, 1, row, 1);
        self.asm.put(I::with2(V::Store128.code::<B>(), to, low_128(x)));
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
