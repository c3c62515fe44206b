//! Accesses by scattered lanes. The offsets of executing lanes are checked as vectors, and stored
//! to a scratch register from which the lanes' addresses are formed.

use super::address::{Base, DATA_ROW, MemAccess, OFFSET_ROW, moved, site};
use super::{Avx2Emitter, LANES_SIZE, MOVE, PARTS, SCRATCH, Vector};
use crate::emit::affine::{Addend, Affine};
use crate::emit::asm::{Label, at};
use crate::emit::register_cache::Reg;
use crate::emit::vector::Operand;
use crate::frame::Frame;
use crate::machine::{Mode, Site};
use crate::operand::Predicate;
use crate::region::Space;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

const ADD: C = C::VEX_Vpaddq_ymm_ymm_ymmm256;
const AND: C = C::VEX_Vpand_ymm_ymm_ymmm256;
/// The frame's field for the mask of executing lanes.
pub(super) const EXECUTING: usize = Frame::SAVED + 24;

/// The memory operand of lane `rbp + lane` in a scratch register with `size` bytes per lane.
pub(super) fn of_lane(row: usize, size: usize, lane: usize) -> MemoryOperand {
    let first = (Frame::scratch(row) + size * lane) as i64;
    MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RBP, size as u32, first, 1)
}

/// Whether offsets are computed with 64 bits.
fn is_wide(mem: &MemAccess) -> bool {
    matches!(mem.base, Base::B64(..) | Base::Affine(_))
}

/// The instruction that loads an offset, its destination, and its size.
fn offset_of(wide: bool) -> (C, R, usize) {
    if wide { (C::Mov_r64_rm64, R::RAX, 8) } else { (C::Mov_r32_rm32, R::EAX, 4) }
}

impl Avx2Emitter<'_> {
    /// Whether offsets are checked as vectors; otherwise each lane is checked separately.
    pub(super) fn has_offsets(mem: &MemAccess) -> bool {
        let aligned = mem.access.offset.is_multiple_of(mem.total as u64);
        mem.total <= 16
            && match mem.base {
                Base::B32(..) => mem.access.space == Space::Shared,
                Base::B64(..) => mem.access.space != Space::Local && aligned,
                // Indices by another scale do not tell the alignment of the addresses.
                Base::Affine(_) => aligned && mem.unit == 1,
                Base::None | Base::One(..) => false,
            }
    }

    /// Exits if one of the lanes in `ebx` is out of bounds.
    pub(super) fn check_lanes(&mut self, mem: &MemAccess) {
        if !Self::has_offsets(mem) {
            return self.each_lane(|e| e.checked_offset(mem));
        }
        let none = self.asm.label();
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EBX, R::EBX), C::Je_rel32_64, none);
        self.offsets(mem, 0, mem.out);
        self.asm.bind(none);
    }

    /// Loads the offset of lane `ebp`, which has been checked, into `rax`.
    pub(super) fn offset_of_lane(&mut self, mem: &MemAccess) {
        if !Self::has_offsets(mem) {
            return self.known_offset(mem);
        }
        let (code, to, size) = offset_of(is_wide(mem));
        self.asm.put(I::with2(code, to, of_lane(OFFSET_ROW, size, 0)));
    }

    /// Stores the offsets of the lanes in `ebx`, which is not empty, to a scratch register, if they
    /// plus `span` are in bounds; otherwise jumps to `not`. Other lanes get offset 0, which is in
    /// bounds.
    pub(super) fn offsets(&mut self, mem: &MemAccess, span: u32, not: Label) {
        let [all, t, limit, add, bits, lanes] = mem.own;
        let Some((row, number, of_64)) = Self::bases(mem) else { return };
        let wide = is_wide(mem);
        self.ready_to_compare(mem, wide, (span, not));
        if wide {
            self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, bits, bits, bits);
        }
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, EXECUTING), R::EBX));
        let one_less = mem.total as u64 - 1;
        for part in 0..if wide { 2 * PARTS } else { PARTS } {
            let index = if wide && !of_64 { part / 2 } else { part };
            let base = self.base_part((row, number, of_64), index);
            let offset = at(R::RDI, Frame::scratch(OFFSET_ROW) + usize::from(part) * LANES_SIZE);
            let to = if part == 0 { all } else { SCRATCH };
            let code = if wide { ADD } else { C::VEX_Vpaddd_ymm_ymm_ymmm256 };
            let bits = if let Base::Affine(value) = mem.base {
                self.extend_index(value, base, part % 2, t);
                self.three(code, t, t, add);
                None
            } else {
                self.three(code, t, add, base);
                wide.then_some((bits, base))
            };
            self.collect(mem, (wide, part), bits, [t, lanes]);
            if wide {
                let sign = self.wide_number(1 << 63);
                self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, SCRATCH, t, sign);
                self.three(C::VEX_Vpcmpgtq_ymm_ymm_ymmm256, to, limit, SCRATCH);
            } else {
                let mask = self.number(!(one_less as u32));
                self.three(C::VEX_Vpminud_ymm_ymm_ymmm256, SCRATCH, t, limit);
                self.three(AND, SCRATCH, SCRATCH, mask);
                self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, to, t, SCRATCH);
            }
            self.store(offset, t);
            if part != 0 {
                self.three(AND, all, all, SCRATCH);
            }
        }
        self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, all.ymm()));
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm32, R::EAX, 0xff), C::Jne_rel32_64, not);
        if of_64 && one_less != 0 {
            let mask = self.wide_number(one_less);
            self.two(C::VEX_Vptest_ymm_ymmm256, bits, mask);
            self.asm.jump(C::Jne_rel32_64, not);
        }
    }

    /// Sets the offsets of lanes that do not execute the step to 0, and collects the low address
    /// bits of the others, which tell the alignment.
    fn collect(
        &mut self,
        mem: &MemAccess,
        (wide, part): (bool, u8),
        collected: Option<(Reg, Operand)>,
        [t, lanes]: [Reg; 2],
    ) {
        const OR: C = C::VEX_Vpor_ymm_ymm_ymmm256;
        let of = if wide { (part / 2, Some(part % 2)) } else { (part, None) };
        let some = self.mode == Mode::Some && mem.guard == Predicate::Always;
        let (fewer, done) = (self.asm.label(), self.asm.label());
        if !some {
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBX, -1), C::Jne_rel32_64, fewer);
            if let Some((bits, base)) = collected {
                self.three(OR, bits, bits, base);
            }
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(fewer);
        }
        if let Some((bits, base)) = collected {
            self.two(MOVE, SCRATCH, base);
            self.zero_not_executing(mem.guard, of, &[t, SCRATCH], lanes);
            self.three(OR, bits, bits, SCRATCH);
        } else {
            self.zero_not_executing(mem.guard, of, &[t], lanes);
        }
        self.asm.bind(done);
    }

    /// Extends half a part of indices to 64 bits, and scales them.
    pub(super) fn extend_index(&mut self, value: Affine, index: Operand, half: u8, to: Reg) {
        let code =
            if value.signed { C::VEX_Vpmovsxdq_ymm_xmmm128 } else { C::VEX_Vpmovzxdq_ymm_xmmm128 };
        let mut index = index;
        if value.addend != Addend::NONE {
            self.sum_of_index(value, to, index);
            index = to.into();
        }
        let extended = match index {
            Operand::Memory(row) => I::with2(code, to.ymm(), moved(row, 16 * usize::from(half))),
            Operand::Register(reg) if half == 0 => I::with2(code, to.ymm(), reg.xmm()),
            Operand::Register(reg) => {
                self.upper_half(to, reg);
                I::with2(code, to.ymm(), to.xmm())
            }
        };
        self.asm.put(extended);
        self.two_with(C::VEX_Vpsllq_ymm_ymm_imm8, to, to, u32::from(value.shift));
    }

    /// Prepares the vector that is added to a base, and the limit that the sum is compared with.
    fn ready_to_compare(&mut self, mem: &MemAccess, wide: bool, (span, not): (u32, Label)) {
        let [_, _, limit, add, ..] = mem.own;
        let most = self.limit(mem);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, most));
        if span != 0 {
            self.asm.put(I::with2(C::Sub_rm64_imm32, R::RAX, span as i32));
            self.asm.jump(C::Jbe_rel32_64, not);
        }
        if wide {
            // Flipping the sign bits makes a signed comparison compare unsigned numbers.
            self.asm.put(I::with2(C::Btc_rm64_imm8, R::RAX, 63));
            self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, limit.xmm(), R::RAX));
            let broadcast = C::VEX_Vpbroadcastq_ymm_xmmm64;
            self.asm.put(I::with2(broadcast, limit.ymm(), limit.xmm()));
            if let Base::Affine(value) = mem.base {
                self.scalar(value.add, true);
                if mem.total > 1 {
                    // The uniform base must be aligned; the scaled indices are multiples of the
                    // alignment.
                    self.asm.put(I::with2(C::Test_rm8_imm8, R::AL, mem.total as u32 - 1));
                    self.asm.jump(C::Jne_rel32_64, not);
                }
                let more = site(&mem.access, offset_of!(Site, add));
                self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, more));
                self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, add.xmm(), R::RAX));
                self.asm.put(I::with2(broadcast, add.ymm(), add.xmm()));
            } else if mem.access.space == Space::Global {
                let from = Operand::Memory(site(&mem.access, offset_of!(Site, add)));
                self.two(broadcast, add, from);
            } else {
                let offset = self.wide_number(mem.access.offset);
                self.two(MOVE, add, offset);
            }
        } else {
            // Computes the last valid offset from the exclusive limit.
            self.asm.put(I::with2(C::Sub_rm64_imm8, R::RAX, 1));
            self.asm.jump(C::Jb_rel32_64, not);
            self.asm.put(I::with2(C::VEX_Vmovd_xmm_rm32, limit.xmm(), R::EAX));
            let broadcast = C::VEX_Vpbroadcastd_ymm_xmmm32;
            self.asm.put(I::with2(broadcast, limit.ymm(), limit.xmm()));
            let offset = self.number(mem.access.offset as u32);
            self.two(MOVE, add, offset);
        }
    }

    /// Copies the data at the offsets to the frame, 8 lanes at a time. Elements are first combined
    /// in a register, because a vector load cannot be forwarded from several smaller stores.
    pub(super) fn fetch_by_offsets(&mut self, mem: &MemAccess) {
        let (wide, total) = (is_wide(mem), mem.total);
        let (x, y) = (mem.own[0], mem.own[1].xmm());
        let origin = self.origin(mem);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
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
                    let to = if i < half { x.xmm() } else { y };
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
                let store = match total {
                    1 => I::with2(C::VEX_Vmovq_xmmm64_xmm, data, x.xmm()),
                    2 => I::with2(C::VEX_Vmovdqu_xmmm128_xmm, data, x.xmm()),
                    _ => {
                        let insert = C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
                        self.asm.put(I::with4(insert, x.ymm(), x.ymm(), y, 1_u32));
                        I::with2(C::VEX_Vmovdqu_ymmm256_ymm, data, x.ymm())
                    }
                };
                self.asm.put(store);
            }
            self.asm.put(I::with2(C::Add_rm32_imm8, R::EBP, 8));
        }
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, 32), C::Jb_rel32_64, again);
    }

    /// Copies 16 bytes of lane `ebp` to the frame.
    fn copy_quad(&mut self, wide: bool, x: Reg) {
        self.load_offset(wide, 0);
        let from = MemoryOperand::with_base_index(R::R12, R::RAX);
        self.asm.put(I::with2(C::VEX_Vmovdqu_xmm_xmmm128, x.xmm(), from));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, R::EBP));
        self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, 4));
        let row = Frame::scratch(DATA_ROW) as i64;
        let to = MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RAX, 1, row, 1);
        self.asm.put(I::with2(C::VEX_Vmovdqu_xmmm128_xmm, to, x.xmm()));
    }

    /// Loads the offset of lane `rbp + lane` into `rax`.
    fn load_offset(&mut self, wide: bool, lane: usize) {
        let (code, to, size) = offset_of(wide);
        self.asm.put(I::with2(code, to, of_lane(OFFSET_ROW, size, lane)));
    }

    /// Inserts a lane's element into a register.
    fn insert_lane(&mut self, wide: bool, (total, lane): (usize, usize), to: R, position: usize) {
        self.load_offset(wide, lane);
        let from = MemoryOperand::with_base_index(R::R12, R::RAX);
        let position = position as u32;
        self.asm.put(match (total, position) {
            (4, 0) => I::with2(C::VEX_Vmovd_xmm_rm32, to, from),
            (8, 0) => I::with2(C::VEX_Vmovq_xmm_xmmm64, to, from),
            (4, _) => I::with4(C::VEX_Vpinsrd_xmm_xmm_rm32_imm8, to, to, from, position),
            (8, _) => I::with3(C::VEX_Vmovhps_xmm_xmm_m64, to, to, from),
            (2, _) => I::with4(C::VEX_Vpinsrw_xmm_xmm_r32m16_imm8, to, to, from, position),
            _ => I::with4(C::VEX_Vpinsrb_xmm_xmm_r32m8_imm8, to, to, from, position),
        });
    }
}
