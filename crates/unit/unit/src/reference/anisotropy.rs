//! Anisotropic gradients: docs/numerics.md, rule 4.12. A long footprint is a sum of several
//! bilinear footprints (taps). They lie along the longest of four vectors: the two gradients, their
//! sum and their difference.

use super::fixed::Fixed;
use super::float10::{Float10, SignedFloat10};
use super::gradient::{Slope, eleven_16ths};
use super::level::RequestedLevel;
use super::log2::EXP2_256;
use super::weights::{Scale, round_half_up};

/// Maximum number of taps in a level.
pub(crate) const MAX_TAPS: u32 = 16;

/// The anisotropic footprint that a pair of gradients describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anisotropy {
    /// The product of the footprint's lengths along and across its direction, in texels squared.
    pub(crate) area: Float10,
    /// Binary logarithm of the ratio of the footprint's length to its width, in 1/256, limited to
    /// what the maximum anisotropy allows.
    pub(crate) ratio: i64,
    /// The level before bias and clamps.
    pub(crate) level: RequestedLevel,
    /// Binary logarithm in 1/256 of the ratio that determines the number of taps (R in
    /// docs/numerics.md), at least 0. It is smaller than `ratio` if the texture is magnified,
    /// because the footprint is then measured in texels of level 0.
    pub(crate) taps: i64,
    /// Direction of the line of taps along x and y: a unit vector in 1/64 of a texel.
    pub(crate) direction: [i64; 2],
}

/// The taps of a fetch in one level: footprints on a line that is centred at the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taps {
    /// Number of taps, 1 to 16.
    pub(crate) count: u32,
    /// Weight of each tap except the first and the last.
    pub(crate) interior: u32,
    /// Weight of the first and of the last tap.
    pub(crate) end: u32,
    /// The binary logarithm of the sum of all weights over 256.
    pub(crate) scale: Scale,
    /// Distance between neighbouring taps along x and y, in 1/64 of a texel of the level.
    pub(crate) step: [i64; 2],
    /// The level's share of the fetch's total weight, in 1/256.
    share: u32,
}

/// A tap: its share of the weight, and its offset from the coordinates along x, y and z in texels
/// of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tap {
    pub(crate) weight: u32,
    pub(crate) shift: [Fixed; 3],
}

/// The ratios that the sampler's 3-bit field for the maximum anisotropy encodes, with their binary
/// logarithms in 1/256 (rule 4.12 of docs/numerics.md).
#[rustfmt::skip]
const STEPS: [(u32, i64); 8] =
    [(1, 0), (2, 256), (4, 512), (6, 656), (8, 768), (10, 848), (12, 912), (16, 1024)];

/// Rule 4.12 of docs/numerics.md: the binary logarithm in 1/256 of the largest ratio that a
/// sampler's `max_anisotropy` allows.
pub(crate) fn largest_ratio(max_anisotropy: u32) -> i64 {
    STEPS.into_iter().rev().find(|&(step, _)| step <= max_anisotropy).map_or(0, |(_, log)| log)
}

/// The footprint of a pair of gradients, for a maximum anisotropy of 2 or more.
pub(crate) fn anisotropy(slope: &Slope, max_anisotropy: u32) -> Anisotropy {
    let [[x0, y0, _], [x1, y1, _]] = slope.scaled;
    let area = x0.times(y1).plus(y0.times(x1).negated()).magnitude;
    let Some(log_longest) = slope.rho.log2_256() else {
        let (ratio, level, taps, direction) = (0, RequestedLevel::Lowest, 0, [0; 2]);
        return Anisotropy { area, ratio, level, taps, direction };
    };
    let largest = largest_ratio(max_anisotropy);
    // If the area of the footprint is 0, its ratio is the largest one that is allowed.
    let ratio = area.log2_256().map_or(largest, |area| (2 * log_longest - area).clamp(0, largest));
    let level = log_longest - ratio;
    let taps = ratio.min(log_longest - level.max(0)).max(0);
    let direction = direction(longest(slope));
    Anisotropy { area, ratio, level: RequestedLevel::At(level), taps, direction }
}

/// The longest of four vectors: the gradients, and 11/16 of their sum and of their difference (the
/// longer minus the shorter one). If several have the same length, the first gradient wins, then
/// the sum, then the difference.
fn longest(slope: &Slope) -> [SignedFloat10; 2] {
    let [[x0, y0, _], [x1, y1, _]] = slope.scaled;
    let shortened = |v: [SignedFloat10; 2]| {
        v.map(|c| SignedFloat10 { magnitude: eleven_16ths(c.magnitude), ..c })
    };
    let [first, second] = slope.lengths;
    let [sum, difference] = slope.diagonals;
    let less = |a: SignedFloat10, b: SignedFloat10| {
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

/// The unit vector of a direction, rounded to 1/64. Before the division by the length, each
/// component's magnitude is rounded: it is truncated to a multiple of u, the value of the fourth
/// most significant bit of the larger component, and then u / 2 is added.
fn direction(vector: [SignedFloat10; 2]) -> [i64; 2] {
    let largest = vector.into_iter().map(|c| c.magnitude.ilogb()).max().unwrap_or(0);
    let halves = vector.map(|c| {
        let Float10 { significand, exponent } = c.magnitude;
        if significand == 0 || c.magnitude.ilogb() < largest - 5 {
            return 0;
        }
        let below = largest - 3 - exponent;
        2 * (i64::from(significand) >> below.min(31)) + 1
    });
    let square: i64 = halves.iter().map(|h| h * h).sum();
    // `nearest` returns the largest k for which (k - 1/2) / 64 is not above the quotient. Both
    // sides are squared, which needs no square root.
    let nearest =
        |h: i64| (0..=64).rev().find(|k| (2 * k - 1) * (2 * k - 1) * square <= 128 * h * 128 * h);
    std::array::from_fn(|a| {
        let k = if halves[a] == 0 { 0 } else { nearest(halves[a]).unwrap_or(0) };
        if vector[a].negative { -k } else { k }
    })
}

impl Anisotropy {
    /// The taps of a level. The coarse level's share is `rest` of 256, the fine level's share is
    /// 256 - `rest`.
    pub(crate) fn of_level(&self, is_coarse: bool, rest: u32) -> Taps {
        let share = if is_coarse { rest } else { 256 - rest };
        let ratio = if is_coarse { (self.taps + i64::from(rest) - 256).max(0) } else { self.taps };
        if self.taps == 0 {
            return Taps { count: 1, interior: 0, end: 256, scale: 0, step: [0; 2], share };
        }
        let power = |log: i64| i64::from(EXP2_256[(log & 255) as usize]);
        let inside = if ratio < 256 { 256 - power(ratio) } else { 128 };
        let step = self.direction.map(|d| {
            let step = (d * inside + 64) >> 7;
            // In the finer of two levels, the step is shorter in texels of the level.
            let between = !is_coarse && rest > 0;
            if between { (step * (power(256 - i64::from(rest)) >> 1)) >> 6 } else { step }
        });
        let (count, interior, end, scale) = weights(ratio);
        Taps { count, interior, end, scale, step, share }
    }
}

/// For a ratio (binary logarithm in 1/256): the number of taps, the weight of an interior tap, the
/// weight of an end tap, and the scale of the sum of all weights.
pub(crate) fn weights(ratio: i64) -> (u32, u32, u32, Scale) {
    if ratio < 256 {
        return (2, 0, 256, 1);
    }
    let interior = (4 * u32::from(EXP2_256[(ratio & 255) as usize])) >> (ratio >> 8);
    let (interior, scale) = if interior > 256 { (interior / 2, 1) } else { (interior, 2) };
    let end = |count: u32| ((256 << scale) - (count - 2) * interior) / 2;
    let even = (2..=MAX_TAPS).step_by(2);
    let count = even.into_iter().find(|&n| end(n) <= interior).unwrap_or(MAX_TAPS);
    (count, interior, end(count), scale)
}

impl Taps {
    /// The weight of the tap with this index from 0. The level's share is distributed to the taps
    /// cumulatively, so that the weights sum to the share.
    pub(crate) fn weight(&self, number: u32) -> u32 {
        let up_to = |count: u32| {
            let ends = u32::from(count > 0) + u32::from(count == self.count && count > 1);
            let weight = ends * self.end + (count - ends) * self.interior;
            round_half_up(i128::from(weight * self.share), 256) as u32
        };
        up_to(number + 1) - up_to(number)
    }

    /// The offset of the tap with this index from the coordinates, along x and y, in 1/128 of a
    /// texel of the level.
    pub(crate) fn tap_offset(&self, number: u32) -> [i64; 2] {
        let steps = 2 * i64::from(number) - i64::from(self.count) + 1;
        self.step.map(|step| steps * step)
    }

    /// The tap with this index from 0.
    pub(crate) fn tap(&self, number: u32) -> Tap {
        let [x, y] = self.tap_offset(number).map(Fixed::from_128ths);
        Tap { weight: self.weight(number), shift: [x, y, Fixed::ZERO] }
    }
}

/// The expected values come from a separate model of the H200's results, which was made from rule
/// 4.12 of docs/numerics.md alone.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_a_power_of_two() {
        for ratio in 1..=1024 {
            let (count, interior, end, scale) = weights(ratio);
            assert_eq!(2 * end + (count - 2) * interior, 256 << scale, "{ratio}");
        }
    }

    #[test]
    fn shares_are_split_without_a_rest() {
        for taps in [1, 300, 777, 1024] {
            for rest in 0..256 {
                for is_coarse in [false, true] {
                    let (level, direction) = (RequestedLevel::At(0), [64, 0]);
                    let area = Float10::ZERO;
                    let all = Anisotropy { area, ratio: taps, level, taps, direction };
                    let level = all.of_level(is_coarse, rest);
                    let share = if is_coarse { rest } else { 256 - rest };
                    let total: u32 = (0..level.count).map(|number| level.weight(number)).sum();
                    assert_eq!(total, share << level.scale, "{taps} {rest}");
                }
            }
        }
    }
}
