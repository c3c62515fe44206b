//! First stage: coordinates of 32 lanes to byte offsets along an axis, and weights.
//!
//! Coordinates are carried in f64, where everything that decides is exact: a coordinate in texels
//! has at most 42 significant bits (24 of the float, or 25 after the cut to 2^-21, times 17 of the
//! size), and additions of 1/2 either keep them all or cannot reach the next integer.

use super::build::Build;
use crate::effective::Coords;
use crate::request::Lanes;
use crate::sampler::AddressMode;

/// Marks a texel outside: so low that a sum with the offsets of the other axes stays negative.
pub(super) const OUTSIDE: i64 = i64::MIN / 4;

/// What an axis contributes to 32 fetches.
#[derive(Clone, Debug)]
pub(super) struct AxisLanes {
    /// Byte offset of the lower texel, or [`OUTSIDE`].
    pub(super) lower: [i64; 32],
    /// Byte offset of the upper texel, or [`OUTSIDE`]; only when filtering.
    pub(super) upper: [i64; 32],
    /// Weight of the upper texel in 1/256; only when filtering.
    pub(super) weight: [i32; 32],
}

impl AxisLanes {
    pub(super) const ZERO: Self = Self { lower: [0; 32], upper: [0; 32], weight: [0; 32] };
}

/// An axis, specialised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Texels.
    size: f64,
    /// Bytes from a texel to the next.
    pitch: i64,
    run: AxisFn,
}

/// # Safety
/// The [`Build`] that it was picked for must run on this machine.
type AxisFn = unsafe fn(&Axis, &Lanes, &mut AxisLanes);

// How coordinates are scaled.
const UNNORMALIZED: u8 = 0;
const POWER_OF_TWO: u8 = 1;
const OTHER_SIZE: u8 = 2;

// Address modes.
pub(super) const CLAMP: u8 = 0;
pub(super) const WRAP: u8 = 1;
pub(super) const MIRROR: u8 = 2;
pub(super) const BORDER: u8 = 3;

impl Axis {
    /// The axis of `size` texels that are `pitch` bytes apart. `mode` is `None` for integer
    /// coordinates.
    pub(super) fn new(
        size: u32,
        pitch: u64,
        coords: Coords,
        mode: Option<AddressMode>,
        linear: bool,
        build: Build,
    ) -> Self {
        let run = match (coords, mode) {
            (Coords::Integer, _) | (_, None) => pick_integer(build),
            (Coords::Unnormalized, Some(mode)) => pick::<UNNORMALIZED>(mode, linear, build),
            (Coords::Normalized, Some(mode)) if size.is_power_of_two() => {
                pick::<POWER_OF_TWO>(mode, linear, build)
            }
            (Coords::Normalized, Some(mode)) => pick::<OTHER_SIZE>(mode, linear, build),
        };
        Self { size: size.into(), pitch: pitch as i64, run }
    }

    /// Fills `out` for all 32 lanes, whatever the coordinates.
    #[inline]
    pub(super) fn run(&self, coords: &Lanes, out: &mut AxisLanes) {
        // SAFETY: `new` was given a `Build`, which runs here.
        unsafe { (self.run)(self, coords, out) }
    }
}

fn pick<const SCALE: u8>(mode: AddressMode, linear: bool, build: Build) -> AxisFn {
    match (mode, linear) {
        (AddressMode::Clamp | AddressMode::ClampOgl, false) => pick_point::<SCALE, CLAMP>(build),
        (AddressMode::Wrap, false) => pick_point::<SCALE, WRAP>(build),
        (AddressMode::Mirror, false) => pick_point::<SCALE, MIRROR>(build),
        (AddressMode::Border, false) => pick_point::<SCALE, BORDER>(build),
        (AddressMode::Clamp | AddressMode::ClampOgl, true) => pick_linear::<SCALE, CLAMP>(build),
        (AddressMode::Wrap, true) => pick_linear::<SCALE, WRAP>(build),
        (AddressMode::Mirror, true) => pick_linear::<SCALE, MIRROR>(build),
        (AddressMode::Border, true) => pick_linear::<SCALE, BORDER>(build),
    }
}

/// Makes a function that picks the AVX2 or the portable build of a kernel.
macro_rules! two_builds {
    ($pick:ident, $kernel:ident $(, const $p:ident)*) => {
        fn $pick<$(const $p: u8),*>(build: Build) -> AxisFn {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn fast<$(const $p: u8),*>(axis: &Axis, coords: &Lanes, out: &mut AxisLanes) {
                $kernel::<$($p),*>(axis, coords, out);
            }
            fn portable<$(const $p: u8),*>(axis: &Axis, coords: &Lanes, out: &mut AxisLanes) {
                $kernel::<$($p),*>(axis, coords, out);
            }
            #[cfg(target_arch = "x86_64")]
            if build.is_avx2() {
                return fast::<$($p),*>;
            }
            let _ = build;
            portable::<$($p),*>
        }
    };
}

two_builds!(pick_integer, integer);
two_builds!(pick_point, point, const SCALE, const MODE);
two_builds!(pick_linear, linear, const SCALE, const MODE);

/// Rule 1.9.
#[inline(always)]
fn integer(axis: &Axis, coords: &Lanes, out: &mut AxisLanes) {
    let size = axis.size as u32;
    for (offset, &index) in out.lower.iter_mut().zip(coords) {
        // A negative index is a large unsigned one.
        *offset = if index < size { i64::from(index) * axis.pitch } else { OUTSIDE };
    }
}

/// Rules 1.1, 1.2, 1.3, 1.5, 1.7.
#[inline(always)]
fn point<const SCALE: u8, const MODE: u8>(axis: &Axis, coords: &Lanes, out: &mut AxisLanes) {
    for lane in 0..32 {
        let i = saturate(texels::<SCALE>(coords[lane], axis.size).floor());
        let (index, _) = address::<MODE>(i, axis.size);
        out.lower[lane] = offset::<MODE>(index, axis.pitch);
    }
}

/// Rules 1.1, 1.2, 1.3, 1.6, 1.7.
#[inline(always)]
fn linear<const SCALE: u8, const MODE: u8>(axis: &Axis, coords: &Lanes, out: &mut AxisLanes) {
    for lane in 0..32 {
        let u = texels::<SCALE>(coords[lane], axis.size);
        let u = if MODE == CLAMP { limit(u, 0.5, axis.size - 0.5) } else { u };
        // floor((u - 1/2) * 256 + 1/2): index and weight in one number, the carry included.
        let t = (u * 256.0 + 0.5).floor() - 128.0;
        let i = (t * (1.0 / 256.0)).floor();
        out.weight[lane] = to_int(t - i * 256.0);
        let (lower, upper) = address::<MODE>(saturate(i), axis.size);
        out.lower[lane] = offset::<MODE>(lower, axis.pitch);
        out.upper[lane] = offset::<MODE>(upper, axis.pitch);
    }
}

/// Rules 1.1 to 1.3, limited to 2^31 texels either way.
#[inline(always)]
fn texels<const SCALE: u8>(bits: u32, size: f64) -> f64 {
    let x = f32::from_bits(bits);
    let x = if x.is_nan() { 0.0 } else { x };
    let u = match SCALE {
        UNNORMALIZED => f64::from(x),
        POWER_OF_TWO => f64::from(x * size as f32),
        _ => (f64::from(x) * 2_097_152.0).floor() * size * (1.0 / 2_097_152.0),
    };
    limit(u, -2_147_483_648.0, 2_147_483_648.0)
}

#[inline(always)]
pub(super) fn limit(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// To the range of an i32.
#[inline(always)]
pub(super) fn saturate(i: f64) -> f64 {
    limit(i, -2_147_483_648.0, 2_147_483_647.0)
}

/// Rule 1.7 on the lower index and on the one after it; negative is outside.
#[inline(always)]
pub(super) fn address<const MODE: u8>(i: f64, n: f64) -> (f64, f64) {
    match MODE {
        CLAMP => (limit(i, 0.0, n - 1.0), limit(i + 1.0, 0.0, n - 1.0)),
        WRAP => {
            let lower = modulo(i, n);
            (lower, if lower + 1.0 == n { 0.0 } else { lower + 1.0 })
        }
        MIRROR => {
            let period = 2.0 * n;
            let fold = |t: f64| if t < n { t } else { period - 1.0 - t };
            let t = modulo(i, period);
            (fold(t), fold(if t + 1.0 == period { 0.0 } else { t + 1.0 }))
        }
        _ => {
            let check = |i: f64| if i >= 0.0 && i < n { i } else { -1.0 };
            (check(i), check(i + 1.0))
        }
    }
}

/// i mod n. The quotient of a 32-bit and an 18-bit integer is never closer to an integer than
/// 2^-18 without being one, so rounding it does not move its floor.
#[inline(always)]
fn modulo(i: f64, n: f64) -> f64 {
    i - (i / n).floor() * n
}

#[inline(always)]
fn offset<const MODE: u8>(index: f64, pitch: i64) -> i64 {
    let index = to_int(index);
    if MODE == BORDER && index < 0 { OUTSIDE } else { i64::from(index) * pitch }
}

#[inline(always)]
pub(super) fn to_int(x: f64) -> i32 {
    // SAFETY: callers pass numbers of an i32, never NaN: sizes, weights of 0 to 255, indices that
    // an address mode has taken inside or to -1, or that `saturate` has limited. NaN coordinates
    // were replaced, infinite ones limited to 2^31 texels, and all arithmetic since is on finite
    // numbers. The checked conversion would keep the loop from being vectorised.
    unsafe { x.to_int_unchecked() }
}
