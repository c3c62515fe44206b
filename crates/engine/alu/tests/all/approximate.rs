//! Compares approximate instructions with the reference of the special function unit.

use crate::common::Instruction;
use texunit_sfu::mufu;
use texunit_sfu::ptx;

/// An instruction and its reference function.
type F32Function = (&'static str, fn(u32) -> u32);
type BinaryFunction = (&'static str, fn(u32, u32) -> u32);
type F16Function = (&'static str, fn(u16) -> u16);

/// f32 operands of all exponents and both signs. Their mantissas are at both ends of the range and
/// between.
fn operands() -> Vec<u32> {
    let tops = (0..1 << 13).map(|top: u32| top << 19);
    let of = |top: u32| {
        let hash = (top >> 19).wrapping_mul(0x9e37_79b9) >> 13;
        [0, 1, 0x7_ffff, hash].map(|low| top | low)
    };
    tops.flat_map(of).collect()
}

/// Runs an instruction on all operands.
fn check(text: &str, operands: &[u32], reference: impl Fn(u32) -> u32) {
    let instruction = Instruction::new(text);
    for warp in operands.chunks(32) {
        let rows: Vec<[u64; 4]> = warp.iter().map(|&x| [x.into(), 0, 0, 0]).collect();
        for (&x, got) in warp.iter().zip(instruction.rows(&rows)) {
            assert_eq!(got, u64::from(reference(x)), "{text} {x:#010x}: got {got:#x}");
        }
    }
}

#[test]
fn functions_of_f32_are_those_of_the_unit() {
    let operands = operands();
    let functions: [F32Function; 15] = [
        ("rcp.approx.f32", ptx::rcp),
        ("rcp.approx.ftz.f32", mufu::rcp),
        ("rsqrt.approx.f32", ptx::rsqrt),
        ("rsqrt.approx.ftz.f32", mufu::rsq),
        ("sqrt.approx.f32", ptx::sqrt),
        ("sqrt.approx.ftz.f32", mufu::sqrt),
        ("lg2.approx.f32", ptx::lg2),
        ("lg2.approx.ftz.f32", mufu::lg2),
        ("ex2.approx.f32", ptx::ex2),
        ("ex2.approx.ftz.f32", mufu::ex2),
        ("sin.approx.f32", ptx::sin),
        ("sin.approx.ftz.f32", ptx::sin),
        ("cos.approx.f32", ptx::cos),
        ("cos.approx.ftz.f32", ptx::cos),
        ("tanh.approx.f32", mufu::tanh),
    ];
    for (text, reference) in functions {
        check(text, &operands, reference);
    }
}

#[test]
fn quotients_are_products_with_the_reciprocal_of_the_unit() {
    let operands: Vec<u32> = operands().into_iter().step_by(7).collect();
    let quotients: [BinaryFunction; 4] = [
        ("div.approx.f32", ptx::div_approx),
        ("div.approx.ftz.f32", ptx::div_approx_ftz),
        ("div.full.f32", ptx::div_full),
        ("div.full.ftz.f32", ptx::div_full_ftz),
    ];
    for (text, reference) in quotients {
        let instruction = Instruction::new(text);
        for step in [1, 1201, 2999] {
            let pairs = operands.iter().zip(operands.iter().cycle().skip(step));
            let pairs: Vec<(u32, u32)> = pairs.map(|(&a, &b)| (a, b)).collect();
            for warp in pairs.chunks(32) {
                let rows: Vec<[u64; 4]> =
                    warp.iter().map(|&(a, b)| [a.into(), b.into(), 0, 0]).collect();
                for (&(a, b), got) in warp.iter().zip(instruction.rows(&rows)) {
                    let wanted = u64::from(reference(a, b));
                    assert_eq!(got, wanted, "{text} {a:#x} {b:#x}: got {got:#x}, not {wanted:#x}");
                }
            }
        }
    }
}

#[test]
fn functions_of_halves_are_those_of_the_unit_cut() {
    let all: Vec<u32> = (0..=0xffff).collect();
    let functions: [F16Function; 4] = [
        ("ex2.approx.f16", ptx::ex2_f16),
        ("tanh.approx.f16", ptx::tanh_f16),
        ("ex2.approx.ftz.bf16", ptx::ex2_bf16),
        ("tanh.approx.bf16", ptx::tanh_bf16),
    ];
    for (text, reference) in functions {
        check(text, &all, |x| reference(x as u16).into());
        let pairs: Vec<u32> = all.iter().map(|x| x | (x ^ 0x5a5a) << 16).collect();
        check(&format!("{text}x2"), &pairs, |x| {
            u32::from(reference(x as u16)) | u32::from(reference((x >> 16) as u16)) << 16
        });
    }
}

#[test]
fn upper_words_of_f64() {
    for (text, reference) in [
        ("rcp.approx.ftz.f64", ptx::rcp64 as fn(u64) -> u64),
        ("rsqrt.approx.ftz.f64", ptx::rsqrt64_ftz),
        ("rsqrt.approx.f64", ptx::rsqrt64),
    ] {
        let instruction = Instruction::new(text);
        for x in operands() {
            let x = u64::from(x) << 32 | u64::from(x.wrapping_mul(0x85eb_ca6b));
            let got = instruction.run([x, 0, 0, 0]);
            assert_eq!(got, reference(x), "{text} {x:#x}: got {got:#x}");
        }
    }
    let root = Instruction::new("rsqrt.approx.f64");
    for (x, wanted) in [
        (4f64, 0.5f64),
        (0.0, f64::INFINITY),
        (-0.0, f64::NEG_INFINITY),
        (f64::INFINITY, 0.0),
        (f64::MIN_POSITIVE / 4.0, 2f64.powi(512)),
    ] {
        assert_eq!(f64::from_bits(root.run([x.to_bits(), 0, 0, 0])), wanted, "{x}");
    }
    assert_eq!(root.run([(-1f64).to_bits(), 0, 0, 0]), 0xfff8_0000_0000_0000);
}
