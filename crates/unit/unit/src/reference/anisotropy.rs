//! Anisotropic gradients: docs/numerics.md, rule 4.12. A long footprint is several bilinear ones,
//! taps along the longer gradient. All of it is open in the last digits.
//!
//! A footprint needs two axes: 1D textures and layers are isotropic (rule 4.12, open), as are 3D
//! textures and point filters, for which the rules have no taps.

use super::fixed::Fixed;
use super::footprint::Tap;
use super::gradient::Slope;
use super::level::Wanted;
use super::log2::EXP2_256;
use super::ten::{SignedTen, Ten};

/// What the weights of all taps come to.
const WHOLE: u32 = 1024;

/// Most taps.
pub(crate) const MAX_TAPS: u32 = 16;

/// What gradients come to under anisotropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anisotropy {
    /// The longer length; the direction of its gradient is that of the taps.
    pub(crate) longer: Ten,
    /// The gradient of that length, in texels of the base level.
    pub(crate) major: [SignedTen; 2],
    /// The longer length times the shorter: |det|.
    pub(crate) area: Ten,
    /// log2(Pmax / Pmin) in 1/256, limited to what the maximum anisotropy allows.
    pub(crate) ratio: i64,
    /// The level before bias and clamps.
    pub(crate) level: Wanted,
    /// Number and weights of the taps.
    pub(crate) taps: Taps,
}

/// Taps along the major axis, centred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taps {
    /// 1 to 16.
    pub(crate) count: u32,
    /// From one to the next, in 1/1024 of a texel of the level that is read.
    pub(crate) spacing: u32,
    /// Weight of a tap that is not the first or last, in 1/1024.
    pub(crate) interior: u32,
    /// Weight of the first and of the last one.
    pub(crate) end: u32,
}

impl Taps {
    /// No anisotropy.
    const ONE: Self = Self { count: 1, spacing: 0, interior: WHOLE, end: WHOLE };

    fn weight(self, number: u32) -> u32 {
        if number == 0 || number + 1 == self.count { self.end } else { self.interior }
    }
}

/// Rule 4.12 (open): what the hardware's field of three bits can say; the runtime takes any number,
/// which we round down.
#[rustfmt::skip]
const STEPS: [u32; 8] = [1, 2, 4, 6, 8, 10, 12, 16];

/// The anisotropy in effect for a sampler's `max_anisotropy`.
pub(crate) fn effective_maximum(max_anisotropy: u32) -> u32 {
    STEPS.into_iter().rev().find(|&step| step <= max_anisotropy).unwrap_or(1)
}

/// The logarithm of a small integer, as the unit takes it.
fn log2_256_of(n: u32) -> i64 {
    Ten::cut(n.into(), 0).log2_256().unwrap_or(0)
}

/// |dPdx x dPdy|: the longer length times the shorter.
fn determinant([x, y]: [[SignedTen; 2]; 2]) -> Ten {
    let product = |a: SignedTen, b: SignedTen, negate: bool| {
        let value = i64::from(a.magnitude.significand) * i64::from(b.magnitude.significand);
        let negative = a.negative ^ b.negative ^ negate;
        let exponent = a.magnitude.exponent + b.magnitude.exponent;
        (if negative { -value } else { value }, exponent)
    };
    SignedTen::cut_signed_sum([product(x[0], y[1], false), product(x[1], y[0], true)]).magnitude
}

/// Gradients under a maximum anisotropy of 2 or more.
///
/// Pmax is the longer length, Pmin = |det| / Pmax; the level is log2(max(Pmin, Pmax / A)). All is
/// reckoned in logarithms of 1/256.
pub(crate) fn anisotropy(slope: &Slope, max_anisotropy: u32) -> Anisotropy {
    let gradients = slope.scaled.map(|[x, y, _]| [x, y]);
    let [first, second] = slope.lengths;
    let (longer, major) =
        if first >= second { (first, gradients[0]) } else { (second, gradients[1]) };
    let area = determinant(gradients);
    let Some(log_longer) = longer.log2_256() else {
        let (ratio, level, taps) = (0, Wanted::Lowest, Taps::ONE);
        return Anisotropy { longer, major, area, ratio, level, taps };
    };
    let largest = log2_256_of(effective_maximum(max_anisotropy));
    // A shorter length of 0 is any number of times shorter.
    let ratio = area.log2_256().map_or(largest, |log_area| 2 * log_longer - log_area).min(largest);
    let level = Wanted::At(log_longer - ratio);
    Anisotropy { longer, major, area, ratio, level, taps: taps(ratio) }
}

/// Number, distance and weights of the taps for a ratio r of the lengths, given as its logarithm.
fn taps(ratio: i64) -> Taps {
    match ratio {
        ..=0 => Taps::ONE,
        1..256 => Taps { count: 2, spacing: spacing(ratio), interior: 0, end: WHOLE / 2 },
        _ => {
            // 2 * ceil(r / 2).
            let even = (2..=MAX_TAPS).step_by(2);
            let count = even.clone().find(|&n| log2_256_of(n) >= ratio).unwrap_or(MAX_TAPS);
            // 1/r, then what is left for the ends.
            let interior = (4 * u32::from(EXP2_256[(ratio & 255) as usize])) >> (ratio >> 8);
            let end = (WHOLE - (count - 2) * interior) / 2;
            Taps { count, spacing: WHOLE, interior, end }
        }
    }
}

/// Distances of two taps as they were measured, in 1/100 of a texel, by 100 r.
const SPACINGS: [(i64, i64); 6] =
    [(100, 0), (110, 19), (120, 34), (150, 67), (190, 95), (200, 100)];

/// Rule 4.12 (open): the distance of two taps for a ratio 1 < r < 2, in 1/1024 of a texel; straight
/// lines between the ratios that were measured.
fn spacing(ratio: i64) -> u32 {
    // 100 r is 25600 / e.
    let e = i64::from(EXP2_256[(ratio & 255) as usize]);
    let above = |&(r, _): &(i64, i64)| r * e >= 25_600;
    let upper = SPACINGS.iter().position(above).unwrap_or(SPACINGS.len() - 1).max(1);
    let ((r0, s0), (r1, s1)) = (SPACINGS[upper - 1], SPACINGS[upper]);
    let (n, d) = ((25_600 - r0 * e) * (s1 - s0), e * (r1 - r0));
    // To nearest: s0 + n/d hundredths.
    let (n, d) = ((s0 * d + n) * i64::from(WHOLE), 100 * d);
    ((2 * n + d) / (2 * d)) as u32
}

impl Anisotropy {
    /// A tap, by its number from 0: its weight, and its way from the centre along the major axis.
    pub(crate) fn tap(&self, number: u32) -> Tap {
        let weight = self.taps.weight(number);
        if self.taps.count == 1 {
            return Tap { weight, shift: [Fixed::ZERO; 3] };
        }
        // Twice the way, in 1/1024 of a texel.
        let way =
            (2 * i64::from(number) - i64::from(self.taps.count) + 1) * i64::from(self.taps.spacing);
        let [x, y] = self.major.map(|component| along(component, self.longer, way));
        Tap { weight, shift: [x, y, Fixed::ZERO] }
    }
}

/// `way / 2048` of a component of the unit vector. Rule 4.12 (open): "unit" by the length that the
/// level computation takes, not by the root of the squares.
fn along(component: SignedTen, length: Ten, way: i64) -> Fixed {
    let Ten { significand, exponent } = component.magnitude;
    // No component is longer than the length.
    let smaller = length.exponent - exponent;
    if significand == 0 || smaller > 30 {
        return Fixed::ZERO;
    }
    let n = i64::from(significand) * way;
    let d = i64::from(length.significand) << (11 + smaller.max(0));
    Fixed::quotient(if component.negative { -n } else { n }, d)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::reference::gradient::{Gradient, flat};

    fn of(dpdx: [f32; 2], dpdy: [f32; 2], max: u32) -> Anisotropy {
        let Gradient::Slope(slope) = flat(dpdx, dpdy, [1, 1]) else {
            panic!("these are finite");
        };
        anisotropy(&slope, max)
    }

    #[test]
    fn the_runtime_takes_any_maximum() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 7, 9, 13, 16, 1000].map(effective_maximum),
            [1, 1, 2, 2, 4, 4, 6, 8, 12, 16, 16]
        );
    }

    #[test]
    fn round_footprints_have_one_tap() {
        let a = of([8.0, 0.0], [0.0, 8.0], 16);
        assert_eq!((a.taps, a.level, a.ratio), (Taps::ONE, Wanted::At(768), 0));
        assert_eq!(a.tap(0), Tap::ONE);
        let a = of([0.0; 2], [0.0; 2], 16);
        assert_eq!((a.taps, a.level), (Taps::ONE, Wanted::Lowest));
        // A rotated square is round as well: by the unit's lengths, rounder than round.
        let a = of([5.0, 5.0], [-5.0, 5.0], 16);
        assert!(a.ratio <= 45 && a.taps.count <= 2, "{a:?}");
    }

    #[test]
    fn long_footprints() {
        // r = 4: four taps, 1/4 inside, the ends (4 - 4 + 2) / 8.
        let a = of([16.0, 0.0], [0.0, 4.0], 16);
        assert_eq!(a.level, Wanted::At(512));
        assert_eq!(a.taps, Taps { count: 4, spacing: 1024, interior: 256, end: 256 });
        let at = |n| a.tap(n).shift[0].to_f64();
        assert_eq!([at(0), at(1), at(2), at(3)], [-1.5, -0.5, 0.5, 1.5]);
        assert_eq!(a.tap(3).shift[1], Fixed::ZERO);
        // r = 3: four taps, 1/3 inside, ends 1/6: E = 150 -> round(256 * 2^(-150/256)) = 171.
        let a = of([0.0, 2.0], [-6.0, 0.0], 16);
        assert_eq!(a.ratio, 256 + 150);
        assert_eq!(a.taps, Taps { count: 4, spacing: 1024, interior: 342, end: 170 });
        assert_eq!(a.tap(0).shift[0].to_f64(), 1.5, "the longer gradient points down x");
        // No more than the maximum: r counts as 2, and the level rises.
        let a = of([16.0, 0.0], [0.0, 4.0], 3);
        assert_eq!(a.taps, Taps { count: 2, spacing: 1024, interior: 512, end: 512 });
        assert_eq!(a.level, Wanted::At(768));
        // Infinitely long.
        let a = of([16.0, 0.0], [0.0, 0.0], 8);
        assert_eq!((a.taps.count, a.taps.interior, a.taps.end), (8, 128, 128));
        assert_eq!(a.level, Wanted::At(256));
    }

    #[test]
    fn weights_sum_to_1024() {
        for ratio in -3..=1024 {
            let t = taps(ratio);
            let sum: u32 = (0..t.count).map(|n| t.weight(n)).sum();
            assert_eq!(sum, 1024, "{ratio}: {t:?}");
            assert!(t.count < 3 || t.end <= t.interior + 2, "{ratio}: {t:?}");
        }
    }

    #[test]
    fn measured_spacings() {
        let near = |r: f64, hundredths: f64| {
            let got = f64::from(spacing((256.0 * r.log2()).round() as i64)) / 1024.0;
            assert!((got - hundredths / 100.0).abs() < 0.01, "{r}: {got}");
        };
        for (r, s) in SPACINGS.into_iter().skip(1).take(4) {
            near(r as f64 / 100.0, s as f64);
        }
        assert!((1..256).map(spacing).is_sorted() && spacing(255) <= 1024 && spacing(1) > 0);
    }
}
