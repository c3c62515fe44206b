//! Operations that evaluate polynomials of the special function unit: tables of constants, and its
//! square.

use super::address::OFFSET_ROW;
use super::{Avx2Emitter, LANES_SIZE, SCRATCH, Vector};
use crate::emit::asm::at;
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use texunit_sfu::lanes::Words;

impl Avx2Emitter<'_> {
    /// Looks up a table at indices whose high bits are ignored. The result is in a temporary.
    pub(super) fn look_up(&mut self, words: Words, source: Source, part: u8) -> Option<Reg> {
        let words = words.all();
        let a = self.narrow(source, part)?;
        let below = self.number(words.len() as u32 - 1);
        let index = self.binary(C::VEX_Vpand_ymm_ymm_ymmm256, a, below);
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
            self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, at(R::RDI, row), index.ymm()));
            self.words(d, row, SCRATCH);
        }
        self.release(index);
        Some(d)
    }

    /// Emits [`texunit_sfu::square`], in a temporary. All factors are below 2^15, so that 16-bit
    /// multiplications give their products.
    pub(super) fn folded_square(&mut self, source: Source, part: u8) -> Option<Reg> {
        const PRODUCT: C = C::VEX_Vpmaddwd_ymm_ymm_ymmm256;
        const DOWN: C = C::VEX_Vpsrld_ymm_ymm_imm8;
        let a = self.narrow(source, part)?;
        let (d, top) = (self.temporary(), self.temporary());
        self.two_with(DOWN, d, a, 9);
        self.three(PRODUCT, d, d, d);
        self.two_with(DOWN, d, d, 1);
        for (mask, above, cut) in [(0x180, 10, 8), (0x60, 12, 6), (0x18, 14, 4), (4, 16, 2)] {
            let mask = self.number(mask);
            let pair = self.binary(C::VEX_Vpand_ymm_ymm_ymmm256, a, mask);
            self.two_with(DOWN, top, a, above);
            self.three(PRODUCT, pair, pair, top);
            self.two_with(DOWN, pair, pair, cut);
            self.three(C::VEX_Vpaddd_ymm_ymm_ymmm256, d, d, pair);
            self.release(pair);
        }
        self.release(top);
        Some(d)
    }
}
