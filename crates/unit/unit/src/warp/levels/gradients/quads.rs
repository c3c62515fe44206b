//! Gradients as differences in a quad of points: docs/numerics.md, rules 4.9 and 4.11.

use super::Texels;
use crate::request::{FetchRequest, Lanes};
use crate::warp::levels::ten::{Scale, cut, is_ordinary};

/// Rule 4.9: the exact difference of P and P + d, cut to at least ten bits, and whether both are near
/// enough.
#[inline(always)]
pub(super) fn of_point(point: f32, d: f32) -> (f32, bool) {
    const TOO_FAR: f32 = (1_u128 << 97) as f32;
    let number = |c: f32| if c.is_nan() { 0.0 } else { c };
    let (c0, c1) = (number(point), number(point + d));
    let near = (c0.abs() < TOO_FAR) & (c1.abs() < TOO_FAR);
    (difference(c0, c1), near)
}

/// c1 - c0, exactly, cut to at least ten bits; 0 only if they are equal.
#[inline(always)]
fn difference(c0: f32, c1: f32) -> f32 {
    let sum = c1 - c0;
    // What the rounding has lost, exactly (Knuth's two-sum). If it went away from zero, the cut is
    // one step back.
    let other = sum - c1;
    let lost = (c1 - (sum - other)) + (-c0 - other);
    let opposite = (lost.to_bits() ^ sum.to_bits()) >> 31;
    let back = if lost != 0.0 { opposite } else { 0 };
    let whole = f32::from_bits(sum.to_bits().wrapping_sub(back));
    // Of a subnormal the cut may leave nothing: then it would be an ordinary 0.
    if whole.abs() < f32::MIN_POSITIVE { whole } else { cut(whole) }
}

/// Directions over their largest components, and the faces that they point at.
struct Corners {
    along: [[f32; 32]; 3],
    face: [u32; 32],
    /// All ones in lanes that are left to the reference.
    odd: [u32; 32],
}

impl Corners {
    const ZERO: Self = Self { along: [[0.0; 32]; 3], face: [0; 32], odd: [0; 32] };

    /// Sets a lane's. Directions that are huge, tiny or no numbers are odd.
    #[inline(always)]
    fn set(&mut self, lane: usize, [x, y, z]: [f32; 3]) {
        const SMALLEST: f32 = 1.0 / (1_u128 << 100) as f32;
        const LARGEST: f32 = (1_u128 << 100) as f32;
        let largest = larger(larger(x.abs(), y.abs()), z.abs());
        let in_reach = (x.abs() <= LARGEST) & (y.abs() <= LARGEST) & (z.abs() <= LARGEST);
        let is_odd = !(in_reach & (largest >= SMALLEST));
        let reciprocal = 1.0 / largest;
        let (x, y, z) = (x * reciprocal, y * reciprocal, z * reciprocal);
        self.odd[lane] = if is_odd { u32::MAX } else { 0 };
        self.face[lane] = face_of(x, y, z);
        (self.along[0][lane], self.along[1][lane], self.along[2][lane]) = (x, y, z);
    }

    /// Where a lane's direction comes out on the plane of a face, in half edges of it.
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

/// Rule 7.1, of numbers.
#[inline(always)]
fn face_of(x: f32, y: f32, z: f32) -> u32 {
    let is_z = (z.abs() >= x.abs()) & (z.abs() >= y.abs());
    let is_y = y.abs() >= x.abs();
    let (major, axis) = if is_y { (y, 2) } else { (x, 0) };
    let (major, axis) = if is_z { (z, 4) } else { (major, axis) };
    axis + if major < 0.0 { 1 } else { 0 }
}

/// Rule 4.11 for quads on one face of a size. Returns what is not 0 in lanes that are left to the
/// reference: those with a corner on another face, and what is not ordinary.
#[inline(always)]
pub(super) fn of_cube<const POWERS: bool>(
    point: [&Lanes; 3],
    request: &FetchRequest<'_>,
    scale: &Scale,
    out: &mut Texels,
) -> [u32; 32] {
    let (mut home, mut other) = (Corners::ZERO, Corners::ZERO);
    let zeros = [0; 32];
    set(&mut home, point, [&zeros; 3]);
    let mut odd = home.odd;
    for (d, out) in [(request.dpdx, &mut out.dpdx), (request.dpdy, &mut out.dpdy)] {
        set(&mut other, point, d);
        for lane in 0..32 {
            let face = home.face[lane];
            let (s0, t0) = home.place(face, lane);
            let (s1, t1) = other.place(face, lane);
            let (s, t) = (difference(s0, s1), difference(t0, t1));
            let is_plain = is_ordinary(s) & is_ordinary(t) & (face == other.face[lane]);
            odd[lane] |= other.odd[lane] | if is_plain { 0 } else { 1 };
            out[0][lane] = scale.apply::<POWERS>(s * 0.5);
            out[1][lane] = scale.apply::<POWERS>(t * 0.5);
        }
    }
    odd
}

/// The corners of the points and these gradients; 0 adds nothing.
#[inline(always)]
fn set(corners: &mut Corners, point: [&Lanes; 3], d: [&Lanes; 3]) {
    for lane in 0..32 {
        let x = f32::from_bits(point[0][lane]) + f32::from_bits(d[0][lane]);
        let y = f32::from_bits(point[1][lane]) + f32::from_bits(d[1][lane]);
        let z = f32::from_bits(point[2][lane]) + f32::from_bits(d[2][lane]);
        corners.set(lane, [x, y, z]);
    }
}
