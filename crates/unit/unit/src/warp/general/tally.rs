//! Sums over the taps of anisotropic footprints: docs/numerics.md, sections 2 and 4. All footprints of
//! a channel are added before anything is rounded.

use super::buffers::{Buffers, power_of_two};
use super::class::{F16, F32, Float, Normalized, Snorm8, Snorm16, Unorm8, Unorm16};
use super::sums::{Unorm2, Unorm10, finish_unorm24, srgb_group};
use crate::request::Lanes;
use crate::warp::simd::{Arguments, Simd, Stage};
use texunit_texel::Reading;

/// The sum of a channel.
#[derive(Clone, Debug)]
pub(super) struct Tally {
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
    pub(super) const ZERO: Self =
        Self { integer: [0; 32], largest: [0; 32], float: [-0.0; 32], plain: [0.0; 32] };

    /// Adds the footprints of a tap to a channel; or, in the first of two rounds, only measures how
    /// large its floats are.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &mut self,
        simd: S,
        reading: Reading,
        measure: bool,
        groups: usize,
        from: (&Buffers, usize, &[i32; 32]),
    ) {
        simd.call::<OfTap, Add>(Tap { tally: self, reading, measure, groups, from });
    }

    #[inline(always)]
    fn add_here(
        &mut self,
        reading: Reading,
        measure: bool,
        groups: usize,
        (buffers, c, tap): (&Buffers, usize, &[i32; 32]),
    ) {
        for group in 0..groups {
            match reading {
                Reading::F16 if measure => exponents::<F16>(buffers, group, c, &mut self.largest),
                Reading::F32 if measure => exponents::<F32>(buffers, group, c, &mut self.largest),
                _ if measure => {}
                Reading::F16 => self.floats::<F16>(buffers, group, c, tap),
                Reading::F32 => self.floats::<F32>(buffers, group, c, tap),
                Reading::Srgb => self.srgb(buffers, group, c, tap),
                Reading::Unorm { bits: 2 } => self.integers::<Unorm2>(buffers, group, c, tap),
                Reading::Unorm { bits: 8 } => self.integers::<Unorm8>(buffers, group, c, tap),
                Reading::Unorm { bits: 10 } => self.integers::<Unorm10>(buffers, group, c, tap),
                Reading::Unorm { bits: 24 } => self.wide(buffers, group, c, tap),
                Reading::Unorm { .. } => self.integers::<Unorm16>(buffers, group, c, tap),
                Reading::Snorm { bits: 8 } => self.integers::<Snorm8>(buffers, group, c, tap),
                Reading::Snorm { .. } => self.integers::<Snorm16>(buffers, group, c, tap),
                _ => {}
            }
        }
    }

    /// The values of the channel.
    pub(super) fn finish(&self, reading: Reading, out: &mut Lanes) {
        for lane in 0..32 {
            out[lane] = match reading {
                Reading::F16 => self.finish_float::<F16>(lane),
                Reading::F32 => self.finish_float::<F32>(lane),
                _ => finish(reading, self.integer[lane]),
            };
        }
    }

    /// A footprint's sum has 24 bits at most.
    #[inline(always)]
    fn integers<C: Normalized>(
        &mut self,
        buffers: &Buffers,
        group: usize,
        c: usize,
        tap: &[i32; 32],
    ) {
        // Texels inside of lanes: the other way round LLVM gathers texels across arrays.
        let first = 4 * group;
        for lane in 0..32 {
            let mut sum = 0;
            for k in first..first + 4 {
                sum += buffers.weights[k][lane] * C::widen(buffers.texels[k][c][lane]);
            }
            self.integer[lane] += i64::from(sum) * i64::from(tap[lane]);
        }
    }

    /// Depths of 24 bits.
    fn wide(&mut self, buffers: &Buffers, group: usize, c: usize, tap: &[i32; 32]) {
        for k in 4 * group..4 * group + 4 {
            let (codes, weights) = (&buffers.texels[k][c], &buffers.weights[k]);
            for lane in 0..32 {
                let weight = i64::from(weights[lane] * tap[lane]);
                self.integer[lane] += weight * i64::from(codes[lane]);
            }
        }
    }

    #[inline(always)]
    fn srgb(&mut self, buffers: &Buffers, group: usize, c: usize, tap: &[i32; 32]) {
        let mut sum = [0; 32];
        srgb_group(buffers, group, 4, c, &mut sum);
        for lane in 0..32 {
            self.integer[lane] += i64::from(sum[lane]) * i64::from(tap[lane]);
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

/// A call of [`Tally::add`]: a function of its own, as there are up to four channels.
struct Tap<'a> {
    tally: &'a mut Tally,
    reading: Reading,
    measure: bool,
    groups: usize,
    from: (&'a Buffers, usize, &'a [i32; 32]),
}

#[derive(Debug)]
struct OfTap;

impl Arguments for OfTap {
    type Of<'a> = Tap<'a>;
}

struct Add;

impl Stage<OfTap> for Add {
    #[inline(always)]
    fn run<S: Simd>(_: S, Tap { tally, reading, measure, groups, from }: Tap<'_>) {
        tally.add_here(reading, measure, groups, from);
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
