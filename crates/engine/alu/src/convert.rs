//! `cvt` between integers, f16, bf16, tf32, f32, f64 and pairs of floats of 4, 6 and 8 bits.
//!
//! [`Convert`] interprets any conversion, one lane at a time; frequent conversions have operations
//! of their own (`rows::convert`). A conversion to an integer clamps to its range. A NaN becomes 0,
//! except that the result has only its top bit set if the source is f64 or the destination has 64
//! bits (PTX ISA, cvt). A NaN that stays a float becomes the canonical NaN of its new type, or
//! keeps its payload where the processor's conversion does ([`Convert::nan`]).
//!
//! e2m1, e2m3 and e3m2 have neither infinities nor NaNs: a magnitude that is too large becomes the
//! largest number of its sign, and a NaN the largest positive number (PTX ISA, cvt, .satfinite).
//! ue8m0 is only an exponent, 2^(x - 127), with 0xff as its NaN; ue5m3 has 0xff as its NaN and no
//! infinity. Conversions to ue8m0 and ue5m3 ignore the sign of the source.

use texunit_isa::{Modifiers, Rounding, ScalarType as Ty};

use super::L64;
use super::float::{QUIET64, mode_of, result64};
use super::round::{self, Format, RM, RN, RP, RZ, pack, power};

/// A conversion that the interpreter executes one lane at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convert {
    pub(super) to: Ty,
    pub(super) from: Ty,
    /// The rounding mode of the result or, if `integral` is set, of the rounding to an integral
    /// value.
    pub(super) mode: u8,
    pub(super) integral: bool,
    pub(super) ftz: bool,
    pub(super) sat: bool,
    pub(super) satfinite: bool,
    pub(super) relu: bool,
}

/// The low bits of a register, read as an integer of a type.
#[inline(always)]
fn integer(ty: Ty, x: u64) -> i128 {
    let unused = 64 - ty.bits();
    if ty.is_signed() {
        i128::from((x << unused) as i64 >> unused)
    } else {
        i128::from(x << unused >> unused)
    }
}

/// The width of an element of a packed pair; `None` for other types.
fn element(ty: Ty) -> Option<u32> {
    match ty {
        Ty::E2m1x2 => Some(4),
        Ty::E4m3x2 | Ty::E5m2x2 | Ty::E2m3x2 | Ty::E3m2x2 | Ty::Ue8m0x2 | Ty::Ue5m3x2 => Some(8),
        Ty::F16x2 | Ty::Bf16x2 => Some(16),
        _ => None,
    }
}

/// The low bits of a register, read as a float of a type (or an element of a pair) and converted to
/// f64 exactly.
fn float(ty: Ty, x: u64) -> f64 {
    match (ty, Format::of(ty)) {
        (Ty::Ue8m0x2, _) if x == 0xff => f64::NAN,
        (Ty::Ue8m0x2, _) => power(x as i32 - 127),
        (Ty::F32 | Ty::Tf32, _) => f32::from_bits(x as u32).into(),
        (Ty::F64, _) | (_, None) => f64::from_bits(x),
        (_, Some(format)) => format.value(x),
    }
}

/// The canonical NaN of f32, converted to f64.
const WIDE_CANONICAL: u64 = 0x7fff_ffff_e000_0000;

/// Converts a NaN of a shorter format to f64: sign and payload are kept, and the NaN becomes quiet.
#[inline(always)]
fn widened_nan<const FRAC: u32, const EXP: u32>(x: u64) -> u64 {
    let fraction = (x & ((1 << FRAC) - 1)) << (52 - FRAC);
    (x >> (FRAC + EXP) & 1) << 63 | Format::F64.inf | QUIET64 | fraction
}

/// Converts a NaN of f64 to a shorter format: the sign and the top of the payload are kept, and the
/// NaN becomes quiet.
#[inline(always)]
fn cut_nan<const FRAC: u32, const EXP: u32>(x: u64) -> u64 {
    let fraction = (x | QUIET64) >> (52 - FRAC) & ((1 << FRAC) - 1);
    (x >> 63) << (FRAC + EXP) | ((1 << EXP) - 1) << FRAC | fraction
}

#[inline(always)]
pub(super) fn widened(x: u32) -> u64 {
    let value = f32::from_bits(x);
    if value.is_nan() { widened_nan::<23, 8>(x.into()) } else { f64::from(value).to_bits() }
}

#[inline(always)]
pub(super) fn narrowed(rounding: texunit_jit::Rounding, x: u64) -> u32 {
    let value = f64::from_bits(x);
    match rounding {
        _ if value.is_nan() => cut_nan::<23, 8>(x) as u32,
        texunit_jit::Rounding::Near => (value as f32).to_bits(),
        _ => round::narrow(Format::F32, mode_of(rounding), value) as u32,
    }
}

/// Rounds a number to an integral value in a rounding mode.
#[inline(always)]
fn round_integral(mode: u8, x: f64) -> f64 {
    match mode {
        RN => x.round_ties_even(),
        RZ => x.trunc(),
        RM => x.floor(),
        _ => x.ceil(),
    }
}

impl Convert {
    /// Converts all lanes; the operands are those of [`Alu::Convert`](super::Alu::Convert). Only
    /// packing conversions read `b` (`cvt.rn.f16x2.f32 d, a, b` puts a into the upper half).
    pub fn run(&self, d: &mut L64, a: &L64, b: &L64) {
        for i in 0..32 {
            d[i] = self.lane(a[i], b[i]);
        }
    }

    fn lane(&self, a: u64, b: u64) -> u64 {
        let Some(width) = element(self.to) else { return self.one(a) };
        // The first of two source registers goes to the upper half of the result.
        let (high, low) = match element(self.from) {
            Some(bits) => (a >> bits & ((1 << bits) - 1), a & ((1 << bits) - 1)),
            None => (a, b),
        };
        self.one(high) << width | self.one(low)
    }

    fn one(&self, x: u64) -> u64 {
        match (self.from.is_integer(), self.to.is_integer()) {
            (true, true) => self.integer_to_integer(integer(self.from, x)),
            (true, false) => self.integer_to_float(integer(self.from, x)),
            (false, true) => self.float_to_integer(self.float(x)),
            (false, false) => self.nan(x).unwrap_or_else(|| self.float_to_float(self.float(x))),
        }
    }

    /// The result for a NaN source, in conversions that keep a part of the NaN (docs/numerics.md,
    /// 13.8). Returns `None` if the source is not a NaN or the conversion makes NaNs canonical.
    fn nan(&self, x: u64) -> Option<u64> {
        if self.sat || self.relu || !float(self.from, x).is_nan() {
            return None;
        }
        Some(match (self.to, self.from) {
            // The payload is truncated, and then reduced by one step toward finite numbers, as an
            // infinity is.
            (Ty::Tf32, Ty::F32) if self.mode == round::RNA && self.satfinite => {
                (x & 0xffff_e000) - 0x2000
            }
            _ if self.satfinite => return None,
            (Ty::F64, Ty::F32) if self.ftz => WIDE_CANONICAL,
            (Ty::F64, Ty::F32) => widened_nan::<23, 8>(x),
            (Ty::F64, Ty::F16) => widened_nan::<10, 5>(x),
            (Ty::F64, Ty::Bf16) => widened_nan::<7, 8>(x),
            (Ty::F64, Ty::F64) if self.integral => x | QUIET64,
            (Ty::F64, Ty::F64) => x,
            (Ty::F32, Ty::F64) => cut_nan::<23, 8>(x),
            (Ty::F16, Ty::F64) => cut_nan::<10, 5>(x),
            (Ty::Bf16, Ty::F64) => cut_nan::<7, 8>(x),
            (Ty::F32, Ty::Bf16) if !self.ftz => (x & 0xffff) << 16,
            (Ty::Tf32, Ty::F32) if self.mode == round::RNA => x & 0xffff_e000,
            _ => return None,
        })
    }

    /// The source as a number, with f32 subnormals flushed if `.ftz` says so. Conversions to f16
    /// never flush them (docs/numerics.md, 13.8).
    fn float(&self, x: u64) -> f64 {
        let flush = self.ftz && self.from == Ty::F32 && self.to != Ty::F16;
        let x = float(self.from, x);
        if flush && x.abs() < f64::from(f32::MIN_POSITIVE) { 0f64.copysign(x) } else { x }
    }

    /// Converts between integers. Results of signed types are sign-extended to the register's
    /// width.
    fn integer_to_integer(&self, x: i128) -> u64 {
        let x = if self.sat { self.clamped(x) } else { x };
        integer(self.to, x as u64) as u64
    }

    /// Limits a number to the range of the result, which is an integer.
    fn clamped(&self, x: i128) -> i128 {
        let all = u64::MAX >> (64 - self.to.bits());
        let [low, high] = if self.to.is_signed() { [!(all >> 1), all >> 1] } else { [0, all] };
        x.clamp(integer(self.to, low), integer(self.to, high))
    }

    /// The format of a float result, and the bit position in the register at which it begins.
    fn format(&self) -> (Format, u32) {
        let format = Format::of(self.to).expect("checked when the conversion was made");
        (format, if self.to == Ty::Tf32 { 13 } else { 0 })
    }

    fn integer_to_float(&self, x: i128) -> u64 {
        let x = if self.sat { x.clamp(0, 1) } else { x };
        let (format, place) = self.format();
        pack(format, self.mode, x < 0, x.unsigned_abs(), 0, false) << place
    }

    fn float_to_integer(&self, x: f64) -> u64 {
        if x.is_nan() {
            let zero = self.from != Ty::F64 && self.to.bits() < 64;
            let top = 1u64 << (self.to.bits() - 1);
            return if zero { 0 } else { integer(self.to, top) as u64 };
        }
        // The cast clamps to a wider range than that of any destination type.
        self.clamped(round_integral(self.mode, x) as i128) as u64
    }

    fn float_to_float(&self, x: f64) -> u64 {
        if self.to == Ty::Ue8m0x2 {
            return exponent_of(x, self.mode, self.satfinite);
        }
        let (format, place) = self.format();
        let mut x = if self.to == Ty::Ue5m3x2 { x.abs() } else { x };
        if self.integral {
            x = round_integral(self.mode, x);
        }
        if self.sat {
            x = if x > 0.0 { x.min(1.0) } else { 0.0 };
        }
        if self.relu && x <= 0.0 {
            x = 0.0;
        }
        if self.to == Ty::F64 {
            return result64(x);
        }
        let mode = if self.integral { RN } else { self.mode };
        let mut bits = round::narrow(format, mode, x);
        let sign = bits & format.sign();
        let without_nan = matches!(self.to, Ty::E2m1x2 | Ty::E2m3x2 | Ty::E3m2x2);
        match x.is_nan() {
            true if without_nan => bits = format.max,
            false if (self.satfinite || without_nan) && bits ^ sign > format.max => {
                bits = sign | format.max;
            }
            _ => {}
        }
        if self.ftz && self.to == Ty::F32 && (bits ^ sign) >> format.frac == 0 {
            bits = sign;
        }
        bits << place
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

/// The interpreted conversion of a `cvt`; `None` if the types are not a valid combination.
pub(super) fn general(mods: &Modifiers) -> Option<Convert> {
    let [to, from] = mods.types[..] else { return None };
    let known = |ty: Ty| ty.is_integer() || Format::of(ty).is_some() || ty == Ty::Ue8m0x2;
    let packs = match (element(to), element(from)) {
        (Some(_), None) => from == Ty::F32,
        (Some(a), Some(b)) => (a == 16) != (b == 16),
        (None, of) => of.is_none(),
    };
    let other = |ty: Ty| matches!(ty, Ty::E4m3 | Ty::E5m2);
    let tf32 = from == Ty::Tf32 || (to == Ty::Tf32 && from != Ty::F32);
    if !known(to) || !known(from) || !packs || other(to) || other(from) || tf32 {
        return None;
    }
    let integral = matches!(
        mods.rounding,
        Some(Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi)
    );
    let to_integer = from.is_float() && to.is_integer();
    // PTX requires `.rni` and so on for rounding to an integer; before PTX 1.5 the modifier was
    // optional.
    let mode = match (to_integer, mods.rounding) {
        (true, None) => RZ,
        (true, _) if !integral => return None,
        _ => round::mode(mods.rounding)?,
    };
    let integral_float = integral && !to_integer && (to != from || !to.is_float());
    if integral_float || (mode == round::RNA && to != Ty::Tf32) {
        return None;
    }
    let Modifiers { ftz, sat, satfinite, relu, .. } = *mods;
    Some(Convert { to, from, mode, integral, ftz, sat, satfinite, relu })
}
