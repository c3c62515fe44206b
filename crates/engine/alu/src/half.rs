//! f16 and bf16: conversion to wider floats, and rounding to them.

use super::round::{self, Format, RN};
use texunit_isa::ScalarType as Ty;

/// Converts the low half of a register, an f16, to f32 exactly. A NaN keeps its payload.
#[inline(always)]
pub(super) fn f16_to_f32(x: u32) -> f32 {
    let magnitude = x & 0x7fff;
    // If an f16 is shifted to the position that the bits have in an f32, it is an f32 that is too
    // small by a factor of 2^112, also if it is subnormal.
    let scaled = (f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000)).to_bits();
    let special = magnitude << 13 | 0x7f80_0000;
    let bits = if magnitude >= 0x7c00 { special } else { scaled };
    f32::from_bits(bits | (x & 0x8000) << 16)
}

/// The properties in which the formats f16 and bf16 differ.
pub(super) trait Half {
    /// The type of a single number, and the type of a packed pair.
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
        f32::from_bits(x << 16).into()
    }
}

/// Replaces a subnormal number by a zero of its sign if the instruction has `.ftz`.
#[inline(always)]
pub(super) fn flush<H: Half, const FTZ: bool>(x: u32) -> u32 {
    if FTZ && x & H::FORMAT.inf as u32 == 0 { x & 0x8000 } else { x & 0xffff }
}

/// Rounds an f64 to the format, and applies `.ftz`.
#[inline(always)]
pub(super) fn put<H: Half, const FTZ: bool>(x: f64) -> u32 {
    flush::<H, FTZ>(round::narrow(H::FORMAT, RN, x) as u32)
}
