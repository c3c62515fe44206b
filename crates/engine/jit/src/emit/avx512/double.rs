//! Operations on f64. An invalid operation gives the NaN 0xfff8000000000000, and otherwise the
//! result is a NaN only if a source is. If several sources are NaNs, sums and products give the NaN
//! of the second source, `fma` the first NaN among b, c, a, and quotients that of the first source.
//! The processor takes the NaN of an instruction's first operand, and in fused operations prefers
//! factors to the addend; the order of operands is chosen accordingly.

use super::float::MOVE;
use super::{Avx512Emitter, SCRATCH_MASK};
use crate::emit::asm::{of_quiet_rounding, spread};
use crate::emit::register_cache::Reg;
use crate::op::{Float, Op, Rounding};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, Register as R};

const COMPARE: C = C::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
const MOVE64: C = C::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
const UNORDERED: u32 = 3;
const ORDERED: u32 = 7;
/// Tables for `vfixupimmpd`, which takes NaNs from its source (unchanged, or made quiet) and leaves
/// all other values as they are.
const NANS: u64 = 0x11;
const QUIET_NANS: u64 = 0x22;

impl Avx512Emitter<'_> {
    /// Emits a part of an operation on f64. The result is in a temporary.
    pub(super) fn double(
        &mut self,
        op: Float,
        rounding: Rounding,
        from: [Source; 3],
        part: u8,
    ) -> Option<Reg> {
        // An immediate that is not a NaN can be the second operand, which may be in memory.
        let swaps = matches!(op, Float::Add | Float::Mul) && !from[1].is_number64();
        let [first, second] = if swaps { [from[1], from[0]] } else { [from[0], from[1]] };
        let a = self.wide(first, part)?;
        let code = match op {
            Float::Sub if !from[1].is_number64() => {
                let (one, b) = (self.wide_literal(1f64.to_bits()), self.wide(from[1], part)?);
                let d = self.unary(MOVE, b);
                let code = C::EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
                self.asm.put_rounded(Some(rounding), I::with3(code, d.z(), one.z(), a.z()));
                return Some(d);
            }
            Float::Add => C::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
            Float::Sub => C::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
            Float::Mul => C::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
            Float::Div => C::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
            Float::Sqrt => {
                let d = self.temporary();
                let root = I::with2(C::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er, d.z(), a.z());
                self.asm.put_rounded(Some(rounding), root);
                return Some(d);
            }
            Float::Fma => return None,
            Float::Min | Float::Max => {
                let b = self.wide(from[1], part)?;
                return Some(self.double_extreme(op, a, b));
            }
            Float::Neg | Float::Abs => return Some(self.double_sign(op, a)),
            Float::Copy => return Some(self.unary(MOVE, a)),
            Float::Round(how) => {
                let d = self.temporary();
                let code = C::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae;
                self.asm.put(I::with3(code, d.z(), a.z(), of_quiet_rounding(how)));
                return Some(d);
            }
        };
        if rounding == Rounding::Near {
            let b = self.wide_operand(second, part)?;
            return Some(self.binary(code, a, b));
        }
        let b = self.wide(second, part)?;
        let d = self.temporary();
        self.asm.put_rounded(Some(rounding), I::with3(code, d.z(), a.z(), b.z()));
        Some(d)
    }

    /// Emits `fma` of f64. The results are in temporaries.
    pub(super) fn double_fma(&mut self, rounding: Rounding, from: [Source; 3]) -> Option<[Reg; 4]> {
        let code = C::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
        let mut parts = Vec::with_capacity(4);
        for part in 0..4 {
            let [a, b, c] = [0, 1, 2].map(|i| self.wide(from[i], part));
            let (a, b, c) = (a?, b?, c?);
            let d = self.unary(MOVE, a);
            self.asm.put_rounded(Some(rounding), I::with3(code, d.z(), b.z(), c.z()));
            parts.push((d, a, b, c));
        }
        let [d, e, f, g] = [0, 1, 2, 3].map(|part| parts[part].0);
        if !from[0].is_number64() && !from[2].is_number64() {
            // The processor prefers a NaN of the second operand to that of the first, and the
            // first's to the third's. If a result is a NaN, the NaNs of c are copied to the first
            // operand, and the operation is repeated.
            self.asm.put(I::with4(COMPARE, SCRATCH_MASK, d.z(), e.z(), ORDERED));
            let compare = I::with4(COMPARE, SCRATCH_MASK, f.z(), g.z(), ORDERED);
            self.asm.put_masked(SCRATCH_MASK, compare);
            self.asm.put(I::with2(C::VEX_Kortestb_kr_kr, SCRATCH_MASK, SCRATCH_MASK));
            self.out_of_line(C::Jae_rel32_64, move |e| {
                for (d, a, b, c) in parts {
                    e.asm.put(I::with2(MOVE, d.z(), a.z()));
                    e.take_nans(d, c, NANS);
                    e.asm.put_rounded(Some(rounding), I::with3(code, d.z(), b.z(), c.z()));
                }
            });
        }
        Some([d, e, f, g])
    }

    /// Copies NaNs from another register, with one instruction.
    fn take_nans(&mut self, d: Reg, from: Reg, how: u64) {
        let kinds = spread(R::R9, self.pooled(&[how]));
        let code = C::EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae;
        self.asm.put(I::with4(code, d.z(), from.z(), kinds, 0));
    }

    /// Emits `neg` or `abs`. A signalling NaN becomes quiet and keeps its sign.
    fn double_sign(&mut self, op: Float, a: Reg) -> Reg {
        let (code, bits) = if op == Float::Neg {
            (C::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, 1 << 63)
        } else {
            (C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, u64::MAX >> 1)
        };
        let (bits, quiet) = (self.wide_number(bits), self.wide_number(1 << 51));
        let d = self.binary(code, a, bits);
        self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), a.z(), UNORDERED));
        let or = C::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64;
        self.asm.put_masked(
            SCRATCH_MASK,
            match quiet {
                super::load::Operand::Register(quiet) => I::with3(or, d.z(), a.z(), quiet.z()),
                super::load::Operand::Memory(quiet) => I::with3(or, d.z(), a.z(), quiet),
            },
        );
        d
    }

    /// Emits `min` or `max`. If one source is a NaN, the result is the other source; if both are,
    /// it is b, made quiet. -0 is less than +0.
    fn double_extreme(&mut self, op: Float, a: Reg, b: Reg) -> Reg {
        let (code, combine) = if op == Float::Min {
            (C::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae, C::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64)
        } else {
            (C::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae, C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64)
        };
        // The processor's instruction returns the second source if one is a NaN or both are zeros.
        let d = self.binary(code, b, a);
        self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), b.z(), 0));
        self.asm.put_masked(SCRATCH_MASK, I::with3(combine, d.z(), a.z(), b.z()));
        self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), a.z(), UNORDERED));
        self.asm.put_masked(SCRATCH_MASK, I::with2(MOVE64, d.z(), b.z()));
        self.take_nans(d, d, QUIET_NANS);
        d
    }

    /// Converts a part of integers to f64.
    pub(super) fn double_of(&mut self, op: Op, source: Source, part: u8) -> Option<Reg> {
        let (code, a) = match op {
            Op::DoubleFromU | Op::DoubleFromS => {
                let signed = op == Op::DoubleFromS;
                // A 32-bit number has the same value when extended to a signed 64-bit number.
                (C::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er, self.extended(source, part, signed)?)
            }
            Op::DoubleFromWideU => {
                (C::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er, self.wide(source, part)?)
            }
            _ => (C::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er, self.wide(source, part)?),
        };
        Some(self.unary(code, a))
    }
}
