//! Stores.

use super::address::{Way, data_of_lane, moved};
use super::{LANES_SIZE, MOMENT, MOVE, Maker, PARTS, Vector};
use crate::block::Source;
use crate::emit::asm::at;
use crate::emit::frame::Frame;
use crate::emit::values::Reg;
use crate::region::{Space, Step, Store};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// Where the lanes are kept that are still to be copied.
const REST: usize = Frame::SAVED;

impl Maker<'_> {
    /// A store that may leave: before it, every lane is looked at.
    pub(super) fn store_lanes(&mut self, step: &Step, store: &Store) -> Option<()> {
        let way = self.way(&store.access, step.guard, step.at);
        let (apart, rows) = (self.asm.label(), self.asm.label());
        let rest = at(R::RDI, REST);
        if way.access.space != Space::Local {
            self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EBX, -1));
            self.asm.jump(C::Jne_rel32_64, apart);
            self.if_beside(&way, apart);
            self.asm.put(I::with2(C::Mov_rm32_imm32, rest, 0));
            self.asm.jump(C::Jmp_rel32_64, rows);
        }
        self.asm.bind(apart);
        self.asm.put(I::with2(C::Mov_rm32_r32, rest, R::EBX));
        self.each_lane(|e| e.checked_offset(&way));
        self.data_rows();
        self.asm.bind(rows);
        self.values.unpin();
        self.put_rows(store)?;
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, rest));
        self.each_lane(|e| e.deliver(&way));
        Some(())
    }

    /// Copies the data of the lane in `ebp` to its address.
    fn deliver(&mut self, way: &Way<'_>) {
        if way.access.space == Space::Local && way.total > 4 {
            self.known_offset(way);
            self.address_from_offset(way);
            let from = data_of_lane(self, way.total);
            for i in 0..way.total / 4 {
                let (from, to) = (moved(from, 4 * i), at(R::RAX, 128 * i));
                self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, from));
                self.asm.put(I::with2(C::Mov_rm32_r32, to, R::R14D));
            }
            return;
        }
        let (load, store, data) = match way.total {
            1 => (C::Movzx_r32_rm8, C::Mov_rm8_r8, R::R14L),
            2 => (C::Movzx_r32_rm16, C::Mov_rm16_r16, R::R14W),
            4 => (C::Mov_r32_rm32, C::Mov_rm32_r32, R::R14D),
            8 => (C::Mov_r64_rm64, C::Mov_rm64_r64, R::R14),
            16 => (C::VEX_Vmovdqu_xmm_xmmm128, C::VEX_Vmovdqu_xmmm128_xmm, MOMENT.xmm()),
            _ => (C::VEX_Vmovdqu_ymm_ymmm256, C::VEX_Vmovdqu_ymmm256_ymm, MOMENT.ymm()),
        };
        let into = if way.total <= 2 { R::R14D } else { data };
        let from = data_of_lane(self, way.total);
        self.asm.put(I::with2(load, into, from));
        self.known_offset(way);
        self.address_from_offset(way);
        self.asm.put(I::with2(store, at(R::RAX, 0), data));
    }

    /// The elements of all lanes become rows at `r13`.
    fn put_rows(&mut self, store: &Store) -> Option<()> {
        let (size, count) = (usize::from(store.access.size), usize::from(store.access.count));
        if store.from.len() != count {
            return None;
        }
        let total = size * count;
        for part in 0..PARTS {
            if size == 8 {
                for half in [2 * part, 2 * part + 1] {
                    self.put_doubles(store, half, total)?;
                }
                continue;
            }
            for (group, from) in store.from.chunks((16 / size).min(count)).enumerate() {
                let mut words = Vec::with_capacity(4);
                for elements in from.chunks(4 / size) {
                    words.push(self.word(elements, part, size)?);
                }
                match *words {
                    [word] => self.store_plain(word, part, total),
                    [low, high] => self.store_pairs(low, high, part),
                    [a, b, c, d] => self.store_quads([a, b, c, d], part, total, 16 * group),
                    _ => return None,
                }
                self.values.unpin();
            }
        }
        Some(())
    }

    /// Elements of 1, 2 or 4 bytes in a word, in a temporary.
    fn word(&mut self, elements: &[Source], part: u8, size: usize) -> Option<Reg> {
        let mut word = None;
        for (i, &source) in elements.iter().enumerate() {
            let d = self.low_word(source, part)?;
            if elements.len() > 1 {
                // Others do not see what is above it.
                let shift = 32 - 8 * size as u32;
                self.two_with(C::VEX_Vpslld_ymm_ymm_imm8, d, d, shift);
                let rest = shift - 8 * (i * size) as u32;
                if rest != 0 {
                    self.two_with(C::VEX_Vpsrld_ymm_ymm_imm8, d, d, rest);
                }
            }
            match word {
                None => word = Some(d),
                Some(word) => {
                    self.three(C::VEX_Vpor_ymm_ymm_ymmm256, word, word, d);
                    self.release(d);
                }
            }
        }
        word
    }

    /// The low 32 bits of a source, in a temporary.
    pub(super) fn low_word(&mut self, source: Source, part: u8) -> Option<Reg> {
        if let Source::Wide(_) | Source::WideConstant(_) | Source::Bytes64(_) = source {
            return self.low(source, part);
        }
        let a = self.narrow_operand(source, part)?;
        Some(self.unary(MOVE, a))
    }

    /// A part of 4 lanes of 64 bits; one of 32 bits has zeros above.
    pub(super) fn double_word(&mut self, source: Source, part: u8) -> Option<Reg> {
        match self.wide(source, part) {
            Some(reg) => Some(reg),
            None => self.extended(source, part, false),
        }
    }

    /// Elements of 8 bytes, of a part of 4 lanes.
    fn put_doubles(&mut self, store: &Store, part: u8, total: usize) -> Option<()> {
        for (pair, from) in store.from.chunks(2).enumerate() {
            let a = self.double_word(from[0], part)?;
            match from.get(1) {
                Some(&b) => {
                    let b = self.double_word(b, part)?;
                    self.store_doubles(a, b, part, total, 16 * pair);
                }
                None => {
                    let to = at(R::R13, usize::from(part) * LANES_SIZE);
                    self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, to, a.ymm()));
                }
            }
            self.values.unpin();
        }
        Some(())
    }
}
