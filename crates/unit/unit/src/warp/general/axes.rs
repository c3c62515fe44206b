//! From coordinates to texels along an axis: docs/numerics.md, section 1, for 32 lanes whose
//! levels may be of different sizes.
//!
//! Most points are near the texture: [`near`]. Others are looked for in f64, exactly for the same
//! reason. Offsets are added after the floor, where everything is a whole number.

mod near;

use super::address::{BORDER, CLAMP, MIRROR, WRAP, address, limit, saturate, to_int};
use crate::effective::Coords;
use crate::request::Lanes;
use crate::sampler::AddressMode;
use crate::warp::simd::{Arguments, Simd, Stage};

/// What an axis contributes to 32 footprints.
#[derive(Clone, Debug)]
pub(in crate::warp) struct AxisLanes {
    /// The lower or only texel; -1 is outside.
    pub(in crate::warp) lower: [i32; 32],
    /// The upper texel; only when two are looked for.
    pub(in crate::warp) upper: [i32; 32],
    /// Weight of the upper texel in 1/256, likewise.
    pub(in crate::warp) weight: [i32; 32],
}

impl AxisLanes {
    /// An axis that the geometry lacks: one texel, of all the weight.
    pub(in crate::warp) const NONE: Self = Self { lower: [0; 32], upper: [0; 32], weight: [0; 32] };

    /// The lower or the upper texels.
    #[inline(always)]
    pub(super) fn side(&self, upper: usize) -> &[i32; 32] {
        if upper == 0 { &self.lower } else { &self.upper }
    }
}

/// How the texels along an axis are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::warp) enum Find {
    /// The one that an integer coordinate names (rule 1.9).
    Integer,
    /// The one that holds the point (rule 1.5).
    Point,
    /// The two around the point (rule 1.6).
    Linear,
    /// The same without limiting the coordinate (section 8).
    Gather,
    /// The same without limits to indices: where a face of a cube ends its neighbours go on.
    Seamless,
}

/// What is the same for all lanes.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Axis {
    pub(in crate::warp) find: Find,
    pub(in crate::warp) coords: Coords,
    pub(in crate::warp) mode: AddressMode,
}

/// What differs.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Operands<'a> {
    pub(in crate::warp) coords: &'a Lanes,
    /// Texels of the level.
    pub(in crate::warp) size: &'a [f64; 32],
    /// In texels.
    pub(in crate::warp) offset: &'a [i32; 32],
}

/// Ways along an axis in 1/256 of a texel, as a whole number and an exact quotient below 1.
#[derive(Clone, Debug)]
pub(in crate::warp) struct Shift {
    whole: [f64; 32],
    /// Numerator of the rest, not negative.
    rest: [f64; 32],
    /// What it is over: a number of ten bits.
    unit: [f64; 32],
}

impl Shift {
    pub(in crate::warp) const ZERO: Self =
        Self { whole: [0.0; 32], rest: [0.0; 32], unit: [1.0; 32] };

    /// Sets a lane's to `n / unit`, a number of 24 bits over one of ten that is at most 2^34 times
    /// larger: the rest is exact.
    #[inline(always)]
    pub(in crate::warp) fn set(&mut self, lane: usize, n: f64, unit: f64) {
        let whole = (n / unit).floor();
        self.whole[lane] = whole;
        self.rest[lane] = n - whole * unit;
        self.unit[lane] = unit;
    }
}

const CLAMP_OGL: u8 = 4;

const POINT: u8 = 0;
const LINEAR: u8 = 1;
const GATHER: u8 = 2;
/// An address mode: none.
const RAW: u8 = 5;

impl Axis {
    /// All lanes, whatever their coordinates.
    #[inline(always)]
    pub(in crate::warp) fn run<S: Simd>(self, simd: S, of: Operands<'_>, out: &mut AxisLanes) {
        simd.call::<OfAxis, Plain>(Call { axis: self, of, by: &Shift::ZERO, out });
    }

    #[inline(always)]
    fn run_here(self, of: Operands<'_>, out: &mut AxisLanes) {
        match self.find {
            Find::Integer => integer(of, out),
            Find::Point => self.float::<POINT>(of, out),
            Find::Linear => self.float::<LINEAR>(of, out),
            Find::Gather => self.float::<GATHER>(of, out),
            Find::Seamless => float::<GATHER, true, RAW>(of, out),
        }
    }

    /// The same for coordinates that are moved by the taps of an anisotropic fetch. Always a linear
    /// filter.
    #[inline(always)]
    pub(in crate::warp) fn run_shifted<S: Simd>(
        self,
        simd: S,
        of: Operands<'_>,
        by: &Shift,
        out: &mut AxisLanes,
    ) {
        simd.call::<OfAxis, Shifted>(Call { axis: self, of, by, out });
    }

    #[inline(always)]
    fn run_shifted_here(self, of: Operands<'_>, by: &Shift, out: &mut AxisLanes) {
        match (self.find, self.coords) {
            (Find::Seamless, _) => shifted::<true, RAW>(of, by, out),
            (_, Coords::Normalized) => self.shifted::<true>(of, by, out),
            (_, Coords::Unnormalized | Coords::Integer) => self.shifted::<false>(of, by, out),
        }
    }

    #[inline(always)]
    fn shifted<const NORMALIZED: bool>(self, of: Operands<'_>, by: &Shift, out: &mut AxisLanes) {
        match self.mode {
            AddressMode::Clamp => shifted::<NORMALIZED, CLAMP>(of, by, out),
            AddressMode::Wrap => shifted::<NORMALIZED, WRAP>(of, by, out),
            AddressMode::Mirror => shifted::<NORMALIZED, MIRROR>(of, by, out),
            AddressMode::Border => shifted::<NORMALIZED, BORDER>(of, by, out),
            AddressMode::ClampOgl => shifted::<NORMALIZED, CLAMP_OGL>(of, by, out),
        }
    }

    #[inline(always)]
    fn float<const FIND: u8>(self, of: Operands<'_>, out: &mut AxisLanes) {
        if self.coords == Coords::Normalized {
            self.scaled::<FIND, true>(of, out);
        } else {
            self.scaled::<FIND, false>(of, out);
        }
    }

    #[inline(always)]
    fn scaled<const FIND: u8, const NORMALIZED: bool>(self, of: Operands<'_>, out: &mut AxisLanes) {
        match self.mode {
            AddressMode::Clamp => float::<FIND, NORMALIZED, CLAMP>(of, out),
            AddressMode::Wrap => float::<FIND, NORMALIZED, WRAP>(of, out),
            AddressMode::Mirror => float::<FIND, NORMALIZED, MIRROR>(of, out),
            AddressMode::Border => float::<FIND, NORMALIZED, BORDER>(of, out),
            // A point filter never reaches the border.
            AddressMode::ClampOgl if FIND == POINT => float::<FIND, NORMALIZED, CLAMP>(of, out),
            AddressMode::ClampOgl => float::<FIND, NORMALIZED, CLAMP_OGL>(of, out),
        }
    }
}

/// A call of the stages of an axis: functions of their own, as there are up to three axes.
struct Call<'a> {
    axis: Axis,
    of: Operands<'a>,
    by: &'a Shift,
    out: &'a mut AxisLanes,
}

#[derive(Debug)]
struct OfAxis;

impl Arguments for OfAxis {
    type Of<'a> = Call<'a>;
}

struct Plain;

impl Stage<OfAxis> for Plain {
    #[inline(always)]
    fn run<S: Simd>(_: S, Call { axis, of, out, .. }: Call<'_>) {
        axis.run_here(of, out);
    }
}

struct Shifted;

impl Stage<OfAxis> for Shifted {
    #[inline(always)]
    fn run<S: Simd>(_: S, Call { axis, of, by, out }: Call<'_>) {
        axis.run_shifted_here(of, by, out);
    }
}

/// Rule 1.9.
#[inline(always)]
fn integer(of: Operands<'_>, out: &mut AxisLanes) {
    for lane in 0..32 {
        let index = i64::from(of.coords[lane] as i32) + i64::from(of.offset[lane]);
        let inside = index >= 0 && index < of.size[lane] as i64;
        out.lower[lane] = if inside { index as i32 } else { -1 };
    }
}

/// Rules 1.1 to 1.7 but for integers.
#[inline(always)]
fn float<const FIND: u8, const NORMALIZED: bool, const MODE: u8>(
    of: Operands<'_>,
    out: &mut AxisLanes,
) {
    let is_near = match FIND {
        POINT => near::texels::<MODE>(of, NORMALIZED, out),
        _ => near::pairs::<MODE>(of, (NORMALIZED, FIND == LINEAR), out),
    };
    if !is_near {
        exact::<FIND, NORMALIZED, MODE>(of, out);
    }
}

/// The same wherever the point is.
#[cold]
#[inline(never)]
fn exact<const FIND: u8, const NORMALIZED: bool, const MODE: u8>(
    of: Operands<'_>,
    out: &mut AxisLanes,
) {
    for lane in 0..32 {
        let n = of.size[lane];
        let offset = f64::from(of.offset[lane]);
        let u = texels::<NORMALIZED>(of.coords[lane], n);
        if FIND == POINT {
            let (index, _) = address::<MODE>(saturate(u.floor()) + offset, n);
            out.lower[lane] = to_int(index);
            continue;
        }
        // The limits are for the coordinate with its offset.
        let u = match MODE {
            CLAMP if FIND == LINEAR => limit(u, 0.5 - offset, n - 0.5 - offset),
            CLAMP_OGL => limit(u, -offset, n - offset),
            _ => u,
        };
        // floor((u - 1/2) * 256 + 1/2): index and weight in one number, the carry included.
        let t = (u * 256.0 + 0.5).floor() + (offset * 256.0 - 128.0);
        neighbours::<MODE>(t, n, lane, out);
    }
}

/// Both texels and the weight of the upper one, from their distance in 1/256 of a texel.
#[inline(always)]
fn neighbours<const MODE: u8>(t: f64, n: f64, lane: usize, out: &mut AxisLanes) {
    let i = (t * (1.0 / 256.0)).floor();
    out.weight[lane] = to_int(t - i * 256.0);
    let (lower, upper) = match MODE {
        CLAMP_OGL => address::<BORDER>(saturate(i), n),
        RAW => (saturate(i), saturate(i + 1.0)),
        _ => address::<MODE>(saturate(i), n),
    };
    out.lower[lane] = to_int(lower);
    out.upper[lane] = to_int(upper);
}

/// Rules 1.1 to 1.7 with a shift.
#[inline(always)]
fn shifted<const NORMALIZED: bool, const MODE: u8>(
    of: Operands<'_>,
    by: &Shift,
    out: &mut AxisLanes,
) {
    /// The grid of the reference's coordinates (`Fixed`).
    const GRID: f64 = (1_u64 << 52) as f64;
    /// Half the bits of a fraction.
    const SPLIT: f64 = (1 << 26) as f64;
    let mut way = [0.0; 32];
    for lane in 0..32 {
        let n = of.size[lane];
        let v = texels::<NORMALIZED>(of.coords[lane], n) * 256.0;
        let v = (v * GRID).floor() * (1.0 / GRID);
        let whole = v.floor();
        // floor(v + rest/unit + 1/2) is one more if rest/unit has what the fraction lacks to 1/2,
        // and another one if it has 1 more. Both sides times the unit, in two parts: exactly.
        let lacks = 0.5 - (v - whole);
        let high = (lacks * SPLIT).floor() * (1.0 / SPLIT);
        let unit = by.unit[lane];
        let (above, below) = (by.rest[lane] - high * unit, (lacks - high) * unit);
        let one = if above >= below { 1.0 } else { 0.0 };
        let two = if above - unit >= below { 1.0 } else { 0.0 };
        let t = whole + by.whole[lane] + one + two;
        let t = t + (f64::from(of.offset[lane]) * 256.0 - 128.0);
        // The limits of the coordinate, which the rounding keeps in order.
        way[lane] = match MODE {
            CLAMP => limit(t, 0.0, 256.0 * n - 256.0),
            CLAMP_OGL => limit(t, -128.0, 256.0 * n - 128.0),
            _ => t,
        };
    }
    if !near::neighbours::<MODE>(&way, of.size, out) {
        far_neighbours::<MODE>(&way, of.size, out);
    }
}

/// [`neighbours`] of all lanes, wherever they are.
#[cold]
#[inline(never)]
fn far_neighbours<const MODE: u8>(t: &[f64; 32], n: &[f64; 32], out: &mut AxisLanes) {
    for lane in 0..32 {
        neighbours::<MODE>(t[lane], n[lane], lane, out);
    }
}

/// Rules 1.1 to 1.3, limited to 2^31 texels either way.
#[inline(always)]
fn texels<const NORMALIZED: bool>(bits: u32, n: f64) -> f64 {
    let x = f32::from_bits(bits);
    let x = if x.is_nan() { 0.0 } else { x };
    let u = if NORMALIZED {
        let size = to_int(n);
        let exact = f64::from(x * n as f32);
        let cut = (f64::from(x) * 2_097_152.0).floor() * n * (1.0 / 2_097_152.0);
        if size & (size - 1) == 0 { exact } else { cut }
    } else {
        f64::from(x)
    };
    limit(u, -2_147_483_648.0, 2_147_483_648.0)
}

#[cfg(test)]
mod tests;
