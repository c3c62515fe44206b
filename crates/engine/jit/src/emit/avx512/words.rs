//! Words behind each other in each lane ([`crate::emit::words`]): 16 bytes of a lane are one load, where gathers do not pay.

use super::load::{LOAD, STORE};
use super::memory::{ACTIVE, HOST, Way, host, site};
use super::pieces::Pieces;
use super::{MOMENT, MOMENT_K, Maker};
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

    /// The indices of active lanes go to a scratch row, if each and the others of its words are the site's; else it goes to `not`.
    /// Others become index 0, which is one, too.
    fn indices_of_words(&mut self, way: &Way, not: Label) {
        let Some(known) = way.affine else { return };
        self.most(way, (offset_of!(Site, indices), BEHIND), not);
        self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_r32, way.moment.z(), R::EAX));
        let indices = self.index_checks(way, known, way.moment.into(), not);
        self.keep_active(way, &indices);
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, site(way, offset_of!(Site, origin))));
    }

    /// The same of offsets of 64 bits, of addresses that are multiples of 4; others become 0.
    fn offsets_of_words(&mut self, way: &Way, not: Label) {
        self.most(way, (offset_of!(Site, limit), 4 * BEHIND), not);
        self.asm.put(I::with2(C::EVEX_Vpbroadcastq_zmm_k1z_r64, way.moment.z(), R::RAX));
        self.wide_checks(way, way.moment.into(), not);
        self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, way.masks[0].k(), ACTIVE));
        self.keep_active(way, &way.offsets);
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, host(way)));
    }

    /// `rax` becomes below what a first word must be, so that the others are inside, too: by the field of the site that says it of
    /// one word, and how much less that is. If it leaves nothing, it goes to `not`.
    fn most(&mut self, way: &Way, (field, less): (usize, i32), not: Label) {
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, site(way, field)));
        self.asm.put(I::with2(C::Sub_rm64_imm8, R::RAX, less));
        self.asm.jump(C::Jbe_rel32_64, not);
    }

    /// Indices of 32 bits, or offsets of 64, of active lanes, which the first mask of the way has, go to the scratch row, and zeros
    /// of others.
    fn keep_active(&mut self, way: &Way, offsets: &[Reg]) {
        let (lanes, code) = match offsets.len() {
            2 => (16, C::EVEX_Vmovdqa32_zmm_k1z_zmmm512),
            _ => (8, C::EVEX_Vmovdqa64_zmm_k1z_zmmm512),
        };
        for (part, from) in offsets.iter().enumerate() {
            self.shift_mask(MOMENT_K, way.masks[0].k(), lanes * part as u8);
            self.asm.put_zeroing(MOMENT_K, I::with2(code, MOMENT.z(), from.z()));
            let to = at(R::RDI, Frame::scratch(0) + 64 * part);
            self.asm.put(I::with2(STORE, to, MOMENT.z()));
        }
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
