//! Third stage: from texels to results, for 32 lanes.

use super::axis::AxisLanes;
use super::build::Build;
use super::class::{
    Bits32, F16, F32, Float, Normalized, Point, S8, S16, Snorm8, Snorm16, U8, U16, Unorm8, Unorm16,
};
use super::texels::{Source, TexelLanes, code, corner, gather};
use crate::request::Lanes;
use texunit_memory::Block;
use texunit_texel::{Channel, Format};

/// What a kernel works on.
pub(super) struct Job<'a> {
    pub(super) axes: [&'a AxisLanes; 3],
    pub(super) source: &'a Source,
    pub(super) block: &'a Block,
    /// Texels of a footprint: 1, 2 (a row), 4 or 8.
    pub(super) corners: usize,
    /// Components that are wanted.
    pub(super) components: u8,
}

/// What kernels write between their loops, so that they need not clear it: up to two levels of
/// two slices of four texels. Those of a slice are a group, and groups of fewer texels leave room.
#[derive(Clone, Debug)]
pub(super) struct Buffers {
    pub(super) texels: [TexelLanes; 16],
    pub(super) weights: [[i32; 32]; 16],
}

impl Buffers {
    pub(super) const ZERO: Self = Self { texels: [[[0; 32]; 4]; 16], weights: [[0; 32]; 16] };
}

/// Gathers and filters: fills `results` for the wanted components that the
/// format has. Others are left.
///
/// # Safety
/// The [`Build`] that it was picked for must run on this machine.
pub(super) type Kernel = unsafe fn(&Job<'_>, &mut Buffers, &mut [Lanes; 4]);

/// The kernel for a format; `None` if there is none (which `resolve` has refused before).
pub(super) fn pick(format: Format, normalized: bool, linear: bool, build: Build) -> Option<Kernel> {
    let n = format.channels();
    Some(match (format.plain_channel()?, normalized, linear) {
        (Channel::U8, false, false) => pick_point::<U8>(n, build),
        (Channel::S8, false, false) => pick_point::<S8>(n, build),
        (Channel::U16, false, false) => pick_point::<U16>(n, build),
        (Channel::S16, false, false) => pick_point::<S16>(n, build),
        (Channel::U32 | Channel::S32 | Channel::F32, false, false) => {
            pick_point::<Bits32>(n, build)
        }
        (Channel::F16, false, false) => pick_point::<F16>(n, build),
        (Channel::U8, true, false) => pick_point::<Unorm8>(n, build),
        (Channel::S8, true, false) => pick_point::<Snorm8>(n, build),
        (Channel::U16, true, false) => pick_point::<Unorm16>(n, build),
        (Channel::S16, true, false) => pick_point::<Snorm16>(n, build),
        (Channel::U8, true, true) => pick_normalized::<Unorm8>(n, build),
        (Channel::S8, true, true) => pick_normalized::<Snorm8>(n, build),
        (Channel::U16, true, true) => pick_normalized::<Unorm16>(n, build),
        (Channel::S16, true, true) => pick_normalized::<Snorm16>(n, build),
        (Channel::F16, false, true) => pick_float::<F16>(n, build),
        (Channel::F32, false, true) => pick_float::<F32>(n, build),
        _ => return None,
    })
}

/// Makes a function that picks a kernel by number of channels, AVX2 or portable.
macro_rules! two_builds {
    ($pick:ident, $kernel:ident, $class:ident) => {
        fn $pick<C: $class>(channels: u8, build: Build) -> Kernel {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn fast<C: $class, const N: usize>(j: &Job<'_>, s: &mut Buffers, r: &mut [Lanes; 4]) {
                $kernel::<C, N>(j, s, r);
            }
            fn portable<C: $class, const N: usize>(
                j: &Job<'_>,
                s: &mut Buffers,
                r: &mut [Lanes; 4],
            ) {
                $kernel::<C, N>(j, s, r);
            }
            #[cfg(target_arch = "x86_64")]
            if build.is_avx2() {
                return match channels {
                    1 => fast::<C, 1>,
                    2 => fast::<C, 2>,
                    _ => fast::<C, 4>,
                };
            }
            let _ = build;
            match channels {
                1 => portable::<C, 1>,
                2 => portable::<C, 2>,
                _ => portable::<C, 4>,
            }
        }
    };
}

two_builds!(pick_point, point, Point);
two_builds!(pick_normalized, normalized, Normalized);
two_builds!(pick_float, float, Float);

/// Texels of `texel_size` bytes, for all corners.
#[inline(always)]
fn gather_all(job: &Job<'_>, buffers: &mut Buffers, texel_size: usize) {
    for (c, out) in buffers.texels.iter_mut().enumerate().take(job.corners) {
        let offsets = corner(&job.axes, c);
        // A constant for each kernel: the match goes away.
        match texel_size {
            1 => gather::<1>(job.source, job.block, offsets, out),
            2 => gather::<2>(job.source, job.block, offsets, out),
            4 => gather::<4>(job.source, job.block, offsets, out),
            8 => gather::<8>(job.source, job.block, offsets, out),
            _ => gather::<16>(job.source, job.block, offsets, out),
        }
    }
}

/// Weights of all corners (docs/numerics.md 2, "Weights"), split along z, x, y.
#[inline(always)]
fn weigh_all(job: &Job<'_>, w: &mut [[i32; 32]; 16]) {
    let [x, y, z] = job.axes;
    if job.corners == 2 {
        for lane in 0..32 {
            w[0][lane] = 256 - x.weight[lane];
            w[1][lane] = x.weight[lane];
        }
        return;
    }
    for k in (0..job.corners).step_by(4) {
        for lane in 0..32 {
            let (a, b, c) = (x.weight[lane], y.weight[lane], z.weight[lane]);
            // 256 - c and c need no rounding.
            let total = if k == 4 { c } else { 256 - c };
            let right = (total * a + 128) >> 8;
            let left = total - right;
            let w11 = (right * b + 128) >> 8;
            let w00 = (left * (256 - b) + 128) >> 8;
            w[k][lane] = w00;
            w[k + 1][lane] = right - w11;
            w[k + 2][lane] = left - w00;
            w[k + 3][lane] = w11;
        }
    }
}

/// Point-sampled values.
#[inline(always)]
fn point<C: Point, const N: usize>(job: &Job<'_>, buffers: &mut Buffers, results: &mut [Lanes; 4]) {
    gather_all(job, buffers, N * C::SIZE);
    for c in 0..N {
        if job.components >> c & 1 == 1 {
            for lane in 0..32 {
                results[c][lane] = C::value(code(C::SIZE, &buffers.texels[0], c, lane));
            }
        }
    }
}

/// Sums of integers: 24 bits at most.
#[inline(always)]
fn normalized<C: Normalized, const N: usize>(
    job: &Job<'_>,
    buffers: &mut Buffers,
    results: &mut [Lanes; 4],
) {
    gather_all(job, buffers, N * C::SIZE);
    weigh_all(job, &mut buffers.weights);
    for c in 0..N {
        if job.components >> c & 1 == 0 {
            continue;
        }
        let mut sum = [0; 32];
        for (texels, weights) in buffers.texels.iter().zip(&buffers.weights).take(job.corners) {
            for lane in 0..32 {
                sum[lane] += weights[lane] * C::widen(code(C::SIZE, texels, c, lane));
            }
        }
        for lane in 0..32 {
            results[c][lane] = C::finish(sum[lane]).to_bits();
        }
    }
}

/// Sums of floats.
#[inline(always)]
fn float<C: Float, const N: usize>(job: &Job<'_>, buffers: &mut Buffers, results: &mut [Lanes; 4]) {
    gather_all(job, buffers, N * C::SIZE);
    weigh_all(job, &mut buffers.weights);
    for c in 0..N {
        if job.components >> c & 1 == 1 {
            match job.corners {
                2 => float_channel::<C, 1, 2>(buffers, c, &mut results[c]),
                4 => float_channel::<C, 1, 4>(buffers, c, &mut results[c]),
                _ => float_channel::<C, 2, 4>(buffers, c, &mut results[c]),
            }
        }
    }
}

/// One channel: groups of `PER` texels, each group in its four places (docs/numerics.md 2, "Sum").
///
/// All in f64, and exactly: a texel is cut to 28 bits (f16: 15), its weight has 9, a group's sum
/// at most 37; other groups add two bits. Scalings are by powers of two well inside the range.
/// Sums start from -0, which adds nothing and leaves a sum of -0s what it is.
#[inline(always)]
pub(super) fn float_channel<C: Float, const GROUPS: usize, const PER: usize>(
    buffers: &Buffers,
    channel: usize,
    out: &mut Lanes,
) {
    let mut largest = [0; 32];
    for lane in 0..32 {
        let value = |k: usize| C::widen(code(C::SIZE, &buffers.texels[k], channel, lane));
        let mut exponents = [0; GROUPS];
        for group in 0..GROUPS {
            for k in 4 * group..4 * group + PER {
                let field = (value(k).to_bits() >> 23 & 0xff) as i32;
                let field = if buffers.weights[k][lane] == 0 { 0 } else { field };
                let exponent = &mut exponents[group];
                *exponent = if field > *exponent { field } else { *exponent };
            }
        }
        let mut top = exponents[0];
        for &exponent in &exponents {
            top = if exponent > top { exponent } else { top };
        }
        let mut total = -0.0;
        for group in 0..GROUPS {
            let exponent = exponents[group];
            let scale = power_of_two(C::TEXEL_BITS + 127 - exponent);
            let mut sum = -0.0;
            for k in 4 * group..4 * group + PER {
                let weight = buffers.weights[k][lane];
                let part = (f64::from(value(k)) * scale).trunc() * f64::from(weight);
                sum += if weight == 0 { -0.0 } else { part };
            }
            // Now in units of the sum: a bit below those of the largest group's texels.
            total += (sum * power_of_two(exponent - top + 1)).floor();
        }
        largest[lane] = top;
        out[lane] = C::round(total * power_of_two(top - 127 - C::TEXEL_BITS - 1 - 8)).to_bits();
    }
    for lane in 0..32 {
        if largest[lane] == 255 {
            out[lane] = not_finite::<C, GROUPS, PER>(buffers, channel, lane);
        }
    }
}

/// An infinity or a NaN among the texels: plain arithmetic.
#[cold]
fn not_finite<C: Float, const GROUPS: usize, const PER: usize>(
    buffers: &Buffers,
    channel: usize,
    lane: usize,
) -> u32 {
    let mut sum = 0.0;
    for k in (0..GROUPS).flat_map(|group| 4 * group..4 * group + PER) {
        let weight = buffers.weights[k][lane];
        if weight != 0 {
            let value = C::widen(code(C::SIZE, &buffers.texels[k], channel, lane));
            sum += f64::from(value) * f64::from(weight);
        }
    }
    if sum.is_nan() { C::NAN } else { (sum as f32).to_bits() }
}

/// 2^exponent, for exponents of normal f64 numbers.
#[inline(always)]
pub(super) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}
