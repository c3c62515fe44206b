//! The same in 32-bit integers, as `fast::axis` does it, for points near the texture.

use super::super::address::{self, BORDER, CLAMP, MIRROR, WRAP};
use super::{AxisLanes, CLAMP_OGL, Operands, RAW};

/// Texels from the origin up to which 512 of them still fit an i32.
const FAR: f32 = 4_194_304.0;

/// Textures from the origin up to which steps of 2^-21 do.
const FAR_TEXTURES: f32 = 1024.0;

/// What is looked for.
struct Points {
    x: [f32; 32],
    /// Texels of the axis.
    n: [i32; 32],
    /// Texels of a coordinate's unit.
    unit: [f32; 32],
    /// All ones where `x` is cut to 2^-21 first (rule 1.2).
    cut: [i32; 32],
    /// In steps of 2^-21, rounded down, where it is cut; else 0.
    steps: [i32; 32],
}

impl Points {
    const ZERO: Self =
        Self { x: [0.0; 32], n: [1; 32], unit: [1.0; 32], cut: [0; 32], steps: [0; 32] };

    /// Fills it; whether all points are near.
    #[inline(always)]
    fn fill(&mut self, of: Operands<'_>, normalized: bool) -> bool {
        for lane in 0..32 {
            self.n[lane] = to_int(of.size[lane] as f32);
        }
        let mut limit = FAR;
        if normalized {
            limit = FAR_TEXTURES;
            for lane in 0..32 {
                let n = self.n[lane];
                self.unit[lane] = n as f32;
                self.cut[lane] = if n & (n - 1) == 0 { 0 } else { -1 };
            }
        }
        // Negative where near. As integers, because LLVM makes no vectors of a loop with bools here.
        let mut all = -1;
        for lane in 0..32 {
            let x = f32::from_bits(of.coords[lane]);
            let near = below(x * self.unit[lane], FAR) & below(x, limit);
            all &= near;
            self.x[lane] = f32::from_bits(x.to_bits() & (near >> 31) as u32);
        }
        if normalized {
            for lane in 0..32 {
                let x = f32::from_bits(self.x[lane].to_bits() & self.cut[lane] as u32);
                self.steps[lane] = floor(x * 2_097_152.0);
            }
        }
        all < 0
    }

    /// floor(u): rules 1.2, 1.3, 1.5.
    #[inline(always)]
    fn texel(&self, lane: usize) -> i32 {
        let exact = floor(self.x[lane] * self.unit[lane]);
        let cut = (i64::from(self.steps[lane]) * i64::from(self.n[lane])) >> 21;
        if self.cut[lane] == 0 { exact } else { cut as i32 }
    }

    /// floor((u - 1/2) * 256 + 1/2): rules 1.2, 1.3, 1.6.
    #[inline(always)]
    fn distance(&self, lane: usize) -> i32 {
        // Both factors are powers of two: one rounding, as in rule 1.2.
        let exact = (floor(self.x[lane] * (512.0 * self.unit[lane])) - 255) >> 1;
        let steps = i64::from(self.steps[lane]) * i64::from(self.n[lane]);
        let cut = ((steps + (1 << 12)) >> 13) as i32 - 128;
        if self.cut[lane] == 0 { exact } else { cut }
    }
}

/// Fills `out` with single texels, if all points are near.
#[inline(always)]
pub(super) fn texels<const MODE: u8>(
    of: Operands<'_>,
    normalized: bool,
    out: &mut AxisLanes,
) -> bool {
    let mut points = Points::ZERO;
    if !points.fill(of, normalized) {
        return false;
    }
    for lane in 0..32 {
        let i = points.texel(lane) + of.offset[lane];
        out.lower[lane] = around::<MODE>(i, points.n[lane]).0;
    }
    true
}

/// Likewise with pairs of texels. `limited` coordinates do not leave a texture that is clamped to.
#[inline(always)]
pub(super) fn pairs<const MODE: u8>(
    of: Operands<'_>,
    (normalized, limited): (bool, bool),
    out: &mut AxisLanes,
) -> bool {
    let mut points = Points::ZERO;
    if !points.fill(of, normalized) {
        return false;
    }
    // Without limits, those that are beyond all distances.
    let [low, beyond] = if limited { [0, 0] } else { [i32::MIN, i32::MAX - (1 << 26)] };
    for lane in 0..32 {
        let n = points.n[lane];
        let t = points.distance(lane) + (of.offset[lane] << 8);
        // The limits of the coordinate, with its offset.
        let t = match MODE {
            CLAMP => limit(t, low, (n << 8) - 256 + beyond),
            CLAMP_OGL => limit(t, -128, (n << 8) - 128),
            _ => t,
        };
        out.weight[lane] = t & 255;
        (out.lower[lane], out.upper[lane]) = around::<MODE>(t >> 8, n);
    }
    true
}

/// The texels around distances in 1/256 of a texel, if all are near.
#[inline(always)]
pub(super) fn neighbours<const MODE: u8>(
    distances: &[f64; 32],
    sizes: &[f64; 32],
    out: &mut AxisLanes,
) -> bool {
    let (mut t, mut n) = ([0; 32], [0; 32]);
    let mut all = -1;
    for lane in 0..32 {
        let near = below(distances[lane] as f32, 256.0 * FAR);
        all &= near;
        let distance = if near < 0 { distances[lane] } else { 0.0 };
        t[lane] = address::to_int(distance);
        n[lane] = address::to_int(sizes[lane]);
    }
    if all >= 0 {
        return false;
    }
    for lane in 0..32 {
        out.weight[lane] = t[lane] & 255;
        (out.lower[lane], out.upper[lane]) = around::<MODE>(t[lane] >> 8, n[lane]);
    }
    true
}

/// Negative if the magnitude of x is below a limit.
#[inline(always)]
fn below(x: f32, limit: f32) -> i32 {
    (x.to_bits() & 0x7fff_ffff) as i32 - limit.to_bits() as i32
}

/// Rule 1.7 on the lower index and on the one after it; negative is outside.
#[inline(always)]
fn around<const MODE: u8>(i: i32, n: i32) -> (i32, i32) {
    match MODE {
        CLAMP => (limit(i, 0, n - 1), limit(i + 1, 0, n - 1)),
        WRAP => {
            let lower = modulo(i, n);
            (lower, if lower + 1 == n { 0 } else { lower + 1 })
        }
        MIRROR => {
            let end = 2 * n - 1;
            let lower = modulo(i, 2 * n);
            let upper = if lower == end { 0 } else { lower + 1 };
            (smaller(lower, end - lower), smaller(upper, end - upper))
        }
        RAW => (i, i + 1),
        BORDER | CLAMP_OGL => (inside(i, n), inside(i + 1, n)),
        _ => unreachable!("there are no other modes"),
    }
}

#[inline(always)]
fn inside(i: i32, n: i32) -> i32 {
    if (i >= 0) & (i < n) { i } else { -1 }
}

/// i mod n, of indices below 2^23: the rounded quotient is at most one off.
#[inline(always)]
fn modulo(i: i32, n: i32) -> i32 {
    let rest = i - floor(i as f32 * (1.0 / n as f32)) * n;
    let rest = if rest < 0 { rest + n } else { rest };
    if rest < n { rest } else { rest - n }
}

#[inline(always)]
fn limit(x: i32, low: i32, high: i32) -> i32 {
    let x = if x < low { low } else { x };
    smaller(x, high)
}

#[inline(always)]
fn smaller(a: i32, b: i32) -> i32 {
    if a < b { a } else { b }
}

/// Without `f32::floor`, for which SSE2 has no instruction.
#[inline(always)]
fn floor(x: f32) -> i32 {
    let cut = to_int(x);
    if cut as f32 > x { cut - 1 } else { cut }
}

#[inline(always)]
fn to_int(x: f32) -> i32 {
    // SAFETY: sizes; coordinates that are near, whose products with 512 sizes, 512 or 2^21 are below
    // 2^31; quotients of an index. None is a NaN: `Points::fill` has replaced those that are far, and
    // sizes are at least 1. The checked conversion would keep loops from being vectorised.
    unsafe { x.to_int_unchecked() }
}
