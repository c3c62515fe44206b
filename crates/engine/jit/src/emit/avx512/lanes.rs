//! Accesses of scattered lanes: gathers, scatters, and loops over lanes.

use super::memory::{ACTIVE, HOST, MemAccess, host};
use super::pieces::Pieces;
use super::{Avx512Emitter, SCRATCH, SCRATCH_MASK};
use crate::emit::asm::at;
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use crate::region::Space;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl Avx512Emitter<'_> {
    /// Emits an access of each active lane at its offset.
    pub(super) fn each(&mut self, mem: &MemAccess, pieces: &Pieces) {
        let host = host(mem);
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, host));
        let active = mem.masks[0].k();
        self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, active, ACTIVE));
        if mem.access.space == Space::Local {
            return self.each_local(mem, pieces);
        }
        if mem.total > 8 {
            return self.each_by_index(mem, pieces);
        }
        if mem.wide && mem.short.is_none() {
            // There are no registers for 32-bit offsets. `gather` has tested for contiguous lanes
            // by the index, and continues here only if an index is out of the bounds of its site.
            return self.each_by_index(mem, pieces);
        }
        let (other, done) = (self.asm.label(), self.asm.label());
        if !mem.stores {
            // If all lanes are active, the code has tested for contiguous lanes before.
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, ACTIVE, -1), C::Je_rel32_64, other);
        }
        self.partial_rows(mem, pieces, other);
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(other);
        if mem.stores && mem.total < 4 {
            self.each_small(mem, pieces);
        } else {
            self.each_by_index(mem, pieces);
        }
        self.asm.bind(done);
    }

    /// Emits an access of each active lane by gathers or scatters.
    fn each_by_index(&mut self, mem: &MemAccess, pieces: &Pieces) {
        let active = mem.masks[0].k();
        match pieces {
            Pieces::Dwords(dwords) if mem.wide => {
                for part in 0..4_u8 {
                    let (whole, offset) =
                        (dwords[0][usize::from(part / 2)], mem.offsets[usize::from(part)]);
                    let memory = MemoryOperand::with_base_index(HOST, offset.z());
                    self.shift_mask(SCRATCH_MASK, active, 8 * part);
                    if mem.stores {
                        let extract = C::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
                        self.asm.put(I::with3(
                            extract,
                            SCRATCH.y(),
                            whole.z(),
                            u32::from(part % 2),
                        ));
                        let scatter = C::EVEX_Vpscatterqd_vm64z_k1_ymm;
                        self.asm.put_masked(SCRATCH_MASK, I::with2(scatter, memory, SCRATCH.y()));
                        continue;
                    }
                    let to = if part % 2 == 0 { whole } else { SCRATCH };
                    self.zero(to);
                    let gather = C::EVEX_Vpgatherqd_ymm_k1_vm64z;
                    self.asm.put_masked(SCRATCH_MASK, I::with2(gather, to.y(), memory));
                    if part % 2 == 1 {
                        self.join_halves(whole, SCRATCH);
                    }
                }
            }
            Pieces::Dwords(dwords) => {
                for part in 0..2_u8 {
                    let offset = mem.offsets[usize::from(part)];
                    let memory = MemoryOperand::with_base_index(HOST, offset.z());
                    self.shift_mask(SCRATCH_MASK, active, 16 * part);
                    self.lanes_of_dwords(dwords[0][usize::from(part)], memory, mem.stores);
                }
            }
            Pieces::Qwords(qwords) => {
                for (j, parts) in qwords.iter().enumerate() {
                    for (part, &piece) in parts.iter().enumerate() {
                        self.qword_of_lanes(mem, piece, j, part);
                    }
                }
            }
        }
    }

    /// Emits code for each part, which is skipped if no lane of the part is active.
    pub(super) fn each_part_active(
        &mut self,
        to: [Reg; 2],
        mut code: impl FnMut(&mut Self, usize, Reg),
    ) {
        for (part, to) in to.into_iter().enumerate() {
            let nobody = self.asm.label();
            self.asm.put(I::with2(C::Test_rm32_imm32, ACTIVE, 0xffff_u32 << (16 * part)));
            self.asm.jump(C::Je_rel32_64, nobody);
            code(self, part, to);
            self.asm.bind(nobody);
        }
    }

    /// Emits a gather or scatter of a part of 32-bit pieces.
    pub(super) fn lanes_of_dwords(&mut self, piece: Reg, memory: MemoryOperand, stores: bool) {
        if stores {
            let scatter = C::EVEX_Vpscatterdd_vm32z_k1_zmm;
            self.asm.put_masked(SCRATCH_MASK, I::with2(scatter, memory, piece.z()));
        } else {
            self.zero(piece);
            let gather = C::EVEX_Vpgatherdd_zmm_k1_vm32z;
            self.asm.put_masked(SCRATCH_MASK, I::with2(gather, piece.z(), memory));
        }
    }

    fn qword_of_lanes(&mut self, mem: &MemAccess, piece: Reg, j: usize, part: usize) {
        self.shift_mask(SCRATCH_MASK, mem.masks[0].k(), 8 * part as u8);
        let displacement = 8 * j as i64;
        let memory = |index| {
            MemoryOperand::with_base_index_scale_displ_size(HOST, index, 1, displacement, 1)
        };
        let (index, scatter, gather) = if mem.wide {
            let index = mem.offsets[part].z();
            (index, C::EVEX_Vpscatterqq_vm64z_k1_zmm, C::EVEX_Vpgatherqq_zmm_k1_vm64z)
        } else {
            let mut index = mem.offsets[part / 2];
            if part % 2 == 1 {
                self.upper_half(SCRATCH, index);
                index = SCRATCH;
            }
            (index.y(), C::EVEX_Vpscatterdq_vm32y_k1_zmm, C::EVEX_Vpgatherdq_zmm_k1_vm32y)
        };
        if mem.stores {
            self.asm.put_masked(SCRATCH_MASK, I::with2(scatter, memory(index), piece.z()));
        } else {
            self.zero(piece);
            self.asm.put_masked(SCRATCH_MASK, I::with2(gather, piece.z(), memory(index)));
        }
    }

    /// Stores 1 or 2 bytes, lane by lane.
    fn each_small(&mut self, mem: &MemAccess, pieces: &Pieces) {
        let Pieces::Dwords(dwords) = pieces else { return };
        for (part, offset) in mem.offsets.iter().enumerate() {
            let to = at(R::RDI, Frame::scratch(0) + 64 * part);
            self.store(to, *offset);
        }
        for (part, piece) in dwords[0].iter().enumerate() {
            let to = at(R::RDI, Frame::scratch(1) + 64 * part);
            self.store(to, *piece);
        }
        let (next, end) = (self.asm.label(), self.asm.label());
        let scaled = |row, scale| {
            let at = Frame::scratch(row) as i64;
            MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::R13, scale, at, 8)
        };
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, ACTIVE));
        self.asm.bind(next);
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::R13D, R::R12D));
        self.asm.jump(C::Jb_rel32_64, end);
        self.asm.put(I::with2(C::VEX_Blsr_r32_rm32, R::R12D, R::R12D));
        if mem.wide {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, scaled(0, 8)));
        } else {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, scaled(0, 4)));
        }
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, scaled(1, 4)));
        let to = MemoryOperand::with_base_index(HOST, R::RAX);
        if mem.total == 1 {
            self.asm.put(I::with2(C::Mov_rm8_r8, to, R::R14L));
        } else {
            self.asm.put(I::with2(C::Mov_rm16_r16, to, R::R14W));
        }
        self.asm.jump(C::Jmp_rel32_64, next);
        self.asm.bind(end);
    }

    /// Accesses local memory, where consecutive 4-byte units of a lane are 128 bytes apart.
    fn each_local(&mut self, mem: &MemAccess, pieces: &Pieces) {
        let Pieces::Dwords(dwords) = pieces else { return };
        let shift = C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
        let left = C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
        for part in 0..2_u8 {
            let offset = mem.offsets[usize::from(part)];
            let lanes = self.lane_numbers(part);
            if mem.total < 4 {
                // The position of the byte in the 4-byte unit, as a shift count.
                let low = self.number(3);
                self.three(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, mem.scratch.z(), offset, low);
                self.two_with(left, mem.scratch, mem.scratch, 3);
            }
            self.two_with(shift, offset, offset, 2);
            self.two_with(left, offset, offset, 5);
            let add = C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
            self.asm.put(I::with3(add, offset.z(), offset.z(), lanes));
            for (i, piece) in dwords.iter().enumerate() {
                let memory = MemoryOperand::with_base_index_scale_displ_size(
                    HOST,
                    offset.z(),
                    4,
                    128 * i as i64,
                    1,
                );
                self.shift_mask(SCRATCH_MASK, mem.masks[0].k(), 16 * part);
                let piece = piece[usize::from(part)];
                self.lanes_of_dwords(piece, memory, mem.stores);
                if mem.total < 4 {
                    self.three(C::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, piece, piece, mem.scratch);
                }
            }
        }
    }

    /// Sets all lanes to zero.
    pub(super) fn zero(&mut self, z: Reg) {
        self.three(C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, z, z, z);
    }
}
