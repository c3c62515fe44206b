//! Anisotropic gradients: docs/numerics.md, section 4. Footprints along the longer gradient, whose
//! sums are added before anything is rounded.

use super::axes::Shift;
use super::sums::{Unorm2, Unorm10, finish_unorm24, srgb_group};
use crate::reference::graded::Graded;
use crate::request::Lanes;
use crate::warp::class::{F16, F32, Float, Normalized, Snorm8, Snorm16, Unorm8, Unorm16};
use crate::warp::kernel::{Buffers, power_of_two};
use texunit_texel::Reading;

/// The taps of 32 lanes.
#[derive(Clone, Debug)]
pub(super) struct TapLanes {
    graded: [Option<Graded>; 32],
    /// Lanes with the gradients of the active lane before them.
    same: u32,
    /// Most taps of a lane.
    pub(super) most: u32,
    /// Weight of the tap at hand in 1/1024; 0 for lanes that have fewer.
    pub(super) weight: [i32; 32],
    /// Its way from the coordinates, along x and y.
    pub(super) shift: [Shift; 2],
    tallies: [Tally; 4],
    /// Weights of the texels that pass a depth compare, in units of 2^-18.
    pub(super) passing: [i32; 32],
}

impl TapLanes {
    pub(super) fn new() -> Self {
        Self {
            graded: [None; 32],
            same: 0,
            most: 0,
            weight: [0; 32],
            shift: [Shift::ZERO, Shift::ZERO],
            tallies: std::array::from_fn(|_| Tally::ZERO),
            passing: [0; 32],
        }
    }

    /// Forgets all lanes.
    pub(super) fn clear(&mut self) {
        self.graded = [None; 32];
        self.same = 0;
        self.most = 1;
        self.tallies = std::array::from_fn(|_| Tally::ZERO);
        self.passing = [0; 32];
    }

    /// Notes what gradients come to, and whether they are those of the active lane before.
    pub(super) fn put(&mut self, lane: usize, graded: Graded, same: bool) {
        self.graded[lane] = Some(graded);
        self.same |= u32::from(same) << lane;
        self.most = self.most.max(graded.taps());
    }

    /// Turns to a tap by its number.
    pub(super) fn select(&mut self, number: u32) {
        let mut last = 0;
        for lane in 0..32 {
            self.weight[lane] = 0;
            let Some(graded) = self.graded[lane].as_ref() else { continue };
            if self.same >> lane & 1 == 1 {
                self.weight[lane] = self.weight[last];
                self.shift.iter_mut().for_each(|shift| shift.copy(lane, last));
            } else if number < graded.taps() {
                let tap = graded.tap(number);
                self.weight[lane] = tap.weight as i32;
                for (shift, way) in self.shift.iter_mut().zip(tap.shift) {
                    shift.set(lane, way.steps());
                }
            }
            last = lane;
        }
    }

    /// Adds the footprints of a tap to a channel; or, in the first of two rounds, only measures how
    /// large its floats are.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        reading: Reading,
        measure: bool,
        groups: usize,
        buffers: &Buffers,
        c: usize,
    ) {
        let (tally, tap) = (&mut self.tallies[c], &self.weight);
        for group in 0..groups {
            match reading {
                Reading::F16 if measure => exponents::<F16>(buffers, group, c, &mut tally.largest),
                Reading::F32 if measure => exponents::<F32>(buffers, group, c, &mut tally.largest),
                _ if measure => {}
                Reading::F16 => tally.floats::<F16>(buffers, group, c, tap),
                Reading::F32 => tally.floats::<F32>(buffers, group, c, tap),
                Reading::Srgb => tally.srgb(buffers, group, c, tap),
                Reading::Unorm { bits: 2 } => tally.integers::<Unorm2>(buffers, group, c, tap),
                Reading::Unorm { bits: 8 } => tally.integers::<Unorm8>(buffers, group, c, tap),
                Reading::Unorm { bits: 10 } => tally.integers::<Unorm10>(buffers, group, c, tap),
                // `widen` leaves 24 bits as they are, too.
                Reading::Unorm { .. } => tally.integers::<Unorm16>(buffers, group, c, tap),
                Reading::Snorm { bits: 8 } => tally.integers::<Snorm8>(buffers, group, c, tap),
                Reading::Snorm { .. } => tally.integers::<Snorm16>(buffers, group, c, tap),
                _ => {}
            }
        }
    }

    /// The values of a channel.
    pub(super) fn finish(&self, reading: Reading, c: usize, out: &mut Lanes) {
        let tally = &self.tallies[c];
        for lane in 0..32 {
            out[lane] = match reading {
                Reading::F16 => tally.finish_float::<F16>(lane),
                Reading::F32 => tally.finish_float::<F32>(lane),
                _ => finish(reading, tally.integer[lane]),
            };
        }
    }
}

/// The sum of a channel.
#[derive(Clone, Debug)]
struct Tally {
    /// Numbers times weights, in units of 2^-18.
    integer: [i64; 32],
    /// The largest exponent field of a texel with weight.
    largest: [i32; 32],
    /// The sum of floats in units below their largest.
    float: [f64; 32],
    /// Their plain sum: of infinities and NaNs.
    plain: [f64; 32],
}

impl Tally {
    const ZERO: Self =
        Self { integer: [0; 32], largest: [0; 32], float: [-0.0; 32], plain: [0.0; 32] };

    #[inline(always)]
    fn integers<C: Normalized>(
        &mut self,
        buffers: &Buffers,
        group: usize,
        c: usize,
        tap: &[i32; 32],
    ) {
        for k in 4 * group..4 * group + 4 {
            let (codes, weights) = (&buffers.texels[k][c], &buffers.weights[k]);
            for lane in 0..32 {
                let weight = i64::from(weights[lane] * tap[lane]);
                self.integer[lane] += weight * i64::from(C::widen(codes[lane]));
            }
        }
    }

    fn srgb(&mut self, buffers: &Buffers, group: usize, c: usize, tap: &[i32; 32]) {
        for lane in 0..32 {
            let sum = srgb_group(buffers, group, 4, c, lane);
            self.integer[lane] += i64::from(tap[lane]) * sum;
        }
    }

    /// As `kernel::float_channel` does it; a tap's ten bits more still fit an f64.
    #[inline(always)]
    fn floats<C: Float>(&mut self, buffers: &Buffers, group: usize, c: usize, tap: &[i32; 32]) {
        let mut exponents = [0; 32];
        self::exponents::<C>(buffers, group, c, &mut exponents);
        for lane in 0..32 {
            let scale = power_of_two(C::TEXEL_BITS + 127 - exponents[lane]);
            let mut sum = -0.0;
            for k in 4 * group..4 * group + 4 {
                let weight = buffers.weights[k][lane];
                let value = f64::from(C::widen(buffers.texels[k][c][lane]));
                let part = (value * scale).trunc() * f64::from(weight);
                sum += if weight == 0 { -0.0 } else { part };
                let plain = value * f64::from(weight * tap[lane]);
                self.plain[lane] += if weight == 0 { 0.0 } else { plain };
            }
            let unit = power_of_two(exponents[lane] - self.largest[lane] + 1);
            self.float[lane] += (sum * unit).floor() * f64::from(tap[lane]);
        }
    }

    fn finish_float<C: Float>(&self, lane: usize) -> u32 {
        if self.largest[lane] == 255 {
            let plain = self.plain[lane];
            return if plain.is_nan() { C::NAN } else { (plain as f32).to_bits() };
        }
        let unit = power_of_two(self.largest[lane] - 127 - C::TEXEL_BITS - 1 - 18);
        C::round(self.float[lane] * unit).to_bits()
    }
}

/// Raises `largest` to the exponent fields of a group's texels with weight.
#[inline(always)]
fn exponents<C: Float>(buffers: &Buffers, group: usize, c: usize, largest: &mut [i32; 32]) {
    for k in 4 * group..4 * group + 4 {
        let (codes, weights) = (&buffers.texels[k][c], &buffers.weights[k]);
        for lane in 0..32 {
            let field = (C::widen(codes[lane]).to_bits() >> 23 & 0xff) as i32;
            let field = if weights[lane] == 0 { 0 } else { field };
            largest[lane] = if field > largest[lane] { field } else { largest[lane] };
        }
    }
}

/// The value of a sum in units of 2^-18.
fn finish(reading: Reading, total: i64) -> u32 {
    let rounded = |bits: u32| (total + (1 << (bits - 1))) >> bits;
    match reading {
        // `widen` of eight bits leaves the factor of 257 to the end.
        Reading::Unorm { bits: 8 } => {
            (((total * 257 + (1 << 17)) >> 18) as f32 / 65_535.0).to_bits()
        }
        Reading::Unorm { bits: 24 } => finish_unorm24(rounded(18)),
        Reading::Unorm { .. } => (rounded(18) as f32 / 65_535.0).to_bits(),
        Reading::Snorm { bits: 8 } => Snorm8::finish(rounded(10) as i32).to_bits(),
        Reading::Snorm { .. } => (rounded(18).max(-32_767) as f32 / 32_767.0).to_bits(),
        // In 1/65536.
        Reading::Srgb => F16::round(total as f64 * power_of_two(-34)).to_bits(),
        _ => reading.point(0),
    }
}
