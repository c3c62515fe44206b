//! Operations on f64. A NaN that goes in comes out, and arithmetic makes 0xfff8000000000000. Of several, sums and products give
//! the second source's, `fma` that of b, c, a, whichever comes first, and quotients the first one's; the processor gives that of
//! the first one that an instruction reads, of products with an addend that of the factors.

use super::float::MOVE;
use super::{MOMENT_K, Maker};
use crate::emit::asm::{of_quiet_rounding, spread};
use crate::emit::register_cache::Reg;
use crate::op::{Float, Op, Rounding};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, Register as R};

const COMPARE: C = C::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
const MOVE64: C = C::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
const UNORDERED: u32 = 3;
/// For `vfixupimmpd`: NaNs come from the source, as they are or quiet, and all other kinds of numbers stay.
const NANS: u64 = 0x11;
const QUIET_NANS: u64 = 0x22;

impl Maker<'_> {
    /// A part of an operation on f64, in a temporary.
    pub(super) fn double(
        &mut self,
        op: Float,
        rounding: Rounding,
        from: [Source; 3],
        part: u8,
    ) -> Option<Reg> {
        // A number is no NaN, and can be read from memory.
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
            Float::Fma => {
                let (b, c) = (self.wide(from[1], part)?, self.wide(from[2], part)?);
                // A NaN of the second register comes before that of the first one, and that before the third one's: which is
                // put into the first one.
                let d = self.unary(MOVE, a);
                if !from[0].is_number64() && !from[2].is_number64() {
                    // Only where a is one: the addend is the sum before, which nothing else is to wait for.
                    let done = self.asm.label();
                    self.asm.put(I::with4(COMPARE, MOMENT_K, a.z(), a.z(), UNORDERED));
                    self.asm.put(I::with2(C::VEX_Kortestb_kr_kr, MOMENT_K, MOMENT_K));
                    self.asm.jump(C::Je_rel32_64, done);
                    self.take_nans(d, c, NANS);
                    self.asm.bind(done);
                }
                let code = C::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er;
                self.asm.put_rounded(Some(rounding), I::with3(code, d.z(), b.z(), c.z()));
                return Some(d);
            }
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

    /// NaNs of another value, in one operation.
    fn take_nans(&mut self, d: Reg, from: Reg, how: u64) {
        let kinds = spread(R::R9, self.pooled(&[how]));
        let code = C::EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae;
        self.asm.put(I::with4(code, d.z(), from.z(), kinds, 0));
    }

    /// Another sign; a signalling NaN becomes a quiet one and keeps its own.
    fn double_sign(&mut self, op: Float, a: Reg) -> Reg {
        let (code, bits) = if op == Float::Neg {
            (C::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, 1 << 63)
        } else {
            (C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, u64::MAX >> 1)
        };
        let (bits, quiet) = (self.wide_number(bits), self.wide_number(1 << 51));
        let d = self.binary(code, a, bits);
        self.asm.put(I::with4(COMPARE, MOMENT_K, a.z(), a.z(), UNORDERED));
        let or = C::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64;
        self.asm.put_masked(
            MOMENT_K,
            match quiet {
                super::load::Operand::Register(quiet) => I::with3(or, d.z(), a.z(), quiet.z()),
                super::load::Operand::Memory(quiet) => I::with3(or, d.z(), a.z(), quiet),
            },
        );
        d
    }

    /// One NaN gives the other source, two that of b, quiet; -0 is less than +0.
    fn double_extreme(&mut self, op: Float, a: Reg, b: Reg) -> Reg {
        let (code, combine) = if op == Float::Min {
            (C::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae, C::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64)
        } else {
            (C::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae, C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64)
        };
        // The processor gives the second source where one is a NaN or both are zeros.
        let d = self.binary(code, b, a);
        self.asm.put(I::with4(COMPARE, MOMENT_K, a.z(), b.z(), 0));
        self.asm.put_masked(MOMENT_K, I::with3(combine, d.z(), a.z(), b.z()));
        self.asm.put(I::with4(COMPARE, MOMENT_K, a.z(), a.z(), UNORDERED));
        self.asm.put_masked(MOMENT_K, I::with2(MOVE64, d.z(), b.z()));
        self.take_nans(d, d, QUIET_NANS);
        d
    }

    /// A part of f64 from integers.
    pub(super) fn double_of(&mut self, op: Op, source: Source, part: u8) -> Option<Reg> {
        let (code, a) = match op {
            Op::DoubleFromU | Op::DoubleFromS => {
                let signed = op == Op::DoubleFromS;
                // What has been extended has 64 bits with the same value.
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
