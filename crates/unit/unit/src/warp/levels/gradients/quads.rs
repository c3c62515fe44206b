//! Gradients as differences between the points of a quad, for 32 lanes (docs/numerics.md 4.9,
//! 4.11).

use super::Texels;
use crate::request::{FetchRequest, Lanes, ZERO_LANES};
use crate::warp::levels::float10::{Scale, cut, is_ordinary};
use crate::warp::place::products;
use crate::warp::simd::{Simd, load};

/// Rule 4.9 of docs/numerics.md: the exact difference of P + d and P, truncated, but not to less
/// than ten bits; and whether both coordinates are below the limit.
#[inline(always)]
pub(super) fn of_point(point: f32, d: f32) -> (f32, bool) {
    const TOO_FAR: f32 = (1_u128 << 97) as f32;
    let number = |c: f32| if c.is_nan() { 0.0 } else { c };
    let (c0, c1) = (number(point), number(point + d));
    let near = (c0.abs() < TOO_FAR) & (c1.abs() < TOO_FAR);
    (difference(c0, c1), near)
}

/// The exact difference c1 - c0, truncated, but not to less than ten bits. It is 0 only if both
/// numbers are equal.
#[inline(always)]
fn difference(c0: f32, c1: f32) -> f32 {
    let sum = c1 - c0;
    // `lost` is the exact rounding error (Knuth's two-sum). If the sum was rounded away from zero,
    // the truncated difference is the next float toward zero.
    let other = sum - c1;
    let lost = (c1 - (sum - other)) + (-c0 - other);
    let opposite = (lost.to_bits() ^ sum.to_bits()) >> 31;
    let back = if lost != 0.0 { opposite } else { 0 };
    let whole = f32::from_bits(sum.to_bits().wrapping_sub(back));
    // A subnormal is not truncated: it could become 0, and would then look like an ordinary 0.
    if whole.abs() < f32::MIN_POSITIVE { whole } else { cut(whole) }
}

/// For 32 directions, the products with the reciprocal of the largest component (rule 7.2 of
/// docs/numerics.md), and the faces that the directions point at.
struct Corners {
    along: [[f32; 32]; 3],
    face: [u32; 32],
    /// All ones in lanes that the reference must compute.
    odd: [u32; 32],
}

impl Corners {
    const ZERO: Self = Self { along: [[0.0; 32]; 3], face: [0; 32], odd: [0; 32] };

    /// Computes the products and faces for the directions `point` + `d`. Lanes whose directions are
    /// huge, tiny or NaN are marked in `odd`.
    #[inline(always)]
    fn set<S: Simd>(&mut self, simd: S, point: [&Lanes; 3], d: [&Lanes; 3]) {
        const SMALLEST: f32 = 1.0 / (1_u128 << 100) as f32;
        const LARGEST: f32 = (1_u128 << 100) as f32;
        let mut moved = [[0; 32]; 3];
        for axis in 0..3 {
            for lane in 0..32 {
                let c = f32::from_bits(point[axis][lane]) + f32::from_bits(d[axis][lane]);
                moved[axis][lane] = c.to_bits();
            }
        }
        let mut along = [[0; 32]; 3];
        for chunk in 0..32 / S::LANES {
            let (x, y) = (load(simd, &moved[0], chunk), load(simd, &moved[1], chunk));
            let [x, y, z] = products(simd, [x, y, load(simd, &moved[2], chunk)]);
            x.store(&mut along[0], chunk);
            y.store(&mut along[1], chunk);
            z.store(&mut along[2], chunk);
        }
        for lane in 0..32 {
            let magnitude = |axis: usize| f32::from_bits(moved[axis][lane]).abs();
            let (ax, ay, az) = (magnitude(0), magnitude(1), magnitude(2));
            let largest = larger(larger(ax, ay), az);
            let in_reach = (ax <= LARGEST) & (ay <= LARGEST) & (az <= LARGEST);
            let is_odd = !(in_reach & (largest >= SMALLEST));
            self.odd[lane] = if is_odd { u32::MAX } else { 0 };
            // Rule 7.4 of docs/numerics.md: a subnormal product becomes 0.
            let number = |axis: usize| {
                let bits = along[axis][lane];
                f32::from_bits(if bits & 0x7f80_0000 == 0 { 0 } else { bits })
            };
            let (x, y, z) = (number(0), number(1), number(2));
            self.face[lane] = face_of(x, y, z);
            (self.along[0][lane], self.along[1][lane], self.along[2][lane]) = (x, y, z);
        }
    }

    /// A lane's coordinates s and t on the plane of a face, which are -1 and 1 at the edges.
    #[inline(always)]
    fn place(&self, face: u32, lane: usize) -> (f32, f32) {
        let (x, y, z) = (self.along[0][lane], self.along[1][lane], self.along[2][lane]);
        let behind = face & 1 == 1;
        let (x_seen, z_seen) = (if behind { -x } else { x }, if behind { -z } else { z });
        let s = if face < 2 { -z_seen } else { x };
        let s = if face >= 4 { x_seen } else { s };
        let t = if face >> 1 == 1 { z_seen } else { -y };
        (s, t)
    }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Rule 7.1 of docs/numerics.md: the face that a direction selects, for finite products of its
/// components and the reciprocal.
#[inline(always)]
fn face_of(x: f32, y: f32, z: f32) -> u32 {
    let is_z = (z.abs() >= x.abs()) & (z.abs() >= y.abs());
    let is_y = y.abs() >= x.abs();
    let (major, axis) = if is_y { (y, 2) } else { (x, 0) };
    let (major, axis) = if is_z { (z, 4) } else { (major, axis) };
    axis + if major < 0.0 { 1 } else { 0 }
}

/// Rule 4.11 of docs/numerics.md: the difference c1 - c0, for which the number of smaller magnitude
/// is first truncated to 2^-24 of the other's leading bit. The result is truncated, but not to less
/// than ten bits.
#[inline(always)]
fn near_difference(c0: f32, c1: f32) -> f32 {
    let largest = larger(c0.abs(), c1.abs());
    // The larger magnitude is an ordinary number, or 0.
    let exponent = u64::from(largest.to_bits() >> 23);
    let grid = f64::from_bits((exponent + 1023 - 127 - 24) << 52);
    let steps = f64::from_bits((1023 + 24 + 127 - exponent) << 52);
    let whole = |c: f32| (f64::from(c) * steps).trunc();
    let difference = (whole(c1) - whole(c0)) * grid;
    // The difference has at most 26 bits, and is truncated to the bits that an f32 holds.
    f64::from_bits(difference.to_bits() & !((1 << 43) - 1)) as f32
}

/// Rule 4.11 of docs/numerics.md: the gradients of quads that lie on one face, in texels. Returns a
/// nonzero value in lanes that the reference must compute, because their quads cover several faces
/// or contain extreme values.
#[inline(always)]
pub(super) fn of_cube<S: Simd, const POWERS: bool>(
    simd: S,
    point: [&Lanes; 3],
    request: &FetchRequest<'_>,
    scale: &Scale,
    out: &mut Texels,
) -> [u32; 32] {
    let (mut home, mut other) = (Corners::ZERO, Corners::ZERO);
    home.set(simd, point, [&ZERO_LANES; 3]);
    let mut odd = home.odd;
    for (d, out) in [(request.dpdx, &mut out.dpdx), (request.dpdy, &mut out.dpdy)] {
        other.set(simd, point, d);
        for lane in 0..32 {
            let face = home.face[lane];
            let (s0, t0) = home.place(face, lane);
            let (s1, t1) = other.place(face, lane);
            let (s, t) = (near_difference(s0, s1), near_difference(t0, t1));
            let is_plain = is_ordinary(s) & is_ordinary(t) & (face == other.face[lane]);
            odd[lane] |= other.odd[lane] | if is_plain { 0 } else { 1 };
            out[0][lane] = scale.apply::<POWERS>(s * 0.5);
            out[1][lane] = scale.apply::<POWERS>(t * 0.5);
        }
    }
    odd
}
