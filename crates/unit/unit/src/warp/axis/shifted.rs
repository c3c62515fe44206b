//! The same for coordinates that are moved by the taps of an anisotropic fetch (docs/numerics.md, rule
//! 4.12), which is always a linear filter.
//!
//! A tap's way is a quotient, and so the distance in 1/256 of a texel is found in f64, exactly; what follows
//! are the stages' 32-bit integers again.

use super::along::{address, outside};
use super::{AxisLanes, CLAMP, FAR, Find, MIRROR, Operands, RAW, WRAP};
use crate::effective::Coords;
use crate::reference::coordinate;
use crate::request::{Lanes, ZERO_LANES, lanes};
use crate::sampler::AddressMode;
use crate::warp::build::Build;
use crate::warp::doubles::{limit, to_int};
use crate::warp::simd::{Arguments, Run, Simd, Stage, int, load, pick};

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

/// An axis of an anisotropic plan.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct Shifted {
    /// None for faces of a cube, which go on past their edges.
    mode: Option<AddressMode>,
    run: Run<OfTaps>,
}

/// A call of the stage. Lanes bring sizes.
pub(in crate::warp) struct Call<'a> {
    mode: Option<AddressMode>,
    of: Operands<'a>,
    by: &'a Shift,
    out: &'a mut AxisLanes,
}

#[derive(Debug)]
pub(in crate::warp) struct OfTaps;

impl Arguments for OfTaps {
    type Of<'a> = Call<'a>;
}

impl Shifted {
    pub(in crate::warp) fn new(
        find: Find,
        coords: Coords,
        mode: AddressMode,
        build: Build,
    ) -> Self {
        let run = match coords {
            Coords::Normalized => pick::<_, Tap<true>>(build),
            Coords::Unnormalized | Coords::Integer => pick::<_, Tap<false>>(build),
        };
        Self { mode: (find != Find::Seamless).then_some(mode), run }
    }

    /// Fills `out` with indices for all 32 lanes, whatever the coordinates.
    #[inline(always)]
    pub(in crate::warp) fn run(&self, of: Operands<'_>, by: &Shift, out: &mut AxisLanes) {
        self.run.call(Call { mode: self.mode, of, by, out });
    }
}

/// For all address modes: taps are rare, and most of the time is spent elsewhere.
struct Tap<const NORMALIZED: bool>;

impl<const NORMALIZED: bool> Stage<OfTaps> for Tap<NORMALIZED> {
    #[inline(always)]
    fn run<S: Simd>(simd: S, Call { mode, of, by, out }: Call<'_>) {
        let size = of.size.unwrap_or(&ZERO_LANES);
        let distances = distances::<NORMALIZED>(mode, of, size, by);
        let mut near = [0; 32];
        let mut far = 0;
        for lane in 0..32 {
            // As integers, because LLVM makes no vectors of a loop with bools here.
            let below = (distances[lane] as f32).to_bits() & 0x7fff_ffff;
            let is_near = below as i32 - (256.0 * FAR).to_bits() as i32;
            far |= u32::from(is_near >= 0) << lane;
            let distance = if is_near < 0 { distances[lane] } else { 0.0 };
            // SAFETY: a whole number below 256 * FAR, and so below 2^30.
            near[lane] = unsafe { to_int(distance) } as u32;
        }
        for chunk in 0..32 / S::LANES {
            let (t, n) = (load(simd, &near, chunk), load(simd, size, chunk));
            let (mut lower, mut upper) = match mode {
                Some(AddressMode::Clamp) => address::<S, CLAMP>(simd, t >> 8, n),
                Some(AddressMode::Wrap) => address::<S, WRAP>(simd, t >> 8, n),
                Some(AddressMode::Mirror) => address::<S, MIRROR>(simd, t >> 8, n),
                _ => address::<S, RAW>(simd, t >> 8, n),
            };
            if matches!(mode, Some(AddressMode::Border | AddressMode::ClampOgl)) {
                let none = int(simd, -1);
                lower = outside(simd, lower, n).select(none, lower);
                upper = outside(simd, upper, n).select(none, upper);
            }
            lower.store(&mut out.lower, chunk);
            upper.store(&mut out.upper, chunk);
            (t & int(simd, 255)).store(&mut out.weight, chunk);
        }
        if far != 0 {
            fill(far, mode, &distances, size, out);
        }
    }
}

/// floor((u + way - 1/2) * 256 + 1/2), limited as the mode says.
#[inline(always)]
fn distances<const NORMALIZED: bool>(
    mode: Option<AddressMode>,
    of: Operands<'_>,
    size: &Lanes,
    by: &Shift,
) -> [f64; 32] {
    /// The grid of the reference's coordinates (`Fixed`).
    const GRID: f64 = (1_u64 << 52) as f64;
    /// Half the bits of a fraction.
    const SPLIT: f64 = (1 << 26) as f64;
    let offset = of.offset.unwrap_or(&ZERO_LANES);
    // The limits of the coordinate: the lower one, and how far the upper one is below the end.
    let (least, below_end) = match mode {
        Some(AddressMode::Clamp) => (0.0, 256.0),
        Some(AddressMode::ClampOgl) => (-128.0, 128.0),
        _ => (f64::NEG_INFINITY, f64::NEG_INFINITY),
    };
    let mut ways = [0.0; 32];
    for lane in 0..32 {
        let n = f64::from(size[lane] as i32);
        let v = texels::<NORMALIZED>(of.coords[lane], size[lane] as i32) * 256.0;
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
        let t = t + (f64::from(offset[lane] as i32) * 256.0 - 128.0);
        // The rounding keeps them in order.
        ways[lane] = limit(t, least, 256.0 * n - below_end);
    }
    ways
}

/// Rules 1.1 to 1.3, limited to 2^31 texels either way.
#[inline(always)]
fn texels<const NORMALIZED: bool>(bits: u32, size: i32) -> f64 {
    let x = f32::from_bits(bits);
    let x = if x.is_nan() { 0.0 } else { x };
    let u = if NORMALIZED {
        let exact = f64::from(x * size as f32);
        let cut = (f64::from(x) * 2_097_152.0).floor() * f64::from(size) * (1.0 / 2_097_152.0);
        if size & (size - 1) == 0 { exact } else { cut }
    } else {
        f64::from(x)
    };
    limit(u, -2_147_483_648.0, 2_147_483_648.0)
}

/// Lanes whose texels are too far for 32-bit arithmetic. Without a mode, past the edges of a face.
#[cold]
#[inline(never)]
fn fill(
    far: u32,
    mode: Option<AddressMode>,
    distances: &[f64; 32],
    size: &Lanes,
    out: &mut AxisLanes,
) {
    for lane in lanes(far) {
        let t = distances[lane] as i64;
        let texel = |index: i64| match mode {
            None => coordinate::saturate(index) as u32,
            Some(mode) => {
                let mode = coordinate::beyond(mode, true);
                coordinate::address(index, size[lane], mode).unwrap_or(u32::MAX)
            }
        };
        let lower = coordinate::saturate(t >> 8);
        (out.lower[lane], out.upper[lane]) = (texel(lower), texel(lower + 1));
        out.weight[lane] = (t & 255) as u32;
    }
}
