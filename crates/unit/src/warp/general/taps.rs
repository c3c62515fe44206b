//! Anisotropic gradients: docs/numerics.md, section 4. Footprints along the longer gradient, whose
//! sums are added before anything is rounded.

use super::sums::srgb_group;
use crate::reference::footprint::Tap;
use crate::reference::graded::Graded;
use crate::request::Lanes;
use crate::warp::class::{F16, F32, Float, Normalized, Snorm8};
use crate::warp::kernel::{Buffers, power_of_two};
use texunit_texel::{Reading, sign_extend};

/// The taps of 32 lanes.
#[derive(Clone, Debug)]
pub(super) struct TapLanes {
    graded: [Option<Graded>; 32],
    /// Most taps of a lane.
    pub(super) most: u32,
    /// Weight of the tap at hand in 1/1024; 0 for lanes that have fewer.
    pub(super) weight: [i32; 32],
    /// Its way from the coordinates in steps of 2^-60 texels.
    pub(super) shift: [[i128; 32]; 2],
    tallies: [Tally; 4],
    /// Weights of the texels that pass a depth compare, in units of 2^-18.
    pub(super) passing: [i32; 32],
}

impl TapLanes {
    pub(super) fn new() -> Self {
        Self {
            graded: [None; 32],
            most: 0,
            weight: [0; 32],
            shift: [[0; 32]; 2],
            tallies: std::array::from_fn(|_| Tally::ZERO),
            passing: [0; 32],
        }
    }

    /// Forgets all lanes.
    pub(super) fn clear(&mut self) {
        self.graded = [None; 32];
        self.most = 1;
        self.tallies = std::array::from_fn(|_| Tally::ZERO);
        self.passing = [0; 32];
    }

    pub(super) fn put(&mut self, lane: usize, graded: Graded) {
        self.graded[lane] = Some(graded);
        self.most = self.most.max(graded.taps());
    }

    /// Turns to a tap by its number.
    pub(super) fn select(&mut self, number: u32) {
        for lane in 0..32 {
            let tap = match &self.graded[lane] {
                Some(graded) if number < graded.taps() => graded.tap(number),
                _ => Tap { weight: 0, ..Tap::ONE },
            };
            self.weight[lane] = tap.weight as i32;
            for a in 0..2 {
                self.shift[a][lane] = tap.shift[a].steps();
            }
        }
    }

    /// Notes the exponents of texels: the first round for floats.
    pub(super) fn measure(&mut self, reading: Reading, groups: usize, buffers: &Buffers, c: usize) {
        let tally = &mut self.tallies[c];
        for group in 0..groups {
            for lane in 0..32 {
                let exponent = match reading {
                    Reading::F16 => exponent::<F16>(buffers, group, c, lane),
                    _ => exponent::<F32>(buffers, group, c, lane),
                };
                tally.largest[lane] = tally.largest[lane].max(exponent);
            }
        }
    }

    /// Adds the footprints of a tap: the second round, or the only one.
    pub(super) fn add(&mut self, reading: Reading, groups: usize, buffers: &Buffers, c: usize) {
        let (tally, weight) = (&mut self.tallies[c], &self.weight);
        for group in 0..groups {
            for lane in 0..32 {
                let tap = weight[lane];
                match reading {
                    Reading::F16 => tally.float::<F16>(buffers, group, c, lane, tap),
                    Reading::F32 => tally.float::<F32>(buffers, group, c, lane, tap),
                    Reading::Srgb => {
                        tally.integer[lane] +=
                            i64::from(tap) * srgb_group(buffers, group, 4, c, lane);
                    }
                    _ => {
                        for k in 4 * group..4 * group + 4 {
                            let weight = i64::from(buffers.weights[k][lane] * tap);
                            let number = number(reading, buffers.texels[k][c][lane]);
                            tally.integer[lane] += weight * number;
                        }
                    }
                }
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

    /// As `kernel::float_channel` does it; a tap's ten bits more still fit an f64.
    fn float<C: Float>(
        &mut self,
        buffers: &Buffers,
        group: usize,
        c: usize,
        lane: usize,
        tap: i32,
    ) {
        let exponent = exponent::<C>(buffers, group, c, lane);
        let scale = power_of_two(C::TEXEL_BITS + 127 - exponent);
        let mut sum = -0.0;
        for k in 4 * group..4 * group + 4 {
            let weight = buffers.weights[k][lane];
            if weight != 0 {
                let value = f64::from(C::widen(buffers.texels[k][c][lane]));
                sum += (value * scale).trunc() * f64::from(weight);
                self.plain[lane] += value * f64::from(weight * tap);
            }
        }
        let unit = power_of_two(exponent - self.largest[lane] + 1);
        self.float[lane] += (sum * unit).floor() * f64::from(tap);
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

/// The largest exponent field of a group's texels with weight.
fn exponent<C: Float>(buffers: &Buffers, group: usize, c: usize, lane: usize) -> i32 {
    let mut largest = 0;
    for k in 4 * group..4 * group + 4 {
        let field = C::widen(buffers.texels[k][c][lane]).to_bits() >> 23 & 0xff;
        if buffers.weights[k][lane] != 0 {
            largest = largest.max(field as i32);
        }
    }
    largest
}

/// The number that is summed for a code.
fn number(reading: Reading, code: u32) -> i64 {
    match reading {
        Reading::Unorm { bits: 2 } => i64::from(code) * 0x5555,
        Reading::Unorm { bits: 8 } => i64::from(code) * 0x0101,
        Reading::Unorm { bits: 10 } => i64::from(code << 6 | code >> 4),
        Reading::Unorm { .. } => code.into(),
        Reading::Snorm { bits } => sign_extend(bits, code).into(),
        _ => 0,
    }
}

/// The value of a sum in units of 2^-18.
fn finish(reading: Reading, total: i64) -> u32 {
    let rounded = |bits: u32| (total + (1 << (bits - 1))) >> bits;
    match reading {
        Reading::Unorm { bits: 24 } => super::sums::finish_unorm24(rounded(18)),
        Reading::Unorm { .. } => (rounded(18) as f32 / 65_535.0).to_bits(),
        Reading::Snorm { bits: 8 } => Snorm8::finish(rounded(10) as i32).to_bits(),
        Reading::Snorm { .. } => (rounded(18).max(-32_767) as f32 / 32_767.0).to_bits(),
        // In 1/65536.
        Reading::Srgb => F16::round(total as f64 * power_of_two(-34)).to_bits(),
        _ => reading.point(0),
    }
}
