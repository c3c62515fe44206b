//! Correctly rounded transcendental functions of f32, computed in fixed point with at least 100
//! bits.
//!
//! The functions are called for the few arguments whose result is so close to the middle between
//! two f32 that an f64 approximation cannot decide how to round. Such arguments are finite and
//! above 2^-20 in magnitude.

use super::round::{Format, RN, pack};

/// The number of fractional bits of a fixed-point number, which has 4 bits before the point.
const POINT: u32 = 124;
const ONE: u128 = 1 << POINT;
const LN_2: u128 = 0x0b17_217f_7d1c_f79a_bc9e_3b39_803f_2f6a;
const TWO_OVER_LN_2: u128 = 0x2e2a_8eca_5705_fc2e_efa1_ffb4_1a47_4fa2;
const HALF_PI: u128 = 0x1921_fb54_442d_1846_9898_cc51_701b_839a;
/// The first 320 fractional bits of 2/π, most significant first.
const TWO_OVER_PI: [u64; 5] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
];

/// The product of two fixed-point numbers.
fn mul(a: u128, b: u128) -> u128 {
    let low = |x: u128| x & u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, low(a), b >> 64, low(b));
    let middle = a1 * b0 + ((a0 * b0) >> 64);
    let (middle, carry) = middle.overflowing_add(a0 * b1);
    let high = a1 * b1 + (middle >> 64) + (u128::from(carry) << 64);
    high << (128 - POINT) | low(middle) >> (POINT - 64)
}

/// The quotient of two fixed-point numbers, computed bit by bit. The quotient must be below 16, and
/// the divisor below 8.
fn div(a: u128, b: u128) -> u128 {
    let (mut quotient, mut rest) = (a / b, a % b);
    for _ in 0..POINT {
        rest <<= 1;
        quotient = quotient << 1 | u128::from(rest >= b);
        if rest >= b {
            rest -= b;
        }
    }
    quotient
}

/// Splits the magnitude of an f32 into significand and exponent.
fn parts(x: f32) -> (u128, i32) {
    let bits = x.to_bits() & 0x7fff_ffff;
    let field = (bits >> 23) as i32;
    let hidden = if field == 0 { 0 } else { 1 << 23 };
    (u128::from(bits & 0x7f_ffff | hidden), field.max(1) - 150)
}

/// Converts `significand * 2^exponent` to fixed point, truncated.
fn fixed(significand: u128, exponent: i32) -> u128 {
    match exponent + POINT as i32 {
        shift @ 0..=127 => significand << shift,
        shift @ -127..0 => significand >> -shift,
        _ => 0,
    }
}

/// The sum of a series. `next` computes a term from the term before, and the series ends when a
/// term is zero. Intermediate sums may be negative; a negative final sum is a rounding error of 0.
fn series(first: u128, alternating: bool, next: impl Fn(u128, u128) -> u128) -> u128 {
    let (mut sum, mut term) = (first as i128, first);
    for k in 1.. {
        term = next(term, k);
        if term == 0 {
            break;
        }
        sum += if alternating && k % 2 == 1 { -(term as i128) } else { term as i128 };
    }
    sum.max(0) as u128
}

/// Rounds a fixed-point number, times 2^`scale`, to f32. `sticky` tells that the exact number is
/// slightly larger in magnitude.
fn round(negative: bool, value: u128, scale: i32, sticky: bool) -> u32 {
    pack(Format::F32, RN, negative, value, scale - POINT as i32, sticky) as u32
}

pub(super) fn ex2(x: f32) -> u32 {
    // The split of x is exact in f64 for all x above 2^-29 in magnitude.
    let whole = f64::from(x).floor();
    let fraction = (((f64::from(x) - whole) * 2f64.powi(64)) as u128) << (POINT - 64);
    let t = mul(fraction, LN_2);
    let power = series(ONE, false, |term, k| mul(term, t) / k);
    round(false, power, whole as i32, fraction != 0)
}

/// `log2 x` of a positive number.
pub(super) fn lg2(x: f32) -> u32 {
    let (significand, exponent) = parts(x);
    let shift = significand.leading_zeros() - 104;
    // x = m * 2^e, where m = significand / 2^23 (or / 2^24, so that m is close to 1).
    let (m, mut e) = (significand << shift, exponent - shift as i32 + 23);
    let mut unit = 1u128 << 23;
    if m >= 3 << 22 {
        (unit, e) = (unit << 1, e + 1);
    }
    // log2 m = 2 atanh((m - 1) / (m + 1)) / ln 2
    let s = div(m.abs_diff(unit) << 90, (m + unit) << 90);
    let square = mul(s, s);
    let (mut atanh, mut power) = (s, s);
    for k in 1..40 {
        power = mul(power, square);
        atanh += power / (2 * k + 1);
    }
    let fraction = (mul(atanh, TWO_OVER_LN_2) >> 8) as i128;
    let value = (i128::from(e) << (POINT - 8)) + if m < unit { -fraction } else { fraction };
    round(value < 0, value.unsigned_abs(), 8, s != 0)
}

/// The quadrant of an angle in radians, and the sine and cosine of the angle within the quadrant,
/// in fixed point.
fn circle(x: f32) -> (u32, u128, u128) {
    let (m, e) = parts(x);
    // The bits of 2/π that contribute whole turns are left out (Payne and Hanek's reduction).
    let skip = (e - 2).max(0) as u32;
    let word = |i: u32| {
        let (at, bit) = (((skip + 64 * i) / 64) as usize, skip % 64);
        let next = TWO_OVER_PI.get(at + 1).copied().unwrap_or(0);
        (u128::from(TWO_OVER_PI[at]) << 64 | u128::from(next)) << bit >> 64
    };
    let mut product = [0u64; 5];
    let mut carry = 0;
    for i in 0..3 {
        let sum = word(2 - i) * m + carry;
        product[i as usize] = sum as u64;
        carry = sum >> 64;
    }
    product[3] = carry as u64;
    // x * 2/π = product / 2^places. Two bits before the point and POINT bits after it are used.
    let places = (192 + skip as i32 - e) as u32;
    let from = places - POINT;
    let at = |i: u32| product.get((from / 64 + i) as usize).copied().unwrap_or(0);
    let low = u128::from(at(0)) | u128::from(at(1)) << 64;
    let high = u128::from(at(2));
    let value = match from % 64 {
        0 => low,
        bit => low >> bit | high << (128 - bit),
    };
    let quadrant = (value >> POINT) as u32 & 3;
    let t = mul(value & (ONE - 1), HALF_PI);
    let square = mul(t, t);
    let sin = series(t, true, |term, k| mul(term, square) / (2 * k * (2 * k + 1)));
    let cos = series(ONE, true, |term, k| mul(term, square) / (2 * k * (2 * k - 1)));
    (quadrant, sin, cos)
}

pub(super) fn sin(x: f32) -> u32 {
    let (quadrant, sin, cos) = circle(x);
    let value = if quadrant & 1 == 0 { sin } else { cos };
    round((quadrant >= 2) != (x < 0.0), value, 0, true)
}

pub(super) fn cos(x: f32) -> u32 {
    let (quadrant, sin, cos) = circle(x);
    let value = if quadrant & 1 == 0 { cos } else { sin };
    round(quadrant == 1 || quadrant == 2, value, 0, true)
}

/// `tanh x` for magnitudes below 16.
pub(super) fn tanh(x: f32) -> u32 {
    let (significand, exponent) = parts(x);
    // q = exp(-2|x|), computed as the 32nd power of exp(-|x|/16).
    let t = fixed(significand, exponent - 4);
    let mut q = series(ONE, true, |term, k| mul(term, t) / k);
    for _ in 0..5 {
        q = mul(q, q);
    }
    round(x < 0.0, div(ONE - q, ONE + q), 0, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each function must agree with f64 over a range of arguments, wherever f64 is accurate
    /// enough.
    #[test]
    fn agrees_with_f64_where_that_is_sure() {
        type Row = (fn(f32) -> u32, fn(f64) -> f64, f32, f32);
        let rows: [Row; 5] = [
            (ex2, f64::exp2, -149.5, 127.9),
            (lg2, f64::log2, 1e-45, 3e38),
            (sin, f64::sin, -3e38, 3e38),
            (cos, f64::cos, -3e38, 3e38),
            (tanh, f64::tanh, -9.2, 9.2),
        ];
        for (exact, near, low, high) in rows {
            let mut bits = 1u32;
            let mut seen = 0;
            while seen < 3000 {
                bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let x = f32::from_bits(bits);
                if !(x >= low && x <= high && x.abs() > 1e-6) {
                    continue;
                }
                seen += 1;
                let y = near(x.into());
                let (a, b) = ((y * (1.0 - 1e-14)) as f32, (y * (1.0 + 1e-14)) as f32);
                if a.to_bits() == b.to_bits() {
                    assert_eq!(exact(x), a.to_bits(), "{x:e} {bits:#x}");
                }
            }
        }
    }
}
