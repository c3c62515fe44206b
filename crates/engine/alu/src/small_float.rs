//! `cvt` from and to pairs of floats of 4, 6 and 8 bits, and `cvt.pack`.
//!
//! e2m1, e2m3 and e3m2 have neither infinities nor NaNs: a magnitude that is too large becomes the
//! largest number of its sign, and a NaN the largest positive number (PTX ISA, cvt, .satfinite).
//! ue8m0 is only an exponent, 2^(x - 127), with 0xff as its NaN; ue5m3 has 0xff as its NaN and no
//! infinity. For both, the sign of a source is ignored.

use texunit_isa::{Modifiers, Rounding, ScalarType as Ty};

use super::convert::float;
use super::round::{self, Format, RN, RP, RZ, power};
use super::{Alu, L64};

/// A conversion from or to a short float format, or a packing of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmallFloat {
    /// A conversion of pairs of floats: destination type, source type, rounding, `.satfinite`,
    /// `.relu`.
    Floats(Ty, Ty, u8, bool, bool),
    /// A packing of integers: their width after saturation, whether they are signed, and whether
    /// there is a third source.
    Pack(u8, bool, bool),
}

/// The number of bits that an element has in a packed pair.
fn width(ty: Ty) -> u32 {
    match ty {
        Ty::E2m1x2 => 4,
        Ty::F16x2 | Ty::Bf16x2 => 16,
        _ => 8,
    }
}

/// The value of element k of a source register.
fn read(from: Ty, pair: u64, k: u32) -> f64 {
    match pair >> (width(from) * k) & ((1 << width(from)) - 1) {
        bits if from != Ty::Ue8m0x2 => float(from, bits),
        0xff => f64::NAN,
        bits => power(bits as i32 - 127),
    }
}

/// Rounds a number to a power of two in the format ue8m0, which is an exponent with a bias of 127.
/// The smallest number is 2^-127.
fn exponent_of(x: f64, mode: u8, satfinite: bool) -> u64 {
    if x.is_nan() {
        return 0xff;
    }
    let bits = x.abs().to_bits();
    let inexact = bits & ((1 << 52) - 1) != 0;
    let floor = (bits >> 52) as i64 - 1023;
    // Numbers below 2^-127 need not be rounded up, because they become 2^-127 anyway.
    let up = i64::from(mode == RP && inexact && floor >= -127);
    let biased = if x.is_infinite() { 0xff } else { (floor + up + 127).clamp(0, 0xff) };
    biased.min(if satfinite { 0xfe } else { 0xff }) as u64
}

fn write(to: Ty, x: f64, mode: u8, satfinite: bool, relu: bool) -> u64 {
    if to == Ty::Ue8m0x2 {
        return exponent_of(x, mode, satfinite);
    }
    let Some(format) = Format::of(to) else { return 0 };
    let x = match to {
        Ty::Ue5m3x2 => x.abs(),
        _ if relu && x <= 0.0 => 0.0,
        _ => x,
    };
    let bits = round::narrow(format, mode, x);
    let sign = bits & format.sign();
    let without_nan = matches!(to, Ty::E2m1x2 | Ty::E2m3x2 | Ty::E3m2x2);
    match x.is_nan() {
        true if without_nan => format.max,
        false if (satfinite || without_nan) && bits ^ sign > format.max => sign | format.max,
        _ => bits,
    }
}

impl SmallFloat {
    /// Converts all lanes. The operands are those of [`Alu::SmallFloat`].
    pub fn run(&self, d: &mut L64, a: &L64, b: &L64, c: &L64) {
        for i in 0..32 {
            d[i] = match *self {
                SmallFloat::Floats(to, from, mode, satfinite, relu) => {
                    // The first of two source registers goes to the upper half of the result.
                    let (low, high) = match from {
                        Ty::F32 => (float(from, b[i]), float(from, a[i])),
                        _ => (read(from, a[i], 0), read(from, a[i], 1)),
                    };
                    let put = |x| write(to, x, mode, satfinite, relu);
                    put(high) << width(to) | put(low)
                }
                SmallFloat::Pack(bits, signed, third) => {
                    let packed = integer(a[i], bits, signed) << bits | integer(b[i], bits, signed);
                    let above = if third { c[i] << (2 * bits) } else { 0 };
                    (packed | above) & 0xffff_ffff
                }
            };
        }
    }
}

/// Saturates a signed 32-bit integer to a signed or unsigned integer of `bits` bits.
fn integer(x: u64, bits: u8, signed: bool) -> u64 {
    let x = i64::from(x as u32 as i32);
    let all = (1i64 << bits) - 1;
    let (low, high) = if signed { (-(all >> 1) - 1, all >> 1) } else { (0, all) };
    (x.clamp(low, high) & all) as u64
}

/// The operation of a `cvt` with floats of 4, 6 or 8 bits, or of `cvt.pack`; `None` for other
/// instructions.
pub(super) fn select(mods: &Modifiers) -> Option<Alu> {
    if let Some((bits, signed)) = mods.pack {
        return Some(Alu::SmallFloat(SmallFloat::Pack(bits, signed, mods.types.len() == 2)));
    }
    let [to, from] = mods.types[..] else { return None };
    let small =
        |ty: Ty| matches!(ty, Ty::E2m1x2 | Ty::E2m3x2 | Ty::E3m2x2 | Ty::Ue8m0x2 | Ty::Ue5m3x2);
    let byte = |ty: Ty| matches!(ty, Ty::E4m3x2 | Ty::E5m2x2);
    let with_bf16 = byte(to) && from == Ty::Bf16x2 || to == Ty::Bf16x2 && byte(from);
    if !small(to) && !small(from) && !with_bf16 {
        return None;
    }
    let mode = match mods.rounding {
        Some(Rounding::Rn) => RN,
        Some(Rounding::Rz) => RZ,
        Some(Rounding::Rp) => RP,
        _ => return None,
    };
    Some(Alu::SmallFloat(SmallFloat::Floats(to, from, mode, mods.satfinite, mods.relu)))
}
