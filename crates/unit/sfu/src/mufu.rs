//! The hardware's `MUFU` instructions, one operand at a time, as in docs/numerics.md, section 13.
//! Nothing here is optimised: tests compare the vector code of the crate `alu` with the functions
//! of this module.
//!
//! All functions except `tanh` take a subnormal operand as a zero. All return [`NAN`] for a NaN.

use super::tables::{EX2, LG2, RCP, RSQ, SIN, SQRT, TANH};
use super::{INFINITY, NAN, ONE, SIGN};

/// Splits an f32 into the sign in its position, the biased exponent and the mantissa.
fn split(x: u32) -> (u32, u32, u32) {
    (x & SIGN, x >> 23 & 0xff, x & 0x007f_ffff)
}

/// Makes an f32 from a biased exponent that may be out of range. An exponent that is too small
/// gives a signed zero, one that is too large an infinity.
fn pack(sign: u32, exponent: i32, mantissa: u32) -> u32 {
    match exponent {
        ..=0 => sign,
        1..=254 => sign | (exponent as u32) << 23 | mantissa,
        255.. => sign | INFINITY,
    }
}

/// Converts a magnitude in units of 2^-41 to an f32, truncated to 24 significant bits.
fn cut(sign: u32, magnitude: u64) -> u32 {
    if magnitude == 0 {
        return sign;
    }
    let top = 63 - magnitude.leading_zeros();
    let mantissa = if top >= 23 { magnitude >> (top - 23) } else { magnitude << (23 - top) };
    sign | (top + 127 - 41) << 23 | mantissa as u32 & 0x007f_ffff
}

/// The instruction `MUFU.RCP`: 1 / x. Results below 2^-126 are zeros.
pub fn rcp(x: u32) -> u32 {
    let (sign, exponent, mantissa) = split(x);
    match (exponent, mantissa) {
        (0, _) => sign | INFINITY,
        (0xff, 0) => sign,
        (0xff, _) => NAN,
        _ => {
            // The reciprocal of the significand (1 to 2) in units of 2^-24. It is 2^24 for a power
            // of two, otherwise 2^23 to 2^24 - 1.
            let value = RCP.value((mantissa >> 16) as usize, (mantissa & 0xffff) << 1) >> 17;
            let exponent = 253 - exponent as i32;
            if value >> 24 == 0 {
                pack(sign, exponent, value as u32 & 0x007f_ffff)
            } else {
                pack(sign, exponent + 1, 0)
            }
        }
    }
}

/// For the operand of a square root or reciprocal square root: whether its exponent is odd, the
/// segment of the coefficient table, and the operand's bits below those that select the segment.
/// The exponent's parity selects one of the two halves of the coefficient table.
fn of_root(exponent: u32, mantissa: u32) -> (bool, usize, u32) {
    let is_odd = (exponent as i32 - 127) & 1 == 1;
    (is_odd, (usize::from(is_odd) << 6) | (mantissa >> 17) as usize, mantissa & 0x1_ffff)
}

/// The instruction `MUFU.RSQ`: 1 / √x.
pub fn rsq(x: u32) -> u32 {
    let (sign, exponent, mantissa) = split(x);
    match (exponent, mantissa) {
        (0xff, 1..) => return NAN,
        (0, _) => return sign | INFINITY,
        _ if sign != 0 => return NAN,
        (0xff, 0) => return 0,
        _ => {}
    }
    let half = (exponent as i32 - 127) >> 1;
    let (is_odd, segment, below) = of_root(exponent, mantissa);
    if mantissa == 0 && !is_odd {
        // The reciprocal root of a power of four is computed exactly, because the polynomials of
        // the coefficient table cannot reach it.
        return pack(0, 127 - half, 0);
    }
    pack(0, 126 - half, (RSQ.value(segment, below) >> 17) as u32 & 0x007f_ffff)
}

/// The instruction `MUFU.SQRT`: √x, by a separate coefficient table and not from `MUFU.RSQ`.
pub fn sqrt(x: u32) -> u32 {
    let (sign, exponent, mantissa) = split(x);
    match (exponent, mantissa) {
        (0xff, 1..) => return NAN,
        (0, _) => return sign,
        _ if sign != 0 => return NAN,
        (0xff, 0) => return INFINITY,
        _ => {}
    }
    let half = (exponent as i32 - 127) >> 1;
    let (_, segment, below) = of_root(exponent, mantissa);
    pack(0, 127 + half, (SQRT.value(segment, below) >> 18) as u32 & 0x007f_ffff)
}

/// The instruction `MUFU.EX2`: 2^x. Results below 2^-126 are +0.
pub fn ex2(x: u32) -> u32 {
    let (sign, exponent, mantissa) = split(x);
    match (exponent, mantissa) {
        (0xff, 1..) => return NAN,
        (0, _) => return ONE,
        (134.., _) => return if sign == 0 { INFINITY } else { 0 },
        _ => {}
    }
    // |x| in fixed point with 23 fractional bits; lower bits are truncated.
    let significand = i64::from(mantissa | 0x0080_0000);
    let magnitude = match exponent {
        127.. => significand << (exponent - 127),
        104..127 => significand >> (127 - exponent),
        _ => 0,
    };
    let fixed = match sign {
        0 => magnitude,
        // The unit takes the ones' complement of a negative operand in place of the two's
        // complement, except if it is an integer.
        _ if magnitude & 0x007f_ffff != 0 => !magnitude,
        _ => -magnitude,
    };
    let fraction = fixed as u32 & 0x007f_ffff;
    let value = EX2.value((fraction >> 17) as usize, fraction & 0x1_ffff) >> 18;
    pack(0, (fixed >> 23) as i32 + 127, value as u32 & 0x007f_ffff)
}

/// The instruction `MUFU.LG2`: the logarithm to the base 2.
pub fn lg2(x: u32) -> u32 {
    let (sign, exponent, mantissa) = split(x);
    match (exponent, mantissa) {
        (0xff, 1..) => return NAN,
        (0, _) => return SIGN | INFINITY,
        _ if sign != 0 => return NAN,
        (0xff, 0) => return INFINITY,
        // The unit returns exactly 0 for the logarithm of 1, although the polynomial of its segment
        // would give 1.8 * 2^-24.
        (127, 0) => return 0,
        _ => {}
    }
    let value = LG2.value((mantissa >> 17) as usize, mantissa & 0x1_ffff);
    // The sum of exponent and polynomial, in units of 2^-36.
    let sum = (((i64::from(exponent) - 127) << 41) + value) >> 5;
    // The unit takes the ones' complement for the magnitude of a negative sum, in place of the
    // two's complement.
    if sum < 0 { cut(SIGN, (!sum as u64) << 5) } else { cut(0, (sum as u64) << 5) }
}

/// The phase of an angle in turns: the sign of the angle, and the fraction of its magnitude in
/// units of 2^-25 turns.
fn phase(x: u32) -> (u32, u32) {
    let (sign, exponent, mantissa) = split(x);
    let significand = if exponent == 0 { 0 } else { mantissa | 0x0080_0000 };
    let phase = match exponent {
        125..150 => significand << (exponent - 125),
        102..125 => significand >> (125 - exponent),
        _ => 0,
    };
    (sign, phase & 0x01ff_ffff)
}

/// The sine of a phase in units of 2^-25 turns. The result has the given sign, inverted in the
/// second half turn.
fn wave(sign: u32, phase: u32) -> u32 {
    let quadrant = phase >> 23;
    let within = if quadrant & 1 == 0 { phase } else { !phase } & 0x007f_ffff;
    let value = SIN.value((within >> 17) as usize, within & 0x1_ffff);
    cut(sign ^ (quadrant & 2) << 30, value as u64)
}

/// The instruction `MUFU.SIN`: the sine of an angle in turns.
pub fn sin(x: u32) -> u32 {
    if x & INFINITY == INFINITY {
        return NAN;
    }
    let (sign, phase) = phase(x);
    wave(sign, phase)
}

/// The instruction `MUFU.COS`: the cosine of an angle in turns.
pub fn cos(x: u32) -> u32 {
    if x & INFINITY == INFINITY {
        return NAN;
    }
    wave(0, (phase(x).1 + (1 << 23)) & 0x01ff_ffff)
}

/// For each binade from 2^-8 on: the number of mantissa bits that select the segment of [`tanh`],
/// and the index of the binade's first segment.
const TANH_BINADES: [(u32, u32); 11] =
    [(0, 0), (0, 1), (0, 2), (1, 3), (1, 5), (2, 7), (2, 11), (2, 15), (3, 19), (4, 27), (3, 43)];

/// The instruction `MUFU.TANH`: the hyperbolic tangent. Below 2^-8 the result is x, also if x is
/// subnormal; from 8 on it is ±1.
pub fn tanh(x: u32) -> u32 {
    let (sign, exponent, mantissa) = split(x);
    match (exponent, mantissa) {
        (0xff, 1..) => return NAN,
        (..119, _) => return x,
        (130.., _) => return sign | ONE,
        _ => {}
    }
    let (segment, below, _) = of_tanh(exponent, mantissa);
    // For an operand below 1/2, the polynomial gives the result times a power of two, so that it
    // lies from 1/2 to 1.
    let scaled = cut(sign, TANH.value(segment, below) as u64);
    scaled - (126u32.saturating_sub(exponent) << 23)
}

/// The segment of the coefficient table of [`tanh`] for an operand from 2^-8 to 8, the 17 bits of
/// the operand below those that select the segment, and the number of mantissa bits that selected
/// the segment.
pub(crate) const fn of_tanh(exponent: u32, mantissa: u32) -> (usize, u32, u32) {
    let (bits, first) = TANH_BINADES[exponent as usize - 119];
    let below = mantissa & ((1 << (23 - bits)) - 1);
    ((first + (mantissa >> (23 - bits))) as usize, below >> (6 - bits), bits)
}

/// The instruction `MUFU.RCP64H`: the upper word of 1 / x from the upper word of an f64, with the
/// coefficient table of [`rcp`]. Results below 2^-1022 are zeros.
pub fn rcp64h(x: u32) -> u32 {
    let (sign, exponent, mantissa) = (x & SIGN, x >> 20 & 0x7ff, x & 0x000f_ffff);
    match (exponent, mantissa) {
        (0x7ff, 1..) => return NAN,
        (0x7ff, 0) => return sign,
        (0, _) => return sign | 0x7ff0_0000,
        _ => {}
    }
    let value = (RCP.value((mantissa >> 13) as usize, (mantissa & 0x1fff) << 4) >> 20) as u32;
    // The reciprocal of the significand in units of 2^-21. For a power of two it is 2^21: bit 21 is
    // set and increments the exponent, and the lower bits are 0.
    let exponent = 2045 - exponent as i32 + (value >> 21) as i32;
    if exponent <= 0 { sign } else { sign | (exponent as u32) << 20 | value & 0x000f_ffff }
}

/// The instruction `MUFU.RSQ64H`: the upper word of 1 / √x from the upper word of an f64, with the
/// coefficient table of [`rsq`].
pub fn rsq64h(x: u32) -> u32 {
    let (sign, exponent, mantissa) = (x & SIGN, x >> 20 & 0x7ff, x & 0x000f_ffff);
    match (exponent, mantissa) {
        (0x7ff, 1..) => return NAN,
        (0, _) => return sign | 0x7ff0_0000,
        _ if sign != 0 => return NAN,
        (0x7ff, 0) => return 0,
        _ => {}
    }
    let half = (exponent as i32 - 1023) >> 1;
    // `of_root` computes the parity of the exponent with the f32 bias of 127. The f64 bias of 1023
    // is odd, too, so the parity is the same.
    let (is_odd, segment, below) = of_root(exponent, mantissa << 3);
    if mantissa == 0 && !is_odd {
        return ((1023 - half) as u32) << 20;
    }
    ((1022 - half) as u32) << 20 | (RSQ.value(segment, below) >> 20) as u32 & 0x000f_ffff
}

/// Converts an f32 to f16 by truncation, also to a subnormal f16. Magnitudes from 2^16 on become
/// infinite.
pub fn cut_to_f16(x: u32) -> u16 {
    let (sign, magnitude) = ((x >> 16 & 0x8000) as u16, x & !SIGN);
    match magnitude {
        0x7f80_0001.. => 0x7fff,
        0x4780_0000.. => sign | 0x7c00,
        0x3880_0000.. => sign | ((magnitude - 0x3800_0000) >> 13) as u16,
        0x3380_0000.. => {
            sign | ((magnitude & 0x007f_ffff | 0x0080_0000) >> (126 - (magnitude >> 23))) as u16
        }
        _ => sign,
    }
}

/// Converts an f32 to bf16 by truncation.
pub fn cut_to_bf16(x: u32) -> u16 {
    (x >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_of_the_card() {
        for (x, wanted) in [
            (0x3f80_0000, 0x3f80_0000),
            (0x4000_0000, 0x3f00_0000),
            // The correctly rounded result would be 0x7c088814.
            (0x02f0_00cc, 0x7c08_8815),
            (0xbf80_0000, 0xbf80_0000),
            (0, 0x7f80_0000),
            (0x8000_0001, 0xff80_0000),
            (0x7f80_0000, 0),
            (0xff80_0000, 0x8000_0000),
            (0xffc0_0001, 0x7fff_ffff),
            (0x7f00_0000, 0),
            (0x7e80_0000, 0x0080_0000),
        ] {
            assert_eq!(rcp(x), wanted, "{x:#x}");
        }
    }

    #[test]
    fn reciprocals_are_off_by_one_unit_at_most() {
        let mut off = 0;
        for mantissa in 0..1 << 23 {
            let x = f32::from_bits(ONE | mantissa);
            let difference = rcp(x.to_bits()).abs_diff((1.0 / x).to_bits());
            assert!(difference <= 1, "{mantissa:#x}");
            off += difference;
        }
        // Reciprocals differ from the correctly rounded ones for 13.21 % of the mantissas, as
        // published for a GeForce RTX 3060.
        assert_eq!((u64::from(off) * 10_000) >> 23, 1321);
    }
}
