//! Operations that evaluate polynomials of the special function unit: tables of constants, and its
//! square.

use super::float::MOVE;
use super::load::LOAD;
use super::{Avx512Emitter, SCRATCH_MASK};
use crate::emit::asm::at;
use crate::emit::register_cache::{Kind, Reg};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use texunit_sfu::lanes::Words;

/// The number of 32-bit elements that a permutation of two registers selects from.
const PERMUTED: usize = 32;
/// Tables up to this length are looked up by permutations, longer ones by gathers, which make an
/// access for each lane.
const MOST_PERMUTED: usize = 128;

impl Avx512Emitter<'_> {
    /// Looks up a table at indices whose high bits are ignored. The result is in a temporary.
    pub(super) fn look_up(
        &mut self,
        words: Words,
        source: Source,
        part: u8,
    ) -> Option<(Reg, Kind)> {
        let index = self.narrow(source, part)?;
        let words = words.all();
        self.asm.put(I::with2(C::Mov_r64_imm64, R::RAX, words.as_ptr() as u64));
        let d = if words.len() <= MOST_PERMUTED && words.len() >= PERMUTED {
            self.permuted(words.len(), index)
        } else {
            self.gathered(words.len(), index)
        };
        Some((d, Kind::BITS))
    }

    /// Looks up a table by permutations. Each permutation selects by five bits of the index; the
    /// higher bits select among their results.
    fn permuted(&mut self, length: usize, index: Reg) -> Reg {
        let permute = C::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32;
        let mut entry_state: Vec<Reg> = Vec::new();
        for first in (0..length).step_by(PERMUTED) {
            let d = self.temporary();
            self.asm.put(I::with2(LOAD, d.z(), at(R::RAX, 4 * first)));
            let second = at(R::RAX, 4 * first + 64);
            self.asm.put(I::with3(permute, d.z(), index.z(), second));
            entry_state.push(d);
        }
        let mut bit = PERMUTED as u32;
        while entry_state.len() > 1 {
            let bit_set = self.number(bit);
            let test = C::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
            self.three(test, SCRATCH_MASK, index, bit_set);
            for pair in 0..entry_state.len() / 2 {
                let upper = entry_state.remove(pair + 1);
                self.asm.put_masked(SCRATCH_MASK, I::with2(MOVE, entry_state[pair].z(), upper.z()));
                self.cache.release(upper);
            }
            bit *= 2;
        }
        entry_state[0]
    }

    fn gathered(&mut self, length: usize, index: Reg) -> Reg {
        let below = self.number(length as u32 - 1);
        let index = self.binary(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, index, below);
        let d = self.temporary();
        // Zeroing the destination breaks the dependency of the gather on the register's old value.
        self.zero(d);
        self.asm.put(I::with3(C::VEX_Kxnorw_kr_kr_kr, SCRATCH_MASK, SCRATCH_MASK, SCRATCH_MASK));
        let from = MemoryOperand::with_base_index_scale(R::RAX, index.z(), 4);
        self.asm.put_masked(SCRATCH_MASK, I::with2(C::EVEX_Vpgatherdd_zmm_k1_vm32z, d.z(), from));
        self.cache.release(index);
        d
    }

    /// Emits [`texunit_sfu::square`] of both halves of a warp, in temporaries. Bits 2 to 16 of each
    /// lane are put into 16-bit elements: those of the second half of the warp above those of the
    /// first.
    pub(super) fn folded_squares(&mut self, source: Source) -> Option<[Reg; 2]> {
        const PRODUCT: C = C::EVEX_Vpmullw_zmm_k1z_zmm_zmmm512;
        const ADD: C = C::EVEX_Vpaddw_zmm_k1z_zmm_zmmm512;
        let down = C::EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8;
        let [first, second] = [self.narrow(source, 0)?, self.narrow(source, 1)?];
        let (x, t, d) = (self.temporary(), self.temporary(), self.temporary());
        let upper = self.number(0xffff_0000);
        self.asm.put(I::with3(C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, x.z(), first.z(), 2_u32));
        self.asm.put(I::with3(C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, t.z(), second.z(), 14_u32));
        // x | (t & upper)
        self.three_with(C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, x.z(), t, upper, 0xf8);
        self.asm.put(I::with3(down, d.z(), x.z(), 7_u32));
        self.three(PRODUCT, d.z(), d, d);
        self.asm.put(I::with3(down, d.z(), d.z(), 1_u32));
        let and = C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
        for (pair, above, cut) in [(0x60_0060, 8_u32, 6_u32), (0x18_0018, 10, 4), (0x6_0006, 12, 2)]
        {
            let pair = self.number(pair);
            let factor = self.binary(and, x, pair);
            self.asm.put(I::with3(down, t.z(), x.z(), above));
            self.three(PRODUCT, t.z(), t, factor);
            self.asm.put(I::with3(down, t.z(), t.z(), cut));
            self.three(ADD, d.z(), d, t);
            self.cache.release(factor);
        }
        // The product of the lowest bit and the highest.
        self.asm.put(I::with3(down, t.z(), x.z(), 14_u32));
        let one = self.number(0x1_0001);
        self.three_with(C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, t.z(), x, one, 0x80);
        self.three(ADD, d.z(), d, t);
        self.asm.put(I::with3(C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, t.z(), d.z(), 16_u32));
        let low = self.number(0xffff);
        self.three(and, d.z(), d, low);
        self.cache.release(x);
        Some([d, t])
    }
}
