//! The primitives of AVX-512: conditions are mask registers, and constants are broadcast from
//! memory by the instructions that read them.

use super::{Avx512, Avx512Emitter, CONDITION, FIXED, NAN, SCRATCH, SCRATCH_MASK};
use crate::emit::asm::{J, Label, at, spread};
use crate::emit::backend::Primitives;
use crate::emit::instructions::InstructionSet;
use crate::emit::register_cache::{Reg, Width};
use crate::emit::vector::{GREATER_OR_EQUAL, ORDERED, Opcode, Operand, UNORDERED, V};
use crate::frame::Frame;
use crate::op::{Op, Rounding};
use crate::operand::{Predicate, Source};
use iced_x86::{Code as C, Instruction as I, Register as R};

/// A table for `vfixupimmps`: lanes whose source is a NaN keep the destination's value, other lanes
/// take the source's.
const NOT_NAN: u64 = 0x1111_1100;
/// The class of subnormals for `vfpclassps`.
const SUBNORMAL: u32 = 0x20;

/// The instruction of a Boolean function that has its own instruction: and, or, exclusive or.
fn plain(table: u8, wide: bool) -> Option<V> {
    Some(match (table, wide) {
        (0xc0, false) => V::And32,
        (0xfc, false) => V::Or32,
        (0x3c, false) => V::Xor32,
        (0xc0, true) => V::And64,
        (0xfc, true) => V::Or64,
        (0x3c, true) => V::Xor64,
        _ => return None,
    })
}

impl InstructionSet for Avx512 {
    const IS_512: bool = true;
    const LANES: usize = 16;
    const VECTORS: u8 = 29;
    const MASKS: u8 = 5;
    const SPARE: Reg = SCRATCH;
    const SPARE_MASK: Reg = CONDITION;
    const PREDICATE_PARTS: u8 = 1;

    fn name(reg: Reg) -> R {
        if reg.is_mask() { reg.k() } else { reg.zmm() }
    }

    fn half(reg: Reg) -> R {
        reg.ymm()
    }
}

impl Primitives for Avx512 {
    fn constant(e: &mut Avx512Emitter<'_>, number: u64, _: Width) -> Operand {
        Operand::Memory(spread(R::R9, e.pooled(&[number])))
    }

    // `vfixupimmps` replaces the NaNs; the other two instructions are register moves.
    fn canonical(e: &mut Avx512Emitter<'_>, reg: Reg) {
        let kinds = spread(R::R9, e.pooled(&[NOT_NAN]));
        let choose = C::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae;
        e.two(V::Move, FIXED, NAN);
        e.asm.put(I::with4(choose, FIXED.zmm(), reg.zmm(), kinds, 0));
        e.two(V::Move, reg, FIXED);
    }

    // NaNs are rare, and a comparison tests two registers.
    fn canonical_all(e: &mut Avx512Emitter<'_>, regs: &[Reg]) {
        if let &[reg] = regs {
            return Self::canonical(e, reg);
        }
        for (i, pair) in regs.chunks(2).enumerate() {
            e.asm.mask = (i != 0).then_some(SCRATCH_MASK);
            e.three_with(V::CompareF, CONDITION, pair[0], pair[pair.len() - 1], ORDERED);
        }
        if !regs.is_empty() {
            e.asm.put(I::with2(C::VEX_Kortestw_kr_kr, SCRATCH_MASK, SCRATCH_MASK));
            e.out_of_line(J::AE, |e| regs.iter().for_each(|&reg| Self::canonical(e, reg)));
        }
    }

    fn mask_of(e: &mut Avx512Emitter<'_>, mask: Reg, wide: bool, part: u8) -> Reg {
        if part == 0 {
            return mask;
        }
        e.shift_mask(SCRATCH_MASK, mask.k(), part * if wide { 8 } else { 16 });
        CONDITION
    }

    fn blend(
        e: &mut Avx512Emitter<'_>,
        wide: bool,
        (d, a): (Reg, Reg),
        b: impl Into<Operand>,
        mask: Reg,
    ) {
        let code = if wide {
            C::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64
        } else {
            C::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32
        };
        e.asm.mask = Some(mask.k());
        e.three(code, d, a, b);
    }

    fn keep_inactive(e: &mut Avx512Emitter<'_>, part: u8, d: Reg, old: Reg) {
        let lanes = Self::mask_of(e, super::LANES, false, part);
        Self::blend(e, false, (d, old), d, lanes);
    }

    fn or_difference(e: &mut Avx512Emitter<'_>, (any, _): (Reg, Reg), a: Reg, b: Operand) {
        // `any |= a ^ b`
        e.three_with(C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, any, a, b, 0xf6);
    }

    fn spread_general(e: &mut Avx512Emitter<'_>, wide: bool, to: Reg) {
        let (code, from) = match wide {
            true => (C::EVEX_Vpbroadcastq_zmm_k1z_r64, R::RAX),
            false => (C::EVEX_Vpbroadcastd_zmm_k1z_r32, R::EAX),
        };
        e.asm.put(I::with2(code, to.zmm(), from));
    }

    fn jump_if_any(e: &mut Avx512Emitter<'_>, any: Reg, to: Label) {
        e.three(C::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, CONDITION, any, any);
        e.asm.put(I::with2(C::VEX_Kortestw_kr_kr, SCRATCH_MASK, SCRATCH_MASK));
        e.asm.jump(J::NE, to);
    }

    fn keep(e: &mut Avx512Emitter<'_>, wide: bool, d: Reg, a: Reg) {
        let code = if wide { C::EVEX_Vmovdqa64_zmm_k1z_zmmm512 } else { V::Move.code::<Self>() };
        e.asm.put_zeroing(SCRATCH_MASK, I::with2(code, d.zmm(), a.zmm()));
    }

    fn three_where(
        e: &mut Avx512Emitter<'_>,
        code: V,
        (d, _): (Reg, Reg),
        a: Reg,
        b: impl Into<Operand>,
    ) {
        e.asm.mask = Some(SCRATCH_MASK);
        e.three(code, d, a, b);
    }

    fn zero_where(e: &mut Avx512Emitter<'_>, y: Reg) {
        let sign = e.number(0x8000_0000);
        Self::three_where(e, V::And32, (y, y), y, sign);
    }

    fn flush(e: &mut Avx512Emitter<'_>, to: Reg, from: Reg) {
        if to != from {
            e.two(V::Move, to, from);
        }
        let exponent = e.number(0x7f80_0000);
        e.three(C::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, CONDITION, to, exponent);
        Self::zero_where(e, to);
    }

    fn test_tiny(e: &mut Avx512Emitter<'_>, x: Reg, y: Reg) {
        // Three quarters of a subnormal, or of the smallest normal number, are subnormal and not
        // zero.
        let part = e.number(0x3f40_0000);
        e.three(V::MulF, x, y, part);
        let class = C::EVEX_Vfpclassps_kr_k1_zmmm512b32_imm8;
        e.asm.put(I::with3(class, SCRATCH_MASK, x.zmm(), SUBNORMAL));
        e.asm.put(I::with2(C::VEX_Kortestw_kr_kr, SCRATCH_MASK, SCRATCH_MASK));
    }

    fn rounded_by(
        e: &mut Avx512Emitter<'_>,
        rounding: Rounding,
        instructions: impl FnOnce(&mut Avx512Emitter<'_>),
    ) {
        e.asm.rounding = Some(rounding).filter(|&rounding| rounding != Rounding::Near);
        instructions(e);
        e.asm.rounding = None;
    }

    fn bits(e: &mut Avx512Emitter<'_>, table: u8, sources: [Operand; 3], wide: bool) -> Reg {
        let [a, mut b, c] = sources;
        if let (Some(code), Operand::Register(a)) = (plain(table, wide), a) {
            return e.binary(code, a, b);
        }
        let code = if wide {
            C::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8
        } else {
            C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8
        };
        let d = e.copied(wide, a);
        let has_third = (table ^ table >> 1) & 0x55 != 0;
        if has_third && let Operand::Memory(_) = b {
            b = e.copied(wide, b).into();
        }
        // A memory operand must be the third source. A function of two sources ignores its third
        // source, so that b can be exchanged with it.
        match (b, c) {
            (Operand::Register(b), c) => e.three_with(code, d, b, c, table.into()),
            (b, _) => {
                let swapped = table & 0x99 | (table & 0x22) << 1 | (table & 0x44) >> 1;
                e.three_with(code, d, d, b, swapped.into());
            }
        }
        d
    }

    fn leading_zeros(e: &mut Avx512Emitter<'_>, a: Reg) -> Reg {
        e.unary(C::EVEX_Vplzcntd_zmm_k1z_zmmm512b32, a)
    }

    fn take_odd(e: &mut Avx512Emitter<'_>, d: Reg, odd: Reg) {
        let upper = e.wide_number(0xffff_ffff_0000_0000);
        // Selects the second source where the third, a mask, is set, else the first.
        e.three_with(C::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8, d, odd, upper, 0xd8);
    }

    fn low_halves(e: &mut Avx512Emitter<'_>, d: Reg, [a, b]: [Reg; 2]) {
        for (to, from) in [(SCRATCH, b), (d, a)] {
            e.asm.put(I::with2(C::EVEX_Vpmovqd_ymmm256_k1z_zmm, to.ymm(), from.zmm()));
        }
        e.asm.put(I::with4(V::JoinHalves.code::<Self>(), d.zmm(), d.zmm(), SCRATCH.ymm(), 1_u32));
    }

    fn low_words(e: &mut Avx512Emitter<'_>, d: Reg, a: Reg) {
        e.asm.put(I::with2(C::EVEX_Vpmovdw_ymmm256_k1z_zmm, d.ymm(), a.zmm()));
    }

    fn float_of_unsigned(e: &mut Avx512Emitter<'_>, a: Reg) -> Reg {
        e.unary(C::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, a)
    }

    fn unsigned_of_float(e: &mut Avx512Emitter<'_>, a: Reg) -> Reg {
        // `max` returns its second source if one is a NaN.
        let zero = e.number(0);
        let d = e.binary(V::MaxF, a, zero);
        e.two(C::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, d, d);
        d
    }

    fn unsigned_of_double(e: &mut Avx512Emitter<'_>, from: [Reg; 2]) -> Reg {
        let [low, high] = from.map(|a| {
            let (d, lowest) = (e.temporary(), e.literal(1 << 31));
            e.zero(d);
            e.three(V::MaxD, d, d, a);
            // The conversion returns all ones for values above the range, and for NaNs, which are
            // replaced below.
            e.asm.put(I::with2(C::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae, d.ymm(), d.zmm()));
            e.three_with(V::CompareD, CONDITION, a, a, UNORDERED);
            let code = C::EVEX_Vmovdqa32_ymm_k1z_ymmm256;
            e.asm.put_masked(SCRATCH_MASK, I::with2(code, d.ymm(), lowest.ymm()));
            d
        });
        e.join_halves(low, high);
        low
    }

    fn wide_of_double(e: &mut Avx512Emitter<'_>, signed: bool, a: Reg) -> Reg {
        let (d, compared, how, other) = if signed {
            let end = e.wide_number(0x43e0_0000_0000_0000);
            let d = e.unary(C::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae, a);
            (d, end, GREATER_OR_EQUAL, i64::MAX as u64)
        } else {
            let d = e.temporary();
            e.zero(d);
            e.three(V::MaxD, d, d, a);
            e.two(C::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae, d, d);
            (d, a.into(), UNORDERED, 1 << 63)
        };
        let other = e.wide_number(other);
        e.three_with(V::CompareD, CONDITION, a, compared, how);
        Self::blend(e, true, (d, d), other, CONDITION);
        d
    }

    // A 32-bit number has the same value when extended to a signed 64-bit number.
    fn double_of(e: &mut Avx512Emitter<'_>, op: Op, a: Reg) -> Reg {
        let code = match op {
            Op::DoubleFromWideU => C::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er,
            _ => C::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er,
        };
        e.unary(code, a)
    }

    fn multiply_wide(e: &mut Avx512Emitter<'_>, [a, b]: [Source; 2], part: u8) -> Option<Reg> {
        let (a, b) = (e.wide(a, part)?, e.wide_operand(b, part)?);
        Some(e.binary(C::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64, a, b))
    }

    fn shift_right_s(e: &mut Avx512Emitter<'_>, a: Reg, count: Source, part: u8) -> Option<Reg> {
        let count = e.extended(count, part, false)?;
        Some(e.binary(C::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64, a, count))
    }

    // Curves and squares are computed for both halves of a warp at once.
    fn function(e: &mut Avx512Emitter<'_>, op: Op, source: Source, part: u8) -> Option<Reg> {
        match op {
            Op::LookUp(words) => e.look_up(words, source, part),
            _ => None,
        }
    }

    fn take_predicate(e: &mut Avx512Emitter<'_>, to: u32, row: usize, guard: Predicate) {
        let guard = e.guard(guard);
        let k = e.temporary_mask();
        e.asm.put(I::with2(C::VEX_Kmovd_kr_km32, k.k(), at(R::RDI, Frame::scratch(row))));
        e.put_predicate(to, k, guard);
    }
}
