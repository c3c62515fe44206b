//! Operations on f32, and conversions from and to f32.

use super::load::Operand;
use super::{Avx512Emitter, FIXED, NAN, SCRATCH_MASK};
use crate::emit::asm::{of_quiet_rounding, spread};
use crate::emit::register_cache::{Kind, Nans, Reg};
use crate::op::{Float, Op, Rounding, tiny};
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, Register as R};

/// The comparison predicates "unordered" (an operand is a NaN) and "ordered".
const UNORDERED: u32 = 3;
const ORDERED: u32 = 7;
const COMPARE: C = C::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
/// A table for `vfixupimmps`: lanes whose source is a NaN keep the destination's value, other lanes
/// take the source's.
const NOT_NAN: u64 = 0x1111_1100;
pub(super) const MOVE: C = C::EVEX_Vmovdqa32_zmm_k1z_zmmm512;

/// A product or quotient of two operands, or a product plus an addend, which `flush_tiny` repeats
/// with scaled operands.
struct Scaled {
    code: C,
    rounding: Option<Rounding>,
    from: [Reg; 2],
    addend: Option<Reg>,
}

/// The class of subnormals for `vfpclassps`.
const SUBNORMAL: u32 = 0x20;

impl Avx512Emitter<'_> {
    /// Replaces all NaNs by the canonical NaN, with one instruction besides a register move.
    pub(super) fn fix_nans(&mut self, z: R) {
        let kinds = spread(R::R9, self.pooled(&[NOT_NAN]));
        let choose = C::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae;
        self.asm.put(I::with2(MOVE, FIXED, NAN));
        self.asm.put(I::with4(choose, FIXED, z, kinds, 0));
        self.asm.put(I::with2(MOVE, z, FIXED));
    }

    /// Replaces subnormals of a temporary by zeros of their sign.
    fn flush(&mut self, z: Reg) {
        let (exponent, sign) = (self.literal(0x7f80_0000), self.literal(0x8000_0000));
        let test = C::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32;
        self.asm.put(I::with3(test, SCRATCH_MASK, z.z(), exponent.z()));
        let and = C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
        self.asm.put_masked(SCRATCH_MASK, I::with3(and, z.z(), z.z(), sign.z()));
    }

    /// Replaces tiny results of an operation by zeros of their sign ([`tiny`]).
    fn flush_tiny(&mut self, z: Reg, of: Scaled) {
        const DOUBLE: C = C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
        const BELOW: C = C::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
        const MUL: C = C::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er;
        // Registers are allocated before constants are loaded, because constants may be in
        // registers that are free.
        let x = self.temporary();
        let [part, by] = [0x3f40_0000, tiny::LARGER].map(|n| self.number(n));
        let [least, sign] = [tiny::LEAST << 1, 0x8000_0000].map(|n| self.number(n));
        // Three quarters of a subnormal, or of the smallest normal number, are subnormal and not
        // zero.
        self.three(MUL, x.z(), z, part);
        let class = C::EVEX_Vfpclassps_kr_k1_zmmm512b32_imm8;
        self.asm.put(I::with3(class, SCRATCH_MASK, x.z(), SUBNORMAL));
        self.asm.put(I::with2(C::VEX_Kortestw_kr_kr, SCRATCH_MASK, SCRATCH_MASK));
        self.out_of_line(C::Jne_rel32_64, move |e| {
            let Scaled { code, rounding, from: [a, b], addend } = of;
            e.three(MUL, x.z(), a, by);
            match addend {
                Some(c) => {
                    e.three(MUL, FIXED, c, by);
                    e.asm.put_rounded(rounding, I::with3(code, x.z(), b.z(), FIXED));
                }
                None => e.asm.put_rounded(rounding, I::with3(code, x.z(), x.z(), b.z())),
            }
            e.three(DOUBLE, x.z(), x, x);
            e.three_with(BELOW, SCRATCH_MASK, x, least, 1);
            let and = C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
            e.asm.put_masked(
                SCRATCH_MASK,
                match sign {
                    Operand::Register(sign) => I::with3(and, z.z(), z.z(), sign.z()),
                    Operand::Memory(sign) => I::with3(and, z.z(), z.z(), sign),
                },
            );
        });
    }

    /// Loads a source of a float operation, with subnormals flushed if `flush` is true.
    fn operand(&mut self, source: Source, part: u8, flush: bool) -> Option<Reg> {
        let z = self.float(source, part)?;
        if !flush || self.cache.kind(z).no_subnormals {
            return Some(z);
        }
        let copy = self.unary(MOVE, z);
        self.flush(copy);
        Some(copy)
    }

    /// Emits an operation that reads or writes f32. Returns the value and what is known of it.
    pub(super) fn float_op(&mut self, op: Op, from: [Source; 3], part: u8) -> Option<(Reg, Kind)> {
        const NUMBER: Kind = Kind::normal(Nans::Canonical);
        Some(match op {
            Op::Float { op, flush, saturate } => {
                let values = self.arithmetic((op, None), from, part, flush)?;
                self.limited(values, flush, saturate)
            }
            Op::Directed { op, rounding, flush, saturate } => {
                let values = self.arithmetic((op, Some(rounding)), from, part, flush)?;
                self.limited(values, flush, saturate)
            }
            Op::FromU(bits) => {
                let mut a = self.narrow(from[0], part)?;
                if bits != u32::MAX {
                    let bits = self.number(bits);
                    a = self.binary(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, a, bits);
                }
                (self.unary(C::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, a), NUMBER)
            }
            Op::FromS => {
                let a = self.narrow(from[0], part)?;
                (self.unary(C::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, a), NUMBER)
            }
            Op::ToU(rounding) => {
                let a = self.rounded(from[0], part, rounding)?;
                let zero = self.literal(0);
                // `max` returns its second source if one is a NaN.
                let a = self.binary(C::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, a, zero);
                (self.unary(C::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, a), Kind::BITS)
            }
            Op::ToS(rounding) => {
                let a = self.rounded(from[0], part, rounding)?;
                (self.signed_of(a), Kind::BITS)
            }
            _ => return None,
        })
    }

    /// Applies `.ftz` and `.sat` to a value. Returns it with what is known of it.
    fn limited(
        &mut self,
        (value, scaled): (Reg, Option<Scaled>),
        flush: bool,
        saturate: bool,
    ) -> (Reg, Kind) {
        if saturate {
            self.saturate(value);
        }
        match scaled {
            Some(scaled) => self.flush_tiny(value, scaled),
            None if flush => self.flush(value),
            None => {}
        }
        (value, Kind::of_float(flush, saturate))
    }

    fn rounded(&mut self, source: Source, part: u8, rounding: Rounding) -> Option<Reg> {
        let a = self.float(source, part)?;
        Some(if rounding == Rounding::Trunc { a } else { self.round(a, rounding) })
    }

    fn round(&mut self, a: Reg, rounding: Rounding) -> Reg {
        let d = self.temporary();
        let code = C::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae;
        self.asm.put(I::with3(code, d.z(), a.z(), of_quiet_rounding(rounding)));
        d
    }

    /// Converts f32 to signed numbers. Out of range, the processor's conversion gives the lowest
    /// number.
    fn signed_of(&mut self, a: Reg) -> Reg {
        let d = self.unary(C::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, a);
        let (end, most) = (self.literal(0x4f00_0000), self.literal(0x7fff_ffff));
        // The comparison predicate "greater or equal".
        self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), end.z(), 0x1d));
        self.asm.put_masked(SCRATCH_MASK, I::with2(MOVE, d.z(), most.z()));
        self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), a.z(), ORDERED));
        self.asm.put_zeroing(SCRATCH_MASK, I::with2(MOVE, d.z(), d.z()));
        d
    }

    fn saturate(&mut self, z: Reg) {
        let (zero, one) = (self.literal(0), self.literal(0x3f80_0000));
        let (max, min) =
            (C::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, C::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae);
        // `max` and `min` return their second source if one is a NaN or both are zeros.
        self.asm.put(I::with3(max, z.z(), z.z(), zero.z()));
        self.asm.put(I::with3(min, z.z(), z.z(), one.z()));
    }

    /// Emits arithmetic. Returns the result before `.ftz` and `.sat`, in a temporary, and, where
    /// the result may be tiny, the operation that `flush_tiny` repeats with scaled operands. A
    /// static rounding mode needs register operands.
    fn arithmetic(
        &mut self,
        (op, rounding): (Float, Option<Rounding>),
        from: [Source; 3],
        part: u8,
        flush: bool,
    ) -> Option<(Reg, Option<Scaled>)> {
        let a = self.operand(from[0], part, flush)?;
        let code = match op {
            Float::Add => C::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
            Float::Sub => C::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
            Float::Mul => C::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
            Float::Div => C::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
            Float::Fma => {
                let (b, c) =
                    (self.operand(from[1], part, flush)?, self.operand(from[2], part, flush)?);
                let code = C::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er;
                let d = self.unary(MOVE, a);
                self.asm.put_rounded(rounding, I::with3(code, d.z(), b.z(), c.z()));
                let scaled = Scaled { code, rounding, from: [a, b], addend: Some(c) };
                return Some((d, flush.then_some(scaled)));
            }
            Float::Sqrt => {
                let d = self.temporary();
                let code = C::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er;
                self.asm.put_rounded(rounding, I::with2(code, d.z(), a.z()));
                return Some((d, None));
            }
            _ if rounding.is_some() => return None,
            Float::Min | Float::Max => {
                let b = self.operand(from[1], part, flush)?;
                return Some((self.extreme(op, a, b), None));
            }
            Float::Neg => {
                let sign = self.number(0x8000_0000);
                let d = self.binary(C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, a, sign);
                return Some((d, None));
            }
            Float::Abs => {
                let rest = self.number(0x7fff_ffff);
                let d = self.binary(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, a, rest);
                return Some((d, None));
            }
            Float::Round(rounding) => return Some((self.round(a, rounding), None)),
            Float::Copy => return Some((self.unary(MOVE, a), None)),
        };
        if let (false, None, Source::Literal(_)) = (flush, rounding, from[1]) {
            let b = self.narrow_operand(from[1], part)?;
            return Some((self.binary(code, a, b), None));
        }
        let b = self.operand(from[1], part, flush)?;
        let d = self.temporary();
        self.asm.put_rounded(rounding, I::with3(code, d.z(), a.z(), b.z()));
        let scaled = Scaled { code, rounding, from: [a, b], addend: None };
        Some((d, (flush && matches!(op, Float::Mul | Float::Div)).then_some(scaled)))
    }

    /// Emits `min` or `max`. The processor's instruction returns the second source if one is a NaN
    /// or both are zeros.
    fn extreme(&mut self, op: Float, a: Reg, b: Reg) -> Reg {
        let (code, combine) = if op == Float::Min {
            (C::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, C::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32)
        } else {
            (C::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32)
        };
        let d = self.binary(code, a, b);
        self.asm.put(I::with4(COMPARE, SCRATCH_MASK, a.z(), b.z(), 0));
        self.asm.put_masked(SCRATCH_MASK, I::with3(combine, d.z(), a.z(), b.z()));
        self.asm.put(I::with4(COMPARE, SCRATCH_MASK, b.z(), b.z(), UNORDERED));
        self.asm.put_masked(SCRATCH_MASK, I::with2(MOVE, d.z(), a.z()));
        d
    }
}
