//! Fixed-point numbers for exact coordinates: 60 fractional bits in an `i128`.

/// Number of fractional bits of a [`Fixed`].
const FRACTION: u32 = 60;

/// A number of texels, in steps of 2^-60, rounded toward minus infinity.
///
/// The rounding loses nothing, because every rule adds and compares only multiples of 2^-9 (half of
/// 1/256) or coarser, and rounds to them, and because flooring in two steps is the same as flooring
/// once. Numbers of 2^31 and more count as 2^31 (the saturation of docs/numerics.md 1.5), which is
/// beyond any extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fixed(i128);

impl Fixed {
    pub(crate) const ZERO: Fixed = Fixed(0);
    /// Half of a texel.
    pub(crate) const HALF: Fixed = Fixed(1 << (FRACTION - 1));
    const LIMIT: i128 = 1 << (31 + FRACTION);

    /// Converts an f32, which must not be a NaN.
    pub(crate) fn from_f32(x: f32) -> Self {
        let (significand, power) = decompose(x);
        let magnitude = i128::from(significand);
        let signed = if x.is_sign_negative() { -magnitude } else { magnitude };
        let shift = power + FRACTION as i32;
        let value = match shift {
            // 2^24 * 2^68 exceeds the limit. Infinities take this branch, too.
            68.. => signed.signum() * Self::LIMIT,
            0.. => signed << shift,
            _ => signed >> (-shift).min(127),
        };
        Self(value).saturate()
    }

    /// Converts a whole number of texels, without saturation.
    pub(crate) fn from_int(i: i64) -> Self {
        Self(i128::from(i) << FRACTION)
    }

    /// Converts a number of 1/128 texels.
    pub(crate) fn from_128ths(n: i64) -> Self {
        Self(i128::from(n) << (FRACTION - 7))
    }

    /// The remainder modulo a period, which is at least 0 and below the period.
    pub(crate) fn modulo(self, period: i64) -> Self {
        Self(self.0.rem_euclid(Self::from_int(period).0))
    }

    /// Half of the number, rounded toward minus infinity.
    pub(crate) fn halved(self) -> Self {
        Self(self.0 >> 1)
    }

    fn saturate(self) -> Self {
        Self(self.0.clamp(-Self::LIMIT, Self::LIMIT))
    }

    /// The number rounded toward minus infinity to `bits` fractional bits.
    pub(crate) fn floor_to_bits(self, bits: u32) -> Self {
        Self(self.0 >> (FRACTION - bits) << (FRACTION - bits))
    }

    /// The largest integer that is not above the number.
    pub(crate) fn floor(self) -> i64 {
        (self.0 >> FRACTION) as i64
    }

    /// The exact product with a number of texels, saturated.
    pub(crate) fn times(self, n: u32) -> Self {
        Self(self.0 * i128::from(n)).saturate()
    }

    /// The difference, not saturated.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }

    /// The sum, not saturated.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// The nearest f64, which traces show.
    pub(crate) fn to_f64(self) -> f64 {
        self.0 as f64 / (1_u64 << FRACTION) as f64
    }

    /// Rounds a number in 0..1 to 1/256: `floor(self * 256 + 1/2)`.
    pub(crate) fn round_to_256th(self) -> u32 {
        ((self.0 * 256 + Self::HALF.0) >> FRACTION) as u32
    }
}

/// Splits |x| into a significand and an exponent: |x| = significand * 2^exponent, exactly. An
/// infinity has an exponent beyond all finite floats.
pub(crate) fn decompose(x: f32) -> (u32, i32) {
    let bits = x.to_bits();
    let fraction = bits & 0x007f_ffff;
    match (bits >> 23 & 0xff) as i32 {
        0 => (fraction, -149),
        exponent => (fraction | 0x0080_0000, exponent - 150),
    }
}
