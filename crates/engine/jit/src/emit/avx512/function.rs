//! What the special function unit's polynomials need: tables and its square.

use super::{MOMENT_K, Maker};
use crate::emit::values::{Kind, Reg};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use texunit_sfu::lanes::Words;

impl Maker<'_> {
    /// The words of a table at indices of which the low bits count, in a temporary.
    pub(super) fn look_up(
        &mut self,
        words: Words,
        source: Source,
        part: u8,
    ) -> Option<(Reg, Kind)> {
        let words = words.all();
        let a = self.narrow(source, part)?;
        let below = self.number(words.len() as u32 - 1);
        let index = self.binary(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, a, below);
        let d = self.temporary();
        // A gather waits for what its register has held.
        self.zero(d);
        self.asm.put(I::with2(C::Mov_r64_imm64, R::RAX, words.as_ptr() as u64));
        self.asm.put(I::with3(C::VEX_Kxnorw_kr_kr_kr, MOMENT_K, MOMENT_K, MOMENT_K));
        let from = MemoryOperand::with_base_index_scale(R::RAX, index.z(), 4);
        self.asm.put_masked(MOMENT_K, I::with2(C::EVEX_Vpgatherdd_zmm_k1_vm32z, d.z(), from));
        self.values.release(index);
        Some((d, Kind::BITS))
    }

    /// [`texunit_sfu::square`], in a temporary: factors are below 2^15, so that the products of their low words are theirs.
    pub(super) fn folded_square(&mut self, source: Source, part: u8) -> Option<(Reg, Kind)> {
        const PRODUCT: C = C::EVEX_Vpmaddwd_zmm_k1z_zmm_zmmm512;
        const DOWN: C = C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
        let a = self.narrow(source, part)?;
        let (d, top) = (self.temporary(), self.temporary());
        self.asm.put(I::with3(DOWN, d.z(), a.z(), 9_u32));
        self.three(PRODUCT, d.z(), d, d);
        self.asm.put(I::with3(DOWN, d.z(), d.z(), 1_u32));
        for (mask, above, cut) in [(0x180, 10_u32, 8_u32), (0x60, 12, 6), (0x18, 14, 4), (4, 16, 2)]
        {
            let mask = self.number(mask);
            let pair = self.binary(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, a, mask);
            self.asm.put(I::with3(DOWN, top.z(), a.z(), above));
            self.three(PRODUCT, pair.z(), pair, top);
            self.asm.put(I::with3(DOWN, pair.z(), pair.z(), cut));
            self.three(C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, d.z(), d, pair);
            self.values.release(pair);
        }
        self.values.release(top);
        Some((d, Kind::BITS))
    }
}
