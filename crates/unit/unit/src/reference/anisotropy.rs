//! Anisotropic gradients: docs/numerics.md, rule 4.12. A long footprint is several bilinear ones,
//! taps along the longest of both gradients, their sum and their difference.

use super::fixed::Fixed;
use super::gradient::{Slope, eleven_16ths};
use super::level::Wanted;
use super::log2::EXP2_256;
use super::ten::{SignedTen, Ten};
use super::weights::{Scale, round_half_up};

/// Most taps of a level.
pub(crate) const MAX_TAPS: u32 = 16;

/// What gradients come to under anisotropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anisotropy {
    /// The product of the lengths along and across the footprint.
    pub(crate) area: Ten,
    /// log2(Pmax / Pmin) in 1/256, limited to what the maximum anisotropy allows.
    pub(crate) ratio: i64,
    /// The level before bias and clamps.
    pub(crate) level: Wanted,
    /// R: the same ratio, of a magnified footprint in texels of level 0; at least 0.
    pub(crate) taps: i64,
    /// Direction of the taps along x and y, in 1/64 of a texel.
    pub(crate) direction: [i64; 2],
}

/// The taps of a level: a line of footprints, centred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taps {
    /// 1 to 16.
    pub(crate) count: u32,
    /// Weight of a tap that is not the first or last.
    pub(crate) interior: u32,
    /// Weight of the first and of the last one.
    pub(crate) end: u32,
    /// All weights come to 256 * 2^scale.
    pub(crate) scale: Scale,
    /// From a tap to the next along x and y, in 1/64 of a texel of the level.
    pub(crate) step: [i64; 2],
    /// What the level counts of 256.
    share: u32,
}

/// A tap: its weight, and its way from the coordinates along x and y in texels of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tap {
    pub(crate) weight: u32,
    pub(crate) shift: [Fixed; 3],
}

/// Rule 4.12: what the hardware's field of three bits can say, with the logarithms in 1/256.
#[rustfmt::skip]
const STEPS: [(u32, i64); 8] =
    [(1, 0), (2, 256), (4, 512), (6, 656), (8, 768), (10, 848), (12, 912), (16, 1024)];

/// Rule 4.12: the logarithm of the largest ratio that a sampler's `max_anisotropy` allows, in 1/256.
pub(crate) fn largest_ratio(max_anisotropy: u32) -> i64 {
    STEPS.into_iter().rev().find(|&(step, _)| step <= max_anisotropy).map_or(0, |(_, log)| log)
}

/// Gradients under a maximum anisotropy of 2 or more.
pub(crate) fn anisotropy(slope: &Slope, max_anisotropy: u32) -> Anisotropy {
    let [[x0, y0, _], [x1, y1, _]] = slope.scaled;
    let area = x0.times(y1).plus(y0.times(x1).negated()).magnitude;
    let Some(log_longest) = slope.rho.log2_256() else {
        let (ratio, level, taps, direction) = (0, Wanted::Lowest, 0, [0; 2]);
        return Anisotropy { area, ratio, level, taps, direction };
    };
    let largest = largest_ratio(max_anisotropy);
    // A footprint without area is any number of times longer than wide.
    let ratio = area.log2_256().map_or(largest, |area| (2 * log_longest - area).clamp(0, largest));
    let level = log_longest - ratio;
    let taps = ratio.min(log_longest - level.max(0)).max(0);
    let direction = direction(longest(slope));
    Anisotropy { area, ratio, level: Wanted::At(level), taps, direction }
}

/// The vector whose length is rho: a gradient, or 11/16 of their sum or of the longer less the
/// shorter one. Of equal lengths the first gradient goes first, then the sum, then the difference.
fn longest(slope: &Slope) -> [SignedTen; 2] {
    let [[x0, y0, _], [x1, y1, _]] = slope.scaled;
    let shortened =
        |v: [SignedTen; 2]| v.map(|c| SignedTen { magnitude: eleven_16ths(c.magnitude), ..c });
    let [first, second] = slope.lengths;
    let [sum, difference] = slope.diagonals;
    let less = |a: SignedTen, b: SignedTen| {
        let difference = a.plus(b.negated());
        if first >= second { difference } else { difference.negated() }
    };
    match slope.rho {
        rho if rho == first => [x0, y0],
        rho if rho == sum => shortened([x0.plus(x1), y0.plus(y1)]),
        rho if rho == difference => shortened([less(x0, x1), less(y0, y1)]),
        _ => [x1, y1],
    }
}

/// A vector over its length, in 1/64 to nearest: components are cut to the unit of the larger one's
/// fourth bit, and half a unit is added.
fn direction(vector: [SignedTen; 2]) -> [i64; 2] {
    let largest = vector.into_iter().map(|c| c.magnitude.ilogb()).max().unwrap_or(0);
    let halves = vector.map(|c| {
        let Ten { significand, exponent } = c.magnitude;
        if significand == 0 || c.magnitude.ilogb() < largest - 5 {
            return 0;
        }
        let below = largest - 3 - exponent;
        2 * (i64::from(significand) >> below.min(31)) + 1
    });
    let square: i64 = halves.iter().map(|h| h * h).sum();
    // The largest k with (k - 1/2) / 64 not above the quotient, all squared.
    let nearest =
        |h: i64| (0..=64).rev().find(|k| (2 * k - 1) * (2 * k - 1) * square <= 128 * h * 128 * h);
    std::array::from_fn(|a| {
        let k = if halves[a] == 0 { 0 } else { nearest(halves[a]).unwrap_or(0) };
        if vector[a].negative { -k } else { k }
    })
}

impl Anisotropy {
    /// The taps of a level that has a share of 256: the fine one, or the coarse one, which counts
    /// `rest` of 256.
    pub(crate) fn of_level(&self, is_coarse: bool, rest: u32) -> Taps {
        let share = if is_coarse { rest } else { 256 - rest };
        let ratio = match is_coarse {
            true => (self.taps + i64::from(rest) - 256).max(0),
            false => self.taps,
        };
        if self.taps == 0 {
            return Taps { count: 1, interior: 0, end: 256, scale: 0, step: [0; 2], share };
        }
        let power = |log: i64| i64::from(EXP2_256[(log & 255) as usize]);
        let inside = if ratio < 256 { 256 - power(ratio) } else { 128 };
        let step = self.direction.map(|d| {
            let step = (d * inside + 64) >> 7;
            // Between levels a texel of the fine one is shorter.
            let between = !is_coarse && rest > 0;
            if between { (step * (power(256 - i64::from(rest)) >> 1)) >> 6 } else { step }
        });
        let (count, interior, end, scale) = weights(ratio);
        Taps { count, interior, end, scale, step, share }
    }
}

/// Number of taps for a ratio, weight inside, weight of the ends, and what all come to.
pub(crate) fn weights(ratio: i64) -> (u32, u32, u32, Scale) {
    if ratio < 256 {
        return (2, 0, 256, 1);
    }
    let interior = 4 * u32::from(EXP2_256[(ratio & 255) as usize]) >> (ratio >> 8);
    let (interior, scale) = if interior > 256 { (interior / 2, 1) } else { (interior, 2) };
    let end = |count: u32| ((256 << scale) - (count - 2) * interior) / 2;
    let even = (2..=MAX_TAPS).step_by(2);
    let count = even.into_iter().find(|&n| end(n) <= interior).unwrap_or(MAX_TAPS);
    (count, interior, end(count), scale)
}

impl Taps {
    /// The weight of a tap, by its number from 0. The level's share goes to its taps cumulatively.
    pub(crate) fn weight(&self, number: u32) -> u32 {
        let up_to = |count: u32| {
            let ends = u32::from(count > 0) + u32::from(count == self.count && count > 1);
            let weight = ends * self.end + (count - ends) * self.interior;
            round_half_up(i128::from(weight * self.share), 256) as u32
        };
        up_to(number + 1) - up_to(number)
    }

    /// The way of a tap from the coordinates along x and y, in 1/128 of a texel of the level.
    pub(crate) fn way(&self, number: u32) -> [i64; 2] {
        let steps = 2 * i64::from(number) - i64::from(self.count) + 1;
        self.step.map(|step| steps * step)
    }

    /// A tap, by its number from 0.
    pub(crate) fn tap(&self, number: u32) -> Tap {
        let [x, y] = self.way(number).map(Fixed::from_128ths);
        Tap { weight: self.weight(number), shift: [x, y, Fixed::ZERO] }
    }
}
