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
    pub(crate) fn way(&self, number: u32) -> [i64; 2] {
        let steps = 2 * i64::from(number) - i64::from(self.count) + 1;
        self.step.map(|step| steps * step)
    }

    /// The tap with this index from 0.
    pub(crate) fn tap(&self, number: u32) -> Tap {
        let [x, y] = self.way(number).map(Fixed::from_128ths);
        Tap { weight: self.weight(number), shift: [x, y, Fixed::ZERO] }
    }
}

/// The expected values come from a separate model of the H200's results, which was made from rule
/// 4.12 of docs/numerics.md alone.
#[cfg(test)]
mod tests {
    use super::super::gradient::{Gradient, flat};
    use super::*;

    /// The anisotropic footprint of gradients in texels.
    fn of(dpdx: [f32; 2], dpdy: [f32; 2], max_anisotropy: u32) -> Anisotropy {
        let Gradient::Slope(slope) = flat(dpdx, dpdy, [1, 1]) else { panic!("not in 2D") };
        anisotropy(&slope, max_anisotropy)
    }

    #[test]
    fn maxima_are_steps() {
        let logs = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, u32::MAX];
        assert_eq!(
            logs.map(largest_ratio),
            [0, 0, 256, 256, 512, 512, 656, 656, 768, 768, 848, 848, 912, 912, 1024, 1024, 1024]
        );
    }

    #[test]
    fn levels_ratios_and_directions() {
        // Each row has gradients and maximum anisotropy; expected level, ratio, R and direction.
        #[rustfmt::skip]
        let rows = [
            (([8.0, 0.0],  [0.0, 2.0]),   16, (256,   512,  512,  [64, 0])),
            (([8.0, 0.0],  [0.0, 2.0]),   2,  (512,   256,  256,  [64, 0])),
            (([8.0, 0.0],  [0.0, 2.0]),   3,  (512,   256,  256,  [64, 0])),
            (([6.0, 0.0],  [0.0, 2.0]),   16, (256,   406,  406,  [64, 0])),
            (([0.0, -8.0], [2.0, 0.0]),   16, (256,   512,  512,  [0, -64])),
            (([2.0, 0.0],  [0.0, -3.0]),  16, (256,   150,  150,  [0, -64])),
            (([8.0, 0.0],  [0.0, 8.0]),   16, (768,   0,    0,    [64, 0])),
            // The area is 0, so that the ratio is the maximum.
            (([8.0, 0.0],  [0.0, 0.0]),   16, (-256,  1024, 768,  [64, 0])),
            (([8.0, 0.0],  [0.0, 0.0]),   5,  (256,   512,  512,  [64, 0])),
            // The longest of four vectors decides: the two gradients, their sum, and the longer
            // gradient minus the shorter one. Here it is the sum or the difference.
            (([4.0, 4.0],  [4.0, -4.0]),  16, (630,   0,    0,    [64, 0])),
            (([4.0, 4.0],  [3.0, 4.0]),   16, (-214,  940,  726,  [41, 49])),
            (([5.0, 1.0],  [-4.0, 1.0]),  16, (138,   536,  536,  [64, 0])),
            (([3.0, 0.0],  [-3.0, 0.0]),  16, (-500,  1024, 524,  [64, 0])),
            (([3.0, 4.0],  [-1.0, 2.0]),  16, (254,   343,  343,  [39, 51])),
            // The texture is magnified, so that R is measured in texels of level 0.
            (([0.5, 0.0],  [0.0, 0.125]), 16, (-768,  512,  0,    [64, 0])),
            (([4.0, 0.0],  [0.0, 0.5]),   16, (-256,  768,  512,  [64, 0])),
            (([0.75, 0.0], [0.0, 0.01]),  16, (-1130, 1024, 0,    [64, 0])),
            // Components keep four bits, relative to the larger one.
            (([1.0, 7.0],  [0.5, -0.25]), 12, (-175,  912,  737,  [11, 63])),
            (([-7.0, 2.5], [0.25, 1.0]),  8,  (-6,    768,  762,  [-60, 23])),
            (([100.0, 1.0], [1.0, 3.0]),  16, (678,   1024, 1024, [64, 0])),
        ];
        for ((dpdx, dpdy), largest, (level, ratio, taps, direction)) in rows {
            let got = of(dpdx, dpdy, largest);
            assert_eq!(
                (got.level, got.ratio, got.taps, got.direction),
                (RequestedLevel::At(level), ratio, taps, direction),
                "{dpdx:?} {dpdy:?}"
            );
        }
        let nothing = of([0.0; 2], [f32::NAN, -0.0], 16);
        assert_eq!((nothing.level, nothing.taps), (RequestedLevel::Lowest, 0));
        // An infinite gradient counts as 2^128, and has a direction.
        let far = of([f32::INFINITY, 0.0], [0.0, 1.0], 16);
        assert_eq!((far.level, far.taps), (RequestedLevel::At(256 * 124), 1024));
        assert_eq!(far.direction, [64, 0]);
    }

    #[test]
    fn weights_by_ratio() {
        for (ratio, wanted) in [
            (1, (2, 0, 256, 1)),
            (255, (2, 0, 256, 1)),
            (256, (2, 256, 256, 1)),
            (300, (4, 227, 29, 1)),
            (400, (4, 173, 83, 1)),
            (511, (4, 256, 256, 2)),
            (512, (4, 256, 256, 2)),
            (513, (6, 255, 2, 2)),
            (600, (6, 202, 108, 2)),
            (700, (8, 154, 50, 2)),
            (768, (8, 128, 128, 2)),
            (900, (12, 89, 67, 2)),
            (1000, (16, 68, 36, 2)),
            (1024, (16, 64, 64, 2)),
        ] {
            assert_eq!(weights(ratio), wanted, "{ratio}");
        }
        for ratio in 1..=1024 {
            let (count, interior, end, scale) = weights(ratio);
            assert_eq!(2 * end + (count - 2) * interior, 256 << scale, "{ratio}");
        }
    }

    #[test]
    fn taps_of_levels() {
        // Each row has R and direction; whether the level is coarse, and the coarse level's share;
        // expected taps, K, step, weights.
        type Row<'a> = ((i64, [i64; 2]), (bool, u32), (u32, u32, [i64; 2], &'a [u32]));
        #[rustfmt::skip]
        let rows: [Row<'_>; 13] = [
            ((0,    [64, 0]),   (false, 77),  (1,  0, [0, 0],     &[179])),
            ((1,    [64, -39]), (false, 0),   (2,  1, [1, 0],     &[256, 256])),
            ((100,  [41, -49]), (false, 0),   (2,  1, [20, -23],  &[256, 256])),
            ((256,  [41, -49]), (false, 0),   (2,  1, [41, -49],  &[256, 256])),
            ((600,  [41, -49]), (false, 0),   (6,  2, [41, -49],  &[108, 202, 202, 202, 202, 108])),
            ((600,  [41, -49]), (false, 100), (6,  2, [53, -65],  &[66, 123, 123, 123, 123, 66])),
            ((600,  [41, -49]), (true,  100), (4,  1, [41, -49],  &[40, 60, 60, 40])),
            ((600,  [41, -49]), (true,  200), (6,  2, [41, -49],  &[33, 183, 184, 184, 183, 33])),
            ((200,  [64, 0]),   (false, 30),  (2,  1, [58, 0],    &[226, 226])),
            // If R1 is 0, two taps are at one position.
            ((200,  [64, 0]),   (true,  30),  (2,  1, [0, 0],     &[30, 30])),
            ((200,  [64, 0]),   (true,  255), (2,  1, [54, 0],    &[255, 255])),
            ((1024, [11, 63]),  (false, 255), (16, 2, [21, 125],  &[0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0])),
            ((1024, [11, 63]),  (true,  1),   (10, 2, [11, 63],   &[0, 1, 0, 1, 0, 0, 1, 0, 1, 0])),
        ];
        for ((taps, direction), (is_coarse, rest), (count, scale, step, wanted)) in rows {
            let ratio = taps;
            let all = Anisotropy {
                area: Float10::ZERO,
                ratio,
                level: RequestedLevel::At(0),
                taps,
                direction,
            };
            let level = all.of_level(is_coarse, rest);
            assert_eq!((level.count, level.scale, level.step), (count, scale, step), "{taps}");
            let got: Vec<u32> = (0..count).map(|number| level.weight(number)).collect();
            assert_eq!(got, wanted, "{taps} {is_coarse} {rest}");
            // The line of taps is centred.
            let ends = [0, count - 1].map(|number| level.way(number));
            assert_eq!(ends[1], step.map(|s| s * i64::from(count - 1)));
            assert_eq!(ends[0], ends[1].map(|way| -way));
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
