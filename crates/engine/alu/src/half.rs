//! f16 and bf16: reading them as wider floats, rounding to them.

use super::round::{self, Format, RN};
use texunit_isa::ScalarType as Ty;

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
pub(super) trait Half {
    /// The type, and that of pairs.
    const TYPES: [Ty; 2];
    const FORMAT: Format;
    fn get(x: u32) -> f64;
}

pub(super) struct F16;
impl Half for F16 {
    const TYPES: [Ty; 2] = [Ty::F16, Ty::F16x2];
    const FORMAT: Format = Format::F16;
    #[inline(always)]
    fn get(x: u32) -> f64 {
        f16_to_f32(x).into()
    }
}

pub(super) struct Bf16;
impl Half for Bf16 {
    const TYPES: [Ty; 2] = [Ty::Bf16, Ty::Bf16x2];
    const FORMAT: Format = Format::BF16;
    #[inline(always)]
    fn get(x: u32) -> f64 {
        bf16_to_f32(x).into()
    }
}

/// `.ftz`: subnormals as zeros of their sign.
#[inline(always)]
pub(super) fn flush<H: Half, const FTZ: bool>(x: u32) -> u32 {
    if FTZ && x & H::FORMAT.inf as u32 == 0 { x & 0x8000 } else { x & 0xffff }
}

/// Rounds and applies `.ftz`.
#[inline(always)]
pub(super) fn put<H: Half, const FTZ: bool>(x: f64) -> u32 {
    flush::<H, FTZ>(round::narrow(H::FORMAT, RN, x) as u32)
}
