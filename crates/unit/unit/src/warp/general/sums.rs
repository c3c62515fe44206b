//! From codes and weights to values: docs/numerics.md, section 2, "Sum", and section 5, for a
//! channel of 32 lanes.

use super::buffers::{Buffers, float_channel};
use super::class::{
    F16, F32, Float, Normalized, Point, S8, S16, Snorm8, Snorm16, U8, U16, Unorm8, Unorm16,
};
use super::halves::half_channel;
use crate::request::Lanes;
use crate::warp::simd::{Arguments, Simd, Stage};
use texunit_texel::{Reading, srgb_table};

/// How many texels there are: groups, and texels of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// 1, 2 or 4: slices of levels.
    pub(super) groups: usize,
    /// 1 or 4.
    pub(super) per: usize,
}

impl Shape {
    /// Their places in the buffers.
    #[inline(always)]
    pub(super) fn places(self) -> impl Iterator<Item = usize> {
        (0..self.groups).flat_map(move |group| 4 * group..4 * group + self.per)
    }
}

/// A call of the stages of a channel: functions of their own, as there are up to four channels.
struct OfCodes<'a> {
    reading: Reading,
    codes: &'a Lanes,
    out: &'a mut Lanes,
}

#[derive(Debug)]
struct OfPoint;

impl Arguments for OfPoint {
    type Of<'a> = OfCodes<'a>;
}

struct PointValues;

impl Stage<OfPoint> for PointValues {
    #[inline(always)]
    fn run<S: Simd>(_: S, OfCodes { reading, codes, out }: OfCodes<'_>) {
        point_here(reading, codes, out);
    }
}

/// What a point-sampled fetch returns for codes.
#[inline(always)]
pub(super) fn point<S: Simd>(simd: S, reading: Reading, codes: &Lanes, out: &mut Lanes) {
    simd.call::<OfPoint, PointValues>(OfCodes { reading, codes, out });
}

#[inline(always)]
fn point_here(reading: Reading, codes: &Lanes, out: &mut Lanes) {
    match reading {
        Reading::Missing => out.fill(0),
        Reading::Uint { bits: 8 } => each::<U8>(codes, out),
        Reading::Uint { bits: 16 } => each::<U16>(codes, out),
        Reading::Sint { bits: 8 } => each::<S8>(codes, out),
        Reading::Sint { bits: 16 } => each::<S16>(codes, out),
        Reading::Uint { .. } | Reading::Sint { .. } | Reading::F32 => *out = *codes,
        Reading::Unorm { bits: 8 } => each::<Unorm8>(codes, out),
        Reading::Unorm { bits: 16 } => each::<Unorm16>(codes, out),
        Reading::Snorm { bits: 8 } => each::<Snorm8>(codes, out),
        Reading::Snorm { bits: 16 } => each::<Snorm16>(codes, out),
        Reading::F16 => each::<F16>(codes, out),
        Reading::Unorm { bits: 2 } => each::<Unorm2>(codes, out),
        Reading::Unorm { bits: 10 } => each::<Unorm10>(codes, out),
        Reading::Unorm { bits: 24 } => each::<Unorm24>(codes, out),
        Reading::One | Reading::Unorm { .. } | Reading::Snorm { .. } | Reading::Srgb => {
            for lane in 0..32 {
                out[lane] = reading.point(codes[lane]);
            }
        }
    }
}

struct GatherValues;

impl Stage<OfPoint> for GatherValues {
    #[inline(always)]
    fn run<S: Simd>(simd: S, OfCodes { reading, codes, out }: OfCodes<'_>) {
        gather_here(simd, reading, codes, out);
    }
}

/// What a gather returns for codes (docs/numerics.md 8).
#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, reading: Reading, codes: &Lanes, out: &mut Lanes) {
    simd.call::<OfPoint, GatherValues>(OfCodes { reading, codes, out });
}

#[inline(always)]
fn gather_here<S: Simd>(simd: S, reading: Reading, codes: &Lanes, out: &mut Lanes) {
    match reading {
        Reading::Snorm { bits: 8 } => whole::<Snorm8>(codes, out),
        Reading::Unorm { bits: 10 } => whole::<Unorm10>(codes, out),
        Reading::F32 => {
            for lane in 0..32 {
                let code = codes[lane];
                let flushed = if code & 0x7f80_0000 == 0 { code & 0x8000_0000 } else { code };
                let is_nan = code & 0x7fff_ffff > 0x7f80_0000;
                out[lane] = if is_nan { F32::NAN } else { flushed };
            }
        }
        _ => point(simd, reading, codes, out),
    }
    if reading == Reading::F16 {
        for lane in 0..32 {
            let is_nan = codes[lane] & 0x7fff > 0x7c00;
            out[lane] = if is_nan { F16::NAN } else { out[lane] };
        }
    }
}

/// The filter's values of single texels of all the weight.
#[inline(always)]
fn whole<C: Normalized>(codes: &Lanes, out: &mut Lanes) {
    for lane in 0..32 {
        out[lane] = C::finish(256 * C::widen(codes[lane])).to_bits();
    }
}

#[inline(always)]
fn each<C: Point>(codes: &Lanes, out: &mut Lanes) {
    for lane in 0..32 {
        out[lane] = C::value(codes[lane]);
    }
}

/// A channel to be summed.
struct OfTexels<'a> {
    reading: Reading,
    shape: Shape,
    buffers: &'a Buffers,
    channel: usize,
    out: &'a mut Lanes,
}

#[derive(Debug)]
struct OfSum;

impl Arguments for OfSum {
    type Of<'a> = OfTexels<'a>;
}

struct Sum;

impl Stage<OfSum> for Sum {
    #[inline(always)]
    fn run<S: Simd>(_: S, OfTexels { reading, shape, buffers, channel, out }: OfTexels<'_>) {
        sum_here(reading, shape, buffers, channel, out);
    }
}

/// The weighted sum of a channel. Integers have none: plans that would need it are refused.
#[inline(always)]
pub(super) fn sum<S: Simd>(
    simd: S,
    (reading, shape): (Reading, Shape),
    buffers: &Buffers,
    channel: usize,
    out: &mut Lanes,
) {
    simd.call::<OfSum, Sum>(OfTexels { reading, shape, buffers, channel, out });
}

#[inline(always)]
fn sum_here(reading: Reading, shape: Shape, buffers: &Buffers, channel: usize, out: &mut Lanes) {
    match reading {
        Reading::Missing | Reading::Uint { .. } | Reading::Sint { .. } => out.fill(0),
        Reading::One => out.fill(1.0_f32.to_bits()),
        Reading::Unorm { bits: 2 } => integers::<Unorm2>(shape, buffers, channel, out),
        Reading::Unorm { bits: 8 } => integers::<Unorm8>(shape, buffers, channel, out),
        Reading::Unorm { bits: 10 } => integers::<Unorm10>(shape, buffers, channel, out),
        Reading::Unorm { bits: 24 } => unorm24(shape, buffers, channel, out),
        Reading::Unorm { .. } => integers::<Unorm16>(shape, buffers, channel, out),
        Reading::Snorm { bits: 8 } => integers::<Snorm8>(shape, buffers, channel, out),
        Reading::Snorm { .. } => integers::<Snorm16>(shape, buffers, channel, out),
        Reading::Srgb => srgb(shape, buffers, channel, out),
        Reading::F16 => halves(shape, buffers, channel, out),
        Reading::F32 => floats(shape, buffers, channel, out),
    }
}

/// Two bits, widened to sixteen.
pub(super) struct Unorm2;
/// Ten bits, widened to sixteen.
pub(super) struct Unorm10;
/// Depths of 24 bits.
struct Unorm24;

impl Point for Unorm2 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        (code as i32 as f32 / 3.0).to_bits()
    }
}

impl Point for Unorm10 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        (code as i32 as f32 / 1023.0).to_bits()
    }
}

impl Point for Unorm24 {
    #[inline(always)]
    fn value(code: u32) -> u32 {
        (code as i32 as f32 / 16_777_215.0).to_bits()
    }
}

impl Normalized for Unorm2 {
    #[inline(always)]
    fn widen(code: u32) -> i32 {
        (code * 0x5555) as i32
    }
    #[inline(always)]
    fn finish(sum: i32) -> f32 {
        Unorm16::finish(sum)
    }
}

impl Normalized for Unorm10 {
    #[inline(always)]
    fn widen(code: u32) -> i32 {
        (code << 6 | code >> 4) as i32
    }
    #[inline(always)]
    fn finish(sum: i32) -> f32 {
        Unorm16::finish(sum)
    }
}

/// Sums of 24 bits at most.
#[inline(always)]
fn integers<C: Normalized>(shape: Shape, buffers: &Buffers, channel: usize, out: &mut Lanes) {
    let mut sum = [0; 32];
    for k in shape.places() {
        let (codes, weights) = (&buffers.texels[k][channel], &buffers.weights[k]);
        for lane in 0..32 {
            sum[lane] += weights[lane] * C::widen(codes[lane]);
        }
    }
    for lane in 0..32 {
        out[lane] = C::finish(sum[lane]).to_bits();
    }
}

/// Four channels of 8-bit unorm, of codes in pairs: their sums of at most 255 * 256 do not leave
/// 16 bits, and so they are made in pairs too.
#[inline(always)]
pub(super) fn byte_pairs(shape: Shape, buffers: &Buffers, components: u8, out: &mut [Lanes; 4]) {
    for pair in 0..2 {
        let mut sum = [0; 32];
        for group in 0..shape.groups {
            for k in 4 * group..4 * group + shape.per {
                let (codes, weights) = (&buffers.texels[k][pair], &buffers.weights[k]);
                for lane in 0..32 {
                    sum[lane] += weights[lane] as u32 * codes[lane];
                }
            }
        }
        for half in 0..2 {
            let c = 2 * pair + half;
            if components >> c & 1 == 1 {
                let bit = 16 * half;
                for lane in 0..32 {
                    let sum = (sum[lane] >> bit & 0xffff) as i32;
                    out[c][lane] = Unorm8::finish(sum).to_bits();
                }
            }
        }
    }
}

/// Depths of 24 bits: sums of 32.
#[inline(always)]
fn unorm24(shape: Shape, buffers: &Buffers, channel: usize, out: &mut Lanes) {
    let mut sum = [0_i64; 32];
    for k in shape.places() {
        let (codes, weights) = (&buffers.texels[k][channel], &buffers.weights[k]);
        for lane in 0..32 {
            sum[lane] += i64::from(weights[lane]) * i64::from(codes[lane]);
        }
    }
    for lane in 0..32 {
        out[lane] = finish_unorm24((sum[lane] + 128) >> 8);
    }
}

/// The nearest float to K over 2^24 - 1.
#[inline(always)]
pub(super) fn finish_unorm24(k: i64) -> u32 {
    (k as f32 / 16_777_215.0).to_bits()
}

#[inline(always)]
fn halves(shape: Shape, buffers: &Buffers, channel: usize, out: &mut Lanes) {
    match (shape.groups, shape.per) {
        (1, 1) => half_channel::<1, 1>(buffers, channel, out),
        (1, _) => half_channel::<1, 4>(buffers, channel, out),
        (2, 1) => half_channel::<2, 1>(buffers, channel, out),
        (2, _) => half_channel::<2, 4>(buffers, channel, out),
        _ => half_channel::<4, 4>(buffers, channel, out),
    }
}

#[inline(always)]
fn floats(shape: Shape, buffers: &Buffers, channel: usize, out: &mut Lanes) {
    match (shape.groups, shape.per) {
        (1, 1) => float_channel::<1, 1>(buffers, channel, out),
        (1, _) => float_channel::<1, 4>(buffers, channel, out),
        (2, 1) => float_channel::<2, 1>(buffers, channel, out),
        (2, _) => float_channel::<2, 4>(buffers, channel, out),
        _ => float_channel::<4, 4>(buffers, channel, out),
    }
}

/// Section 5, in 1/65536 and weights of 1/256.
#[inline(always)]
fn srgb(shape: Shape, buffers: &Buffers, channel: usize, out: &mut Lanes) {
    let mut total = [0; 32];
    for group in 0..shape.groups {
        srgb_group(buffers, group, shape.per, channel, &mut total);
    }
    for lane in 0..32 {
        out[lane] = F16::round(f64::from(total[lane]) * (1.0 / 16_777_216.0)).to_bits();
    }
}

/// Adds weights times values of a footprint, each value cut to eight bits below the largest: eight
/// codes in a row share the exponent of the last. At most 2^24 in all.
#[inline(always)]
pub(super) fn srgb_group(
    buffers: &Buffers,
    group: usize,
    per: usize,
    channel: usize,
    sum: &mut [i32; 32],
) {
    let table = srgb_table();
    let places = 4 * group..4 * group + per;
    // The table rises, so the largest code will do.
    let mut largest = [0; 32];
    for k in places.clone() {
        let (codes, weights) = (&buffers.texels[k][channel], &buffers.weights[k]);
        for lane in 0..32 {
            let code = if weights[lane] > 0 { codes[lane] } else { 0 };
            largest[lane] = if code > largest[lane] { code } else { largest[lane] };
        }
    }
    let mut values = [0; 32];
    for lane in 0..32 {
        largest[lane] |= 7;
    }
    look_up(table, &largest, &mut values);
    let mut masks = [0; 32];
    for lane in 0..32 {
        // 140 to 65536: the exponent is 7 to 16.
        let exponent = ((values[lane] as f32).to_bits() >> 23) - 127;
        masks[lane] = !0 << (exponent - 7);
    }
    for k in places {
        look_up(table, &buffers.texels[k][channel], &mut values);
        for lane in 0..32 {
            sum[lane] += buffers.weights[k][lane] * (values[lane] & masks[lane]) as i32;
        }
    }
}

/// Entries of a table.
#[inline(always)]
fn look_up(table: &[u32; 256], codes: &Lanes, out: &mut Lanes) {
    for lane in 0..32 {
        out[lane] = table[(codes[lane] & 0xff) as usize];
    }
}
