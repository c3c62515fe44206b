//! The `.approx` and `.full` forms: reciprocals, roots, division, sin, cos, ex2, lg2, tanh.
//!
//! Hardware has a table-driven unit for these whose last digits the ISA leaves open. We give the
//! correctly rounded result, so ours lie within the stated bounds, and do not depend on the math
//! library of the host: its `f64` value is taken only where every value within 2^-46 of it rounds
//! alike; else [`exact`](super::exact) decides. Special cases are those of the ISA's tables.

use texunit_isa::{Modifiers, Opcode};

use super::Alu;
use super::exact;
use super::float::{result, source};
use super::lanes::{narrow, wide, wide64};
use super::round::{Format, RN};
use super::soft;

/// `near`, an f64 with an error below 2^-46, rounded to f32; `exact` where that leaves a doubt.
#[inline(always)]
fn settle(near: f64, exact: impl FnOnce() -> u32) -> f32 {
    if !near.is_finite() {
        return near as f32;
    }
    let doubt = near.abs() / (1u64 << 46) as f64;
    let (low, high) = ((near - doubt) as f32, (near + doubt) as f32);
    // Compared as numbers: a zero keeps its sign.
    if low == high { near as f32 } else { f32::from_bits(exact()) }
}

#[inline(always)]
fn rsqrt(x: f32) -> f32 {
    settle(1.0 / f64::from(x).sqrt(), || soft::rsqrt(Format::F32, RN, x.to_bits().into()) as u32)
}

fn sin(x: f32) -> f32 {
    settle(f64::from(x).sin(), || exact::sin(x))
}

fn cos(x: f32) -> f32 {
    settle(f64::from(x).cos(), || exact::cos(x))
}

fn ex2(x: f32) -> f32 {
    settle(f64::from(x).exp2(), || exact::ex2(x))
}

fn lg2(x: f32) -> f32 {
    // A zero of either sign, which the library may treat differently, gives -infinity.
    if x == 0.0 { f32::NEG_INFINITY } else { settle(f64::from(x).log2(), || exact::lg2(x)) }
}

fn tanh(x: f32) -> f32 {
    settle(f64::from(x).tanh(), || exact::tanh(x))
}

/// `ex2` of a half; the caller rounds.
pub(super) fn ex2_64(x: f64) -> f64 {
    x.exp2()
}

/// `tanh` of a half; the caller rounds.
pub(super) fn tanh_64(x: f64) -> f64 {
    x.tanh()
}

/// `div.approx`: the product with the reciprocal, each rounded (docs/numerics.md, 13.10). A divisor
/// above 2^126 has a reciprocal of zero (PTX ISA, div).
#[inline(always)]
fn div_approx(a: f32, b: f32) -> f32 {
    let big = b.abs() > f32::from_bits(0x7e80_0000) && b.is_finite();
    a * if big { 0.0 * b } else { 1.0 / b }
}

fn forms<const FTZ: bool>(opcode: Opcode, full: bool) -> Option<Alu> {
    macro_rules! unary {
        ($f:expr) => {
            narrow!(|a, _, _| result::<FTZ, false>($f(source::<FTZ>(a))))
        };
    }
    Some(match (opcode, full) {
        (Opcode::Div, true) => {
            narrow!(|a, b, _| result::<FTZ, false>(source::<FTZ>(a) / source::<FTZ>(b)))
        }
        (_, true) => return None,
        (Opcode::Div, _) => {
            narrow!(|a, b, _| result::<FTZ, false>(div_approx(source::<FTZ>(a), source::<FTZ>(b))))
        }
        (Opcode::Rcp, _) => unary!(|x| 1.0 / x),
        (Opcode::Sqrt, _) => unary!(f32::sqrt),
        (Opcode::Rsqrt, _) => unary!(rsqrt),
        (Opcode::Sin, _) => unary!(sin),
        (Opcode::Cos, _) => unary!(cos),
        (Opcode::Ex2, _) => unary!(ex2),
        (Opcode::Lg2, _) => unary!(lg2),
        (Opcode::Tanh, _) => unary!(tanh),
        _ => return None,
    })
}

/// The approximate forms of f32, or `None`.
pub(super) fn select32(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    if mods.ftz { forms::<true>(opcode, mods.full) } else { forms::<false>(opcode, mods.full) }
}

/// The approximate forms of f64: `rsqrt.approx`, and the gross `.ftz` ones, which see and give
/// only the upper 32 bits.
pub(super) fn select64(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    Some(match (opcode, mods.ftz) {
        (Opcode::Rsqrt, false) => wide64!(|a, _, _| soft::rsqrt(Format::F64, RN, a)),
        (Opcode::Rsqrt, true) => wide!(|a, _, _| gross(a, |x| 1.0 / x.sqrt())),
        (Opcode::Rcp, true) => wide!(|a, _, _| gross(a, |x| 1.0 / x)),
        _ => return None,
    })
}

#[inline(always)]
fn gross(a: u64, f: impl Fn(f64) -> f64) -> u64 {
    let flush = |x: u64| if x >> 52 & 0x7ff == 0 { x & 1 << 63 } else { x };
    let upper = 0xffff_ffff_0000_0000;
    let value = f(f64::from_bits(flush(a & upper)));
    if f64::from_bits(a).is_nan() || value.is_nan() {
        return 0x7fff_ffff_0000_0000;
    }
    flush(value.to_bits()) & upper
}
