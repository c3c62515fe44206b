//! Arithmetic of f16, bf16 and their packed pairs.
//!
//! Values are computed in f64, rounded to odd where they are not exact, and rounded once more to
//! the short format. NaN results are 0x7fff.

use texunit_isa::{Modifiers, Opcode, Rounding, ScalarType as Ty};

use super::Alu;
use super::approx;
use super::lanes::narrow;
use super::round::{self, Format, RN, sum_odd};

/// The low half as f16. Exact; a NaN keeps its payload.
#[inline(always)]
pub(super) fn f16_to_f32(x: u32) -> f32 {
    let magnitude = x & 0x7fff;
    // Shifted into place, a half is an f32 that is 2^112 times too small, subnormals included.
    let scaled = (f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000)).to_bits();
    let special = magnitude << 13 | 0x7f80_0000;
    let bits = if magnitude >= 0x7c00 { special } else { scaled };
    f32::from_bits(bits | (x & 0x8000) << 16)
}

/// The low half as bf16.
#[inline(always)]
pub(super) fn bf16_to_f32(x: u32) -> f32 {
    f32::from_bits(x << 16)
}

/// What differs between the two formats.
trait Half {
    const FORMAT: Format;
    fn get(x: u32) -> f64;
}

struct F16;
impl Half for F16 {
    const FORMAT: Format = Format::F16;
    #[inline(always)]
    fn get(x: u32) -> f64 {
        f16_to_f32(x).into()
    }
}

struct Bf16;
impl Half for Bf16 {
    const FORMAT: Format = Format::BF16;
    #[inline(always)]
    fn get(x: u32) -> f64 {
        bf16_to_f32(x).into()
    }
}

/// `.ftz`: subnormals as zeros of their sign.
#[inline(always)]
fn flush<H: Half, const FTZ: bool>(x: u32) -> u32 {
    if FTZ && x & H::FORMAT.inf as u32 == 0 { x & 0x8000 } else { x & 0xffff }
}

/// Rounds and applies `.ftz`, `.sat` and `.relu`.
#[inline(always)]
fn put<H: Half, const FTZ: bool, const SAT: bool, const RELU: bool>(x: f64) -> u32 {
    let x = if SAT {
        let low = if x > 0.0 { x } else { 0.0 };
        if low < 1.0 { low } else { 1.0 }
    } else if RELU && x <= 0.0 {
        0.0
    } else {
        x
    };
    flush::<H, FTZ>(round::narrow(H::FORMAT, RN, x) as u32)
}

#[inline(always)]
fn min(a: f64, b: f64) -> f64 {
    let least = if a < b || (a == b && a.is_sign_negative()) { a } else { b };
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else {
        least
    }
}

#[inline(always)]
fn strict(a: f64, b: f64, value: f64) -> f64 {
    if a.is_nan() | b.is_nan() { f64::NAN } else { value }
}

/// One half, or both halves of the packed type.
macro_rules! halves {
    ($packed:expr, $h:ident, $ftz:ident, |$a:tt, $b:tt, $c:tt| $e:expr, $put:expr) => {
        if $packed {
            narrow!(|a, b, c| {
                let f = |$a: f64, $b: f64, $c: f64| $put($e);
                let get = |x: u32| $h::get(flush::<$h, $ftz>(x));
                let low = f(get(a), get(b), get(c));
                let high = f(get(a >> 16), get(b >> 16), get(c >> 16));
                low | high << 16
            })
        } else {
            narrow!(|a, b, c| {
                let f = |$a: f64, $b: f64, $c: f64| $put($e);
                let get = |x: u32| $h::get(flush::<$h, $ftz>(x));
                f(get(a), get(b), get(c))
            })
        }
    };
}

fn arithmetic<H: Half, const FTZ: bool, const SAT: bool, const RELU: bool>(
    opcode: Opcode,
    packed: bool,
) -> Option<Alu> {
    Some(match opcode {
        Opcode::Add => halves!(packed, H, FTZ, |a, b, _| sum_odd(a, b), put::<H, FTZ, SAT, RELU>),
        Opcode::Sub => halves!(packed, H, FTZ, |a, b, _| sum_odd(a, -b), put::<H, FTZ, SAT, RELU>),
        Opcode::Mul => halves!(packed, H, FTZ, |a, b, _| a * b, put::<H, FTZ, SAT, RELU>),
        Opcode::Fma => {
            halves!(packed, H, FTZ, |a, b, c| sum_odd(a * b, c), put::<H, FTZ, SAT, RELU>)
        }
        _ => return None,
    })
}

#[rustfmt::skip]
fn exact<H: Half, const FTZ: bool>(opcode: Opcode, nan: bool, packed: bool) -> Option<Alu> {
    Some(match (opcode, nan) {
        (Opcode::Min, false) => halves!(packed, H, FTZ, |a, b, _| min(a, b), put::<H, FTZ, false, false>),
        (Opcode::Max, false) => halves!(packed, H, FTZ, |a, b, _| -min(-a, -b), put::<H, FTZ, false, false>),
        (Opcode::Min, true) => halves!(packed, H, FTZ, |a, b, _| strict(a, b, min(a, b)), put::<H, FTZ, false, false>),
        (Opcode::Max, true) => halves!(packed, H, FTZ, |a, b, _| strict(a, b, -min(-a, -b)), put::<H, FTZ, false, false>),
        (Opcode::Abs, _) => halves!(packed, H, FTZ, |a, _, _| a.abs(), put::<H, FTZ, false, false>),
        (Opcode::Neg, _) => halves!(packed, H, FTZ, |a, _, _| -a, put::<H, FTZ, false, false>),
        (Opcode::Ex2, _) => halves!(packed, H, FTZ, |a, _, _| approx::ex2_64(a), put::<H, FTZ, false, false>),
        (Opcode::Tanh, _) => halves!(packed, H, FTZ, |a, _, _| approx::tanh_64(a), put::<H, FTZ, false, false>),
        _ => return None,
    })
}

/// `.xorsign.abs` of one pair: the smaller or greater magnitude with the exclusive or of the signs.
#[inline(always)]
fn magnitude<H: Half, const FTZ: bool, const NAN: bool, const GREATER: bool>(
    a: u32,
    b: u32,
) -> u32 {
    let part = |x: u32| H::get(flush::<H, FTZ>(x)).abs();
    let (x, y) = (part(a), part(b));
    let value = if GREATER { -min(-x, -y) } else { min(x, y) };
    let value = if NAN { strict(x, y, value) } else { value };
    // A NaN stays the canonical one.
    let sign = if value.is_nan() { 0 } else { (a ^ b) & 0x8000 };
    put::<H, FTZ, false, false>(value) | sign
}

fn signed<H: Half, const FTZ: bool, const NAN: bool>(greater: bool, packed: bool) -> Alu {
    match (greater, packed) {
        (false, false) => narrow!(|a, b, _| magnitude::<H, FTZ, NAN, false>(a, b)),
        (true, false) => narrow!(|a, b, _| magnitude::<H, FTZ, NAN, true>(a, b)),
        (false, true) => narrow!(|a, b, _| {
            let high = magnitude::<H, FTZ, NAN, false>(a >> 16, b >> 16);
            magnitude::<H, FTZ, NAN, false>(a, b) | high << 16
        }),
        (true, true) => narrow!(|a, b, _| {
            let high = magnitude::<H, FTZ, NAN, true>(a >> 16, b >> 16);
            magnitude::<H, FTZ, NAN, true>(a, b) | high << 16
        }),
    }
}

fn of<H: Half>(opcode: Opcode, mods: &Modifiers, packed: bool) -> Option<Alu> {
    match opcode {
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Fma => {
            if !matches!(mods.rounding, None | Some(Rounding::Rn)) {
                return None;
            }
            match (mods.ftz, mods.sat, mods.relu) {
                (false, false, false) => arithmetic::<H, false, false, false>(opcode, packed),
                (true, false, false) => arithmetic::<H, true, false, false>(opcode, packed),
                (false, true, false) => arithmetic::<H, false, true, false>(opcode, packed),
                (true, true, false) => arithmetic::<H, true, true, false>(opcode, packed),
                (false, false, true) => arithmetic::<H, false, false, true>(opcode, packed),
                (true, false, true) => arithmetic::<H, true, false, true>(opcode, packed),
                (_, true, true) => None,
            }
        }
        Opcode::Min | Opcode::Max if mods.xorsign && mods.abs => {
            let greater = opcode == Opcode::Max;
            Some(match (mods.ftz, mods.nan) {
                (false, false) => signed::<H, false, false>(greater, packed),
                (false, true) => signed::<H, false, true>(greater, packed),
                (true, false) => signed::<H, true, false>(greater, packed),
                (true, true) => signed::<H, true, true>(greater, packed),
            })
        }
        _ if mods.xorsign || mods.abs || mods.sat || mods.relu => None,
        _ if mods.ftz => exact::<H, true>(opcode, mods.nan, packed),
        _ => exact::<H, false>(opcode, mods.nan, packed),
    }
}

/// Instructions of the half types, or `None`.
pub(super) fn select(opcode: Opcode, ty: Ty, mods: &Modifiers) -> Option<Alu> {
    match ty {
        Ty::F16 => of::<F16>(opcode, mods, false),
        Ty::F16x2 => of::<F16>(opcode, mods, true),
        Ty::Bf16 => of::<Bf16>(opcode, mods, false),
        Ty::Bf16x2 => of::<Bf16>(opcode, mods, true),
        _ => None,
    }
}
