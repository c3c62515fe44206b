//! Operations that evaluate polynomials of the special function unit: look-ups in tables of
//! constants, and the truncated square that the unit computes.

use super::{Avx2Emitter, SCRATCH};
use crate::emit::asm::{at, with_index};
use crate::emit::register_cache::Reg;
use crate::emit::vector::V;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;
use texunit_sfu::lanes::{Curve, Entry};

const HIGH: C = C::VEX_Vpmulhuw_ymm_ymm_ymmm256;

impl Avx2Emitter<'_> {
    /// Looks up a table at indices whose high bits are ignored. Returns the temporary register of
    /// the entries.
    pub(super) fn entries(&mut self, words: &'static [u32], index: Reg) -> Reg {
        let below = self.number(words.len() as u32 - 1);
        let index = self.binary(V::And32, index, below);
        let d = self.temporary();
        self.asm.put(I::with2(C::Mov_r64_imm64, R::R12, words.as_ptr() as u64));
        if crate::emit::processor::has_fast_gathers() {
            self.gather_entries(d, index, (4, 0));
        } else {
            self.byte_of_lanes(d, index, 0);
            for (half, to) in [d.xmm(), SCRATCH.xmm()].into_iter().enumerate() {
                self.each_lane_of_half(half, |e, lane, from| {
                    let from = MemoryOperand::with_base_index_scale(R::R12, from, 4);
                    e.asm.put(match lane {
                        0 => I::with2(C::VEX_Vmovd_xmm_rm32, to, from),
                        _ => I::with4(C::VEX_Vpinsrd_xmm_xmm_rm32_imm8, to, to, from, lane),
                    });
                });
            }
            let insert = C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
            self.asm.put(I::with4(insert, d.ymm(), d.ymm(), SCRATCH.xmm(), 1_u32));
        }
        self.release(index);
        d
    }

    /// Looks up the entries of a curve. Returns the temporary registers of their factors and of
    /// their constants.
    fn entries_of_curve(&mut self, curve: &'static Curve, a: Reg) -> [Reg; 2] {
        let [factors, constants, other] = [(); 3].map(|()| self.temporary());
        self.asm.put(I::with2(C::Mov_r64_imm64, R::R12, curve.entries.as_ptr() as u64));
        if crate::emit::processor::has_fast_gathers() {
            self.two_with(V::Left32, other, a, 8);
            self.two_with(V::RightU32, other, other, 24);
            self.gather_entries(factors, other, (8, offset_of!(Entry, factors)));
            self.gather_entries(constants, other, (8, offset_of!(Entry, constant)));
            self.release(other);
            return [factors, constants];
        }
        self.byte_of_lanes(factors, a, 2);
        // In each half, lanes 0 and 1 in a register, and lanes 2 and 3 in another.
        for (half, pairs) in [[factors, constants], [other, SCRATCH]].into_iter().enumerate() {
            self.each_lane_of_half(half, |e, lane, from| {
                let from = MemoryOperand::with_base_index_scale(R::R12, from, 8);
                let to = pairs[lane as usize / 2].xmm();
                e.asm.put(match lane % 2 {
                    0 => I::with2(C::VEX_Vmovq_xmm_xmmm64, to, from),
                    _ => I::with3(C::VEX_Vmovhps_xmm_xmm_m64, to, to, from),
                });
            });
        }
        let insert = C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
        for (d, upper) in [(factors, other), (constants, SCRATCH)] {
            self.asm.put(I::with4(insert, d.ymm(), d.ymm(), upper.xmm(), 1_u32));
        }
        let pick = C::VEX_Vshufps_ymm_ymm_ymmm256_imm8;
        self.three_with(pick, other, factors, constants, 0b1101_1101);
        self.three_with(pick, factors, factors, constants, 0b1000_1000);
        self.release(constants);
        [factors, other]
    }

    /// Gathers 32-bit numbers at the address `r12 + scale * index + offset` of each lane.
    fn gather_entries(&mut self, d: Reg, index: Reg, (scale, offset): (u32, usize)) {
        self.three(V::Equal32, SCRATCH, SCRATCH, SCRATCH);
        // Zeroing the destination breaks the dependency of the gather on the register's old value.
        self.three(V::Xor32, d, d, d);
        let from = with_index(at(R::R12, offset), index.ymm(), scale);
        self.asm.put(I::with3(C::VEX_Vpgatherdd_ymm_vm32y_ymm, d.ymm(), from, SCRATCH.ymm()));
    }

    /// Loads a byte of each lane into general registers: the bytes of lanes 0 to 3 into `eax`, and
    /// of lanes 4 to 7 into `ebx`. A load that waits for a store of the indices to the frame would
    /// take twice the time (Zen 5). Overwrites `t`.
    fn byte_of_lanes(&mut self, t: Reg, a: Reg, byte: u64) {
        let four = 0x0c08_0400 + byte * 0x0101_0101;
        let bytes = at(R::R9, self.pooled(&[four, 0, four, 0]));
        self.three(V::ShuffleBytes, t, a, bytes);
        self.asm.put(I::with2(C::VEX_Vmovd_rm32_xmm, R::EAX, t.xmm()));
        self.asm.put(I::with3(C::VEX_Vextracti128_xmmm128_ymm_imm8, t.xmm(), t.ymm(), 1_u32));
        self.asm.put(I::with2(C::VEX_Vmovd_rm32_xmm, R::EBX, t.xmm()));
    }

    /// Calls `code` for each of the four lanes of a half, with the lane and the general register
    /// that has the lane's byte.
    fn each_lane_of_half(&mut self, half: usize, mut code: impl FnMut(&mut Self, u32, R)) {
        let [low, high, four] = [[R::AL, R::AH, R::EAX], [R::BL, R::BH, R::EBX]][half];
        for (lane, byte) in [low, high, low, high].into_iter().enumerate() {
            if lane == 2 {
                self.asm.put(I::with2(C::Shr_rm32_imm8, four, 16));
            }
            // The second byte of a register can only be copied to one of the first eight registers.
            self.asm.put(I::with2(C::Movzx_r32_rm8, R::EBP, byte));
            code(self, lane as u32, R::RBP);
        }
    }

    /// Emits the evaluation of a [`Curve`]. Returns the temporary register of the result.
    pub(super) fn curve(&mut self, curve: &'static Curve, a: Reg) -> Reg {
        let [factors, d] = self.entries_of_curve(curve, a);
        // Y - 2^15 in the upper half, and the square in the lower half.
        let square = self.folded_square_of(a);
        let n = self.temporary();
        self.two_with(V::Left32, n, a, 16);
        let sign = self.number(0x8000_0000);
        self.three(V::Xor32, n, n, sign);
        self.three(V::Or32, n, n, square);
        self.release(square);
        self.three(V::MulShort, n, n, factors);
        self.release(factors);
        let mut x = a;
        if curve.has_powers {
            // Only powers of four have this sum. Another 1 in the line gives them theirs.
            let sum = self.number(curve.sum_of_powers());
            x = self.binary(V::Equal32, n, sum);
            self.three(V::Add32, x, x, a);
        }
        if curve.biases[0] != 0 {
            let bias = self.number(curve.biases[0]);
            self.three(V::Add32, n, n, bias);
        }
        self.two_with(V::RightS32, n, n, curve.shifts[0]);
        self.three(V::Sub32, d, d, n);
        self.two_with(V::RightS32, d, d, 1 + u32::from(curve.is_steep));
        let origin = self.number(curve.origin);
        if curve.falls {
            self.set(false, SCRATCH, origin);
            self.three(V::Sub32, n, SCRATCH, x);
        } else {
            self.three(V::Add32, n, x, origin);
        }
        self.release(x);
        self.three(V::Add32, d, d, n);
        if !curve.is_steep {
            self.two_with(V::RightU32, d, d, 1);
        }
        self.release(n);
        d
    }

    /// Emits [`texunit_sfu::square`] of the low 17 bits. Returns the temporary register of the
    /// result.
    ///
    /// With the upper 7 bits g of X and the next 3 bits m, the three highest terms of the square
    /// are `(g * (4 g + m)) / 2`. Both halves of a lane have all bits but the lowest; factors are
    /// at the upper end of a half or at their place in it, so that the upper halves of products are
    /// terms.
    pub(super) fn folded_square_of(&mut self, a: Reg) -> Reg {
        let (d, t, u) = (self.temporary(), self.temporary(), self.temporary());
        let [both, both_high] = [0x0504_0504_0100_0100, 0x0d0c_0d0c_0908_0908];
        let both = at(R::R9, self.pooled(&[both, both_high, both, both_high]));
        self.two_with(V::RightU32, d, a, 1);
        self.three(V::ShuffleBytes, d, d, both);
        // 4 g + m is 8 g + m less 4 g.
        let [first, second, less] = [0x0030_fe00, 0xf800_ffc0, 0x7f00].map(|b| self.number(b));
        self.two_with(V::RightU32, u, a, 2);
        self.three(V::And32, u, u, less);
        self.three(V::And32, t, d, second);
        self.three(V::Sub32, u, t, u);
        self.three(V::And32, t, d, first);
        self.three(HIGH, t, t, u);
        let [first, second] = [0x0002_000c, 0x8000_e000].map(|bits| self.number(bits));
        self.three(V::And32, u, d, first);
        self.three(V::And32, d, d, second);
        self.three(HIGH, d, d, u);
        self.three(V::Add32, d, d, t);
        let ones = self.number(0x0001_0001);
        self.three(V::MulShort, d, d, ones);
        self.release(t);
        self.release(u);
        d
    }
}
