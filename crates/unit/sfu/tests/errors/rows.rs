//! The functions whose errors are measured, and the operands for which they are.

use texunit_sfu::{mufu, ptx};

/// A set of operands: all floats from one bit pattern up to another, or multiples of a power of
/// two.
pub(crate) enum Operands {
    Floats(f32, f32),
    Multiples(f64, f64, i32),
    F16(u32, u32),
    Bf16(u32, u32),
    /// Upper words of f64 numbers whose lower words are 0.
    F64(u32, u32),
}

impl Operands {
    pub(crate) fn count(&self) -> u32 {
        match self {
            Self::Floats(from, to) => to.to_bits() - from.to_bits(),
            Self::Multiples(from, to, exponent) => ((to - from) / 2f64.powi(*exponent)) as u32,
            Self::F16(from, to) | Self::Bf16(from, to) | Self::F64(from, to) => to - from,
        }
    }

    /// The `n`th operand of the set, and the function's result for it.
    pub(crate) fn nth(&self, n: u32, function: fn(u32) -> u32) -> (f64, f64) {
        let (bits, value): (u32, fn(u32) -> f64) = match self {
            Self::Floats(from, _) => (from.to_bits() + n, |bits| f32::from_bits(bits).into()),
            Self::Multiples(from, _, exponent) => {
                let x = (from + f64::from(n) * 2f64.powi(*exponent)) as f32;
                (x.to_bits(), |bits| f32::from_bits(bits).into())
            }
            Self::F16(from, _) => (from + n, |x| f32::from_bits(ptx::widen(x as u16)).into()),
            Self::Bf16(from, _) => (from + n, |bits| f32::from_bits(bits << 16).into()),
            Self::F64(from, _) => (from + n, |bits| f64::from_bits(u64::from(bits) << 32)),
        };
        (value(bits), value(function(bits)))
    }
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    pub(crate) operands: Operands,
    pub(crate) function: fn(u32) -> u32,
    pub(crate) exact: fn(f64) -> f64,
    /// Number of significant bits of a result.
    pub(crate) bits: i32,
}

pub(crate) fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

#[rustfmt::skip]
pub(crate) fn rows() -> Vec<Row> {
    use Operands::{Bf16, F16, F64, Floats, Multiples};
    use std::f64::consts::TAU;
    let row = |name, text, operands, function, exact| {
        let bits = match operands {
            Floats(..) | Multiples(..) => 24,
            F16(..) => 11,
            Bf16(..) => 8,
            F64(..) => 21,
        };
        Row { name, text, operands, function, exact, bits }
    };
    let not_one = 1f32.next_up();
    vec![
        row("`RCP`", "[1, 2)", Floats(1.0, 2.0), mufu::rcp, f64::recip),
        row("`RSQ`", "[1, 4)", Floats(1.0, 4.0), mufu::rsq, rsqrt),
        row("`SQRT`", "[1, 4)", Floats(1.0, 4.0), mufu::sqrt, f64::sqrt),
        row("`EX2`", "[0, 1), multiples of 2^-23", Multiples(0.0, 1.0, -23), mufu::ex2, f64::exp2),
        row("`EX2`", "[-1, 0), multiples of 2^-23", Multiples(-1.0, 0.0, -23), mufu::ex2, f64::exp2),
        row("`LG2`", "[1/2, 1)", Floats(0.5, 1.0), mufu::lg2, f64::log2),
        row("`LG2`", "(1, 2)", Floats(not_one, 2.0), mufu::lg2, f64::log2),
        row("`LG2`", "[2, 4)", Floats(2.0, 4.0), mufu::lg2, f64::log2),
        row("`sin.approx.f32`", "[0, 2π], multiples of 2^-21", Multiples(0.0, TAU, -21), ptx::sin, f64::sin),
        row("`sin.approx.f32`", "[0, 100π], multiples of 2^-15", Multiples(0.0, 50.0 * TAU, -15), ptx::sin, f64::sin),
        row("`cos.approx.f32`", "[0, 2π], multiples of 2^-21", Multiples(0.0, TAU, -21), ptx::cos, f64::cos),
        row("`cos.approx.f32`", "[0, 100π], multiples of 2^-15", Multiples(0.0, 50.0 * TAU, -15), ptx::cos, f64::cos),
        row("`TANH`", "[2^-8, 1/4)", Floats(2f32.powi(-8), 0.25), mufu::tanh, f64::tanh),
        row("`TANH`", "[1/4, 8)", Floats(0.25, 8.0), mufu::tanh, f64::tanh),
        row("`RCP64H`", "[1, 2), low words 0", F64(0x3ff0_0000, 0x4000_0000), mufu::rcp64h, f64::recip),
        row("`RSQ64H`", "[1, 4), low words 0", F64(0x3ff0_0000, 0x4010_0000), mufu::rsq64h, rsqrt),
        row("`ex2.approx.f16`", "[-8, -1]", F16(0xbc00, 0xc801), |x| ptx::ex2_f16(x as u16).into(), f64::exp2),
        row("`tanh.approx.f16`", "[2^-8, 8)", F16(0x1c00, 0x4800), |x| ptx::tanh_f16(x as u16).into(), f64::tanh),
        row("`ex2.approx.ftz.bf16`", "[-8, -1]", Bf16(0xbf80, 0xc101), |x| ptx::ex2_bf16(x as u16).into(), f64::exp2),
        row("`tanh.approx.bf16`", "[2^-8, 8)", Bf16(0x3b80, 0x4100), |x| ptx::tanh_bf16(x as u16).into(), f64::tanh),
    ]
}
