//! `fma` of f64 with a factor and an addend that may both be NaNs.

use super::{Avx512, Avx512Emitter, SCRATCH_MASK};
use crate::emit::asm::{J, spread};
use crate::emit::backend::Primitives;
use crate::emit::register_cache::Reg;
use crate::emit::vector::{ORDERED, V};
use crate::op::Rounding;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, Register as R};

const COMPARE: C = C::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
/// A table for `vfixupimmpd`, which takes NaNs from its source and leaves all other values as they
/// are.
const NANS: u64 = 0x11;

impl Avx512Emitter<'_> {
    /// Emits `fma` of f64 for all lanes. Returns the temporary registers of the results.
    ///
    /// The processor returns the NaN of the first factor rather than the NaN of the addend, but PTX
    /// returns the addend's. If any result is a NaN, code out of line copies the addend's NaNs to
    /// the first factor and repeats the operation.
    pub(super) fn double_fma(&mut self, rounding: Rounding, from: [Source; 3]) -> Option<[Reg; 4]> {
        let mut parts = Vec::with_capacity(4);
        for part in 0..4 {
            let [a, b, c] = [0, 1, 2].map(|i| self.wide(from[i], part));
            let (a, b, c) = (a?, b?, c?);
            let d = self.copied(true, a);
            fused(self, rounding, d, (b, c));
            parts.push((d, a, b, c));
        }
        let [d, e, f, g] = [0, 1, 2, 3].map(|part| parts[part].0);
        self.asm.put(I::with4(COMPARE, SCRATCH_MASK, d.zmm(), e.zmm(), ORDERED));
        self.asm
            .put_masked(SCRATCH_MASK, I::with4(COMPARE, SCRATCH_MASK, f.zmm(), g.zmm(), ORDERED));
        self.asm.put(I::with2(C::VEX_Kortestb_kr_kr, SCRATCH_MASK, SCRATCH_MASK));
        self.out_of_line(J::AE, move |e| {
            for (d, a, b, c) in parts {
                e.two(V::Move, d, a);
                let kinds = spread(R::R9, e.pooled(&[NANS]));
                let code = C::EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae;
                e.asm.put(I::with4(code, d.zmm(), c.zmm(), kinds, 0));
                fused(e, rounding, d, (b, c));
            }
        });
        Some([d, e, f, g])
    }
}

/// Emits `d = d * b + c`.
fn fused(e: &mut Avx512Emitter<'_>, rounding: Rounding, d: Reg, (b, c): (Reg, Reg)) {
    Avx512::rounded_by(e, rounding, |e| e.three(V::FmaD, d, b, c));
}
