//! Floats of ten significant bits, the number format of the hardware's gradient computation
//! (docs/numerics.md, section 4). All operations use exact integers.

use super::fixed::decompose;
use super::log2::LOG2_256;

/// Number of bits of the significand of a [`Float10`].
const BITS: u32 = 10;

/// In a sum, a term this many bits below the largest term matters only by its sign. A sum of a few
/// terms of 14 bits never carries over a longer gap.
const REACH: i32 = 64;

/// A magnitude: `significand * 2^exponent`, with a significand of 512 to 1023, or 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Float10 {
    pub(crate) significand: u32,
    pub(crate) exponent: i32,
}

/// A number of ten significant bits with a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SignedFloat10 {
    pub(crate) negative: bool,
    pub(crate) magnitude: Float10,
}

impl Float10 {
    /// Zero.
    pub(crate) const ZERO: Self = Self { significand: 0, exponent: 0 };

    /// Truncates `value` * 2^`exponent` to ten significant bits.
    pub(crate) fn cut(value: u128, exponent: i32) -> Self {
        let Some(top) = value.checked_ilog2() else { return Self::ZERO };
        let shift = top as i32 - (BITS as i32 - 1);
        let significand = if shift >= 0 { value >> shift } else { value << -shift };
        Self { significand: significand as u32, exponent: exponent + shift }
    }

    /// The sum of terms `value * 2^exponent` of at most 14 bits, truncated to ten significant bits.
    pub(crate) fn cut_sum<const N: usize>(terms: [(u32, i32); N]) -> Self {
        let terms = terms.map(|(value, exponent)| (u128::from(value), exponent));
        let used = || terms.into_iter().filter(|&(value, _)| value > 0);
        let Some(top) = used().map(|(_, e)| e).max() else { return Self::ZERO };
        let lowest = used().map(|(_, e)| e).min().unwrap_or(top).max(top - REACH);
        let aligned = |(value, exponent): (u128, i32)| match exponent - lowest {
            up @ 0.. => value << up,
            down => value >> (-down).min(127),
        };
        Self::cut(used().map(aligned).sum(), lowest)
    }

    /// Rules 4.2 and 4.12 of docs/numerics.md: product as the hardware computes it. A shift-and-add
    /// over the nine bits of the second factor below its leading one gives the product in eighths
    /// of the first factor's last bit, which is rounded up to ten bits by adding 7/8.
    pub(crate) fn times(self, by: Self) -> Self {
        if self.significand == 0 || by.significand == 0 {
            return Self::ZERO;
        }
        let eighths = self.significand << 3;
        let bits = (0..BITS - 1).filter(|i| by.significand >> (BITS - 2 - i) & 1 == 1);
        let sum: u32 = eighths + bits.map(|i| eighths >> (i + 1)).sum::<u32>();
        let exponent = self.exponent + by.exponent + BITS as i32 - 1;
        match sum {
            0x2000.. => Self::cut(((sum + 7) >> 4).into(), exponent + 1),
            _ => Self::cut(((sum + 7) >> 3).into(), exponent),
        }
    }

    /// The binary exponent (floor of the binary logarithm). The exponent of zero is far below all
    /// others.
    pub(crate) fn ilogb(self) -> i32 {
        if self.significand == 0 { i32::MIN / 2 } else { self.exponent + BITS as i32 - 1 }
    }

    /// Rule 4.7 of docs/numerics.md: the binary logarithm in 1/256, from the hardware's table;
    /// `None` for zero.
    pub(crate) fn log2_256(self) -> Option<i64> {
        let top_eight = (self.significand >> 1 & 0xff) as usize;
        (self.significand > 0)
            .then(|| 256 * i64::from(self.ilogb()) + i64::from(LOG2_256[top_eight]))
    }

    /// The number as an f64, for messages. The conversion is exact within the range of f64.
    pub(crate) fn to_f64(self) -> f64 {
        f64::from(self.significand) * 2.0_f64.powi(self.exponent)
    }
}

impl PartialOrd for Float10 {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Float10 {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.ilogb(), self.significand).cmp(&(other.ilogb(), other.significand))
    }
}

impl SignedFloat10 {
    /// Zero.
    pub(crate) const ZERO: Self = Self { negative: false, magnitude: Float10::ZERO };

    /// Truncates a finite f32 to ten significant bits.
    pub(crate) fn from_f32(x: f32) -> Self {
        let (significand, exponent) = decompose(x);
        Self {
            negative: x.is_sign_negative(),
            magnitude: Float10::cut(u128::from(significand), exponent),
        }
    }

    /// The exact difference x - y of two finite floats, truncated to ten significant bits.
    pub(crate) fn difference(x: f32, y: f32) -> Self {
        Self::cut_signed_sum([decompose_signed(x), decompose_signed(-y)])
    }

    /// The exact sum of terms `value * 2^exponent` of at most 24 bits each, truncated to ten
    /// significant bits.
    ///
    /// Terms more than 64 bits below the largest term are replaced by one unit with the sign of
    /// their sum. Truncation only depends on whether there is a remainder and on its sign.
    pub(crate) fn cut_signed_sum<const N: usize>(terms: [(i64, i32); N]) -> Self {
        let used = || terms.into_iter().filter(|&(value, _)| value != 0);
        let top = |(value, e): (i64, i32)| e + value.unsigned_abs().ilog2() as i32;
        let Some(largest) = used().map(top).max() else { return Self::ZERO };
        let lowest = used().map(|(_, e)| e).min().unwrap_or(0).max(largest - REACH);
        let mut total = 0_i128;
        // The largest term leaves no remainder, so that each recursion has fewer terms.
        let below = terms.map(|(value, exponent)| match exponent - lowest {
            _ if value == 0 => (0, 0),
            up @ 0.. => {
                total += i128::from(value) << up;
                (0, 0)
            }
            down => {
                let down = (-down).min(63);
                let kept = value.signum() * (value.abs() >> down);
                total += i128::from(kept);
                (value - (kept << down), exponent)
            }
        });
        // The total is doubled, so that half a unit can represent the sign of the remainder.
        let total = 2 * total + i128::from(Self::sign_of_sum(below));
        Self { negative: total < 0, magnitude: Float10::cut(total.unsigned_abs(), lowest - 1) }
    }

    /// The sign of the exact sum of the terms: -1, 0 or 1.
    fn sign_of_sum<const N: usize>(terms: [(i64, i32); N]) -> i8 {
        if terms.iter().all(|&(value, _)| value == 0) {
            return 0;
        }
        let sum = Self::cut_signed_sum(terms);
        match sum.magnitude.significand {
            0 => 0,
            _ if sum.negative => -1,
            _ => 1,
        }
    }

    /// Rule 4.5 of docs/numerics.md: the sum of two numbers. The number of smaller magnitude is
    /// first truncated at one bit below the last bit of the other.
    pub(crate) fn plus(self, other: Self) -> Self {
        let (large, small) =
            if self.magnitude >= other.magnitude { (self, other) } else { (other, self) };
        let grid = large.magnitude.ilogb() - BITS as i32;
        let Float10 { significand, exponent } = small.magnitude;
        let cut = match exponent - grid {
            up @ 0.. => i64::from(significand) << up.min(2),
            down => i64::from(significand) >> (-down).min(63),
        };
        let sign = |negative: bool, value: i64| if negative { -value } else { value };
        let large_units = 2 * i64::from(large.magnitude.significand);
        let total = sign(large.negative, large_units) + sign(small.negative, cut);
        Self {
            negative: total < 0,
            magnitude: Float10::cut(u128::from(total.unsigned_abs()), grid),
        }
    }

    /// Rules 4.2 and 4.12 of docs/numerics.md: the product, by the hardware's product of the
    /// magnitudes.
    pub(crate) fn times(self, by: Self) -> Self {
        let negative = self.negative ^ by.negative;
        Self { negative, magnitude: self.magnitude.times(by.magnitude) }
    }

    /// Rule 4.11 of docs/numerics.md: the difference of two numbers. The number of smaller
    /// magnitude is first truncated to a multiple of 2^(e - 24), where e is the exponent of the
    /// other.
    pub(crate) fn near_difference(x: f32, y: f32) -> Self {
        let terms = [decompose_signed(x), decompose_signed(y)];
        let ilogb =
            |(value, e): (i64, i32)| value.checked_abs()?.checked_ilog2().map(|n| n as i32 + e);
        let Some(largest) = terms.into_iter().filter_map(ilogb).max() else { return Self::ZERO };
        let grid = largest - 24;
        let [x, y] = terms.map(|(value, e)| match e - grid {
            up @ 0.. => value << up,
            down => value.signum() * (value.abs() >> (-down).min(63)),
        });
        let difference = x - y;
        let magnitude = Float10::cut(difference.unsigned_abs().into(), grid);
        Self { negative: difference < 0, magnitude }
    }

    /// Half of the number.
    pub(crate) fn halved(self) -> Self {
        let Float10 { significand, exponent } = self.magnitude;
        if significand == 0 {
            return self;
        }
        Self { magnitude: Float10 { significand, exponent: exponent - 1 }, ..self }
    }

    /// The number with the opposite sign.
    pub(crate) fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    /// The number as an f64, for messages.
    pub(crate) fn to_f64(self) -> f64 {
        let magnitude = self.magnitude.to_f64();
        if self.negative { -magnitude } else { magnitude }
    }
}

/// Splits a float as [`decompose`] does, with its sign in the significand.
pub(crate) fn decompose_signed(x: f32) -> (i64, i32) {
    let (significand, exponent) = decompose(x);
    let value = i64::from(significand);
    (if x.is_sign_negative() { -value } else { value }, exponent)
}
