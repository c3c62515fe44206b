//! Operations that evaluate polynomials of the special function unit: look-ups in tables of
//! constants, and the truncated square that the unit computes.

use super::{Avx512, Avx512Emitter, CONDITION, MOVE, SCRATCH_MASK};
use crate::emit::asm::at;
use crate::emit::backend::Primitives;
use crate::emit::register_cache::Reg;
use crate::emit::vector::V;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use texunit_sfu::lanes::{Curve, Words};

/// The number of 32-bit elements that a permutation of two registers selects from.
const PERMUTED: usize = 32;
/// Tables up to this length are looked up by permutations, longer ones by gathers, which make an
/// access for each lane.
const MOST_PERMUTED: usize = 128;

impl Avx512Emitter<'_> {
    /// Looks up a table at indices whose high bits are ignored. Returns the temporary register of
    /// the result.
    pub(super) fn look_up(&mut self, words: Words, source: Source, part: u8) -> Option<Reg> {
        let index = self.narrow(source, part)?;
        let words = words.all();
        self.asm.put(I::with2(C::Mov_r64_imm64, R::RAX, words.as_ptr() as u64));
        Some(if words.len() <= MOST_PERMUTED && words.len() >= PERMUTED {
            self.permuted(words.len(), index)
        } else {
            self.gathered(words.len(), index)
        })
    }

    /// Looks up a table by permutations. Each permutation selects by five bits of the index; the
    /// higher bits select among their results.
    fn permuted(&mut self, length: usize, index: Reg) -> Reg {
        let permute = C::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32;
        let mut entry_state: Vec<Reg> = Vec::new();
        for first in (0..length).step_by(PERMUTED) {
            let d = self.temporary();
            self.two(V::Load, d, at(R::RAX, 4 * first));
            let second = at(R::RAX, 4 * first + 64);
            self.asm.put(I::with3(permute, d.zmm(), index.zmm(), second));
            entry_state.push(d);
        }
        let mut bit = PERMUTED as u32;
        while entry_state.len() > 1 {
            let bit_set = self.number(bit);
            let test = C::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
            self.three(test, CONDITION, index, bit_set);
            for pair in 0..entry_state.len() / 2 {
                let upper = entry_state.remove(pair + 1);
                self.asm
                    .put_masked(SCRATCH_MASK, I::with2(MOVE, entry_state[pair].zmm(), upper.zmm()));
                self.cache.release(upper);
            }
            bit *= 2;
        }
        entry_state[0]
    }

    fn gathered(&mut self, length: usize, index: Reg) -> Reg {
        let below = self.number(length as u32 - 1);
        let index = self.binary(V::And32, index, below);
        let d = self.temporary();
        // Zeroing the destination breaks the dependency of the gather on the register's old value.
        self.zero(d);
        self.asm.put(I::with3(C::VEX_Kxnorw_kr_kr_kr, SCRATCH_MASK, SCRATCH_MASK, SCRATCH_MASK));
        let from = MemoryOperand::with_base_index_scale(R::RAX, index.zmm(), 4);
        self.asm.put_masked(SCRATCH_MASK, I::with2(C::EVEX_Vpgatherdd_zmm_k1_vm32z, d.zmm(), from));
        self.cache.release(index);
        d
    }

    /// Emits [`texunit_sfu::square`] for both halves of a warp. Returns the temporary registers of
    /// the results.
    pub(super) fn folded_squares(&mut self, source: Source) -> Option<[Reg; 2]> {
        let [first, second] = [self.narrow(source, 0)?, self.narrow(source, 1)?];
        let [x, d, t, u] = [(); 4].map(|()| self.temporary());
        let upper = self.number(0xffff_0000);
        self.two_with(V::RightU32, x, first, 1);
        self.two_with(C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, t, second, 15);
        // Selects the bits of t where the bits of `upper` are set, and the bits of x elsewhere.
        self.three_with(C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, x, t, upper, 0xd8);
        self.squares(x, d, [t, u]);
        self.two_with(V::RightU32, t, d, 16);
        let low = self.number(0xffff);
        self.three(V::And32, d, d, low);
        [x, u].into_iter().for_each(|reg| self.cache.release(reg));
        Some([d, t])
    }

    /// Squares numbers of 17 bits as [`texunit_sfu::square`] does, in 16-bit elements that have all
    /// but the lowest bit. Uses two scratch registers.
    ///
    /// With the upper bits g of X, `X >> 7` is `8 g + m`. The three highest terms of the square are
    /// `(g * (4 g + m)) / 2`. Factors are at the upper end of an element or at their place in it,
    /// so that the upper halves of products are the terms.
    fn squares(&mut self, x: Reg, d: Reg, [t, u]: [Reg; 2]) {
        const HIGH: C = C::EVEX_Vpmulhuw_zmm_k1z_zmm_zmmm512;
        const ADD: C = C::EVEX_Vpaddw_zmm_k1z_zmm_zmmm512;
        let both = |bits: u32| bits << 16 | bits;
        let [g, m, last] = [0xfe00, 0xffc0, 0x8002].map(|bits| self.number(both(bits)));
        self.three(V::And32, t, x, g);
        self.two_with(C::EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8, u, t, 1);
        self.three(V::And32, d, x, m);
        self.three(C::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512, d, d, u);
        self.three(HIGH, d, d, t);
        for (pair, above) in [(0x30, 0xf800), (0xc, 0xe000)] {
            let [pair, above] = [pair, above].map(|bits| self.number(both(bits)));
            self.three(V::And32, t, x, pair);
            self.three(V::And32, u, x, above);
            self.three(HIGH, t, t, u);
            self.three(ADD, d, d, t);
        }
        // The product of the lowest bit and the highest.
        self.three(C::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32, t, x, last);
        self.three(C::EVEX_Vptestnmw_kr_k1_zmm_zmmm512, CONDITION, t, t);
        let one = at(R::R9, self.pooled(&[0x1_0001_0001_0001; 8]));
        self.asm.put_masked(SCRATCH_MASK, I::with3(ADD, d.zmm(), d.zmm(), one));
    }

    /// Emits a [`Curve`] for both halves of a warp. Returns the temporary registers of the results.
    /// Table look-ups and squares use 16-bit elements: in each 128 bits of a register, four
    /// elements of the first half and four of the second, so that `vpunpcklwd` and `vpunpckhwd`
    /// make the 32-bit elements of each half.
    pub(super) fn curve(&mut self, curve: &'static Curve, source: Source) -> Option<[Reg; 2]> {
        const PERMUTE: C = C::EVEX_Vpermt2w_zmm_k1z_zmm_zmmm512;
        let xs = [self.float(source, 0)?, self.float(source, 1)?];
        let origin = if curve.falls { Some(self.literal(curve.origin)) } else { None };
        let [segment, x, square, t, u] = [(); 5].map(|()| self.temporary());
        let words = [(); 4].map(|()| self.temporary());
        self.two_with(V::RightU32, segment, xs[0], 1);
        self.two_with(V::RightU32, t, xs[1], 1);
        self.two(V::Move, x, segment);
        for (d, half) in [(x, 0), (segment, 1)] {
            // The numbers of the 16-bit elements, of which the second register's begin at 32.
            let element = |i: u64| (i & 3) * 2 + i / 8 * 8 + (i >> 2 & 1) * 32 + half;
            let four = |i: u64| (0..4).map(|k| element(4 * i + k) << (16 * k)).sum::<u64>();
            let all: [u64; 8] = std::array::from_fn(|i| four(i as u64));
            let numbers = at(R::R9, self.pooled(&all));
            self.two(V::Load, u, numbers);
            self.three(PERMUTE, d, u, t);
        }
        self.asm.put(I::with2(C::Mov_r64_imm64, R::RAX, curve.words.as_ptr() as u64));
        let repeats = curve.words.iter().all(|words| words[..64] == words[64..]);
        let upper = at(R::R9, self.pooled(&[0x40_0040_0040_0040; 8]));
        let test = C::EVEX_Vptestmw_kr_k1_zmm_zmmm512;
        self.asm.put(I::with3(test, SCRATCH_MASK, segment.zmm(), upper));
        for (i, d) in words.into_iter().enumerate() {
            for (d, from) in
                [(d, 256 * i), (t, 256 * i + 128)].into_iter().take(2 - usize::from(repeats))
            {
                self.two(V::Load, d, at(R::RAX, from));
                self.asm.put(I::with3(PERMUTE, d.zmm(), segment.zmm(), at(R::RAX, from + 64)));
            }
            if !repeats {
                let moved = I::with2(C::EVEX_Vmovdqu16_zmm_k1z_zmmm512, d.zmm(), t.zmm());
                self.asm.put_masked(SCRATCH_MASK, moved);
            }
        }
        self.squares(x, square, [t, u]);
        let sign = self.number(0x8000_8000);
        self.three(C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, x, x, sign);
        let [c2, c1, low, high] = words;
        for (d, a, code) in [
            (segment, xs[0], C::EVEX_Vpunpcklwd_zmm_k1z_zmm_zmmm512),
            (square, xs[1], C::EVEX_Vpunpckhwd_zmm_k1z_zmm_zmmm512),
        ] {
            self.three(code, t, square, x);
            self.three(code, u, c2, c1);
            self.three(C::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512, t, t, u);
            if curve.has_odd {
                let one = self.number(1);
                self.three(C::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, CONDITION, a, one);
                self.two_with(V::RightS32, u, u, 17);
                Avx512::three_where(self, V::Add32, (t, t), t, u);
            }
            if curve.biases[1] != 0 {
                let bias = self.number(curve.biases[1]);
                self.three(V::Add32, t, t, bias);
            }
            self.two_with(V::RightS32, t, t, curve.shifts[1]);
            self.three(code, d, low, high);
            self.three(V::Sub32, d, d, t);
            self.two_with(V::RightS32, d, d, 1 + u32::from(curve.is_steep));
            match origin {
                Some(origin) => {
                    self.three(V::Sub32, t, origin, a);
                    self.three(V::Add32, d, d, t);
                }
                None => {
                    let origin = self.number(curve.origin);
                    self.three(V::Add32, d, d, a);
                    self.three(V::Add32, d, d, origin);
                }
            }
            if !curve.is_steep {
                self.two_with(V::RightU32, d, d, 1);
            }
            if curve.has_powers {
                let below = self.number(0x00ff_ffff);
                let one = self.literal(1);
                self.three(C::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, CONDITION, t, below);
                Avx512::three_where(self, V::Add32, (d, d), d, one);
            }
        }
        [x, t, u, c2, c1, low, high].into_iter().for_each(|reg| self.cache.release(reg));
        Some([segment, square])
    }
}
