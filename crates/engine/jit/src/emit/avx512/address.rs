//! Affine addresses: computes a uniform base plus a scaled 32-bit index per lane, for accesses and
//! for exits.

use super::memory::{MemAccess, site, spread_of};
use super::{Avx512Emitter, SCRATCH};
use crate::emit::affine::Addend;
use crate::emit::asm::Label;
use crate::emit::vector::V;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl Avx512Emitter<'_> {
    /// Computes the base addresses of an access in the registers that are reserved for them. Uses
    /// `rax`.
    pub(super) fn compute_bases(&mut self, mem: &MemAccess) {
        let Some((value, index)) = mem.affine else { return };
        for (part, base) in mem.bases.iter().enumerate() {
            let mut from = index[part / 2];
            if value.addend != Addend::NONE {
                self.sum_of_index(value, SCRATCH, from.into());
                from = SCRATCH;
            }
            if part % 2 == 1 {
                self.upper_half(SCRATCH, from);
                from = SCRATCH;
            }
            let add = self.number_at(value.add, R::RAX);
            self.widen(if value.signed { V::ExtendS } else { V::ExtendU }, *base, from);
            if value.shift != 0 {
                self.two_with(V::Left64, *base, *base, u32::from(value.shift));
            }
            if value.add != Source::Literal(0) {
                self.three(V::Add64, *base, *base, spread_of(add));
            }
        }
    }

    /// Computes the offsets of the first lanes of both halves in `rax` and `r12`. `add` is the
    /// field of the site that turns addresses into offsets. With `rows`, jumps to `to` if the index
    /// of a later lane may wrap around. Uses `r13`, `r14` and `rbx`.
    pub(super) fn affine_firsts(&mut self, mem: &MemAccess, add: usize, rows: bool, to: Label) {
        let Some((value, index)) = mem.affine else { return };
        let halves = [(R::RAX, R::EAX), (R::R12, R::R12D)];
        for ((_, low), index) in halves.into_iter().zip(index) {
            self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, low, index.x()));
            self.add_addend(value.addend, low, R::R13);
        }
        if rows {
            // The first indices are far from wrapping around: within 2^30 of zero if signed, and
            // below 2^31 if not.
            let above = |by| MemoryOperand::with_base_displ(by, 0x4000_0000);
            if value.signed {
                self.asm.put(I::with2(C::Lea_r32_m, R::R14D, above(R::RAX)));
                self.asm.put(I::with2(C::Lea_r32_m, R::EBX, above(R::R12)));
                self.asm.put(I::with2(C::Or_r32_rm32, R::R14D, R::EBX));
            } else {
                self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, R::EAX));
                self.asm.put(I::with2(C::Or_r32_rm32, R::R14D, R::R12D));
            }
            self.asm.jump_if(I::with2(C::Test_rm32_r32, R::R14D, R::R14D), C::Js_rel32_64, to);
        }
        match value.add {
            Source::Literal(number) => {
                self.asm.put(I::with2(C::Mov_r64_imm64, R::R13, number));
            }
            source => {
                let from = self.number_at(source, R::R13);
                self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, from));
            }
        }
        self.asm.put(I::with2(C::Add_r64_rm64, R::R13, site(mem, add)));
        for (first, low) in halves {
            if value.signed {
                self.asm.put(I::with2(C::Movsxd_r64_rm32, first, low));
            }
            let mut scale = 1_u32 << value.shift;
            if scale > 8 {
                self.asm.put(I::with2(C::Shl_rm64_imm8, first, u32::from(value.shift)));
                scale = 1;
            }
            let sum = MemoryOperand::with_base_index_scale(R::R13, first, scale);
            self.asm.put(I::with2(C::Lea_r64_m, first, sum));
        }
    }
}
