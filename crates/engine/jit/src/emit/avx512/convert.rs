//! Conversions between f64, f32, f16 and integers that change the width of a lane.

use super::float::MOVE;
use super::{Avx512Emitter, SCRATCH_MASK};
use crate::emit::asm::of_rounding;
use crate::emit::register_cache::{Kind, Nans, Reg};
use crate::op::{Op, Rounding};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I};

const COMPARE: C = C::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
const MOVE64: C = C::EVEX_Vmovdqa64_zmm_k1z_zmmm512;
const MAX: C = C::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae;
const MIN: C = C::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae;
const UNORDERED: u32 = 3;
const GREATER_OR_EQUAL: u32 = 0x1d;
/// Converts f32 in half of a register to f64.
const WIDEN: C = C::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
/// Converts f64 to f32 in half of a register.
const CUT: C = C::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;

impl Avx512Emitter<'_> {
    /// Emits a conversion to 32-bit lanes. Returns the temporary with the result, and what is known
    /// of it.
    pub(super) fn convert(&mut self, op: Op, source: Source, part: u8) -> Option<(Reg, Kind)> {
        const FLOAT: Kind = Kind::normal(Nans::Any);
        Some(match op {
            Op::FromHalf => {
                let a = self.narrow(source, part)?;
                let d = self.temporary();
                self.asm.put(I::with2(C::EVEX_Vpmovdw_ymmm256_k1z_zmm, d.y(), a.z()));
                self.asm.put(I::with2(C::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, d.z(), d.y()));
                (d, FLOAT)
            }
            Op::ToHalf(rounding) => (self.half_of(source, part, rounding)?, Kind::BITS),
            _ => {
                let low = self.half_from_double(op, source, 2 * part)?;
                let high = self.half_from_double(op, source, 2 * part + 1)?;
                self.join_halves(low, high);
                (low, Kind::BITS)
            }
        })
    }

    /// Makes the second register the upper half of the first.
    fn join_halves(&mut self, low: Reg, high: Reg) {
        let code = C::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
        self.asm.put(I::with4(code, low.z(), low.z(), high.y(), 1_u32));
        self.cache.release(high);
    }

    fn half_of(&mut self, source: Source, part: u8, rounding: Rounding) -> Option<Reg> {
        let a = self.float(source, part)?;
        let nan = self.literal(0x7fff);
        let d = self.temporary();
        let code = C::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae;
        self.asm.put(I::with3(code, d.y(), a.z(), of_rounding(rounding)));
        self.asm.put(I::with2(C::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, d.z(), d.y()));
        let compare = C::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        self.asm.put(I::with4(compare, SCRATCH_MASK, a.z(), a.z(), UNORDERED));
        self.asm.put_masked(SCRATCH_MASK, I::with2(MOVE, d.z(), nan.z()));
        Some(d)
    }

    /// Converts a part of f64 to 32-bit lanes in the lower half of a temporary.
    fn half_from_double(&mut self, op: Op, source: Source, part: u8) -> Option<Reg> {
        let a = self.wide(source, part)?;
        let d = self.temporary();
        match op {
            Op::FromDouble(rounding) => {
                self.asm.put_rounded(Some(rounding), I::with2(CUT, d.y(), a.z()));
            }
            Op::DoubleToS => {
                // `min` returns its second source if one is a NaN. The conversion returns the
                // lowest number for NaNs and for values below it.
                let most = self.wide_literal(f64::from(i32::MAX).to_bits());
                self.three(MIN, d.z(), most, a);
                self.asm.put(I::with2(C::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae, d.y(), d.z()));
            }
            Op::DoubleToU => {
                let (zero, lowest) = (self.wide_literal(0), self.literal(1 << 31));
                self.three(MAX, d.z(), zero, a);
                // The conversion returns all ones for values above the range, and for NaNs, which
                // are replaced below.
                self.asm.put(I::with2(C::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae, d.y(), d.z()));
                self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), a.z(), UNORDERED));
                let code = C::EVEX_Vmovdqa32_ymm_k1z_ymmm256;
                self.asm.put_masked(SCRATCH_MASK, I::with2(code, d.y(), lowest.y()));
            }
            _ => return None,
        }
        Some(d)
    }

    /// Converts a part of f64 to 64-bit integers.
    pub(super) fn wide_of_double(&mut self, signed: bool, source: Source, part: u8) -> Option<Reg> {
        let a = self.wide(source, part)?;
        let d = self.temporary();
        if signed {
            let (end, most) =
                (self.wide_literal(0x43e0_0000_0000_0000), self.wide_literal(i64::MAX as u64));
            self.asm.put(I::with2(C::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae, d.z(), a.z()));
            self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), end.z(), GREATER_OR_EQUAL));
            self.asm.put_masked(SCRATCH_MASK, I::with2(MOVE64, d.z(), most.z()));
        } else {
            let (zero, lowest) = (self.wide_literal(0), self.wide_literal(1 << 63));
            self.three(MAX, d.z(), zero, a);
            self.asm.put(I::with2(C::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae, d.z(), d.z()));
            self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), a.z(), UNORDERED));
            self.asm.put_masked(SCRATCH_MASK, I::with2(MOVE64, d.z(), lowest.z()));
        }
        Some(d)
    }

    /// Converts a part of f32 to f64.
    pub(super) fn double_of_float(&mut self, source: Source, part: u8) -> Option<Reg> {
        let a = self.narrow(source, part / 2)?;
        Some(self.widened(a, part))
    }

    fn widened(&mut self, a: Reg, part: u8) -> Reg {
        let d = self.temporary();
        let mut from = a.y();
        if part % 2 == 1 {
            let code = C::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
            self.asm.put(I::with3(code, d.y(), a.z(), 1_u32));
            from = d.y();
        }
        self.asm.put(I::with2(WIDEN, d.z(), from));
        d
    }
}
