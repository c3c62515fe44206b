//! Elements of loads and stores, and the pieces of memory that they are.

#![allow(clippy::needless_range_loop, reason = "a part indexes several arrays at once")]

use super::load::{LOAD, Operand, STORE};
use super::{Guard, MOMENT, Maker};
use crate::block::{Place, Source};
use crate::emit::asm::at;
use crate::emit::values::{Kind, Reg};
use crate::region::{Access, Load, Space, Store};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// What 32 lanes access, by pieces of a lane and by parts.
pub(super) enum Pieces {
    Dwords(Vec<[Reg; 2]>),
    Qwords(Vec<[Reg; 4]>),
}

/// Dwords or qwords of two vectors, in the pool.
fn pairs(numbers: [u64; 16]) -> [u64; 8] {
    std::array::from_fn(|i| numbers[2 * i] | numbers[2 * i + 1] << 32)
}

impl Pieces {
    /// Registers for those of an access.
    pub(super) fn new(e: &mut Maker<'_>, access: &Access) -> Self {
        let total = usize::from(access.size) * usize::from(access.count);
        let by_words = matches!(access.space, Space::Local | Space::Frame | Space::Param);
        if total >= 8 && !by_words {
            let parts = |e: &mut Maker<'_>| std::array::from_fn(|_| e.temporary());
            return Self::Qwords((0..total / 8).map(|_| parts(e)).collect());
        }
        let parts = |e: &mut Maker<'_>| std::array::from_fn(|_| e.temporary());
        Self::Dwords((0..total.div_ceil(4)).map(|_| parts(e)).collect())
    }
}

impl Maker<'_> {
    /// All lanes one behind the other, from `rax` on.
    pub(super) fn row_of_pieces(&mut self, pieces: &Pieces, total: u64, stores: bool, moment: Reg) {
        let memory = |i: usize| at(R::RAX, 64 * i);
        match pieces {
            Pieces::Dwords(dwords) => {
                for (part, piece) in dwords[0].iter().enumerate() {
                    let (small, code) = match (total, stores) {
                        (1, false) => (16, C::EVEX_Vpmovzxbd_zmm_k1z_xmmm128),
                        (2, false) => (32, C::EVEX_Vpmovzxwd_zmm_k1z_ymmm256),
                        (1, true) => (16, C::EVEX_Vpmovdb_xmmm128_k1z_zmm),
                        (2, true) => (32, C::EVEX_Vpmovdw_ymmm256_k1z_zmm),
                        (_, false) => (64, LOAD),
                        (_, true) => (64, STORE),
                    };
                    let memory = at(R::RAX, small * part);
                    self.asm.put(if stores {
                        I::with2(code, memory, piece.z())
                    } else {
                        I::with2(code, piece.z(), memory)
                    });
                }
            }
            Pieces::Qwords(qwords) if qwords.len() == 1 => {
                for (part, piece) in qwords[0].iter().enumerate() {
                    self.asm.put(if stores {
                        I::with2(STORE, memory(part), piece.z())
                    } else {
                        I::with2(LOAD, piece.z(), memory(part))
                    });
                }
            }
            Pieces::Qwords(qwords) => {
                let permute = C::EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64;
                for j in 0..2_usize {
                    // Every second qword of two vectors; or, of the first or the last lanes, both qwords.
                    let order: [u64; 8] = std::array::from_fn(|i| {
                        if stores {
                            (4 * j + i / 2 + 8 * (i % 2)) as u64
                        } else {
                            (2 * i + j) as u64
                        }
                    });
                    let order = at(R::R9, self.pooled(&order));
                    self.asm.put(I::with2(LOAD, MOMENT.z(), order));
                    for part in 0..4 {
                        if stores {
                            let (first, second) = (qwords[0][part], qwords[1][part]);
                            self.asm.put(I::with2(super::float::MOVE, moment.z(), first.z()));
                            self.asm.put(I::with3(permute, moment.z(), MOMENT.z(), second.z()));
                            self.asm.put(I::with2(STORE, memory(2 * part + j), moment.z()));
                        } else {
                            let piece = qwords[j][part];
                            self.asm.put(I::with2(LOAD, piece.z(), memory(2 * part)));
                            self.asm.put(I::with3(
                                permute,
                                piece.z(),
                                MOMENT.z(),
                                memory(2 * part + 1),
                            ));
                        }
                    }
                }
            }
        }
    }

    /// The same in all lanes, at `rax`.
    pub(super) fn one_piece(&mut self, pieces: &Pieces, total: u64) {
        match pieces {
            Pieces::Dwords(dwords) => {
                let [first, second] = dwords[0];
                let memory = at(R::RAX, 0);
                if total >= 4 {
                    self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, first.z(), memory));
                } else {
                    let code = if total == 1 { C::Movzx_r32_rm8 } else { C::Movzx_r32_rm16 };
                    self.asm.put(I::with2(code, R::EAX, memory));
                    self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_r32, first.z(), R::EAX));
                }
                self.asm.put(I::with2(super::float::MOVE, second.z(), first.z()));
            }
            Pieces::Qwords(qwords) => {
                for (j, parts) in qwords.iter().enumerate() {
                    let memory: MemoryOperand = at(R::RAX, 8 * j);
                    for part in parts {
                        self.asm.put(I::with2(
                            C::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
                            part.z(),
                            memory,
                        ));
                    }
                }
            }
        }
    }

    /// Writes the registers of a load from its pieces.
    pub(super) fn take_elements(
        &mut self,
        load: &Load,
        pieces: &Pieces,
        guard: &mut Option<Guard>,
    ) -> Option<()> {
        let size = usize::from(load.access.size);
        for (k, to) in load.to.iter().enumerate().take(load.access.count.into()) {
            let Some(to) = *to else { continue };
            match to {
                Place::Narrow(to) => {
                    for part in 0..2 {
                        let value = self.narrow_element(load, pieces, k * size, part)?;
                        self.put_narrow(to, part, value, Kind::BITS, guard);
                    }
                }
                Place::Wide(to) => {
                    for part in 0..4 {
                        let value = self.wide_element(load, pieces, k * size, part)?;
                        self.put_wide(to, part, value, guard);
                    }
                }
                Place::Predicate(_) => return None,
            }
        }
        Some(())
    }

    /// The 32 bits of a lane that begin with the dword of a byte, in a temporary.
    fn dword(&mut self, pieces: &Pieces, size: u8, byte: usize, part: u8) -> Option<Reg> {
        let part = usize::from(part);
        Some(match pieces {
            Pieces::Dwords(dwords) => {
                let piece = dwords.get(byte / 4)?[part];
                // Elements of four bytes and more have theirs for themselves.
                if size < 4 { self.unary(super::float::MOVE, piece) } else { piece }
            }
            Pieces::Qwords(qwords) => {
                let parts = qwords.get(byte / 8)?;
                let high = (byte / 4 % 2) as u64;
                let order = pairs(std::array::from_fn(|i| 2 * i as u64 + high));
                let order = at(R::R9, self.pooled(&order));
                // To take a register may change what is for moments.
                let d = self.unary(super::float::MOVE, parts[2 * part]);
                self.asm.put(I::with2(LOAD, MOMENT.z(), order));
                let permute = C::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32;
                self.asm.put(I::with3(permute, d.z(), MOMENT.z(), parts[2 * part + 1].z()));
                d
            }
        })
    }

    fn narrow_element(
        &mut self,
        load: &Load,
        pieces: &Pieces,
        byte: usize,
        part: u8,
    ) -> Option<Reg> {
        let d = self.dword(pieces, load.access.size, byte, part)?;
        self.extend_dword(load, d, byte);
        self.keep(d, load.keep as u32);
        Some(d)
    }

    /// An element of less than 4 bytes is taken out of its dword.
    fn extend_dword(&mut self, load: &Load, d: Reg, byte: usize) {
        let size = usize::from(load.access.size);
        if size >= 4 {
            return;
        }
        // What lies in a known place has been brought to the low bits.
        let from = byte % 4;
        let up = 32 - 8 * (from + size) as u32;
        let down = 32 - 8 * size as u32;
        let left = C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
        let right = if load.signed {
            C::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8
        } else {
            C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8
        };
        if up != 0 {
            self.asm.put(I::with3(left, d.z(), d.z(), up));
        }
        self.asm.put(I::with3(right, d.z(), d.z(), down));
    }

    fn keep(&mut self, d: Reg, bits: u32) {
        if bits != u32::MAX {
            let bits = self.number(bits);
            self.three(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, d.z(), d, bits);
        }
    }

    fn wide_element(&mut self, load: &Load, pieces: &Pieces, byte: usize, part: u8) -> Option<Reg> {
        let d = if load.access.size == 8 {
            match pieces {
                Pieces::Qwords(qwords) => qwords.get(byte / 8)?[usize::from(part)],
                Pieces::Dwords(dwords) => {
                    let (low, high) = (dwords.get(byte / 4)?, dwords.get(byte / 4 + 1)?);
                    let [low, high] = [low, high].map(|d| d[usize::from(part / 2)]);
                    self.interleaved(low, high, part % 2)
                }
            }
        } else {
            let d = self.dword(pieces, 0, byte, part / 2)?;
            self.extend_dword(load, d, byte);
            if part % 2 == 1 {
                let extract = C::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
                self.asm.put(I::with3(extract, d.y(), d.z(), 1_u32));
            }
            let code = if load.signed {
                C::EVEX_Vpmovsxdq_zmm_k1z_ymmm256
            } else {
                C::EVEX_Vpmovzxdq_zmm_k1z_ymmm256
            };
            self.asm.put(I::with2(code, d.z(), d.y()));
            d
        };
        if load.keep != u64::MAX {
            let keep = self.wide_number(load.keep);
            self.three(C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, d.z(), d, keep);
        }
        Some(d)
    }

    /// Qwords of low and high dwords, of the first or the last eight of 16 lanes, in a temporary.
    fn interleaved(&mut self, low: Reg, high: Reg, half: u8) -> Reg {
        let first = 8 * u64::from(half);
        let order = pairs(std::array::from_fn(|i| first + i as u64 / 2 + 16 * (i as u64 % 2)));
        let order = at(R::R9, self.pooled(&order));
        // To take a register may change what is for moments.
        let d = self.unary(super::float::MOVE, low);
        self.asm.put(I::with2(LOAD, MOMENT.z(), order));
        let permute = C::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32;
        self.asm.put(I::with3(permute, d.z(), MOMENT.z(), high.z()));
        d
    }

    /// The low 32 bits of any source, as they are.
    pub(super) fn low_of(&mut self, source: Source, part: u8) -> Option<Reg> {
        match source {
            Source::Wide(_) | Source::WideConstant(_) | Source::Bytes64(_) | Source::FrameAt => {
                self.low(source, part)
            }
            _ => self.narrow(source, part),
        }
    }

    /// Any source as 64 bits.
    pub(super) fn whole_of(&mut self, source: Source, part: u8) -> Option<Reg> {
        match source {
            Source::Wide(_)
            | Source::WideConstant(_)
            | Source::Bytes64(_)
            | Source::FrameAt
            | Source::Literal(_) => self.wide(source, part),
            _ => self.extended(source, part, false),
        }
    }

    /// The pieces that a store stores.
    pub(super) fn make_pieces(&mut self, store: &Store) -> Option<Pieces> {
        let size = usize::from(store.access.size);
        let count = usize::from(store.access.count);
        let from = store.from.get(..count)?;
        let by_words = matches!(store.access.space, Space::Local | Space::Frame);
        if size == 8 && !by_words {
            let mut qwords = Vec::new();
            for &source in from {
                let mut parts = [Reg(0); 4];
                for (part, reg) in parts.iter_mut().enumerate() {
                    *reg = self.whole_of(source, part as u8)?;
                }
                qwords.push(parts);
                self.pin_only(qwords.as_flattened());
            }
            return Some(Pieces::Qwords(qwords));
        }
        let mut dwords = Vec::new();
        for dword in 0..(size * count).div_ceil(4) {
            let mut parts = [Reg(0); 2];
            for (part, reg) in parts.iter_mut().enumerate() {
                *reg = self.dword_of(from, size, dword, part as u8)?;
                self.values.of(*reg).pinned = true;
            }
            dwords.push(parts);
            self.pin_only(dwords.as_flattened());
        }
        if size * count < 8 || by_words {
            return Some(Pieces::Dwords(dwords));
        }
        let mut qwords = Vec::new();
        for (i, pair) in dwords.chunks(2).enumerate() {
            let [low, high] = pair else { return None };
            let parts: [Reg; 4] = std::array::from_fn(|part| {
                self.interleaved(low[part / 2], high[part / 2], part as u8 % 2)
            });
            // What is stored twice is in one register.
            let later = dwords[2 * i + 2..].as_flattened();
            let free = pair.as_flattened().iter().filter(|reg| !later.contains(reg));
            free.for_each(|&reg| self.values.release(reg));
            qwords.push(parts);
        }
        self.pin_only(qwords.as_flattened());
        Some(Pieces::Qwords(qwords))
    }

    /// The step needs nothing else any more.
    fn pin_only(&mut self, regs: &[Reg]) {
        self.values.unpin();
        regs.iter().for_each(|&reg| self.values.of(reg).pinned = true);
    }

    /// A dword of the elements that follow each other.
    fn dword_of(&mut self, from: &[Source], size: usize, dword: usize, part: u8) -> Option<Reg> {
        if size == 8 {
            let source = *from.get(dword / 2)?;
            if dword.is_multiple_of(2) {
                return self.low_of(source, part);
            }
            let (low, high) =
                (self.whole_of(source, 2 * part)?, self.whole_of(source, 2 * part + 1)?);
            let order = pairs(std::array::from_fn(|i| 2 * i as u64 + 1));
            let order = at(R::R9, self.pooled(&order));
            let d = self.unary(super::float::MOVE, low);
            self.asm.put(I::with2(LOAD, MOMENT.z(), order));
            let permute = C::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32;
            self.asm.put(I::with3(permute, d.z(), MOMENT.z(), high.z()));
            return Some(d);
        }
        let per = 4 / size;
        let elements = from.get(dword * per..(dword * per + per).min(from.len()))?;
        let first = self.low_of(*elements.first()?, part)?;
        if elements.len() == 1 {
            return Some(first);
        }
        let bits = self.number(u32::MAX >> (32 - 8 * size));
        let d = self.binary(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, first, bits);
        self.values.release(first);
        for (i, &source) in elements.iter().enumerate().skip(1) {
            let next = self.low_of(source, part)?;
            let bits: Operand = self.number(u32::MAX >> (32 - 8 * size));
            self.three(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, MOMENT.z(), next, bits);
            let left = C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
            self.asm.put(I::with3(left, MOMENT.z(), MOMENT.z(), (8 * size * i) as u32));
            let or = C::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
            self.asm.put(I::with3(or, d.z(), d.z(), MOMENT.z()));
            self.values.release(next);
        }
        Some(d)
    }
}
