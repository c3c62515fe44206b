//! Accesses where some lanes are inactive or do not execute the step. Masked vectors are used if
//! the active lanes of each half are part of a contiguous range; loads of one address by each half
//! are broadcast.

use super::load::{LOAD, STORE};
use super::memory::{ACTIVE, HOST, MemAccess, site};
use super::pieces::Pieces;
use super::{Avx512Emitter, SCRATCH, SCRATCH_MASK};
use crate::emit::asm::Label;
use crate::emit::register_cache::Reg;
use crate::machine::Site;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// The registers of the addresses that the first lanes of the halves have, or would have if they
/// were active.
const FIRSTS: [R; 2] = [R::RAX, R::R12];

/// After this many misses in a row the test for a shape is skipped.
const ENOUGH: i32 = 4;

impl Avx512Emitter<'_> {
    /// Emits the access of active lanes, which have been checked, as masked vectors; jumps to
    /// `other` without any effect if the lanes are scattered.
    pub(super) fn partial_rows(&mut self, mem: &MemAccess, pieces: &Pieces, other: Label) {
        let offsets = self.short_offsets(mem, other);
        self.firsts_of_active(mem, offsets, Some(mem.total), other);
        self.masked_rows(mem, pieces, 1);
    }

    /// Emits a load at the indices of active lanes, which have been checked and are not all lanes,
    /// and jumps to `done`. Execution falls through if the lanes are scattered; after a few such
    /// misses in a row the shape is not tested any more.
    pub(super) fn partial_by_index(
        &mut self,
        mem: &MemAccess,
        pieces: &Pieces,
        indices: [Reg; 2],
        done: Label,
    ) {
        let [scattered, anywhere, none] = std::array::from_fn(|_| self.asm.label());
        let noted = site(mem, offset_of!(Site, misses));
        // If all lanes are active, the code has tested for contiguous lanes before.
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, ACTIVE, -1), C::Je_rel32_64, none);
        self.asm.jump_if(I::with2(C::Test_rm32_r32, ACTIVE, ACTIVE), C::Je_rel32_64, done);
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, noted, ENOUGH), C::Jae_rel32_64, none);
        self.firsts_of_active(mem, indices, Some(1), scattered);
        self.masked_rows(mem, pieces, mem.total as u32);
        self.asm.put(I::with2(C::Mov_rm32_imm32, noted, 0));
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(scattered);
        self.firsts_of_active(mem, indices, None, anywhere);
        self.spread_firsts(mem, pieces);
        self.asm.put(I::with2(C::Mov_rm32_imm32, noted, 0));
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(anywhere);
        self.asm.put(I::with1(C::Inc_rm32, noted));
        self.asm.bind(none);
    }

    /// Computes the 32-bit offset or index that the first lane of each half has or would have, if
    /// the values of active lanes increase by `step` from lane to lane, or are all equal if `step`
    /// is `None`. Otherwise jumps to `other`.
    fn firsts_of_active(&mut self, mem: &MemAccess, of: [Reg; 2], step: Option<u64>, other: Label) {
        let [active, differ] = mem.masks.map(Reg::k);
        let steps = step.map(|step| self.multiples(false, 0, step));
        let sub = C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
        for (half, offset) in of.into_iter().enumerate() {
            self.shift_mask(SCRATCH_MASK, active, 16 * half as u8);
            self.asm.put(match steps {
                Some(steps) => I::with3(sub, mem.scratch.z(), offset.z(), steps),
                None => I::with2(super::load::MOVE, mem.scratch.z(), offset.z()),
            });
            // The value minus the lane's distance must be that of the first active lane in all
            // active lanes.
            let compress = C::EVEX_Vpcompressd_zmmm512_k1z_zmm;
            self.asm.put_zeroing(SCRATCH_MASK, I::with2(compress, SCRATCH.z(), mem.scratch.z()));
            let (first, low) = [(R::RAX, R::EAX), (R::R12, R::R12D)][half];
            self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, low, SCRATCH.x()));
            self.asm.put(I::with2(C::Movsxd_r64_rm32, first, low));
            let spread = C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
            self.asm.put(I::with2(spread, SCRATCH.z(), SCRATCH.x()));
            let compare = C::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
            let compare = I::with4(compare, SCRATCH_MASK, mem.scratch.z(), SCRATCH.z(), 4_u32);
            self.asm.put_masked(SCRATCH_MASK, compare);
            self.asm.put(if half == 0 {
                I::with2(C::VEX_Kmovw_kr_km16, differ, SCRATCH_MASK)
            } else {
                I::with3(C::VEX_Korw_kr_kr_kr, differ, differ, SCRATCH_MASK)
            });
        }
        self.asm.put(I::with2(C::VEX_Kortestw_kr_kr, differ, differ));
        self.asm.jump(C::Jne_rel32_64, other);
    }

    /// Narrows offsets to 32 bits; jumps to `other` if the allocation is too large for them.
    fn short_offsets(&mut self, mem: &MemAccess, other: Label) -> [Reg; 2] {
        let Some(short) = mem.short else { return [mem.offsets[0], mem.offsets[1]] };
        let limit = site(mem, offset_of!(Site, limit));
        self.asm.jump_if(I::with2(C::Cmp_rm64_imm32, limit, i32::MAX), C::Ja_rel32_64, other);
        for (half, to) in short.into_iter().enumerate() {
            let [low, high] = [mem.offsets[2 * half], mem.offsets[2 * half + 1]];
            let cut = C::EVEX_Vpmovqd_ymmm256_k1z_zmm;
            self.asm.put(I::with2(cut, to.y(), low.z()));
            self.asm.put(I::with2(cut, SCRATCH.y(), high.z()));
            self.join_halves(to, SCRATCH);
        }
        short
    }

    /// Accesses active lanes by masked vectors at the first indices times a scale.
    fn masked_rows(&mut self, mem: &MemAccess, pieces: &Pieces, scale: u32) {
        let mut put = |lane: u8, [load, store]: [C; 2], displacement: i64, piece: Reg| {
            let first = FIRSTS[usize::from(lane / 16)];
            let row = MemoryOperand::with_base_index_scale_displ_size(
                HOST,
                first,
                scale,
                displacement,
                1,
            );
            self.shift_mask(SCRATCH_MASK, mem.masks[0].k(), lane);
            match mem.stores {
                true => self.asm.put_masked(SCRATCH_MASK, I::with2(store, row, piece.z())),
                false => self.asm.put_zeroing(SCRATCH_MASK, I::with2(load, piece.z(), row)),
            }
        };
        match pieces {
            Pieces::Dwords(dwords) => {
                let code = match mem.total {
                    1 => [C::EVEX_Vpmovzxbd_zmm_k1z_xmmm128, C::EVEX_Vpmovdb_xmmm128_k1z_zmm],
                    2 => [C::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, C::EVEX_Vpmovdw_ymmm256_k1z_zmm],
                    _ => [LOAD, STORE],
                };
                for (half, &piece) in dwords[0].iter().enumerate() {
                    put(16 * half as u8, code, 0, piece);
                }
            }
            Pieces::Qwords(qwords) => {
                for (part, &piece) in qwords[0].iter().enumerate() {
                    let displacement = 64 * (part as i64 % 2);
                    let code =
                        [C::EVEX_Vmovdqu64_zmm_k1z_zmmm512, C::EVEX_Vmovdqu64_zmmm512_k1z_zmm];
                    put(8 * part as u8, code, displacement, piece);
                }
            }
        }
    }

    /// Loads the data at the first index of each half, and broadcasts it; a half without active
    /// lanes reads index 0.
    fn spread_firsts(&mut self, mem: &MemAccess, pieces: &Pieces) {
        for (half, first) in FIRSTS.into_iter().enumerate() {
            let from = MemoryOperand::with_base_index_scale(HOST, first, mem.total as u32);
            let (load, low) = match mem.total {
                1 => (C::Movzx_r32_rm8, R::EAX),
                2 => (C::Movzx_r32_rm16, R::EAX),
                4 => (C::Mov_r32_rm32, R::EAX),
                _ => (C::Mov_r64_rm64, R::RAX),
            };
            self.asm.put(I::with2(load, low, from));
            match pieces {
                Pieces::Dwords(dwords) => {
                    let spread = C::EVEX_Vpbroadcastd_zmm_k1z_r32;
                    self.asm.put(I::with2(spread, dwords[0][half].z(), R::EAX));
                }
                Pieces::Qwords(qwords) => {
                    for piece in &qwords[0][2 * half..2 * half + 2] {
                        let spread = C::EVEX_Vpbroadcastq_zmm_k1z_r64;
                        self.asm.put(I::with2(spread, piece.z(), R::RAX));
                    }
                }
            }
        }
    }
}
