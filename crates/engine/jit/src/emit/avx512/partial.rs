//! Stores of some lanes that lie one behind the other, in each half of a warp.

use super::memory::{HOST, Way, site};
use super::pieces::Pieces;
use super::{MOMENT, MOMENT_K, Maker};
use crate::emit::asm::{Label, at};
use crate::emit::values::Reg;
use crate::machine::Site;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// Where the first lanes of the halves would be.
const FIRSTS: [R; 2] = [R::RAX, R::R12];

impl Maker<'_> {
    /// Stores the active lanes, which have been looked at, if they lie so; else it goes on at `other` with nothing done.
    pub(super) fn partial_rows(&mut self, way: &Way, pieces: &Pieces, other: Label) {
        let offsets = self.short_offsets(way, other);
        let [active, differ] = way.masks.map(Reg::k);
        let steps = at(R::R9, self.multiples(way.total, 0, false));
        let sub = C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
        for (half, offset) in offsets.into_iter().enumerate() {
            self.shift_mask(MOMENT_K, active, 16 * half as u8);
            self.asm.put(I::with3(sub, way.moment.z(), offset.z(), steps));
            // The first active lane, or zero, says where all must be.
            let compress = C::EVEX_Vpcompressd_zmmm512_k1z_zmm;
            self.asm.put_zeroing(MOMENT_K, I::with2(compress, MOMENT.z(), way.moment.z()));
            let (first, low) = [(R::RAX, R::EAX), (R::R12, R::R12D)][half];
            self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, low, MOMENT.x()));
            self.asm.put(I::with2(C::Movsxd_r64_rm32, first, low));
            let spread = C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
            self.asm.put(I::with2(spread, MOMENT.z(), MOMENT.x()));
            let compare = C::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
            let compare = I::with4(compare, MOMENT_K, way.moment.z(), MOMENT.z(), 4_u32);
            self.asm.put_masked(MOMENT_K, compare);
            self.asm.put(if half == 0 {
                I::with2(C::VEX_Kmovw_kr_km16, differ, MOMENT_K)
            } else {
                I::with3(C::VEX_Korw_kr_kr_kr, differ, differ, MOMENT_K)
            });
        }
        self.asm.put(I::with2(C::VEX_Kortestw_kr_kr, differ, differ));
        self.asm.jump(C::Jne_rel32_64, other);
        self.masked_rows(way, pieces, active);
    }

    /// Offsets of 32 bits: where the allocation is larger, it goes on at `other`.
    fn short_offsets(&mut self, way: &Way, other: Label) -> [Reg; 2] {
        let Some(short) = way.short else { return [way.offsets[0], way.offsets[1]] };
        let limit = site(way, offset_of!(Site, limit));
        self.asm.put(I::with2(C::Cmp_rm64_imm32, limit, i32::MAX));
        self.asm.jump(C::Ja_rel32_64, other);
        for (half, to) in short.into_iter().enumerate() {
            let [low, high] = [way.offsets[2 * half], way.offsets[2 * half + 1]];
            let cut = C::EVEX_Vpmovqd_ymmm256_k1z_zmm;
            self.asm.put(I::with2(cut, to.y(), low.z()));
            self.asm.put(I::with2(cut, MOMENT.y(), high.z()));
            let insert = C::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
            self.asm.put(I::with4(insert, to.z(), to.z(), MOMENT.y(), 1_u32));
        }
        short
    }

    fn masked_rows(&mut self, way: &Way, pieces: &Pieces, active: R) {
        let mut put = |lane: u8, code: C, displacement: i64, piece: Reg| {
            let first = FIRSTS[usize::from(lane / 16)];
            let to =
                MemoryOperand::with_base_index_scale_displ_size(HOST, first, 1, displacement, 1);
            self.shift_mask(MOMENT_K, active, lane);
            self.asm.put_masked(MOMENT_K, I::with2(code, to, piece.z()));
        };
        match pieces {
            Pieces::Dwords(dwords) => {
                let code = match way.total {
                    1 => C::EVEX_Vpmovdb_xmmm128_k1z_zmm,
                    2 => C::EVEX_Vpmovdw_ymmm256_k1z_zmm,
                    _ => C::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
                };
                for (half, &piece) in dwords[0].iter().enumerate() {
                    put(16 * half as u8, code, 0, piece);
                }
            }
            Pieces::Qwords(qwords) => {
                for (part, &piece) in qwords[0].iter().enumerate() {
                    let displacement = 64 * (part as i64 % 2);
                    put(8 * part as u8, C::EVEX_Vmovdqu64_zmmm512_k1z_zmm, displacement, piece);
                }
            }
        }
    }
}
