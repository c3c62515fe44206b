//! The sums of the general schedule. They compute from codes and weights the values of one channel
//! for 32 lanes (docs/numerics.md, section 2, "Sums", and section 5).

use super::indices::Buffers;
use crate::reference::sum::depth24;
use crate::request::Lanes;
use crate::warp::channel::{
    Channel, F16, F32, FloatChannel, FloatFilter, Fraction, Half, Normalized, Point, Reads, Signed,
    Snorm, Snorm8, Snorm16, SrgbSum, Unorm, Unorm2, Unorm8, Unorm10, Unorm16, finish_pairs,
    srgb_value,
};
use crate::warp::prefetch::NoPrefetch;
use crate::warp::simd::{Int, Mask, Simd, Stage, arguments, float, int, load, mask};
use texunit_texel::Reading;

/// The number of groups that a lane sums, and of texels per group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of groups (slices of levels): 1, 2 or 4.
    pub(super) groups: usize,
    /// The number of texels per group: 1 or 4.
    pub(super) per: usize,
}

impl Shape {
    /// The indices of the texels in the buffers.
    #[inline(always)]
    pub(super) fn places(self) -> impl Iterator<Item = usize> {
        (0..self.groups).flat_map(move |group| 4 * group..4 * group + self.per)
    }
}

/// The arguments of the stages that convert the codes of a channel. They are stages of their own,
/// because they are used for up to four channels.
struct CodeCall<'a> {
    reading: Reading,
    codes: &'a Lanes,
    out: &'a mut Lanes,
}

arguments!(CodeArgs = CodeCall);

/// Computes the values that point fetches return for codes.
#[inline(always)]
pub(super) fn point<S: Simd>(simd: S, reading: Reading, codes: &Lanes, out: &mut Lanes) {
    simd.call::<CodeArgs, PointValues>(CodeCall { reading, codes, out });
}

struct PointValues;

impl Stage<CodeArgs> for PointValues {
    #[inline(always)]
    fn run<S: Simd>(simd: S, CodeCall { reading, codes, out }: CodeCall<'_>) {
        match reading {
            Reading::Missing => out.fill(0),
            Reading::Sint { bits: 8 } => each::<S, Signed<1>>(simd, codes, out),
            Reading::Sint { bits: 16 } => each::<S, Signed<2>>(simd, codes, out),
            Reading::Uint { .. } | Reading::Sint { .. } | Reading::F32 => *out = *codes,
            Reading::Unorm { bits: 8 } => each::<S, Unorm<1>>(simd, codes, out),
            Reading::Unorm { bits: 16 } => each::<S, Unorm<2>>(simd, codes, out),
            Reading::Snorm { bits: 8 } => each::<S, Snorm<1>>(simd, codes, out),
            Reading::Snorm { bits: 16 } => each::<S, Snorm<2>>(simd, codes, out),
            Reading::F16 => each::<S, Half>(simd, codes, out),
            Reading::Unorm { bits: 24 } => each::<S, Fraction<24>>(simd, codes, out),
            Reading::One | Reading::Unorm { .. } | Reading::Snorm { .. } | Reading::Srgb => {
                for lane in 0..32 {
                    out[lane] = reading.point(codes[lane]);
                }
            }
        }
    }
}

#[inline(always)]
fn each<S: Simd, C: Point>(simd: S, codes: &Lanes, out: &mut Lanes) {
    for chunk in 0..32 / S::LANES {
        C::value(simd, load(simd, codes, chunk)).store(out, chunk);
    }
}

/// Computes the values that a gather (`tld4`) returns for the codes of texels, which are the bits
/// of a channel as stored (docs/numerics.md 8).
#[inline(always)]
pub(super) fn gather<S: Simd>(simd: S, reading: Reading, codes: &Lanes, out: &mut Lanes) {
    simd.call::<CodeArgs, GatherValues>(CodeCall { reading, codes, out });
}

struct GatherValues;

impl Stage<CodeArgs> for GatherValues {
    #[inline(always)]
    fn run<S: Simd>(simd: S, CodeCall { reading, codes, out }: CodeCall<'_>) {
        match reading {
            Reading::Snorm { bits: 8 } => alone::<S, Snorm8>(simd, codes, out),
            Reading::Unorm { bits: 10 } => alone::<S, Unorm10>(simd, codes, out),
            Reading::Unorm { bits: 2 } => alone::<S, Unorm2>(simd, codes, out),
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
}

/// Computes the filtered values of single texels that have the whole weight.
#[inline(always)]
fn alone<S: Simd, C: Normalized>(simd: S, codes: &Lanes, out: &mut Lanes) {
    for chunk in 0..32 / S::LANES {
        let code = C::widen(simd, load(simd, codes, chunk));
        C::finish(simd, code << 8).store(out, chunk);
    }
}

/// The arguments of the stage that sums a channel.
struct SumCall<'a> {
    reading: Reading,
    shape: Shape,
    buffers: &'a Buffers,
    /// The channel.
    c: usize,
    out: &'a mut Lanes,
}

arguments!(SumArgs = SumCall);

/// Computes the weighted sum of a channel.
#[inline(always)]
pub(super) fn sum<S: Simd>(
    simd: S,
    (reading, shape): (Reading, Shape),
    buffers: &Buffers,
    c: usize,
    out: &mut Lanes,
) {
    simd.call::<SumArgs, Sum>(SumCall { reading, shape, buffers, c, out });
}

struct Sum;

impl Stage<SumArgs> for Sum {
    #[inline(always)]
    fn run<S: Simd>(simd: S, SumCall { reading, shape, buffers, c, out }: SumCall<'_>) {
        match reading {
            Reading::Missing => out.fill(0),
            Reading::Uint { bits }
            | Reading::Sint { bits }
            | Reading::Unorm { bits: bits @ 24 } => {
                let is_signed = matches!(reading, Reading::Sint { .. });
                let sums = totals(shape, buffers, c, (bits, is_signed));
                // 8 and 16 bits round to nearest, halves up; 32 bits round down.
                let half = if bits < 32 { 128 } else { 0 };
                for lane in 0..32 {
                    out[lane] = match reading {
                        Reading::Unorm { .. } => depth24(sums[lane], 0),
                        _ => ((sums[lane] + half) >> 8) as u32,
                    };
                }
            }
            Reading::One => out.fill(1.0_f32.to_bits()),
            Reading::Unorm { bits: 2 } => normalized::<S, Unorm2>(simd, shape, buffers, c, out),
            Reading::Unorm { bits: 8 } => normalized::<S, Unorm8>(simd, shape, buffers, c, out),
            Reading::Unorm { bits: 10 } => normalized::<S, Unorm10>(simd, shape, buffers, c, out),
            Reading::Unorm { .. } => normalized::<S, Unorm16>(simd, shape, buffers, c, out),
            Reading::Snorm { bits: 8 } => normalized::<S, Snorm8>(simd, shape, buffers, c, out),
            Reading::Snorm { .. } => normalized::<S, Snorm16>(simd, shape, buffers, c, out),
            Reading::Srgb => srgb(simd, shape, buffers, c, out),
            Reading::F16 => channel::<S, FloatFilter<F16>>(simd, shape, buffers, c, out),
            Reading::F32 => channel::<S, FloatFilter<F32>>(simd, shape, buffers, c, out),
        }
    }
}

/// The sums of weight times number over each lane's texels. Codes of `bits` bits are numbers with
/// or without a sign.
#[inline(always)]
fn totals(shape: Shape, buffers: &Buffers, c: usize, (bits, is_signed): (u8, bool)) -> [i64; 32] {
    let mut sums = [0; 32];
    let sign = if is_signed { 1_u32 << (bits - 1) } else { 0 };
    let mask = if is_signed { u32::MAX >> (32 - bits) } else { u32::MAX };
    for k in shape.places() {
        for lane in 0..32 {
            let code = (buffers.texels[k][c][lane] & mask) ^ sign;
            let number = i64::from(code) - i64::from(sign);
            sums[lane] += i64::from(buffers.weights[k][lane]) * number;
        }
    }
    sums
}

/// Sums sRGB channels: first the slices of the finer level, then those of the coarser level.
#[inline(always)]
fn srgb<S: Simd>(simd: S, shape: Shape, buffers: &Buffers, c: usize, out: &mut Lanes) {
    for chunk in 0..32 / S::LANES {
        let mut sum = SrgbSum::new(simd);
        if shape.groups == 4 {
            for level in 0..2 {
                let first = group_of(simd, buffers, (2 * level, c), chunk);
                let second = group_of(simd, buffers, (2 * level + 1, c), chunk);
                sum.add(simd, &[first.0, second.0], &[first.1, second.1]);
            }
        } else {
            // Two groups may be added in any order.
            for group in 0..shape.groups {
                let (codes, weights) = group_of(simd, buffers, (group, c), chunk);
                sum.add(simd, &[codes], &[weights]);
            }
        }
        srgb_value(simd, sum.total()).store(out, chunk);
    }
}

/// Tells which texels are read, from the buffers, for the lanes of a vector.
struct BufferReads<'a> {
    read: &'a [u32; 16],
    chunk: usize,
}

impl<S: Simd> Reads<S> for BufferReads<'_> {
    #[inline(always)]
    fn read(&self, simd: S, group: usize, texel: usize) -> Mask<S> {
        mask(simd, self.read[4 * group + texel], self.chunk)
    }
}

/// Sums normalized codes, whose sums are exact in f32 in any order.
#[inline(always)]
fn normalized<S: Simd, C: Normalized>(
    simd: S,
    shape: Shape,
    buffers: &Buffers,
    c: usize,
    out: &mut Lanes,
) {
    for chunk in 0..32 / S::LANES {
        let mut sum = float(simd, 0.0);
        for group in 0..shape.groups {
            for k in 4 * group..4 * group + shape.per {
                let code = C::widen(simd, load(simd, &buffers.texels[k][c], chunk));
                let weight = load(simd, &buffers.weights[k], chunk);
                sum = sum + code.to_float() * weight.to_float();
            }
        }
        C::finish(simd, sum.to_int()).store(out, chunk);
    }
}

#[inline(always)]
fn channel<S: Simd, C: Channel>(
    simd: S,
    shape: Shape,
    buffers: &Buffers,
    c: usize,
    out: &mut Lanes,
) {
    match shape.groups {
        1 => footprints::<S, C, 1>(simd, buffers, c, out),
        2 => footprints::<S, C, 2>(simd, buffers, c, out),
        _ => footprints::<S, C, 4>(simd, buffers, c, out),
    }
}

/// Sums a channel in groups of four texels. If a group has one texel, the others have weight 0.
#[inline(always)]
fn footprints<S: Simd, C: Channel, const GROUPS: usize>(
    simd: S,
    buffers: &Buffers,
    c: usize,
    out: &mut Lanes,
) {
    for chunk in 0..32 / S::LANES {
        let zero = int(simd, 0);
        let (mut codes, mut weights) = ([[zero; 4]; GROUPS], [[zero; 4]; GROUPS]);
        let mut made = [[C::weight(zero); 4]; GROUPS];
        for g in 0..GROUPS {
            (codes[g], weights[g]) = group_of(simd, buffers, (g, c), chunk);
            for k in 0..4 {
                made[g][k] = C::weight(weights[g][k]);
            }
        }
        let reads = BufferReads { read: &buffers.read, chunk };
        C::sum(simd, &codes, &weights, &made, &reads, NoPrefetch).store(out, chunk);
    }
}

/// Codes of channel `c` and the weights of the four texels in a group, for the lanes of a vector.
#[inline(always)]
fn group_of<S: Simd>(
    simd: S,
    buffers: &Buffers,
    (group, c): (usize, usize),
    chunk: usize,
) -> ([Int<S>; 4], [Int<S>; 4]) {
    let (mut codes, mut weights) = ([int(simd, 0); 4], [int(simd, 0); 4]);
    for k in 0..4 {
        codes[k] = load(simd, &buffers.texels[4 * group + k][c], chunk);
        weights[k] = load(simd, &buffers.weights[4 * group + k], chunk);
    }
    (codes, weights)
}

/// Sums four channels of 8-bit unorm, whose codes are stored in pairs, two channels at a time.
#[inline(always)]
pub(super) fn byte_pairs<S: Simd>(
    simd: S,
    shape: Shape,
    buffers: &Buffers,
    components: u8,
    out: &mut [Lanes; 4],
) {
    for pair in 0..2 {
        for chunk in 0..32 / S::LANES {
            let mut sum: Int<S> = int(simd, 0);
            for group in 0..shape.groups {
                for k in 4 * group..4 * group + shape.per {
                    let codes = load(simd, &buffers.texels[k][pair], chunk);
                    sum = sum + codes * load(simd, &buffers.weights[k], chunk);
                }
            }
            let values = finish_pairs(simd, sum);
            for half in 0..2 {
                if components >> (2 * pair + half) & 1 == 1 {
                    values[half].store(&mut out[2 * pair + half], chunk);
                }
            }
        }
    }
}
