//! Format classes: what a channel's code becomes, as types that kernels are specialised by.

/// A channel as it is read by a point fetch.
pub(super) trait Point {
    /// The value of a code.
    fn value(code: u32) -> u32;
}

/// A channel of integers read as normalized floats, filtered.
pub(super) trait Normalized {
    /// The number that is summed.
    fn widen(code: u32) -> i32;
    /// The result for a sum over weights of 256 in all.
    fn finish(sum: i32) -> f32;
}

/// A channel of floats, filtered.
pub(super) trait Float {
    /// Bits below the largest exponent that a texel keeps; a footprint's sum keeps one more.
    const TEXEL_BITS: i32;
    /// What a NaN comes out as.
    const NAN: u32;
    /// The value of a code, subnormal texels of f32 as zero.
    fn widen(code: u32) -> f32;
    /// The nearest number of the format, ties away from zero.
    fn round(x: f64) -> f32;
}

pub(super) struct U8;
pub(super) struct S8;
pub(super) struct U16;
pub(super) struct S16;
pub(super) struct F16;
pub(super) struct F32;
pub(super) struct Unorm8;
pub(super) struct Snorm8;
pub(super) struct Unorm16;
pub(super) struct Snorm16;

impl Point for U8 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        code
    }
}

impl Point for S8 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        sign8(code) as u32
    }
}

impl Point for U16 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        code
    }
}

impl Point for S16 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        sign16(code) as u32
    }
}

impl Point for F16 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        widen_f16(code)
    }
}

impl Point for Unorm8 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        (code as i32 as f32 / 255.0).to_bits()
    }
}

impl Point for Unorm16 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        (code as i32 as f32 / 65_535.0).to_bits()
    }
}

impl Point for Snorm8 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        (sign8(code).max(-127) as f32 / 127.0).to_bits()
    }
}

impl Point for Snorm16 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        (sign16(code).max(-32_767) as f32 / 32_767.0).to_bits()
    }
}

impl Normalized for Unorm8 {
    #[inline(always)]
    fn widen(code: u32) -> i32 {
        code as i32
    }
    #[inline(always)]
    fn finish(sum: i32) -> f32 {
        // Widening by 257 after summing instead of before is the same integer.
        ((sum * 257 + 128) >> 8) as f32 / 65_535.0
    }
}

impl Normalized for Unorm16 {
    #[inline(always)]
    fn widen(code: u32) -> i32 {
        code as i32
    }
    #[inline(always)]
    fn finish(sum: i32) -> f32 {
        ((sum + 128) >> 8) as f32 / 65_535.0
    }
}

impl Normalized for Snorm8 {
    #[inline(always)]
    fn widen(code: u32) -> i32 {
        sign8(code)
    }
    #[inline(always)]
    fn finish(sum: i32) -> f32 {
        (sum + ((257 * (sum >> 4) + 1024) >> 11)).max(-32_767) as f32 / 32_767.0
    }
}

impl Normalized for Snorm16 {
    #[inline(always)]
    fn widen(code: u32) -> i32 {
        sign16(code)
    }
    #[inline(always)]
    fn finish(sum: i32) -> f32 {
        ((sum + 128) >> 8).max(-32_767) as f32 / 32_767.0
    }
}

impl Float for F32 {
    const TEXEL_BITS: i32 = 27;
    const NAN: u32 = 0x7fff_ffff;
    #[inline(always)]
    fn widen(code: u32) -> f32 {
        f32::from_bits(if code & 0x7f80_0000 == 0 { code & 0x8000_0000 } else { code })
    }
    #[inline(always)]
    fn round(x: f64) -> f32 {
        /// 2^-126 less half a subnormal step: from here on the nearest float is not subnormal.
        const FLUSH_BELOW: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / 16_777_216.0);
        let rounded = round_bits::<29>(x);
        let magnitude = rounded.abs();
        let magnitude =
            if magnitude < f32::MIN_POSITIVE as f64 { f32::MIN_POSITIVE as f64 } else { magnitude };
        let magnitude = if x.abs() < FLUSH_BELOW { 0.0 } else { magnitude };
        magnitude.copysign(x) as f32
    }
}

impl Float for F16 {
    const TEXEL_BITS: i32 = 14;
    const NAN: u32 = 0x7fff_e000;
    #[inline(always)]
    fn widen(code: u32) -> f32 {
        f32::from_bits(widen_f16(code))
    }
    #[inline(always)]
    fn round(x: f64) -> f32 {
        // Below 2^-14 halves are multiples of 2^-24.
        let subnormal = (x.abs() * 16_777_216.0 + 0.5).floor() * (1.0 / 16_777_216.0);
        let rounded = if x.abs() < 1.0 / 16_384.0 { subnormal } else { round_bits::<42>(x).abs() };
        rounded.copysign(x) as f32
    }
}

/// Drops the lowest `DROP` bits of a significand, to nearest, ties away from zero; a carry goes
/// into the exponent by itself.
#[inline(always)]
fn round_bits<const DROP: u32>(x: f64) -> f64 {
    let half = 1_u64 << (DROP - 1);
    f64::from_bits((x.to_bits() + half) & !(2 * half - 1))
}

#[inline(always)]
fn sign8(code: u32) -> i32 {
    i32::from(code as u8 as i8)
}

#[inline(always)]
fn sign16(code: u32) -> i32 {
    i32::from(code as u16 as i16)
}

/// `texel::f16_to_f32` without branches, and without subnormal f32 on the way, which are slow.
#[inline(always)]
pub(super) fn widen_f16(code: u32) -> u32 {
    let magnitude = (code & 0x7fff) << 13;
    let subnormal = ((code & 0x3ff) as i32 as f32 * (1.0 / 16_777_216.0)).to_bits();
    let finite = if code & 0x7c00 == 0 { subnormal } else { magnitude + (112 << 23) };
    let special = magnitude | 0x7f80_0000;
    (code & 0x8000) << 16 | if code & 0x7c00 == 0x7c00 { special } else { finite }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_texel::f16_to_f32;

    #[test]
    fn widening_halves_is_the_same_without_branches() {
        for code in 0..=u16::MAX {
            assert_eq!(widen_f16(code.into()), f16_to_f32(code), "{code:#x}");
        }
    }

    #[test]
    fn rounding_floats() {
        let min = f64::from(f32::MIN_POSITIVE);
        let step = min / 8_388_608.0;
        assert_eq!(F32::round(min - step / 2.0), f32::MIN_POSITIVE, "a tie, away from zero");
        assert_eq!(F32::round(min - step * 0.500_000_1), 0.0);
        assert_eq!(F32::round(-min + step).to_bits(), 0x8000_0000);
        assert_eq!(F32::round(1.0 + 2.0_f64.powi(-24)), 1.0 + f32::EPSILON);
        assert_eq!(F32::round(-0.0).to_bits(), 0x8000_0000);
        assert_eq!(F16::round(2.0_f64.powi(-25)), 2.0_f32.powi(-24));
        assert_eq!(F16::round(2.0_f64.powi(-25) * 0.999), 0.0);
        assert_eq!(F16::round(1.0 + 2.0_f64.powi(-11)), 1.0 + 2.0_f32.powi(-10));
    }
}
