//! Transposition between memory, which holds the elements lane by lane (an array of structures),
//! and vectors, which hold one element of each lane of a lane group (a structure of arrays).

use super::shape::Row;
use crate::emit::Emitter;
use crate::emit::backend::Backend;
use crate::emit::register_cache::Reg;
use crate::emit::vector::{Opcode, V};
use iced_x86::{Code as C, Instruction as I, Register as R};

impl<B: Backend> Emitter<'_, B> {
    /// Loads a lane group of one contiguous element per lane, of 1, 2 or 4 bytes, zero-extended to
    /// 32 bits.
    pub(super) fn load_plain(&mut self, row: Row, d: Reg, size: usize) {
        let code = match size {
            1 => V::ExtendBytes,
            2 => V::ExtendWords,
            _ => V::Load,
        };
        self.two(code, d, row.at(0));
    }

    /// Loads one element of 1, 2 or 4 bytes, zero-extended, and broadcasts it to all lanes of a
    /// lane group.
    pub(super) fn spread_plain(&mut self, row: Row, d: Reg, size: usize) {
        if size == 4 {
            return self.two(V::Spread32, d, row.at(0));
        }
        let code = if size == 1 { C::Movzx_r32_rm8 } else { C::Movzx_r32_rm16 };
        self.asm.put(I::with2(code, R::EAX, row.at(0)));
        B::spread_general(self, false, d);
    }

    /// Loads consecutive elements of 4 bytes, or of 8 if `wide`, from byte `first` on, and
    /// broadcasts each to its register.
    pub(super) fn spread_all(&mut self, row: Row, to: &[Reg], wide: bool, first: usize) {
        let (code, size) = if wide { (V::Spread64, 8) } else { (V::Spread32, 4) };
        for (i, &d) in to.iter().enumerate() {
            self.two(code, d, row.at(first + i * size));
        }
    }

    /// Loads a lane group of two contiguous 32-bit elements per lane. The results are in the last
    /// two registers.
    pub(super) fn load_pairs(&mut self, row: Row, [a, low, high]: [Reg; 3]) {
        self.two(V::Load, a, row.at(0));
        for (d, which) in [(low, 0b1000_1000), (high, 0b1101_1101)] {
            self.three_with(V::ShufflePairs, d, a, row.at(Self::BYTES), which);
            B::permute_pairs(self, d, d, true);
        }
    }

    /// Loads 16 bytes at each of several displacements into the 128-bit blocks of a register.
    fn load_blocks(&mut self, row: Row, d: Reg, displacement: impl Fn(usize) -> usize) {
        self.asm.put(I::with2(V::Load128.code::<B>(), d.xmm(), row.at(displacement(0))));
        for i in 1..B::LANES / 4 {
            self.three_with(V::Insert128, d, d, row.at(displacement(i)), i as u32);
        }
    }

    fn store_blocks(&mut self, row: Row, from: Reg, displacement: impl Fn(usize) -> usize) {
        self.asm.put(I::with2(V::Store128.code::<B>(), row.at(displacement(0)), from.xmm()));
        for i in 1..B::LANES / 4 {
            let (code, to) = (V::Extract128.code::<B>(), row.at(displacement(i)));
            self.asm.put(I::with3(code, to, B::name(from), i as u32));
        }
    }

    /// Loads a lane group of four 32-bit elements per lane, which begin `from` bytes after the
    /// lane's data. The results are in the registers that [`Self::transpose`] returns.
    pub(super) fn load_quads(&mut self, row: Row, d: [Reg; 6], stride: usize, from: usize) {
        for (first, &d) in d[..4].iter().enumerate() {
            self.load_blocks(row, d, |i| (first + 4 * i) * stride + from);
        }
        self.transpose(d);
    }

    /// Transposes 4x4 matrices of 32-bit elements in each 128-bit block of the first four
    /// registers, which are overwritten.
    fn transpose(&mut self, [a, b, c, d, e, f]: [Reg; 6]) -> [Reg; 4] {
        self.three(V::UnpackLow32, e, a, b);
        self.three(V::UnpackHigh32, a, a, b);
        self.three(V::UnpackLow32, f, c, d);
        self.three(V::UnpackHigh32, c, c, d);
        self.three(V::UnpackLow64, b, e, f);
        self.three(V::UnpackHigh64, e, e, f);
        self.three(V::UnpackLow64, d, a, c);
        self.three(V::UnpackHigh64, a, a, c);
        [b, e, d, a]
    }

    /// The displacement of the data of a lane of half a lane group.
    fn lane_of_half(half: usize, stride: usize, from: usize) -> impl Fn(usize) -> usize {
        move |lane| (B::LANES / 2 * half + lane) * stride + from
    }

    /// Loads two 64-bit elements for each lane of half a lane group. The results are in the last
    /// two registers.
    pub(super) fn load_doubles(
        &mut self,
        row: Row,
        [b, a, low]: [Reg; 3],
        (half, stride, from): (usize, usize, usize),
    ) {
        let lane = Self::lane_of_half(half, stride, from);
        self.load_blocks(row, a, |i| lane(2 * i));
        self.load_blocks(row, b, |i| lane(2 * i + 1));
        self.three(V::UnpackLow64, low, a, b);
        self.three(V::UnpackHigh64, a, a, b);
    }

    /// Stores a lane group of two contiguous 32-bit elements per lane. The registers are
    /// temporaries, and are overwritten.
    pub(super) fn store_pairs(&mut self, row: Row, low: Reg, high: Reg) {
        B::permute_pairs(self, low, low, false);
        B::permute_pairs(self, high, high, false);
        for (i, code) in [V::UnpackLow32, V::UnpackHigh32].into_iter().enumerate() {
            self.three(code, B::SPARE, low, high);
            self.store(row.at(i * Self::BYTES), B::SPARE);
        }
    }

    /// Stores a lane group of four 32-bit elements per lane, which begin `to` bytes after the
    /// lane's data. The registers are temporaries, and are overwritten.
    pub(super) fn store_quads(&mut self, row: Row, words: [Reg; 4], stride: usize, to: usize) {
        let [a, b, c, d] = words;
        let (e, f) = (self.temporary(), self.temporary());
        let rows = self.transpose([a, b, c, d, e, f]);
        self.release(c);
        self.release(f);
        for (first, from) in rows.into_iter().enumerate() {
            self.store_blocks(row, from, |i| (first + 4 * i) * stride + to);
            self.release(from);
        }
    }

    /// Stores two 64-bit elements for each lane of half a lane group.
    pub(super) fn store_doubles(
        &mut self,
        row: Row,
        [a, b]: [Reg; 2],
        (half, stride, to): (usize, usize, usize),
    ) {
        let lane = Self::lane_of_half(half, stride, to);
        for (first, code) in [V::UnpackLow64, V::UnpackHigh64].into_iter().enumerate() {
            self.three(code, B::SPARE, a, b);
            self.store_blocks(row, B::SPARE, |i| lane(2 * i + first));
        }
    }
}
