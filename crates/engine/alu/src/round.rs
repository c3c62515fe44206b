//! Floating-point formats, and rounding to them.
//!
//! [`pack`] rounds an exact value (128-bit significand, exponent, sticky bit) to any format in any
//! mode; [`narrow`] does the same for a value in an f64, and is faster. A result above the largest
//! finite number becomes infinity or the largest finite number, depending on the mode.

use texunit_isa::{Rounding, ScalarType as Ty};

/// The mode that rounds to nearest, ties to even. Rounding modes are constants, because functions
/// are compiled once for each mode.
pub(super) const RN: u8 = 0;
/// The mode that rounds toward zero.
pub const RZ: u8 = 1;
/// The mode that rounds toward negative infinity.
pub const RM: u8 = 2;
/// The mode that rounds toward positive infinity.
pub const RP: u8 = 3;
/// The mode that rounds to nearest, ties away from zero.
pub(super) const RNA: u8 = 4;

/// The constant for a rounding modifier. A rounding to an integral value has the constant of the
/// same direction. Stochastic rounding (`.rs`) has none.
pub(super) fn mode(rounding: Option<Rounding>) -> Option<u8> {
    Some(match rounding {
        None | Some(Rounding::Rn | Rounding::Rni) => RN,
        Some(Rounding::Rz | Rounding::Rzi) => RZ,
        Some(Rounding::Rm | Rounding::Rmi) => RM,
        Some(Rounding::Rp | Rounding::Rpi) => RP,
        Some(Rounding::Rna) => RNA,
        Some(Rounding::Rs) => return None,
    })
}

/// A binary floating-point format. The sign is the bit above exponent and fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The number of fraction bits.
    pub frac: u32,
    /// The number of exponent bits.
    pub exp: u32,
    /// The bits of the largest finite number.
    pub max: u64,
    /// Bits of an overflowing result: infinity, or the canonical NaN if the format has no infinity.
    pub inf: u64,
    /// The bits of the NaN that arithmetic makes, sign included.
    pub nan: u64,
}

#[rustfmt::skip]
impl Format {
    /// `.f16`
    pub const F16: Format = Format { frac: 10, exp: 5, max: 0x7bff, inf: 0x7c00, nan: 0x7fff };
    /// `.bf16`
    pub const BF16: Format = Format { frac: 7, exp: 8, max: 0x7f7f, inf: 0x7f80, nan: 0x7fff };
    /// `.tf32` without its 13 low zero bits.
    pub const TF32: Format = Format { frac: 10, exp: 8, max: 0x3fbff, inf: 0x3fc00, nan: 0x3ffff };
    /// `.f32`
    pub const F32: Format = Format { frac: 23, exp: 8, max: 0x7f7f_ffff, inf: 0x7f80_0000, nan: 0x7fff_ffff };
    /// `.f64`
    pub const F64: Format = Format { frac: 52, exp: 11, max: 0x7fef_ffff_ffff_ffff, inf: 0x7ff0_0000_0000_0000, nan: 0xfff8_0000_0000_0000 };
    /// The format `.e4m3`, which has no infinity.
    pub const E4M3: Format = Format { frac: 3, exp: 4, max: 0x7e, inf: 0x7f, nan: 0x7f };
    /// `.e5m2`
    pub const E5M2: Format = Format { frac: 2, exp: 5, max: 0x7b, inf: 0x7c, nan: 0x7f };
    /// `.ue5m3`, which has no infinity. No number has the sign bit.
    pub const UE5M3: Format = Format { frac: 3, exp: 5, max: 0xfe, inf: 0xff, nan: 0xff };
    // The next formats have neither infinities nor NaNs. Their `inf` and `nan` are bits outside the
    // format, which show that a number is too large or a NaN.
    /// `.e2m1`
    pub const E2M1: Format = Format { frac: 1, exp: 2, max: 7, inf: 0x100, nan: 0x200 };
    /// `.e2m3`
    pub const E2M3: Format = Format { frac: 3, exp: 2, max: 0x1f, inf: 0x100, nan: 0x200 };
    /// `.e3m2`
    pub const E3M2: Format = Format { frac: 2, exp: 3, max: 0x1f, inf: 0x100, nan: 0x200 };
}

impl Format {
    /// The format of a float type, or of the elements of a pair; `None` for other types.
    pub fn of(ty: Ty) -> Option<Self> {
        Some(match ty {
            Ty::F16 | Ty::F16x2 => Self::F16,
            Ty::Bf16 | Ty::Bf16x2 => Self::BF16,
            Ty::Tf32 => Self::TF32,
            Ty::F32 => Self::F32,
            Ty::F64 => Self::F64,
            Ty::E4m3 | Ty::E4m3x2 => Self::E4M3,
            Ty::E5m2 | Ty::E5m2x2 => Self::E5M2,
            Ty::Ue5m3x2 => Self::UE5M3,
            Ty::E2m1x2 => Self::E2M1,
            Ty::E2m3x2 => Self::E2M3,
            Ty::E3m2x2 => Self::E3M2,
            _ => return None,
        })
    }

    /// Converts the low bits, a number of this format, to f64. The format must be shorter than f64.
    pub fn value(self, bits: u64) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let (field, fraction) = (magnitude >> self.frac, magnitude & ((1 << self.frac) - 1));
        let hidden = if field == 0 { 0 } else { 1 << self.frac };
        let exponent = field.max(1) as i32 - 1 + self.emin() - self.frac as i32;
        let value = match magnitude == self.inf {
            _ if self.is_nan(bits) => f64::NAN,
            true => f64::INFINITY,
            false => (fraction | hidden) as f64 * power(exponent),
        };
        if bits & self.sign() != 0 { -value } else { value }
    }

    /// The sign bit.
    #[inline(always)]
    pub const fn sign(self) -> u64 {
        1 << (self.frac + self.exp)
    }

    /// The exponent of the smallest normal number.
    #[inline(always)]
    pub const fn emin(self) -> i32 {
        2 - (1 << (self.exp - 1))
    }

    /// Whether the bits are a NaN.
    #[inline(always)]
    pub const fn is_nan(self, bits: u64) -> bool {
        let magnitude = bits & (self.sign() - 1);
        magnitude > self.inf || (magnitude == self.inf && self.inf == self.nan)
    }
}

/// Computes `2^e` for the exponent of a normal f64.
pub(super) fn power(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}

/// Whether a magnitude is rounded up, away from zero. `odd` tells that its last kept bit is set,
/// `half` that the discarded part is at least half a unit in the last place, `rest` that the
/// discarded part is neither zero nor exactly half a unit.
#[inline(always)]
fn away(mode: u8, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
    match mode {
        RN => half & (rest | odd),
        RNA => half,
        RM => negative & (half | rest),
        RP => !negative & (half | rest),
        _ => false,
    }
}

/// The result for a magnitude that is too large for the format.
#[inline(always)]
fn overflow(format: Format, mode: u8, negative: bool) -> u64 {
    match (mode, negative) {
        (RZ, _) | (RM, false) | (RP, true) => format.max,
        _ => format.inf,
    }
}

/// Rounds the number `significand * 2^exponent` to the format. `sticky` tells that the exact
/// magnitude is slightly larger.
pub(super) fn pack(
    format: Format,
    mode: u8,
    negative: bool,
    significand: u128,
    exponent: i32,
    sticky: bool,
) -> u64 {
    let sign = if negative { format.sign() } else { 0 };
    if significand == 0 {
        let up = away(mode, negative, false, false, sticky);
        return sign | u64::from(up);
    }
    let lead = exponent + 127 - significand.leading_zeros() as i32;
    let binade = lead.max(format.emin());
    let shift = binade - format.frac as i32 - exponent;
    let (kept, half, rest) = match shift {
        ..=0 => (significand << -shift, false, sticky),
        1..=127 => {
            let cut = significand & ((1 << shift) - 1);
            let half = 1 << (shift - 1);
            (significand >> shift, cut >= half, (cut & (half - 1)) != 0 || sticky)
        }
        128 => (0, significand >> 127 == 1, significand << 1 != 0 || sticky),
        _ => (0, false, true),
    };
    let up = away(mode, negative, kept & 1 == 1, half, rest);
    let fits = binade - format.emin() < 1 << format.exp;
    let magnitude = if fits {
        (((binade - format.emin()) as u64) << format.frac) + kept as u64 + u64::from(up)
    } else {
        u64::MAX
    };
    sign | if magnitude > format.max { overflow(format, mode, negative) } else { magnitude }
}

/// Rounds an f64 to a format of at most 24 significant bits. A NaN becomes the format's NaN.
#[inline(always)]
pub(super) fn narrow(format: Format, mode: u8, x: f64) -> u64 {
    let bits = x.to_bits();
    let negative = bits >> 63 == 1;
    let sign = if negative { format.sign() } else { 0 };
    let field = (bits >> 52) as i32 & 0x7ff;
    let fraction = bits & ((1 << 52) - 1);
    let significand = if field == 0 { fraction } else { fraction | 1 << 52 };
    let lead = field.max(1) - 1023;
    let binade = lead.max(format.emin());
    // A shift by 63 discards all bits of any significand, so that larger shifts would give the same
    // result.
    let shift = (binade - lead + 52 - format.frac as i32).min(63) as u32;
    let kept = significand >> shift;
    let cut = significand & ((1 << shift) - 1);
    let half = 1u64 << (shift - 1);
    let up = away(mode, negative, kept & 1 == 1, cut >= half, (cut & (half - 1)) != 0);
    let magnitude = (((binade - format.emin()) as u64) << format.frac) + kept + u64::from(up);
    let magnitude = if field == 0x7ff {
        format.inf
    } else if magnitude > format.max {
        overflow(format, mode, negative)
    } else {
        magnitude
    };
    if x.is_nan() { format.nan } else { sign | magnitude }
}
