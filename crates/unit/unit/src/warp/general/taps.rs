//! Anisotropic gradients: docs/numerics.md, rule 4.12, for 32 lanes. Footprints along the longer
//! gradient, whose levels, number, weights and places are found here.

use super::tally::Tally;
use crate::reference::anisotropy::{MAX_TAPS, effective_maximum};
use crate::reference::graded::Graded;
use crate::request::{FetchRequest, lanes};
use crate::warp::axis::shifted::Shift;
use crate::warp::levels::gradients::{Texels, log2_256_of};
use crate::warp::levels::{LevelLanes, LevelStage, ten};
use crate::warp::simd::Simd;
use std::sync::LazyLock;

/// The taps of 32 lanes.
#[derive(Clone, Debug)]
pub(super) struct TapLanes {
    taps: [Taps; 32],
    /// The longer gradient along x and y, without what is far shorter than it.
    direction: [[f64; 32]; 2],
    /// Eight times its length.
    unit: [f64; 32],
    /// Most taps of a lane.
    pub(super) most: u32,
    /// Weight of the tap at hand in 1/1024; 0 for lanes that have fewer.
    pub(super) weight: [i32; 32],
    /// Its way from the coordinates, along x and y.
    pub(super) shift: [Shift; 2],
    pub(super) tallies: [Tally; 4],
    /// Weights of the texels that pass a depth compare, in units of 2^-18.
    pub(super) passing: [i32; 32],
}

/// Taps along a gradient, centred.
#[derive(Clone, Copy, Debug)]
struct Taps {
    /// 1 to 16.
    count: i32,
    /// From one to the next, in 1/1024 of a texel of the level that is read.
    spacing: i32,
    /// Weight of a tap that is not the first or last, in 1/1024.
    interior: i32,
    /// Weight of the first and of the last one.
    end: i32,
}

/// What the weights of all taps come to.
const WHOLE: i32 = 1024;

impl Taps {
    const ONE: Self = Self { count: 1, spacing: 0, interior: WHOLE, end: WHOLE };
}

/// What a sampler's anisotropy allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// The logarithm of the largest ratio, in 1/256.
    ratio: i32,
    taps: &'static [Taps; 1025],
}

impl Limit {
    pub(super) fn new(max_anisotropy: u32) -> Self {
        let ratio = log2_256_of(effective_maximum(max_anisotropy) as f32);
        Self { ratio, taps: &TAPS }
    }
}

impl TapLanes {
    pub(super) fn new() -> Self {
        Self {
            taps: [Taps::ONE; 32],
            direction: [[0.0; 32]; 2],
            unit: [1.0; 32],
            most: 0,
            weight: [0; 32],
            shift: [Shift::ZERO, Shift::ZERO],
            tallies: std::array::from_fn(|_| Tally::ZERO),
            passing: [0; 32],
        }
    }

    /// Finds levels and taps of all lanes; whether any has a second level.
    #[inline(always)]
    pub(super) fn grade<S: Simd>(
        &mut self,
        simd: S,
        limit: Limit,
        stage: &LevelStage,
        request: &FetchRequest<'_>,
        levels: &mut LevelLanes,
    ) -> bool {
        let mut texels = Texels::ZERO;
        let odd = stage.gauge().texels(simd, request, &mut texels);
        let Texels { dpdx: [ax, ay, _], dpdy: [bx, by, _] } = &texels;
        let (mut longer, mut area) = ([0.0; 32], [0.0; 32]);
        for lane in 0..32 {
            let (a, b) = ([ax[lane], ay[lane]], [bx[lane], by[lane]]);
            let [first, second] = [a, b].map(|d| ten::length(d.map(f32::abs)));
            let is_first = first >= second;
            let length = if is_first { first } else { second };
            longer[lane] = length;
            area[lane] = determinant(a, b);
            self.unit[lane] = if length > 0.0 { 8.0 * f64::from(length) } else { 1.0 };
            for axis in 0..2 {
                let component = if is_first { a[axis] } else { b[axis] };
                self.direction[axis][lane] = f64::from(beside(component, length));
            }
        }
        let mut wanted = self.ratios(limit, stage, (&longer, &area));
        for lane in lanes(odd) {
            self.clear_lane(lane);
        }
        for lane in lanes(odd & request.active) {
            let graded = stage.graded(request, lane);
            wanted[lane] = stage.wanted(graded.level());
            self.put(lane, &graded);
        }
        let counts = lanes(request.active).map(|lane| self.taps[lane].count as u32);
        self.most = counts.max().unwrap_or(1);
        stage.finish(&wanted, request.active, levels)
    }

    /// Ratios of the lengths, which make the taps; returns the biased levels.
    #[inline(always)]
    fn ratios(
        &mut self,
        limit: Limit,
        stage: &LevelStage,
        (longer, area): (&[f32; 32], &[f64; 32]),
    ) -> [i32; 32] {
        let (mut of_longer, mut of_area) = ([0; 32], [0; 32]);
        stage.gauge().log2_256(longer, &mut of_longer);
        stage.gauge().log2_256_wide(area, &mut of_area);
        let bias = stage.small_bias();
        let mut wanted = [0; 32];
        for lane in 0..32 {
            // A shorter length of 0 is any number of times shorter: the area's logarithm is as low.
            let ratio = 2 * of_longer[lane] - of_area[lane];
            let ratio = if ratio > limit.ratio { limit.ratio } else { ratio };
            let ratio = if longer[lane] > 0.0 { ratio } else { 0 };
            wanted[lane] = of_longer[lane] - ratio + bias;
            self.taps[lane] = limit.taps[ratio.max(0) as usize];
        }
        wanted
    }

    /// One tap, and nothing that is no number.
    fn clear_lane(&mut self, lane: usize) {
        self.taps[lane] = Taps::ONE;
        self.unit[lane] = 1.0;
        self.direction.iter_mut().for_each(|direction| direction[lane] = 0.0);
    }

    /// A lane's, from what the reference makes of its gradients.
    fn put(&mut self, lane: usize, graded: &Graded) {
        let Some(a) = &graded.anisotropy else { return };
        let [count, spacing, interior, end] =
            [a.taps.count, a.taps.spacing, a.taps.interior, a.taps.end].map(|n| n as i32);
        self.taps[lane] = Taps { count, spacing, interior, end };
        let length = a.longer.to_f64();
        self.unit[lane] = if length > 0.0 { 8.0 * length } else { 1.0 };
        for (direction, component) in self.direction.iter_mut().zip(a.major) {
            let component = component.to_f64();
            let near = component.abs() * (1_u64 << 30) as f64 >= power_of(length);
            direction[lane] = if near { component } else { 0.0 };
        }
    }

    /// Forgets what was summed.
    pub(super) fn clear(&mut self) {
        self.tallies = std::array::from_fn(|_| Tally::ZERO);
        self.passing = [0; 32];
    }

    /// Turns to a tap by its number.
    #[inline(always)]
    pub(super) fn select(&mut self, number: u32) {
        let number = number as i32;
        let mut ways = [0; 32];
        for lane in 0..32 {
            let Taps { count, spacing, interior, end } = self.taps[lane];
            let is_end = (number == 0) | (number + 1 == count);
            let weight = if is_end { end } else { interior };
            self.weight[lane] = if number < count { weight } else { 0 };
            // Twice the way, in 1/1024 of a texel.
            ways[lane] = (2 * number - count + 1) * spacing;
        }
        for (shift, direction) in self.shift.iter_mut().zip(&self.direction) {
            for lane in 0..32 {
                shift.set(lane, direction[lane] * f64::from(ways[lane]), self.unit[lane]);
            }
        }
    }
}

/// The exponent's power of two.
fn power_of(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}

/// A component, or 0 if its exponent is more than 30 below that of the length.
#[inline(always)]
fn beside(component: f32, length: f32) -> f32 {
    let exponent = |x: f32| (x.to_bits() >> 23 & 0xff) as i32;
    if exponent(length) - exponent(component) > 30 { 0.0 } else { component }
}

/// |dPdx x dPdy|: the longer length times the shorter, cut to ten bits.
#[inline(always)]
fn determinant(x: [f32; 2], y: [f32; 2]) -> f64 {
    let product = |a: f32, b: f32| f64::from(a) * f64::from(b);
    let (a, b) = (product(x[0], y[1]), product(x[1], y[0]));
    let difference = a - b;
    // As `gradients::quads` cuts differences.
    let other = difference - a;
    let lost = (a - (difference - other)) + (-b - other);
    let opposite = (lost.to_bits() ^ difference.to_bits()) >> 63;
    let back = if lost != 0.0 { opposite } else { 0 };
    let cut = difference.to_bits().wrapping_sub(back) & !((1 << 43) - 1);
    f64::from_bits(cut).abs()
}

/// Taps by the logarithm of the ratio of the lengths, 0 to that of 16.
static TAPS: LazyLock<[Taps; 1025]> = LazyLock::new(|| std::array::from_fn(|q| taps(q as i32)));

fn taps(ratio: i32) -> Taps {
    // round(256 * 2^(-i/256)), which never comes near a tie.
    let power = (256.0 * (-f64::from(ratio & 255) / 256.0).exp2()).round() as i32;
    match ratio {
        ..=0 => Taps::ONE,
        1..256 => Taps { count: 2, spacing: spacing(power), interior: 0, end: WHOLE / 2 },
        _ => {
            // 2 * ceil(r / 2).
            let enough = |n: &i32| log2_256_of(*n as f32) >= ratio;
            let most = MAX_TAPS as i32;
            let count = (2..=most).step_by(2).find(enough).unwrap_or(most);
            // 1/r, then what is left for the ends.
            let interior = (4 * power) >> (ratio >> 8);
            let end = (WHOLE - (count - 2) * interior) / 2;
            Taps { count, spacing: WHOLE, interior, end }
        }
    }
}

/// Distances of two taps in 1/100 of a texel, by 100 r.
const SPACINGS: [(i32, i32); 6] =
    [(100, 0), (110, 19), (120, 34), (150, 67), (190, 95), (200, 100)];

/// The distance of two taps for a ratio r of 256/`power`, 1 to 2, in 1/1024 of a texel.
fn spacing(power: i32) -> i32 {
    let upper = SPACINGS.iter().position(|&(r, _)| r * power >= 25_600).unwrap_or(5).max(1);
    let ((r0, s0), (r1, s1)) = (SPACINGS[upper - 1], SPACINGS[upper]);
    // s0 and a quotient of hundredths, then rounded half up.
    let (n, d) = ((25_600 - r0 * power) * (s1 - s0), power * (r1 - r0));
    let (n, d) = (i64::from(s0 * d + n) * i64::from(WHOLE), 100 * i64::from(d));
    ((2 * n + d) / (2 * d)) as i32
}
