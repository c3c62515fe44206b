//! Operations that evaluate polynomials of the special function unit: tables of constants, and its
//! square.

use super::{Avx2Emitter, LANES_SIZE, SCRATCH, Vector};
use crate::emit::asm::at;
use crate::emit::memory::OFFSET_ROW;
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use texunit_sfu::lanes::Curve;

const AND: C = C::VEX_Vpand_ymm_ymm_ymmm256;
const ADD: C = C::VEX_Vpaddd_ymm_ymm_ymmm256;
const DOWN: C = C::VEX_Vpsrld_ymm_ymm_imm8;
const PRODUCT: C = C::VEX_Vpmaddwd_ymm_ymm_ymmm256;

impl Avx2Emitter<'_> {
    /// The entries of a table at indices whose high bits are ignored, in a temporary.
    pub(super) fn entries(&mut self, words: &'static [u32], index: Reg, part: u8) -> Reg {
        let below = self.number(words.len() as u32 - 1);
        let index = self.binary(AND, index, below);
        let d = self.temporary();
        self.asm.put(I::with2(C::Mov_r64_imm64, R::R12, words.as_ptr() as u64));
        if crate::emit::processor::has_fast_gathers() {
            self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, SCRATCH, SCRATCH, SCRATCH);
            // Zeroing the destination breaks the dependency of the gather on the register's old
            // value.
            self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, d, d, d);
            let from = MemoryOperand::with_base_index_scale(R::R12, index.ymm(), 4);
            let gather = C::VEX_Vpgatherdd_ymm_vm32y_ymm;
            self.asm.put(I::with3(gather, d.ymm(), from, SCRATCH.ymm()));
        } else {
            let row = Frame::scratch(OFFSET_ROW) + usize::from(part) * LANES_SIZE;
            self.store(at(R::RDI, row), index);
            self.words(d, row, SCRATCH);
        }
        self.release(index);
        d
    }

    /// Emits a [`Curve`], in a temporary.
    pub(super) fn curve(&mut self, curve: &'static Curve, a: Reg, part: u8) -> Reg {
        const SUB: C = C::VEX_Vpsubd_ymm_ymm_ymmm256;
        const DOWN_SIGNED: C = C::VEX_Vpsrad_ymm_ymm_imm8;
        const UP: C = C::VEX_Vpslld_ymm_ymm_imm8;
        let segment = self.temporary();
        self.two_with(DOWN, segment, a, 17);
        let factors = self.entries(&curve.factors, segment, part);
        let d = self.entries(&curve.constants, segment, part);
        self.release(segment);
        let below = self.number(0x1_ffff);
        let below = self.binary(AND, a, below);
        let square = self.folded_square_of(below);
        // X / 2 - 2^15 in the upper half, and the square in the lower half.
        let n = self.temporary();
        self.two_with(UP, n, below, 15);
        let [upper, sign] = [0xffff_0000, 0x8000_0000].map(|bits| self.number(bits));
        self.three(AND, n, n, upper);
        self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, n, n, sign);
        self.three(C::VEX_Vpor_ymm_ymm_ymmm256, n, n, square);
        self.release(square);
        self.three(PRODUCT, n, n, factors);
        if curve.has_odd {
            self.two_with(UP, below, below, 31);
            self.two_with(DOWN_SIGNED, below, below, 31);
            self.two_with(DOWN_SIGNED, factors, factors, 17);
            self.three(AND, below, below, factors);
            self.three(ADD, n, n, below);
        }
        self.release(factors);
        self.release(below);
        let [bias, origin] = [curve.bias, curve.origin].map(|number| self.number(number));
        self.three(ADD, n, n, bias);
        self.two_with(DOWN_SIGNED, n, n, curve.shift);
        self.three(SUB, d, d, n);
        self.two_with(DOWN_SIGNED, d, d, 1 + u32::from(curve.is_steep));
        self.three(if curve.falls { SUB } else { ADD }, d, d, a);
        self.three(ADD, d, d, origin);
        if !curve.is_steep {
            self.two_with(DOWN, d, d, 1);
        }
        if curve.has_powers {
            let [low, power] = [0x00ff_ffff, 0x0080_0000].map(|bits| self.number(bits));
            self.three(AND, n, a, low);
            self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, n, n, power);
            self.three(SUB, d, d, n);
        }
        self.release(n);
        d
    }

    /// Emits [`texunit_sfu::square`], in a temporary. All factors are below 2^15, so that 16-bit
    /// multiplications give their products.
    pub(super) fn folded_square_of(&mut self, a: Reg) -> Reg {
        let (d, top) = (self.temporary(), self.temporary());
        self.two_with(DOWN, d, a, 9);
        self.three(PRODUCT, d, d, d);
        self.two_with(DOWN, d, d, 1);
        for (mask, above, cut) in [(0x180, 10, 8), (0x60, 12, 6), (0x18, 14, 4), (4, 16, 2)] {
            let mask = self.number(mask);
            let pair = self.binary(AND, a, mask);
            self.two_with(DOWN, top, a, above);
            self.three(PRODUCT, pair, pair, top);
            self.two_with(DOWN, pair, pair, cut);
            self.three(ADD, d, d, pair);
            self.release(pair);
        }
        self.release(top);
        d
    }
}
