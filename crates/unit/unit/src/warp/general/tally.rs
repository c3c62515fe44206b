//! Sums over the taps of anisotropic footprints: docs/numerics.md, sections 2 and 4. All footprints of
//! a channel are added before anything is rounded.

use super::buffers::Buffers;
use crate::request::Lanes;
use crate::warp::channel::{
    F16, F32, FloatChannel, Normalized, Snorm8, Snorm16, Unorm2, Unorm8, Unorm10, Unorm16,
    srgb_footprint,
};
use crate::warp::simd::{Arguments, Int, Simd, Stage, int, load};
use std::marker::PhantomData;
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
    fn add_here<S: Simd>(
        &mut self,
        simd: S,
        reading: Reading,
        measure: bool,
        groups: usize,
        (buffers, c, tap): (&Buffers, usize, &[i32; 32]),
    ) {
        for group in 0..groups {
            let from = (buffers, group, c);
            match reading {
                Reading::F16 if measure => exponents::<F16>(from, &mut self.largest),
                Reading::F32 if measure => exponents::<F32>(from, &mut self.largest),
                _ if measure => {}
                Reading::F16 => self.floats::<F16>(from, tap),
                Reading::F32 => self.floats::<F32>(from, tap),
                Reading::Unorm { bits: 24 } => self.depths(from, tap),
                Reading::Srgb => self.integers::<S, OfSrgb>(simd, from, tap),
                Reading::Unorm { bits: 2 } => self.integers::<S, Of<Unorm2>>(simd, from, tap),
                Reading::Unorm { bits: 8 } => self.integers::<S, Of<Unorm8>>(simd, from, tap),
                Reading::Unorm { bits: 10 } => self.integers::<S, Of<Unorm10>>(simd, from, tap),
                Reading::Unorm { .. } => self.integers::<S, Of<Unorm16>>(simd, from, tap),
                Reading::Snorm { bits: 8 } => self.integers::<S, Of<Snorm8>>(simd, from, tap),
                Reading::Snorm { .. } => self.integers::<S, Of<Snorm16>>(simd, from, tap),
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

    #[inline(always)]
    fn integers<S: Simd, F: Footprint>(
        &mut self,
        simd: S,
        (buffers, group, c): From<'_>,
        tap: &[i32; 32],
    ) {
        let mut sums = [0; 32];
        for chunk in 0..32 / S::LANES {
            let (mut codes, mut weights) = ([int(simd, 0); 4], [int(simd, 0); 4]);
            for k in 0..4 {
                codes[k] = load(simd, &buffers.texels[4 * group + k][c], chunk);
                weights[k] = load(simd, &buffers.weights[4 * group + k], chunk);
            }
            F::sum(simd, &codes, &weights).store(&mut sums, chunk);
        }
        for lane in 0..32 {
            self.integer[lane] += i64::from(sums[lane] as i32) * i64::from(tap[lane]);
        }
    }

    /// Depths of 24 bits, whose sums leave 32.
    fn depths(&mut self, (buffers, group, c): From<'_>, tap: &[i32; 32]) {
        for k in 4 * group..4 * group + 4 {
            let (codes, weights) = (&buffers.texels[k][c], &buffers.weights[k]);
            for lane in 0..32 {
                let weight = i64::from(weights[lane] as i32 * tap[lane]);
                self.integer[lane] += weight * i64::from(codes[lane]);
            }
        }
    }

    /// In f64, and exactly: a texel is cut to 28 bits, its weight has 9 and that of its tap 10, a group's sum 47
    /// at most; other groups and taps add a few. Scalings are by powers of two well inside the range. Sums start
    /// from -0, which adds nothing and leaves a sum of -0s what it is.
    #[inline(always)]
    fn floats<C: Float>(&mut self, from: From<'_>, tap: &[i32; 32]) {
        let (buffers, group, c) = from;
        let mut exponents = [0; 32];
        self::exponents::<C>(from, &mut exponents);
        for lane in 0..32 {
            let scale = power_of_two(C::TEXEL_BITS + 127 - exponents[lane]);
            let mut sum = -0.0;
            for k in 4 * group..4 * group + 4 {
                let weight = buffers.weights[k][lane] as i32;
                let value = f64::from(C::value(buffers.texels[k][c][lane]));
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

/// The texels of a channel of a footprint: their buffers, its group, and the channel.
type From<'a> = (&'a Buffers, usize, usize);

/// What is summed of a footprint, 24 bits at most.
trait Footprint {
    fn sum<S: Simd>(simd: S, codes: &[Int<S>; 4], weights: &[Int<S>; 4]) -> Int<S>;
}

struct OfSrgb;

impl Footprint for OfSrgb {
    #[inline(always)]
    fn sum<S: Simd>(simd: S, codes: &[Int<S>; 4], weights: &[Int<S>; 4]) -> Int<S> {
        srgb_footprint(simd, codes, weights)
    }
}

struct Of<C>(PhantomData<C>);

impl<C: Normalized> Footprint for Of<C> {
    #[inline(always)]
    fn sum<S: Simd>(simd: S, codes: &[Int<S>; 4], weights: &[Int<S>; 4]) -> Int<S> {
        let mut sum = int(simd, 0);
        for k in 0..4 {
            sum = sum + C::widen(codes[k]) * weights[k];
        }
        sum
    }
}

/// Floats whose sums have ten bits more than those of one footprint.
trait Float: FloatChannel {
    /// Bits below the largest exponent that a texel keeps; a footprint's sum keeps one more.
    const TEXEL_BITS: i32;
    /// The value of a code, subnormal texels of f32 as zero.
    fn value(code: u32) -> f32;
    /// The nearest number of the format, ties away from zero.
    fn round(x: f64) -> f32;
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
    fn run<S: Simd>(simd: S, Tap { tally, reading, measure, groups, from }: Tap<'_>) {
        tally.add_here(simd, reading, measure, groups, from);
    }
}

/// Raises `largest` to the exponent fields of a group's texels with weight.
#[inline(always)]
fn exponents<C: Float>((buffers, group, c): From<'_>, largest: &mut [i32; 32]) {
    for k in 4 * group..4 * group + 4 {
        let (codes, weights) = (&buffers.texels[k][c], &buffers.weights[k]);
        for lane in 0..32 {
            let field = (C::value(codes[lane]).to_bits() >> 23 & 0xff) as i32;
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
        Reading::Unorm { bits: 24 } => (rounded(18) as f32 / 16_777_215.0).to_bits(),
        Reading::Unorm { .. } => (rounded(18) as f32 / 65_535.0).to_bits(),
        Reading::Snorm { bits: 8 } => {
            let sum = rounded(10) as i32;
            let k = (sum + ((257 * (sum >> 4) + 1024) >> 11)).max(-32_767);
            (k as f32 / 32_767.0).to_bits()
        }
        Reading::Snorm { .. } => (rounded(18).max(-32_767) as f32 / 32_767.0).to_bits(),
        // In 1/65536.
        Reading::Srgb => F16::round(total as f64 * power_of_two(-34)).to_bits(),
        _ => reading.point(0),
    }
}

/// 2^exponent, for exponents of normal f64 numbers.
#[inline(always)]
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Float for F32 {
    const TEXEL_BITS: i32 = 27;
    #[inline(always)]
    fn value(code: u32) -> f32 {
        f32::from_bits(if code & 0x7f80_0000 == 0 { code & 0x8000_0000 } else { code })
    }
    #[inline(always)]
    fn round(x: f64) -> f32 {
        /// 2^-126 less half a subnormal step: from here on the nearest float is not subnormal.
        const FLUSH_BELOW: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / 16_777_216.0);
        let rounded = round_bits::<29>(x);
        let magnitude = rounded.abs();
        let magnitude =
            if magnitude < f32::MIN_POSITIVE as f64 { f32::MIN_POSITIVE as f64 } else { magnitude };
        let magnitude = if x.abs() < FLUSH_BELOW { 0.0 } else { magnitude };
        magnitude.copysign(x) as f32
    }
}

impl Float for F16 {
    const TEXEL_BITS: i32 = 14;
    #[inline(always)]
    fn value(code: u32) -> f32 {
        f32::from_bits(widen_f16(code))
    }
    #[inline(always)]
    fn round(x: f64) -> f32 {
        // Below 2^-14 halves are multiples of 2^-24.
        let subnormal = (x.abs() * 16_777_216.0 + 0.5).floor() * (1.0 / 16_777_216.0);
        let rounded = if x.abs() < 1.0 / 16_384.0 { subnormal } else { round_bits::<42>(x).abs() };
        rounded.copysign(x) as f32
    }
}

/// Drops the lowest `DROP` bits of a significand, to nearest, ties away from zero; a carry goes
/// into the exponent by itself.
#[inline(always)]
fn round_bits<const DROP: u32>(x: f64) -> f64 {
    let half = 1_u64 << (DROP - 1);
    f64::from_bits((x.to_bits() + half) & !(2 * half - 1))
}

/// `texel::f16_to_f32` without branches, and without subnormal f32 on the way, which are slow.
#[inline(always)]
fn widen_f16(code: u32) -> u32 {
    let magnitude = (code & 0x7fff) << 13;
    let subnormal = ((code & 0x3ff) as i32 as f32 * (1.0 / 16_777_216.0)).to_bits();
    let finite = if code & 0x7c00 == 0 { subnormal } else { magnitude + (112 << 23) };
    let special = magnitude | 0x7f80_0000;
    (code & 0x8000) << 16 | if code & 0x7c00 == 0x7c00 { special } else { finite }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_texel::f16_to_f32;

    #[test]
    fn widening_halves_is_the_same_without_branches() {
        for code in 0..=u16::MAX {
            assert_eq!(widen_f16(code.into()), f16_to_f32(code), "{code:#x}");
        }
    }

    #[test]
    fn rounding_floats() {
        let min = f64::from(f32::MIN_POSITIVE);
        let step = min / 8_388_608.0;
        assert_eq!(F32::round(min - step / 2.0), f32::MIN_POSITIVE, "a tie, away from zero");
        assert_eq!(F32::round(min - step * 0.500_000_1), 0.0);
        assert_eq!(F32::round(-min + step).to_bits(), 0x8000_0000);
        assert_eq!(F32::round(1.0 + 2.0_f64.powi(-24)), 1.0 + f32::EPSILON);
        assert_eq!(F32::round(-0.0).to_bits(), 0x8000_0000);
        assert_eq!(F16::round(2.0_f64.powi(-25)), 2.0_f32.powi(-24));
        assert_eq!(F16::round(2.0_f64.powi(-25) * 0.999), 0.0);
        assert_eq!(F16::round(1.0 + 2.0_f64.powi(-11)), 1.0 + 2.0_f32.powi(-10));
    }
}
