//! The primitives of AVX2: masks are vectors, and constants are memory operands of a whole vector.

use super::double::TWO_52;
use super::{Avx2, Avx2Emitter, SCRATCH};
use crate::emit::asm::{J, Label, at, of_quiet_rounding};
use crate::emit::backend::Primitives;
use crate::emit::instructions::InstructionSet;
use crate::emit::register_cache::{Reg, Width};
use crate::emit::vector::{GREATER_OR_EQUAL, Operand, UNORDERED, V, power_of_two};
use crate::frame::Frame;
use crate::machine::Mode;
use crate::op::{Op, Rounding};
use crate::operand::{Predicate, Source};
use iced_x86::{Code as C, Instruction as I, Register as R};

const BLEND: C = C::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
/// 2^31, 2^32 and 2^16 as f32.
const TWO_31_F: u32 = 0x4f00_0000;
const TWO_32_F: u32 = 0x4f80_0000;
const TWO_16_F: u32 = 0x4780_0000;

impl InstructionSet for Avx2 {
    const IS_512: bool = false;
    const LANES: usize = 8;
    const VECTORS: u8 = 15;
    const MASKS: u8 = 0;
    const SPARE: Reg = SCRATCH;
    const SPARE_MASK: Reg = SCRATCH;
    const PREDICATE_PARTS: u8 = 4;

    fn name(reg: Reg) -> R {
        reg.ymm()
    }

    fn half(reg: Reg) -> R {
        reg.xmm()
    }
}

impl Primitives for Avx2 {
    fn constant(e: &mut Avx2Emitter<'_>, number: u64, width: Width) -> Operand {
        let number = if width == Width::B32 { number << 32 | number } else { number };
        e.pool_vector([number; 4])
    }

    fn canonical(e: &mut Avx2Emitter<'_>, reg: Reg) {
        let nan = e.number(0x7fff_ffff);
        e.three_with(V::CompareF, SCRATCH, reg, reg, UNORDERED);
        Self::blend(e, false, (reg, reg), nan, SCRATCH);
    }

    // NaNs are rare, and the sum of all registers shows whether there is one. The sum of infinities
    // may be a NaN, too, so that the replacement compares each register.
    fn canonical_all(e: &mut Avx2Emitter<'_>, regs: &[Reg]) {
        let [first, rest @ ..] = regs else { return };
        if rest.len() < 2 {
            return regs.iter().for_each(|&reg| Self::canonical(e, reg));
        }
        for (i, &reg) in rest.iter().enumerate() {
            e.three(V::AddF, SCRATCH, if i == 0 { *first } else { SCRATCH }, reg);
        }
        e.three_with(V::CompareF, SCRATCH, SCRATCH, SCRATCH, UNORDERED);
        e.two(C::VEX_Vtestps_ymm_ymmm256, SCRATCH, SCRATCH);
        e.out_of_line(J::NE, |e| regs.iter().for_each(|&reg| Self::canonical(e, reg)));
    }

    fn mask_of(e: &mut Avx2Emitter<'_>, mask: Reg, wide: bool, part: u8) -> Reg {
        if !wide {
            return mask;
        }
        e.widen_half(V::ExtendS, SCRATCH, mask, part % 2);
        SCRATCH
    }

    // A mask has all bits of a lane set or cleared.
    fn blend(
        e: &mut Avx2Emitter<'_>,
        _: bool,
        (d, a): (Reg, Reg),
        b: impl Into<Operand>,
        mask: Reg,
    ) {
        let code = C::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
        e.asm.put(match b.into() {
            Operand::Register(b) => I::with4(code, d.ymm(), a.ymm(), b.ymm(), mask.ymm()),
            Operand::Memory(b) => I::with4(code, d.ymm(), a.ymm(), b, mask.ymm()),
        });
    }

    fn keep_inactive(e: &mut Avx2Emitter<'_>, part: u8, d: Reg, old: Reg) {
        e.inactive_row(SCRATCH, part, None);
        Self::blend(e, false, (d, d), old, SCRATCH);
    }

    fn or_difference(e: &mut Avx2Emitter<'_>, (any, t): (Reg, Reg), a: Reg, b: Operand) {
        e.three(V::Xor32, t, a, b);
        e.three(V::Or32, any, any, t);
    }

    fn spread_general(e: &mut Avx2Emitter<'_>, wide: bool, to: Reg) {
        let (code, from) = match wide {
            true => (C::VEX_Vmovq_xmm_rm64, R::RAX),
            false => (C::VEX_Vmovd_xmm_rm32, R::EAX),
        };
        e.asm.put(I::with2(code, to.xmm(), from));
        e.spread(wide, to, to.into());
    }

    fn jump_if_any(e: &mut Avx2Emitter<'_>, any: Reg, to: Label) {
        e.two(C::VEX_Vptest_ymm_ymmm256, any, any);
        e.asm.jump(J::NE, to);
    }

    fn keep(e: &mut Avx2Emitter<'_>, _: bool, d: Reg, a: Reg) {
        e.three(V::And32, d, a, SCRATCH);
    }

    fn three_where(
        e: &mut Avx2Emitter<'_>,
        code: V,
        (d, t): (Reg, Reg),
        a: Reg,
        b: impl Into<Operand>,
    ) {
        e.three(code, t, a, b);
        Self::blend(e, false, (d, d), t, SCRATCH);
    }

    fn zero_where(e: &mut Avx2Emitter<'_>, y: Reg) {
        // Makes a mask of all bits except the sign bit.
        e.two_with(V::RightU32, SCRATCH, SCRATCH, 1);
        e.three(V::AndNot32, y, SCRATCH, y);
    }

    fn flush(e: &mut Avx2Emitter<'_>, to: Reg, from: Reg) {
        let (exponent, zero) = (e.number(0x7f80_0000), e.number(0));
        e.three(V::And32, SCRATCH, from, exponent);
        e.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, SCRATCH, SCRATCH, zero);
        e.two_with(V::RightU32, SCRATCH, SCRATCH, 1);
        e.three(V::AndNot32, to, SCRATCH, from);
    }

    fn test_tiny(e: &mut Avx2Emitter<'_>, x: Reg, y: Reg) {
        // Vector comparisons of integers are signed, so the sign bit is not part of the operands.
        let [less, twice] = [i32::MAX as u32, 0x0100_0000 ^ 1 << 31].map(|n| e.number(n));
        // The magnitude (shifted left by one, without the sign) minus one, so that zero does not
        // count as small.
        e.three(V::Add32, x, y, y);
        e.three(V::Add32, x, x, less);
        e.two(V::Move, SCRATCH, twice);
        e.three(C::VEX_Vpcmpgtd_ymm_ymm_ymmm256, SCRATCH, SCRATCH, x);
        e.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, SCRATCH.ymm()));
        e.asm.put(I::with2(C::Test_rm32_r32, R::EAX, R::EAX));
    }

    // The processor's rounding mode is set around the instructions; the rest of the code relies on
    // rounding to nearest.
    fn rounded_by(
        e: &mut Avx2Emitter<'_>,
        rounding: Rounding,
        instructions: impl FnOnce(&mut Avx2Emitter<'_>),
    ) {
        if rounding == Rounding::Near {
            return instructions(e);
        }
        e.rounding(rounding);
        instructions(e);
        e.rounding(Rounding::Near);
    }

    fn zero_inactive(e: &mut Avx2Emitter<'_>, y: Reg, (part, half): (u8, Option<u8>)) {
        if e.mode == Mode::Some && !e.cache.kind(y).inactive_normal {
            e.inactive_row(SCRATCH, part, half);
            e.three(V::AndNot32, y, SCRATCH, y);
            e.cache.of(y).kind.inactive_normal = true;
        }
    }

    fn bits(e: &mut Avx2Emitter<'_>, table: u8, sources: [Operand; 3], _: bool) -> Reg {
        e.bits(table, sources)
    }

    // The exponent of the number as a float is the position of the highest bit. A number whose
    // highest bit is set becomes negative.
    fn leading_zeros(e: &mut Avx2Emitter<'_>, a: Reg) -> Reg {
        let (bias, zero, most) = (e.number(127 + 31), e.number(0), e.number(32));
        let d = e.temporary();
        // Clears each bit below a set bit, so that the number is not rounded up to the next power
        // of two.
        e.two_with(V::RightU32, d, a, 1);
        e.three(V::AndNot32, d, d, a);
        e.two(V::FromS32, d, d);
        e.two_with(V::RightU32, d, d, 23);
        e.two(V::Move, SCRATCH, bias);
        e.three(V::Sub32, d, SCRATCH, d);
        e.three(V::MaxS32, d, d, zero);
        e.three(V::MinS32, d, d, most);
        d
    }

    fn take_odd(e: &mut Avx2Emitter<'_>, d: Reg, odd: Reg) {
        e.three_with(BLEND, d, d, odd, 0b1010_1010);
    }

    fn low_halves(e: &mut Avx2Emitter<'_>, d: Reg, [a, b]: [Reg; 2]) {
        // The shuffle takes low halves from each 128 bits of a and of b alternately; the
        // permutation restores the order of lanes.
        e.three_with(C::VEX_Vshufps_ymm_ymm_ymmm256_imm8, d, a, b, 0b1000_1000);
        e.two_with(C::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0b1101_1000);
    }

    fn low_words(e: &mut Avx2Emitter<'_>, d: Reg, a: Reg) {
        let zeros = 0x8080_8080_8080_8080;
        let words = e.pool_vector([0x0d0c_0908_0504_0100, zeros, 0x0d0c_0908_0504_0100, zeros]);
        e.three(V::ShuffleBytes, d, a, words);
        e.two_with(C::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0b1000);
    }

    // AVX2 converts only signed numbers, so the two halves of the bits are converted, and an fma
    // rounds their sum once.
    fn float_of_unsigned(e: &mut Avx2Emitter<'_>, a: Reg) -> Reg {
        let (low, scale) = (e.number(0xffff), e.number(TWO_16_F));
        let d = e.temporary();
        e.three(V::And32, SCRATCH, a, low);
        e.two(V::FromS32, SCRATCH, SCRATCH);
        e.two_with(V::RightU32, d, a, 16);
        e.two(V::FromS32, d, d);
        // d * scale + SCRATCH
        e.three(C::VEX_Vfmadd132ps_ymm_ymm_ymmm256, d, SCRATCH, scale);
        d
    }

    // Out of range, the processor's signed conversion gives the lowest number, whose bits are 2^31.
    // So numbers below 2^31 are converted as they are, and for larger ones 2^31 is combined with
    // the converted difference from 2^31.
    fn unsigned_of_float(e: &mut Avx2Emitter<'_>, a: Reg) -> Reg {
        let (zero, half, end) = (e.number(0), e.number(TWO_31_F), e.number(TWO_32_F));
        let (x, rest) = (e.temporary(), e.temporary());
        // `max` returns its second source if one is a NaN.
        e.three(V::MaxF, x, a, zero);
        e.three(V::SubF, rest, x, half);
        e.two(V::TruncatedS32, rest, rest);
        e.two(V::TruncatedS32, SCRATCH, x);
        e.three_with(V::CompareF, x, x, end, GREATER_OR_EQUAL);
        e.three(V::Or32, x, x, SCRATCH);
        e.two_with(V::RightS32, SCRATCH, SCRATCH, 31);
        e.three(V::And32, rest, rest, SCRATCH);
        e.three(V::Or32, x, x, rest);
        x
    }

    fn unsigned_of_double(e: &mut Avx2Emitter<'_>, from: [Reg; 2]) -> Reg {
        let [low, high] = from.map(|a| {
            let (most, shift_in) =
                (e.wide_number(f64::from(u32::MAX).to_bits()), e.wide_number(TWO_52));
            let (d, lowest) = (e.temporary(), e.wide_number(1 << 31));
            e.three(V::Xor32, d, d, d);
            // `max` returns its second source if one is a NaN.
            e.three(V::MaxD, d, d, a);
            e.three(V::MinD, d, d, most);
            e.two_with(V::RoundD, d, d, of_quiet_rounding(Rounding::Trunc));
            e.three(V::AddD, d, d, shift_in);
            e.three_with(V::CompareD, SCRATCH, a, a, UNORDERED);
            Self::blend(e, true, (d, d), lowest, SCRATCH);
            d
        });
        Self::low_halves(e, low, [low, high]);
        e.release(high);
        low
    }

    fn wide_of_double(e: &mut Avx2Emitter<'_>, signed: bool, a: Reg) -> Reg {
        e.wide_of_double(signed, a)
    }

    fn double_of(e: &mut Avx2Emitter<'_>, op: Op, a: Reg) -> Reg {
        e.double_of(op, a)
    }

    // AVX2 only multiplies 32-bit halves.
    fn multiply_wide(e: &mut Avx2Emitter<'_>, [a, b]: [Source; 2], part: u8) -> Option<Reg> {
        let (a, b) = if matches!(a, Source::Literal(_)) { (b, a) } else { (a, b) };
        let a = e.wide(a, part)?;
        let d = e.temporary();
        if let Some(count) = power_of_two(b) {
            e.two_with(V::Left64, d, a, count);
            return Some(d);
        }
        if let Source::Literal(number) = b
            && let Ok(number) = u32::try_from(number)
        {
            // high(a) * b << 32 + low(a) * b
            let b = e.wide_number(number.into());
            e.two_with(V::RightU64, d, a, 32);
            e.three(V::ProductU, d, d, b);
            e.three(V::ProductU, SCRATCH, a, b);
        } else {
            // The products of a low and a high half are 32-bit products with the halves of b
            // swapped.
            let b = e.wide(b, part)?;
            e.two_with(C::VEX_Vpshufd_ymm_ymmm256_imm8, d, b, 0b1011_0001);
            e.three(V::Mul32, d, d, a);
            e.two_with(V::RightU64, SCRATCH, d, 32);
            e.three(V::Add32, d, d, SCRATCH);
            e.three(V::ProductU, SCRATCH, a, b);
        }
        e.two_with(V::Left64, d, d, 32);
        e.three(V::Add64, d, d, SCRATCH);
        Some(d)
    }

    // Negative numbers are complemented before and after the shift, so that zeros are shifted in.
    fn shift_right_s(e: &mut Avx2Emitter<'_>, a: Reg, count: Source, part: u8) -> Option<Reg> {
        let sign = e.temporary();
        e.three(V::Xor64, sign, sign, sign);
        e.three(C::VEX_Vpcmpgtq_ymm_ymm_ymmm256, sign, sign, a);
        let shifted = e.binary(V::Xor64, a, sign);
        let d = e.shift_wide(false, shifted, count, part)?;
        e.three(V::Xor64, d, d, sign);
        Some(d)
    }

    fn function(e: &mut Avx2Emitter<'_>, op: Op, source: Source, part: u8) -> Option<Reg> {
        Some(match op {
            Op::LookUp(words) => {
                let index = e.narrow(source, part)?;
                e.entries(words.all(), index)
            }
            Op::Curve(curve) => {
                let a = e.float(source, part)?;
                e.curve(curve, a)
            }
            _ => {
                let a = e.narrow(source, part)?;
                e.folded_square_of(a)
            }
        })
    }

    fn take_predicate(e: &mut Avx2Emitter<'_>, to: u32, row: usize, guard: Predicate) {
        for part in 0..Avx2Emitter::PARTS {
            let value = e.temporary();
            e.spread_byte(value, at(R::RDI, Frame::scratch(row) + usize::from(part)));
            let guard = e.guard(guard, part);
            e.put_predicate(to, value, guard, part);
            e.cache.unpin();
        }
    }
}

impl Avx2Emitter<'_> {
    /// Sets the processor's rounding mode.
    fn rounding(&mut self, rounding: Rounding) {
        let control = u64::from(crate::emit::asm::of_rounding(rounding));
        // All exceptions are masked, and no exception flag is set.
        let control = at(R::R9, self.pooled(&[0x1f80 | control << 13]));
        self.asm.put(I::with1(C::VEX_Vldmxcsr_m32, control));
    }
}
