//! Pieces of memory accesses: the data of a lane as 32-bit or 64-bit values, which loads take apart
//! into elements and stores combine from elements.

use super::{Avx512Emitter, SCRATCH};
use crate::emit::register_cache::Reg;
use crate::emit::vector::V;
use crate::operand::Source;
use crate::region::{Access, Space, Store};

/// The pieces of an access: for each piece, the registers of its parts.
pub(super) enum Pieces {
    Dwords(Vec<[Reg; 2]>),
    Qwords(Vec<[Reg; 4]>),
}

/// A constant vector of 32-bit numbers.
pub(super) fn pairs(numbers: [u64; 16]) -> [u64; 8] {
    std::array::from_fn(|i| numbers[2 * i] | numbers[2 * i + 1] << 32)
}

impl Pieces {
    /// Allocates registers for the pieces of an access.
    pub(super) fn new(e: &mut Avx512Emitter<'_>, access: &Access) -> Self {
        let total = usize::from(access.size) * usize::from(access.count);
        let by_words = matches!(access.space, Space::Local | Space::Frame | Space::Param);
        if total >= 8 && !by_words {
            let parts = |e: &mut Avx512Emitter<'_>| std::array::from_fn(|_| e.temporary());
            return Self::Qwords((0..total / 8).map(|_| parts(e)).collect());
        }
        let parts = |e: &mut Avx512Emitter<'_>| std::array::from_fn(|_| e.temporary());
        Self::Dwords((0..total.div_ceil(4)).map(|_| parts(e)).collect())
    }
}

impl Avx512Emitter<'_> {
    /// Combines the sources of a store to pieces.
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
                self.cache.of(*reg).pinned = true;
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
            // A register may be part of several pieces, and is freed with the last.
            let later = dwords[2 * i + 2..].as_flattened();
            let free = pair.as_flattened().iter().filter(|reg| !later.contains(reg));
            free.for_each(|&reg| self.cache.release(reg));
            qwords.push(parts);
        }
        self.pin_only(qwords.as_flattened());
        Some(Pieces::Qwords(qwords))
    }

    /// Keeps only the registers of the pieces pinned.
    fn pin_only(&mut self, regs: &[Reg]) {
        self.cache.unpin();
        regs.iter().for_each(|&reg| self.cache.of(reg).pinned = true);
    }

    /// Combines a 32-bit piece from the elements in it.
    fn dword_of(&mut self, from: &[Source], size: usize, dword: usize, part: u8) -> Option<Reg> {
        if size == 8 {
            let source = *from.get(dword / 2)?;
            if dword.is_multiple_of(2) {
                return self.low_of(source, part);
            }
            let (low, high) =
                (self.whole_of(source, 2 * part)?, self.whole_of(source, 2 * part + 1)?);
            let order = std::array::from_fn(|i| 2 * i as u64 + 1);
            return Some(self.permuted_pair(order, low, high));
        }
        let per = 4 / size;
        let elements = from.get(dword * per..(dword * per + per).min(from.len()))?;
        let first = self.low_of(*elements.first()?, part)?;
        if elements.len() == 1 {
            return Some(first);
        }
        let bits = self.number(u32::MAX >> (32 - 8 * size));
        let d = self.binary(V::And32, first, bits);
        self.cache.release(first);
        for (i, &source) in elements.iter().enumerate().skip(1) {
            let next = self.low_of(source, part)?;
            let bits = self.number(u32::MAX >> (32 - 8 * size));
            self.three(V::And32, SCRATCH, next, bits);
            self.two_with(V::Left32, SCRATCH, SCRATCH, (8 * size * i) as u32);
            self.three(V::Or32, d, d, SCRATCH);
            self.cache.release(next);
        }
        Some(d)
    }
}
