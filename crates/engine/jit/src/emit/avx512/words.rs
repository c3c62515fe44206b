//! Words behind each other in each lane ([`crate::emit::words`]): 16 bytes of a lane are one load, where gathers do not pay.

use super::load::{LOAD, STORE};
use super::memory::{ACTIVE, HOST, Way, host, site};
use super::pieces::Pieces;
use super::{MOMENT, MOMENT_K, Maker};
use crate::emit::affine::Plus;
use crate::emit::asm::{Label, at};
use crate::emit::frame::Frame;
use crate::emit::values::Reg;
use crate::emit::words::{COUNT, Word};
use crate::machine::Site;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// How many words there are behind the first one.
const BEHIND: i32 = COUNT as i32 - 1;

impl Maker<'_> {
    /// A word that has been loaded before goes to its pieces, and it goes on at `done`. Of the first one of a group nothing is known
    /// yet.
    pub(super) fn look_for_words(&mut self, word: Word, pieces: &Pieces, done: Label) {
        let Pieces::Dwords(dwords) = pieces else { return };
        let has = at(R::RDI, Frame::has_words(word.slot));
        if word.place == 0 {
            return self.asm.put(I::with2(C::Mov_rm32_imm32, has, 0));
        }
        let not = self.asm.label();
        self.asm.put(I::with2(C::Cmp_rm32_imm8, has, 0));
        self.asm.jump(C::Je_rel32_64, not);
        for (part, piece) in dwords[0].iter().enumerate() {
            let row = at(R::RDI, Frame::loaded(word.slot, word.place) + 64 * part);
            self.asm.put(I::with2(LOAD, piece.z(), row));
        }
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(not);
    }

    /// Loads all words of a group of lanes that may lie anywhere: the first one goes to its pieces, the others to the frame. If
    /// one may not be reached, it goes on behind this code.
    pub(super) fn gather_words(&mut self, way: &Way, pieces: &Pieces, word: Word, done: Label) {
        let Pieces::Dwords(dwords) = pieces else { return };
        let slow = self.asm.label();
        let scale = if way.affine.is_none() {
            self.offsets_of_words(way, slow);
            1
        } else if way.indexed.is_some() {
            self.indices_of_words(way, slow);
            4
        } else {
            return;
        };
        self.each_part_active(dwords[0], |e, part, first| {
            let others = e.words_of_lanes(way, (part, scale), first);
            for (place, other) in (1..COUNT).zip(others) {
                let row = at(R::RDI, Frame::loaded(word.slot, place) + 64 * part);
                e.asm.put(I::with2(STORE, row, other.z()));
            }
        });
        let has = at(R::RDI, Frame::has_words(word.slot));
        self.asm.put(I::with2(C::Mov_rm32_imm32, has, 1));
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(slow);
    }

    /// Code for each part, with its register, that is passed by where nobody in the part is active.
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

    /// The indices of active lanes go to a scratch row, if each and the others of its words are the site's; else it goes to `not`.
    /// Others become index 0, which is one, too.
    fn indices_of_words(&mut self, way: &Way, not: Label) {
        let Some((value, index)) = way.affine else { return };
        self.most(way, (offset_of!(Site, indices), false), not);
        let [low, high] = way.masks.map(Reg::k);
        for (part, (k, index)) in [low, high].into_iter().zip(index).enumerate() {
            let to = way.offsets[part];
            if value.plus == Plus::NONE {
                self.asm.put(I::with2(super::float::MOVE, to.z(), index.z()));
            } else {
                self.sum_of_index(value, to, index);
            }
            let compare = C::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
            self.asm.put(I::with4(compare, k, to.z(), way.moment.z(), 1_u32));
        }
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, low, high, low));
        self.all_active(low, not);
        self.keep_indices(way, [way.offsets[0], way.offsets[1]]);
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, site(way, offset_of!(Site, origin))));
    }

    /// The same of offsets of 64 bits, of addresses that are multiples of 4; others become 0.
    fn offsets_of_words(&mut self, way: &Way, not: Label) {
        self.most(way, (offset_of!(Site, limit), true), not);
        let (low, add) = (self.wide_number(3), site(way, offset_of!(Site, add)));
        for part in 0..4 {
            let (base, to) = (way.bases[part], way.offsets[part]);
            let k = if part % 2 == 0 { MOMENT_K } else { way.masks[part / 2].k() };
            self.three(C::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64, k, base, low);
            let sum = C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
            self.asm.put(I::with3(sum, to.z(), base.z(), super::memory::spread_of(add)));
            let compare = C::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8;
            self.asm.put_masked(k, I::with4(compare, k, to.z(), way.moment.z(), 1_u32));
            if part % 2 == 1 {
                self.asm.put(I::with3(C::VEX_Kunpckbw_kr_kr_kr, k, k, MOMENT_K));
            }
        }
        let [low, high] = way.masks.map(Reg::k);
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, low, high, low));
        self.all_active(low, not);
        for part in 0..4 {
            let offsets = way.offsets[part];
            self.keep_active(way, 8 * part, (C::EVEX_Vmovdqa64_zmm_k1z_zmmm512, offsets), part);
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, host(way)));
    }

    /// Below what a first word must be, so that the others are inside, too, in all lanes of what is for moments of the way: by the
    /// field of the site that says it of one word. If that leaves nothing, it goes to `not`.
    fn most(&mut self, way: &Way, (field, wide): (usize, bool), not: Label) {
        let below = site(way, field);
        if wide {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, below));
            self.asm.put(I::with2(C::Sub_rm64_imm8, R::RAX, 4 * BEHIND));
        } else {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, below));
            self.asm.put(I::with2(C::Sub_rm32_imm8, R::EAX, BEHIND));
        }
        self.asm.jump(C::Jbe_rel32_64, not);
        let (code, from) = match wide {
            true => (C::EVEX_Vpbroadcastq_zmm_k1z_r64, R::RAX),
            false => (C::EVEX_Vpbroadcastd_zmm_k1z_r32, R::EAX),
        };
        self.asm.put(I::with2(code, way.moment.z(), from));
    }

    /// Goes to `not` if an active lane is not in a mask.
    fn all_active(&mut self, mask: R, not: Label) {
        self.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::EAX, mask));
        self.asm.put(I::with1(C::Not_rm32, R::EAX));
        self.asm.put(I::with2(C::Test_rm32_r32, R::EAX, ACTIVE));
        self.asm.jump(C::Jne_rel32_64, not);
        self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, mask, ACTIVE));
    }

    /// Indices of active lanes, which the first mask of the way has, go to the scratch row, and zeros of others.
    pub(super) fn keep_indices(&mut self, way: &Way, indices: [Reg; 2]) {
        for (part, index) in indices.into_iter().enumerate() {
            self.keep_active(way, 16 * part, (C::EVEX_Vmovdqa32_zmm_k1z_zmmm512, index), part);
        }
    }

    /// The same of a part of indices or offsets, from a lane on.
    fn keep_active(&mut self, way: &Way, lane: usize, (code, from): (C, Reg), part: usize) {
        self.shift_mask(MOMENT_K, way.masks[0].k(), lane as u8);
        self.asm.put_zeroing(MOMENT_K, I::with2(code, MOMENT.z(), from.z()));
        let to = at(R::RDI, Frame::scratch(0) + 64 * part);
        self.asm.put(I::with2(STORE, to, MOMENT.z()));
    }

    /// Four words of each of 16 lanes, which lie at indices of 32 bits in the scratch row, or (a scale of 1) at offsets of 64: the
    /// first of all goes to `first`; where the others are.
    fn words_of_lanes(
        &mut self,
        way: &Way,
        (part, scale): (usize, u32),
        first: Reg,
    ) -> [Reg; COUNT - 1] {
        let (a, c, d) = (way.offsets[0], way.offsets[1], way.offsets[2]);
        let (code, offset, size) = match scale {
            1 => (C::Mov_r64_rm64, R::RAX, 8),
            _ => (C::Mov_r32_rm32, R::EAX, 4),
        };
        let row = Frame::scratch(0) + 16 * part * size;
        let from = MemoryOperand::with_base_index_scale(HOST, R::RAX, scale);
        for (i, to) in [a, first, c, d].into_iter().enumerate() {
            for quarter in 0..4 {
                let lane = i + 4 * quarter;
                self.asm.put(I::with2(code, offset, at(R::RDI, row + size * lane)));
                let insert = C::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8;
                self.asm.put(match quarter {
                    0 => I::with2(C::EVEX_Vmovdqu32_xmm_k1z_xmmm128, to.x(), from),
                    _ => I::with4(insert, to.z(), to.z(), from, quarter as u32),
                });
            }
        }
        self.transposed([a, first, c, d], [way.moment, MOMENT])
    }

    /// Of four vectors of 16 bytes each, word after word, the vectors of all first words and so on: the first one is where the
    /// second was; where the others are.
    fn transposed(&mut self, [a, b, c, d]: [Reg; 4], [t, u]: [Reg; 2]) -> [Reg; 3] {
        let (low, high) =
            (C::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32);
        let (low_64, high_64) = (
            C::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64,
            C::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64,
        );
        let steps = [
            (low, t, a, b),
            (high, a, a, b),
            (low, u, c, d),
            (high, c, c, d),
            (low_64, b, t, u),
            (high_64, t, t, u),
            (low_64, d, a, c),
            (high_64, a, a, c),
        ];
        for (code, to, from, with) in steps {
            self.asm.put(I::with3(code, to.z(), from.z(), with.z()));
        }
        [t, d, a]
    }
}
