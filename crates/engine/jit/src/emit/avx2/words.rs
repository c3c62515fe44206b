//! Words behind each other in each lane ([`crate::emit::words`]): 16 bytes of a lane are one load.

use super::address::{Base, OFFSET_ROW, Way};
use super::{LANES_SIZE, Maker, Operand, Vector};
use crate::emit::asm::{Label, at};
use crate::emit::frame::Frame;
use crate::emit::values::Reg;
use crate::emit::words::{COUNT, Word};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl Maker<'_> {
    /// A word that has been loaded before goes to registers, and it goes on at `done`. Of the first one of a group nothing is
    /// known yet.
    pub(super) fn look_for_words(&mut self, Word { slot, place }: Word, to: &[Reg], done: Label) {
        let has = at(R::RDI, Frame::has_words(slot));
        if place == 0 {
            return self.asm.put(I::with2(C::Mov_rm32_imm32, has, 0));
        }
        let not = self.asm.label();
        self.asm.put(I::with2(C::Cmp_rm32_imm8, has, 0));
        self.asm.jump(C::Je_rel32_64, not);
        for (part, &d) in to.iter().enumerate() {
            let row = at(R::RDI, Frame::loaded(slot, place) + part * LANES_SIZE);
            self.two(super::MOVE, d, Operand::Memory(row));
        }
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(not);
    }

    /// Loads all words of a group of lanes that may lie anywhere: the first one goes to registers, the others to the frame. If
    /// one may not be reached, it goes on behind this code.
    pub(super) fn gather_words(
        &mut self,
        way: &Way<'_>,
        to: &[Reg],
        Word { slot, .. }: Word,
        done: Label,
    ) {
        let slow = self.asm.label();
        let scale = match (way.base, Self::bases(way)) {
            (Base::Affine(value), Some(bases)) => {
                self.indices(way, (value, bases), COUNT as u32 - 1, slow);
                4
            }
            (Base::Wide(..), _) => {
                self.taking(way);
                self.asm.put(I::with2(C::Test_rm32_r32, R::EBX, R::EBX));
                self.asm.jump(C::Je_rel32_64, slow);
                self.offsets(way, 4 * (COUNT as u32 - 1), slow);
                let origin = self.origin(way);
                self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
                1
            }
            _ => return,
        };
        self.each_part_taken(to, |e, part, d| {
            let others = e.words_of_lanes(way, (part, scale), d);
            for (place, word) in (1..COUNT).zip(others) {
                let row = at(R::RDI, Frame::loaded(slot, place) + part * LANES_SIZE);
                e.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, row, word.ymm()));
            }
        });
        self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, Frame::has_words(slot)), 1));
        self.asm.jump(C::Jmp_rel32_64, done);
        self.asm.bind(slow);
    }

    /// Four words of each of eight lanes, which lie at indices of 32 bits in the row of offsets, or (a scale of 1) at offsets of 64:
    /// the first of all goes to `first`; where the others are.
    fn words_of_lanes(
        &mut self,
        way: &Way<'_>,
        (part, scale): (usize, u32),
        first: Reg,
    ) -> [Reg; COUNT - 1] {
        let [a, _, c, d, t, u] = way.own;
        let (code, offset, size) = match scale {
            1 => (C::Mov_r64_rm64, R::RAX, 8),
            _ => (C::Mov_r32_rm32, R::EAX, 4),
        };
        let row = Frame::scratch(OFFSET_ROW) + 8 * part * size;
        let from = MemoryOperand::with_base_index_scale(R::R12, R::RAX, scale);
        // Of lanes i and i + 4.
        for (i, to) in [a, first, c, d].into_iter().enumerate() {
            self.asm.put(I::with2(code, offset, at(R::RDI, row + size * i)));
            self.asm.put(I::with2(C::VEX_Vmovdqu_xmm_xmmm128, to.xmm(), from));
            self.asm.put(I::with2(code, offset, at(R::RDI, row + size * (i + 4))));
            let insert = C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
            self.asm.put(I::with4(insert, to.ymm(), to.ymm(), from, 1_u32));
        }
        // It leaves the first words where those of the second lane were.
        let [_, others @ ..] = self.transpose([a, first, c, d, t, u]);
        others
    }
}
