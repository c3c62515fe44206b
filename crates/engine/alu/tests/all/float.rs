//! Compares floating-point instructions with tables from exact rational arithmetic, and with the
//! integer model on random numbers.
#![allow(clippy::unwrap_used)]

use crate::common::{Instruction, check, check_table};
use proptest::prelude::*;
use texunit_alu::soft::{self, Format};

#[test]
fn arithmetic() {
    check_table(include_str!("../data/arithmetic.txt"));
}

#[test]
fn conversions() {
    check_table(include_str!("../data/conversions.txt"));
}

#[test]
fn nans() {
    check_table(include_str!("../data/nans.txt"));
}

#[test]
fn divisions_by_reciprocals() {
    check_table(include_str!("../data/divisions.txt"));
}

#[test]
fn approximations() {
    check_table(include_str!("../data/approximations.txt"));
}

const NAN: u64 = 0x7fff_ffff;
const INF: u64 = 0x7f80_0000;
const MINUS: u64 = 0x8000_0000;
const ONE: u64 = 0x3f80_0000;

/// The special cases in the ISA's tables, which `--approx rounded` follows.
#[test]
#[rustfmt::skip]
fn special_cases_of_rounded_approximations() {
    let rows = [
        // columns: function, -inf, -1, -subnormal, -0, +0, +inf
        ("rcp.approx.rounded.f32", [MINUS, MINUS | ONE, MINUS | INF, MINUS | INF, INF, 0]),
        ("rcp.approx.rounded.ftz.f32", [MINUS, MINUS | ONE, MINUS | INF, MINUS | INF, INF, 0]),
        ("sqrt.approx.rounded.f32", [NAN, NAN, NAN, MINUS, 0, INF]),
        ("sqrt.approx.rounded.ftz.f32", [NAN, NAN, MINUS, MINUS, 0, INF]),
        ("rsqrt.approx.rounded.f32", [NAN, NAN, NAN, MINUS | INF, INF, 0]),
        ("rsqrt.approx.rounded.ftz.f32", [NAN, NAN, MINUS | INF, MINUS | INF, INF, 0]),
        ("sin.approx.rounded.f32", [NAN, 0xbf57_6aa4, MINUS | 1, MINUS, 0, NAN]),
        ("sin.approx.rounded.ftz.f32", [NAN, 0xbf57_6aa4, MINUS, MINUS, 0, NAN]),
        ("cos.approx.rounded.f32", [NAN, 0x3f0a_5140, ONE, ONE, ONE, NAN]),
        ("cos.approx.rounded.ftz.f32", [NAN, 0x3f0a_5140, ONE, ONE, ONE, NAN]),
        ("lg2.approx.rounded.f32", [NAN, NAN, NAN, MINUS | INF, MINUS | INF, INF]),
        ("lg2.approx.rounded.ftz.f32", [NAN, NAN, MINUS | INF, MINUS | INF, MINUS | INF, INF]),
        ("ex2.approx.rounded.f32", [0, 0x3f00_0000, ONE, ONE, ONE, INF]),
        ("ex2.approx.rounded.ftz.f32", [0, 0x3f00_0000, ONE, ONE, ONE, INF]),
        ("tanh.approx.rounded.f32", [MINUS | ONE, 0xbf42_f7d6, MINUS | 1, MINUS, 0, ONE]),
    ];
    let sources = [MINUS | INF, MINUS | ONE, MINUS | 1, MINUS, 0, INF];
    for (text, expected) in rows {
        for (x, y) in sources.into_iter().zip(expected) {
            check(text, &[x], y);
        }
        check(text, &[0x7fc0_1234], NAN);
        check(text, &[0xff80_0001], NAN);
    }
    // 2^-127 has the reciprocal 2^127, but is a zero if it is flushed. 2^127 has a subnormal
    // reciprocal.
    check("rcp.approx.rounded.f32", &[0x0040_0000], 0x7f00_0000);
    check("rcp.approx.rounded.ftz.f32", &[0x0040_0000], INF);
    check("rcp.approx.rounded.f32", &[0x7f00_0000], 0x0040_0000);
    check("rcp.approx.rounded.ftz.f32", &[0xff00_0000], MINUS);
    check("ex2.approx.rounded.ftz.f32", &[0xc2fe_0000], 0); // 2^-127
    check("ex2.approx.rounded.f32", &[0xc2fe_0000], 0x0040_0000);
    check("ex2.approx.rounded.f32", &[0x4300_0000], INF);
}

#[test]
#[rustfmt::skip]
fn rounded_division_forms() {
    let two_126 = 0x7e80_0000;
    check("div.approx.rounded.f32", &[ONE, two_126], 0x0080_0000);
    check("div.approx.rounded.f32", &[ONE, two_126 + 1], 0);
    check("div.approx.rounded.f32", &[MINUS | ONE, two_126 + 1], MINUS);
    check("div.approx.rounded.f32", &[INF, two_126 + 1], NAN);
    check("div.approx.rounded.f32", &[ONE, INF], 0);
    check("div.full.rounded.f32", &[0x7f7f_ffff, 0x7f7f_ffff], ONE);
    check("div.full.rounded.ftz.f32", &[1, ONE], 0);
    check("div.full.rounded.f32", &[0x40a0_0000, 0x4040_0000], 0x3fd5_5555);
    check("rcp.approx.rounded.ftz.f64", &[0x4008_0000_0000_0000], 0x3fd5_5555_0000_0000);
    check("rcp.approx.rounded.ftz.f64", &[0x4008_0000_ffff_ffff], 0x3fd5_5555_0000_0000);
    check("rcp.approx.rounded.ftz.f64", &[0x8000_0000_0000_0001], 0xfff0_0000_0000_0000);
    check("rcp.approx.rounded.ftz.f64", &[0x7ff0_0000_0000_0000], 0);
    check("rcp.approx.rounded.ftz.f64", &[0x7ff0_0000_0000_0001], 0x7fff_ffff_0000_0000);
    check("rsqrt.approx.rounded.ftz.f64", &[0x4000_0000_0000_0000], 0x3fe6_a09e_0000_0000);
    check("rsqrt.approx.rounded.ftz.f64", &[0xbff0_0000_0000_0000], 0x7fff_ffff_0000_0000);
    check("rsqrt.approx.rounded.ftz.f64", &[0x8000_0000_0000_0000], 0xfff0_0000_0000_0000);
    check("rsqrt.approx.rounded.f64", &[0x4000_0000_0000_0000], 0x3fe6_a09e_667f_3bcd);
    check("rsqrt.approx.rounded.f64", &[0x8000_0000_0000_0000], 0xfff0_0000_0000_0000);
    check("rsqrt.approx.rounded.f64", &[0x7ff0_0000_0000_0000], 0);
    check("rsqrt.approx.rounded.f64", &[0xbff0_0000_0000_0000], 0xfff8_0000_0000_0000);
}

#[test]
#[rustfmt::skip]
fn min_max_abs_neg_copysign() {
    check("min.f32", &[0, MINUS], MINUS);
    check("min.f32", &[MINUS, 0], MINUS);
    check("max.f32", &[0, MINUS], 0);
    check("max.f32", &[MINUS, 0], 0);
    check("min.f32", &[NAN, ONE], ONE);
    check("max.f32", &[ONE, 0xffc0_0000], ONE);
    check("min.f32", &[0x7f80_0001, 0xffc0_0000], NAN);
    check("min.NaN.f32", &[ONE, 0xffc0_0000], NAN);
    check("max.NaN.f32", &[0x7f80_0001, ONE], NAN);
    check("max.NaN.f32", &[INF, ONE], INF);
    check("min.f32", &[1, 2], 1);
    check("min.ftz.f32", &[MINUS | 1, 2], MINUS);
    check("max.ftz.f32", &[MINUS | 1, 2], 0);
    check("max.f32", &[MINUS | INF, 0xff7f_ffff], 0xff7f_ffff);
    check("min.f64", &[1 << 63, 0], 1 << 63);
    check("max.f64", &[1 << 63, 0], 0);
    check("max.f64", &[0x7ff8_0000_0000_0000, 5], 5);
    check("max.f64", &[0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0001], 0x7ff8_0000_0000_0001);
    check("min.f64", &[0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0005], 0xfff8_0000_0000_0005);
    check("abs.f32", &[MINUS | INF], INF);
    check("abs.ftz.f32", &[MINUS | 1], 0);
    check("abs.f32", &[MINUS | 1], 1);
    check("neg.f32", &[0], MINUS);
    check("neg.ftz.f32", &[1], MINUS);
    check("neg.f32", &[0xffc0_0001], NAN);
    check("abs.f64", &[0xfff0_0000_0000_0000], 0x7ff0_0000_0000_0000);
    check("neg.f64", &[0x4000_0000_0000_0000], 0xc000_0000_0000_0000);
    // The result has the sign of a and the other bits of b; a NaN keeps its payload.
    check("copysign.f32", &[MINUS | ONE, 0x7f80_0001], 0xff80_0001);
    check("copysign.f32", &[ONE, 0xc000_0000], 0x4000_0000);
    check("copysign.f64", &[1 << 63, 5], 1 << 63 | 5);
    check("min.f16", &[0x0000, 0x8000], 0x8000);
    check("max.f16", &[0x7e01, 0x3c00], 0x3c00);
    check("max.NaN.f16", &[0x7e01, 0x3c00], 0x7fff);
    check("min.f16x2", &[0x3c00_7c00, 0x4000_fc00], 0x3c00_fc00);
    check("max.ftz.f16x2", &[0x0001_8001, 0x8000_8000], 0x0000_8000);
    check("neg.f16x2", &[0x3c00_fe00], 0xbc00_7fff);
    check("abs.bf16x2", &[0xbf80_ff80], 0x3f80_7f80);
    check("max.bf16", &[0xbf80, 0x3f80], 0x3f80);
}

#[test]
#[rustfmt::skip]
fn saturation_of_nan_and_zero() {
    check("add.sat.f32", &[NAN, ONE], 0);
    check("add.sat.f32", &[INF, MINUS | INF], 0);
    check("add.sat.f32", &[MINUS, MINUS], 0);
    check("mul.sat.f32", &[INF, ONE], ONE);
    check("mad.rn.sat.f32", &[0x3f00_0000, ONE, 0x3e80_0000], 0x3f40_0000);
    check("fma.rn.ftz.f32", &[0x0080_0000, 0x3f00_0000, 0], 0);
    check("fma.rn.f32", &[0x0080_0000, 0x3f00_0000, 0], 0x0040_0000);
    // These results are tiny: below the smallest normal number with an unbounded exponent, although
    // rounding as a subnormal gives the smallest normal number.
    check("mul.f32", &[0x00ff_ffff, 0x3f00_0000], 0x0080_0000);
    check("mul.ftz.f32", &[0x00ff_ffff, 0xbf00_0000], MINUS);
    check("fma.rn.ftz.f32", &[0x00ff_ffff, 0x3f00_0000, 0], 0);
    check("mul.rp.ftz.f32", &[0x00ff_ffff, 0x3f00_0000], 0);
    check("mul.ftz.f16x2", &[0x07ff_87ff, 0x3800_3800], 0x0000_8000);
    check("fma.rn.ftz.f16", &[0x07ff, 0x3800, 0], 0);
}

#[test]
#[rustfmt::skip]
fn packed_halves() {
    // The sums are 1 + 2 and 65504 + 65504.
    check("add.f16x2", &[0x3c00_7bff, 0x4000_7bff], 0x4200_7c00);
    check("sub.f16x2", &[0x3c00_7c00, 0x4000_7c00], 0xbc00_7fff);
    check("mul.f16x2", &[0x4000_0001, 0x4200_3800], 0x4600_0000);
    check("mul.rn.sat.f16x2", &[0x4000_c000, 0x4200_4200], 0x3c00_0000);
    check("fma.rn.f16x2", &[0x3c00_4000, 0x4000_4200, 0x4200_3c00], 0x4500_4700);
    check("fma.rn.relu.f16x2", &[0x3c00_7e00, 0xc000_4200, 0x3c00_3c00], 0x0000_7fff);
    check("fma.rn.bf16x2", &[0x3f80_4000, 0x4000_4040, 0x4040_3f80], 0x40a0_40e0);
    check("add.rn.bf16", &[0x3f80, 0x4000], 0x4040);
    check("ex2.approx.rounded.f16", &[0x3800], 0x3da8);
    check("tanh.approx.rounded.bf16x2", &[0x3f80_ff80], 0x3f43_bf80);
    check("ex2.approx.rounded.ftz.bf16", &[0xc2fe], 0);
}

#[test]
#[rustfmt::skip]
fn narrow_conversions() {
    // Two f32 numbers are packed into one register, the first one in the upper half.
    check("cvt.rn.f16x2.f32", &[0x3f80_0000, 0x4780_0000], 0x3c00_7c00);
    check("cvt.rn.satfinite.f16x2.f32", &[0xff80_0000, 0x7fc0_0001], 0xfbff_7fff);
    check("cvt.rz.f16x2.f32", &[0x4780_0000, 0xb300_0000], 0x7bff_8000);
    check("cvt.rn.relu.f16x2.f32", &[0xbf80_0000, 0x7fc0_0000], 0x0000_7fff);
    check("cvt.rn.bf16x2.f32", &[0x3f80_8000, 0x3f81_8000], 0x3f80_3f82);
    check("cvt.rz.bf16x2.f32", &[0x3f81_ffff, 0x7f7f_ffff], 0x3f81_7f7f);
    check("cvt.rna.tf32.f32", &[0x3f80_1000], 0x3f80_2000);
    check("cvt.rn.tf32.f32", &[0x3f80_1000], 0x3f80_0000);
    check("cvt.rz.tf32.f32", &[0xbf80_3fff], 0xbf80_2000);
    check("cvt.rna.tf32.f32", &[0x7fc0_0001], 0x7fc0_0000);
    // An infinity and a NaN are reduced by one unit in the last place, as on an H200.
    check("cvt.rna.satfinite.tf32.f32", &[0x7fc1_2345], 0x7fc1_0000);
    check("cvt.rna.satfinite.tf32.f32", &[0x7f80_0001], 0x7f7f_e000);
    // In e4m3, 448 is the largest number, and 0x7f the NaN; 1.0625 is a tie, which rounds to the
    // even 1.0, and 2^-9 is the smallest number.
    check("cvt.rn.satfinite.e4m3x2.f32", &[0x43e0_0000, 0x7f80_0000], 0x7e7e);
    check("cvt.rn.satfinite.e4m3x2.f32", &[0x7fc0_0000, 0x3f88_0000], 0x7f38);
    check("cvt.rn.satfinite.e4m3x2.f32", &[0xbb00_0000, 0x3a80_0000], 0x8100);
    check("cvt.rn.satfinite.e5m2x2.f32", &[0x4800_0000, 0xc000_0000], 0x7bc0);
    check("cvt.rn.satfinite.e5m2x2.f16x2", &[0x3c00_7bff], 0x3c7b);
    check("cvt.rn.f16x2.e4m3x2", &[0x387f], 0x3c00_7fff);
    check("cvt.rn.f16x2.e4m3x2", &[0x01fe], 0x1800_df00);
    check("cvt.rn.f16x2.e5m2x2", &[0x3c01], 0x3c00_0100);
    // `.ftz` only affects f32.
    check("cvt.ftz.f64.f32", &[1], 0);
    check("cvt.f64.f32", &[1], 0x36a0_0000_0000_0000);
    check("cvt.rn.ftz.f32.f64", &[0x8000_0000_0000_0001], MINUS);
    check("cvt.rn.ftz.f32.f64", &[0x36a0_0000_0000_0000], 0);
    check("cvt.ftz.f32.f16", &[0x0001], 0x3380_0000);
    check("cvt.rn.ftz.f16.f32", &[0x8000_0001], 0x8000);
    // Only rounding away from zero shows whether a subnormal was flushed, as on an H200.
    check("cvt.rm.ftz.f16.f32", &[0x8000_0001], 0x8001);
    check("cvt.rp.ftz.f16.f32", &[1], 1);
    check("cvt.rpi.s32.f32", &[1], 1);
    check("cvt.rpi.ftz.s32.f32", &[1], 0);
    check("cvt.sat.f32.f32", &[0x7fc0_0000], 0);
    check("cvt.sat.f32.f32", &[0x4000_0000], ONE);
    check("cvt.ftz.f32.f32", &[MINUS | 1], MINUS);
    check("cvt.rn.sat.f32.s32", &[0xffff_ffff], 0);
    check("cvt.rn.sat.f32.s32", &[5], ONE);
    // The source is the low bits of its register. A signed result is sign-extended to the whole
    // register.
    check("cvt.rn.f32.u8", &[0xffff_ff80], 0x4300_0000);
    check("cvt.rn.f32.s8", &[0x80], 0xc300_0000);
    check("cvt.s32.s8", &[0x1234_5680], 0xffff_ff80);
    check("cvt.u32.s8", &[0x80], 0xffff_ff80);
    check("cvt.u16.s8", &[0x80], 0xff80);
    check("cvt.s8.s32", &[0x1ff], 0xffff_ffff);
    check("cvt.u8.s32", &[0x1ff], 0xff);
    check("cvt.s64.s32", &[0x8000_0000], 0xffff_ffff_8000_0000);
    check("cvt.u64.s16", &[0x8000], 0xffff_ffff_ffff_8000);
    check("cvt.sat.u8.s32", &[0xffff_ffff], 0);
    check("cvt.sat.s8.u32", &[200], 127);
    check("cvt.rni.f64.f64", &[0x4004_0000_0000_0000], 0x4000_0000_0000_0000);
    check("cvt.rzi.s32.f64", &[0x7ff8_0000_0000_0000], 0x8000_0000);
    check("cvt.rzi.u32.f32", &[0x7fc0_0000], 0);
    check("cvt.rzi.s64.f32", &[0x7fc0_0000], 1 << 63);
}

/// Random f32 sources. They have arbitrary bits, and often special exponents.
fn bits32() -> impl Strategy<Value = u64> {
    let whole = any::<u32>().prop_map(u64::from);
    let close =
        (0x3f7f_fff0u64..0x3f80_0010, any::<bool>()).prop_map(|(x, s)| x | u64::from(s) << 31);
    let small = (0u64..0x0100_0010, any::<bool>()).prop_map(|(x, s)| x | u64::from(s) << 31);
    prop_oneof![3 => whole, 1 => close, 1 => small]
}

const MODES: [(u8, &str); 4] = [(0, "rn"), (1, "rz"), (2, "rm"), (3, "rp")];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The fast f32 operations must equal the integer model in every rounding mode.
    #[test]
    fn f32_equals_the_model(a in bits32(), b in bits32(), c in bits32()) {
        const F: Format = Format::F32;
        for (mode, name) in MODES {
            let run = |op: &str, s| Instruction::new(&format!("{op}.{name}.f32")).run(s);
            prop_assert_eq!(run("add", [a, b, 0, 0]), soft::add(F, mode, a, b), "add {}", name);
            prop_assert_eq!(run("mul", [a, b, 0, 0]), soft::mul(F, mode, a, b), "mul {}", name);
            prop_assert_eq!(run("fma", [a, b, c, 0]), soft::fma(F, mode, a, b, c), "fma {}", name);
            prop_assert_eq!(run("div", [a, b, 0, 0]), soft::div(F, mode, a, b), "div {}", name);
            prop_assert_eq!(run("sqrt", [a, 0, 0, 0]), soft::sqrt(F, mode, a), "sqrt {}", name);
            let product = soft::mul(F, 0, a, b);
            let opposite = product ^ 0x8000_0000;
            prop_assert_eq!(
                run("fma", [a, b, opposite, 0]),
                soft::fma(F, mode, a, b, opposite),
                "cancelling fma {}", name
            );
        }
        prop_assert_eq!(
            Instruction::new("rsqrt.approx.rounded.f32").run([a, 0, 0, 0]),
            soft::rsqrt(F, 0, a)
        );
    }

    /// f64 operations that round to nearest must equal the integer model.
    #[test]
    fn f64_equals_the_model(a: u64, b: u64, near in -4i64..4, c: u64) {
        const F: Format = Format::F64;
        let other = a.wrapping_add_signed(near) ^ 1 << 63;
        // The model has only one NaN. The instruction returns its first NaN operand, in the order
        // of preference.
        let nan = |sources: &[u64], model: u64| {
            let operand = sources.iter().find(|x| F.is_nan(**x));
            operand.map_or(model, |x| x | 1 << 51)
        };
        for b in [b, other] {
            let run = |op: &str, s| Instruction::new(op).run(s);
            prop_assert_eq!(run("add.f64", [a, b, 0, 0]), nan(&[b, a], soft::add(F, 0, a, b)));
            prop_assert_eq!(run("mul.f64", [a, b, 0, 0]), nan(&[b, a], soft::mul(F, 0, a, b)));
            let fused = soft::fma(F, 0, a, b, c);
            prop_assert_eq!(run("fma.rn.f64", [a, b, c, 0]), nan(&[b, c, a], fused));
            prop_assert_eq!(run("div.rn.f64", [a, b, 0, 0]), nan(&[a, b], soft::div(F, 0, a, b)));
            prop_assert_eq!(run("sqrt.rn.f64", [a, 0, 0, 0]), nan(&[a], soft::sqrt(F, 0, a)));
        }
    }

    /// f16 and bf16 arithmetic must equal the integer model.
    #[test]
    fn halves_equal_the_model(a: u16, b: u16, c: u16) {
        let (a, b, c) = (a.into(), b.into(), c.into());
        for (f, name) in [(Format::F16, "f16"), (Format::BF16, "bf16")] {
            let run = |op: &str, s| Instruction::new(&format!("{op}.rn.{name}")).run(s);
            prop_assert_eq!(run("add", [a, b, 0, 0]), soft::add(f, 0, a, b), "add {}", name);
            prop_assert_eq!(run("mul", [a, b, 0, 0]), soft::mul(f, 0, a, b), "mul {}", name);
            prop_assert_eq!(run("fma", [a, b, c, 0]), soft::fma(f, 0, a, b, c), "fma {}", name);
        }
    }
}
