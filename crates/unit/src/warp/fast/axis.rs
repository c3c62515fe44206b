//! From coordinates to texels along an axis: docs/numerics.md, section 1, in 32-bit integers.
//!
//! A coordinate becomes a distance in 1/256 of a texel, `floor(u * 256 + 1/2) - 128`: index and weight
//! in one number, the carry included. For sizes that are powers of two it is half of `floor(x * 512 n)`,
//! which one exact multiplication and one conversion give; for others a 64-bit product of integers.
//! That holds for coordinates below [`FAR`] texels and 1024 textures. Lanes beyond, infinite ones and
//! NaNs among them, are rare: the general way answers those.

use crate::effective::Coords;
use crate::request::{Lanes, lanes};
use crate::sampler::AddressMode;
use crate::warp::build::Build;
use crate::warp::general::axes;
use crate::warp::simd::{Arguments, Float, Int, Mask, Run, Simd, Stage, float, int, load, pick};

/// Texels from the origin up to which 512 of them still fit an i32.
const FAR: f32 = 4_194_304.0;

/// What an axis contributes to 32 footprints. No vector of it crosses two cache lines; so in the other
/// structures of lanes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct AxisLanes {
    /// Byte offset of the lower or only texel.
    pub(super) lower: Lanes,
    /// Byte offset of the upper texel, if two are looked for.
    pub(super) upper: Lanes,
    /// Weight of the upper texel in 1/256, likewise.
    pub(super) weight: Lanes,
    /// Lanes whose lower or upper texel is outside.
    pub(super) outside: [u32; 2],
    /// Lanes whose upper texel is not the one behind the lower.
    pub(super) apart: u32,
}

impl AxisLanes {
    pub(super) const ZERO: Self =
        Self { lower: [0; 32], upper: [0; 32], weight: [0; 32], outside: [0; 2], apart: 0 };
}

/// Sizes and pitches of the levels that lanes read.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Texels.
    pub(super) size: Lanes,
    /// Bytes from a texel to the next.
    pub(super) pitch: Lanes,
}

/// How texels are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// By integer coordinates (rule 1.9).
    Integer,
    /// The one that holds the point (rule 1.5).
    Point,
    /// The two around the point (rule 1.6).
    Linear,
}

/// An axis, specialised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Texels, and bytes from one to the next, where all lanes read the same level.
    size: u32,
    pitch: u32,
    /// Coordinates of this size and beyond are far.
    limit: f32,
    coords: Coords,
    /// What answers far lanes.
    exact: axes::Axis,
    run: Run<OfAxis>,
}

/// A call of the stage.
pub(super) struct Call<'a> {
    axis: &'a Axis,
    coords: &'a Lanes,
    offset: Option<&'a Lanes>,
    sizes: Option<&'a Sizes>,
    out: &'a mut AxisLanes,
}

#[derive(Debug)]
pub(super) struct OfAxis;

impl Arguments for OfAxis {
    type Of<'a> = Call<'a>;
}

const POINT: u8 = 0;
const LINEAR: u8 = 1;

/// Sizes that are powers of two, and unnormalized coordinates: `x * n` is exact (rules 1.2, 1.3).
const EXACT: u8 = 0;
/// `x` is cut to 2^-21 first.
const CUT: u8 = 1;
/// Levels of both kinds.
const MIXED: u8 = 2;

const CLAMP: u8 = 0;
const WRAP: u8 = 1;
const MIRROR: u8 = 2;
const BORDER: u8 = 3;
/// For sizes that are powers of two.
const WRAP_2: u8 = 4;
const MIRROR_2: u8 = 5;

impl Axis {
    /// The axis of a level of `size` texels that are `pitch` bytes apart; of several levels, `size` is
    /// that of the largest. `each` says that lanes bring their own sizes.
    pub(super) fn new(
        (size, pitch): (u32, u32),
        find: Find,
        coords: Coords,
        mode: AddressMode,
        each: bool,
        build: Build,
    ) -> Self {
        let scale = match coords {
            Coords::Normalized if size.is_power_of_two() => EXACT,
            Coords::Normalized if each => MIXED,
            Coords::Normalized => CUT,
            Coords::Unnormalized | Coords::Integer => EXACT,
        };
        let pow2 = size.is_power_of_two();
        let run = match (find, each) {
            (Find::Integer, false) => pick::<_, Named<false>>(build),
            (Find::Integer, true) => pick::<_, Named<true>>(build),
            (Find::Point, false) => by_scale::<POINT, false>(scale, mode, pow2, build),
            (Find::Point, true) => by_scale::<POINT, true>(scale, mode, pow2, build),
            (Find::Linear, false) => by_scale::<LINEAR, false>(scale, mode, pow2, build),
            (Find::Linear, true) => by_scale::<LINEAR, true>(scale, mode, pow2, build),
        };
        let limit = match coords {
            Coords::Normalized => (FAR / size as f32).min(1024.0),
            Coords::Unnormalized | Coords::Integer => FAR,
        };
        let found = match find {
            Find::Integer => axes::Find::Integer,
            Find::Point => axes::Find::Point,
            Find::Linear => axes::Find::Linear,
        };
        let exact = axes::Axis { find: found, coords, mode };
        Self { size, pitch, limit, coords, exact, run }
    }

    /// Fills `out` for all 32 lanes, whatever the coordinates. Offsets are texels.
    #[inline(always)]
    pub(super) fn run(
        &self,
        coords: &Lanes,
        offset: Option<&Lanes>,
        sizes: Option<&Sizes>,
        out: &mut AxisLanes,
    ) {
        self.run.call(Call { axis: self, coords, offset, sizes, out });
    }

    fn is_normalized(&self) -> bool {
        self.coords == Coords::Normalized
    }
}

fn by_scale<const FIND: u8, const EACH: bool>(
    scale: u8,
    mode: AddressMode,
    pow2: bool,
    build: Build,
) -> Run<OfAxis> {
    match scale {
        EXACT => by_mode::<FIND, EXACT, EACH>(mode, pow2, build),
        CUT => by_mode::<FIND, CUT, EACH>(mode, false, build),
        _ => by_mode::<FIND, MIXED, EACH>(mode, false, build),
    }
}

fn by_mode<const FIND: u8, const SCALE: u8, const EACH: bool>(
    mode: AddressMode,
    pow2: bool,
    build: Build,
) -> Run<OfAxis> {
    match mode {
        AddressMode::Clamp | AddressMode::ClampOgl => {
            pick::<_, Along<FIND, SCALE, CLAMP, EACH>>(build)
        }
        AddressMode::Wrap if pow2 => pick::<_, Along<FIND, SCALE, WRAP_2, EACH>>(build),
        AddressMode::Mirror if pow2 => pick::<_, Along<FIND, SCALE, MIRROR_2, EACH>>(build),
        AddressMode::Wrap => pick::<_, Along<FIND, SCALE, WRAP, EACH>>(build),
        AddressMode::Mirror => pick::<_, Along<FIND, SCALE, MIRROR, EACH>>(build),
        AddressMode::Border => pick::<_, Along<FIND, SCALE, BORDER, EACH>>(build),
    }
}

/// Rule 1.9.
struct Named<const EACH: bool>;

impl<const EACH: bool> Stage<OfAxis> for Named<EACH> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        let out = call.out;
        out.outside = [0; 2];
        for chunk in 0..32 / S::LANES {
            let (n, pitch) = sizes::<S, EACH>(simd, call.axis, call.sizes, chunk);
            let index = load(simd, call.coords, chunk);
            let index = match call.offset {
                Some(offset) => {
                    // Near the ends of i32 the sum wraps to the other end, which is outside too.
                    index + load(simd, offset, chunk)
                }
                None => index,
            };
            let outside = outside(simd, index, n);
            out.outside[0] |= outside.bits() << (chunk * S::LANES);
            (index * pitch).store(&mut out.lower, chunk);
        }
    }
}

/// Rules 1.1 to 1.8.
struct Along<const FIND: u8, const SCALE: u8, const MODE: u8, const EACH: bool>;

impl<const FIND: u8, const SCALE: u8, const MODE: u8, const EACH: bool> Stage<OfAxis>
    for Along<FIND, SCALE, MODE, EACH>
{
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: Call<'_>) {
        let Call { axis, coords, offset, sizes: of, out } = call;
        let scaled = axis.is_normalized();
        let limit = float(simd, axis.limit);
        let (mut near, mut outside_bits, mut together) = (0, [0; 2], 0);
        for chunk in 0..32 / S::LANES {
            let place = chunk * S::LANES;
            let (n, pitch) = sizes::<S, EACH>(simd, axis, of, chunk);
            let x = load(simd, coords, chunk).as_float();
            let magnitude = (x.as_int() & int(simd, i32::MAX)).as_float();
            near |= magnitude.lt(limit).bits() << place;
            let offset = match offset {
                Some(offset) => load(simd, offset, chunk),
                None => int(simd, 0),
            };
            if FIND == POINT {
                let i = texel::<S, SCALE>(simd, x, n, scaled);
                let (i, _) = address::<S, MODE>(simd, i + offset, n);
                if MODE == BORDER {
                    outside_bits[0] |= outside(simd, i, n).bits() << place;
                }
                (i * pitch).store(&mut out.lower, chunk);
                continue;
            }
            let t = distance::<S, SCALE>(simd, x, n, scaled);
            let t = t + (offset << 8);
            let t = if MODE == CLAMP {
                let last = (n << 8) - int(simd, 256);
                t.max(int(simd, 0)).min(last)
            } else {
                t
            };
            (t & int(simd, 255)).store(&mut out.weight, chunk);
            let (lower, upper) = address::<S, MODE>(simd, t >> 8, n);
            together |= upper.is(lower + int(simd, 1)).bits() << place;
            if MODE == BORDER {
                outside_bits[0] |= outside(simd, lower, n).bits() << place;
                outside_bits[1] |= outside(simd, upper, n).bits() << place;
            }
            (lower * pitch).store(&mut out.lower, chunk);
            (upper * pitch).store(&mut out.upper, chunk);
        }
        out.outside = outside_bits;
        out.apart = !together | outside_bits[0] | outside_bits[1];
        if near != u32::MAX {
            far(!near, axis, coords, offset, of, out);
        }
    }
}

#[inline(always)]
fn sizes<S: Simd, const EACH: bool>(
    simd: S,
    axis: &Axis,
    sizes: Option<&Sizes>,
    chunk: usize,
) -> (Int<S>, Int<S>) {
    match sizes {
        Some(sizes) if EACH => (load(simd, &sizes.size, chunk), load(simd, &sizes.pitch, chunk)),
        _ => (int(simd, axis.size as i32), int(simd, axis.pitch as i32)),
    }
}

// No closures here and below: they would not be compiled for the level.

/// floor(u): rules 1.2, 1.3, 1.5.
#[inline(always)]
fn texel<S: Simd, const SCALE: u8>(simd: S, x: Float<S>, n: Int<S>, scaled: bool) -> Int<S> {
    let exact = if scaled { (x * n.to_float()).floor() } else { x.floor() };
    if SCALE == EXACT {
        return exact;
    }
    let cut = (x * float(simd, 2_097_152.0)).floor().mul_shift::<21, false>(n);
    if SCALE == CUT { cut } else { is_power_of_two(simd, n).select(exact, cut) }
}

/// floor((u - 1/2) * 256 + 1/2): rules 1.2, 1.3, 1.6.
#[inline(always)]
fn distance<S: Simd, const SCALE: u8>(simd: S, x: Float<S>, n: Int<S>, scaled: bool) -> Int<S> {
    // Both factors are powers of two: one rounding, as in rule 1.2.
    let factor = if scaled { (n << 9).to_float() } else { float(simd, 512.0) };
    let exact = ((x * factor).floor() - int(simd, 255)) >> 1;
    if SCALE == EXACT {
        return exact;
    }
    let steps = (x * float(simd, 2_097_152.0)).floor();
    let cut = steps.mul_shift::<13, true>(n) - int(simd, 128);
    if SCALE == CUT { cut } else { is_power_of_two(simd, n).select(exact, cut) }
}

#[inline(always)]
fn is_power_of_two<S: Simd>(simd: S, n: Int<S>) -> Mask<S> {
    (n & (n - int(simd, 1))).is(int(simd, 0))
}

/// Rule 1.7 on the lower index and on the one after it. Border leaves them as they are.
#[inline(always)]
fn address<S: Simd, const MODE: u8>(simd: S, i: Int<S>, n: Int<S>) -> (Int<S>, Int<S>) {
    let one = int(simd, 1);
    let zero = int(simd, 0);
    let last = n - one;
    match MODE {
        CLAMP => (i.max(zero).min(last), (i + one).max(zero).min(last)),
        WRAP_2 => (i & last, (i + one) & last),
        MIRROR_2 => {
            let end = n + last;
            let (lower, upper) = (i & end, (i + one) & end);
            (lower.min(end - lower), upper.min(end - upper))
        }
        WRAP => {
            let lower = modulo(simd, i, n);
            let upper = lower + one;
            (lower, upper.is(n).select(zero, upper))
        }
        MIRROR => {
            let period = n + n;
            let i = modulo(simd, i, period);
            let next = i + one;
            let next = next.is(period).select(zero, next);
            let end = period - one;
            (i.min(end - i), next.min(end - next))
        }
        _ => (i, i + one),
    }
}

/// i mod n, of indices below 2^23: the rounded quotient is at most one off.
#[inline(always)]
fn modulo<S: Simd>(simd: S, i: Int<S>, n: Int<S>) -> Int<S> {
    let quotient = (i.to_float() * (float(simd, 1.0) / n.to_float())).floor();
    let rest = i - quotient * n;
    let rest = rest.lt(int(simd, 0)).select(rest + n, rest);
    rest.lt(n).select(rest, rest - n)
}

#[inline(always)]
fn outside<S: Simd>(simd: S, i: Int<S>, n: Int<S>) -> Mask<S> {
    i.lt(int(simd, 0)) | (n - int(simd, 1)).lt(i)
}

/// Lanes whose coordinates are too large for 32-bit arithmetic, or no numbers.
#[cold]
#[inline(never)]
fn far(
    far: u32,
    axis: &Axis,
    coords: &Lanes,
    offset: Option<&Lanes>,
    sizes: Option<&Sizes>,
    out: &mut AxisLanes,
) {
    let size = sizes.map_or([axis.size; 32], |sizes| sizes.size).map(f64::from);
    let pitch = sizes.map_or([axis.pitch; 32], |sizes| sizes.pitch);
    let offset = offset.map_or([0; 32], |offset| offset.map(|texels| texels as i32));
    let mut found = axes::AxisLanes::NONE;
    let operands = axes::Operands { coords, size: &size, offset: &offset };
    axis.exact.run(operands, &mut found);
    let (none, all) = (!far, far);
    out.outside = out.outside.map(|bits| bits & none);
    out.apart |= all;
    for lane in lanes(far) {
        let (lower, upper) = (found.lower[lane], found.upper[lane]);
        out.outside[0] |= u32::from(lower < 0) << lane;
        out.outside[1] |= u32::from(upper < 0) << lane;
        out.lower[lane] = (lower as u32).wrapping_mul(pitch[lane]);
        out.upper[lane] = (upper as u32).wrapping_mul(pitch[lane]);
        out.weight[lane] = found.weight[lane] as u32;
    }
}
