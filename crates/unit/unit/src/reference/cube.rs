//! Cube maps: docs/numerics.md, section 7. Converts a direction to a face and coordinates on it,
//! gradients to texels of a face, and indices past the edges of a face to texels of the
//! neighbouring faces.

use super::fixed::Fixed;
use super::float10::{Float10, SignedFloat10};
use super::gradient::{Gradient, Texels, scaled, slope};
use texunit_sfu::rcp;

/// A signed axis of space: x, y or z (`axis` 0 to 2) in positive or negative direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    pub(crate) axis: usize,
    pub(crate) negative: bool,
}

impl Signed {
    /// The component of a vector along the axis.
    fn of(self, vector: [f32; 3]) -> f32 {
        let x = vector[self.axis];
        if self.negative { -x } else { x }
    }

    fn opposite(self) -> Self {
        Self { negative: !self.negative, ..self }
    }
}

/// The orientation of a cube face in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Face {
    /// The outward normal of the face.
    pub(crate) major: Signed,
    /// The direction in which the face coordinate s grows.
    pub(crate) s: Signed,
    /// The direction in which the face coordinate t grows.
    pub(crate) t: Signed,
}

const fn plus(axis: usize) -> Signed {
    Signed { axis, negative: false }
}

const fn minus(axis: usize) -> Signed {
    Signed { axis, negative: true }
}

/// The faces by number: +x, -x, +y, -y, +z, -z.
#[rustfmt::skip]
pub(crate) const FACES: [Face; 6] = [
    Face { major: plus(0),  s: minus(2), t: minus(1) },
    Face { major: minus(0), s: plus(2),  t: minus(1) },
    Face { major: plus(1),  s: plus(0),  t: plus(2)  },
    Face { major: minus(1), s: plus(0),  t: minus(2) },
    Face { major: plus(2),  s: plus(0),  t: minus(1) },
    Face { major: minus(2), s: minus(0), t: minus(1) },
];

/// The number of the face whose outward normal is this axis.
fn face_towards(direction: Signed) -> usize {
    2 * direction.axis + usize::from(direction.negative)
}

/// The point on a face to which a direction points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FacePoint {
    /// Face number, 0 to 5.
    pub(crate) face: u32,
    /// Products of direction and reciprocal along the face's s and t, from -1 to 1. The unit
    /// receives these as its operands.
    pub(crate) sc: f32,
    pub(crate) tc: f32,
    /// The product along the face's normal, which has the largest magnitude.
    pub(crate) ma: f32,
    /// Exact face coordinates, 0 to 1.
    pub(crate) s: Fixed,
    pub(crate) t: Fixed,
}

/// Rule 7.2 of docs/numerics.md: the products of a direction and the hardware's reciprocal of its
/// largest magnitude, which code of ptxas computes before the fetch. NaNs are ignored for the
/// maximum, unless all three are NaN.
fn products(direction: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = direction.map(f32::abs);
    let r = f32::from_bits(rcp(x.max(y).max(z).to_bits()));
    direction.map(|c| c * r)
}

/// Rule 7.1 of docs/numerics.md: the face that a direction points at, from its products of rule
/// 7.2. The product of largest magnitude decides; ties go to z, then y, then x. A NaN is smaller
/// than any number; NaN and -0 count as positive.
fn face_of(products: [f32; 3]) -> usize {
    let magnitude = |c: f32| if c.is_nan() { -1.0 } else { c.abs() };
    let [x, y, z] = products.map(magnitude);
    let axis = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    face_towards(Signed { axis, negative: products[axis] < 0.0 })
}

/// Rule 7.4 of docs/numerics.md: product as the unit uses it. NaNs and subnormal numbers become 0.
fn number(product: f32) -> f32 {
    if product.is_nan() || product.is_subnormal() { 0.0 } else { product }
}

/// Rules 7.1, 7.2 and 7.4 of docs/numerics.md: the face that a direction points at, and the
/// coordinates on the face.
pub(crate) fn face_point(direction: [f32; 3]) -> FacePoint {
    let products = products(direction);
    let face = face_of(products);
    let Face { major, s, t } = FACES[face];
    let products = products.map(number);
    let (sc, tc, ma) = (s.of(products), t.of(products), products[major.axis]);
    FacePoint { face: face as u32, sc, tc, ma, s: on_face(sc), t: on_face(tc) }
}

/// Rules 7.2 and 7.4 of docs/numerics.md: the exact face coordinate of a product, from 0 to 1. An
/// infinite product becomes the coordinate farthest outside.
pub(crate) fn on_face(product: f32) -> Fixed {
    let c = Fixed::from_f32(number(product));
    if product.is_infinite() { c } else { c.plus(Fixed::from_int(1)).halved() }
}

/// One of the three directions that represent gradients: its products of rule 7.2 of
/// docs/numerics.md, and its face.
fn lane(direction: [f32; 3]) -> ([f32; 3], usize) {
    let products = products(direction);
    (products.map(number), face_of(products))
}

/// Rule 4.11 of docs/numerics.md: half of a difference of products along an axis, in texels of a
/// face of `n` texels.
fn half_way(x: f32, y: f32, n: u32) -> SignedFloat10 {
    scaled(SignedFloat10::near_difference(x, y).halved(), n)
}

/// Rule 4.11 of docs/numerics.md: the components in texels of a gradient from the first lane of a
/// quad to another, on the first lane's face. If the other lane is on a neighbouring face, this
/// face is unfolded about the common edge; if it is on the opposite face, a third component is the
/// size of a face.
fn across((first, home): ([f32; 3], usize), (other, away): ([f32; 3], usize), n: u32) -> Texels {
    let Face { major, s, t } = FACES[home];
    let beyond = FACES[away].major;
    let [s, t] = [s, t].map(|axis| {
        if beyond.axis != axis.axis || away == home {
            return half_way(axis.of(other), axis.of(first), n);
        }
        // Toward the neighbouring face, the component is the distance from the first lane to the
        // edge, plus the distance from the edge to the other lane.
        let before = half_way(1.0, beyond.of(first), n);
        let way = before.plus(half_way(1.0, major.of(other), n));
        if beyond == axis { way } else { way.negated() }
    });
    let opposite = beyond == major.opposite();
    let third = if opposite { Float10::cut(n.into(), 0) } else { Float10::ZERO };
    [s, t, SignedFloat10 { negative: false, magnitude: third }]
}

/// Rule 4.11 of docs/numerics.md: the gradients of a direction on faces of `n` texels per edge, and
/// whether all three directions of the quad P, P + dPdx, P + dPdy (sums rounded to f32) are on one
/// face. Only then do the diagonals count.
pub(crate) fn gradient(
    point: [f32; 3],
    dpdx: [f32; 3],
    dpdy: [f32; 3],
    n: u32,
) -> (Gradient, bool) {
    let moved = |d: [f32; 3]| lane(std::array::from_fn(|a| point[a] + d[a]));
    let (home, x, y) = (lane(point), moved(dpdx), moved(dpdy));
    let on_one_face = home.1 == x.1 && home.1 == y.1;
    let slope = slope([across(home, x, n), across(home, y, n)], on_one_face);
    (Gradient::Slope(slope), on_one_face)
}

/// The position of a texel of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaceTexel {
    pub(crate) face: u32,
    pub(crate) at: [u32; 2],
}

/// How the neighbouring face lies across an edge of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Face number of the neighbour.
    pub(crate) face: u32,
    /// The axis of the neighbouring face that leads away from the edge: 0 for s, 1 for t.
    pub(crate) away: usize,
    /// Whether the edge is at the last index of that axis, so indices decrease away from the edge.
    pub(crate) from_end: bool,
    /// Whether indices along the edge run in opposite directions on the two faces.
    pub(crate) reversed: bool,
}

/// Derives the neighbouring face across an edge from the faces' axes in space. `axis` is the axis
/// on which the edge lies at one end, 0 for s and 1 for t; `past_end` selects the end.
pub(crate) fn edge(face: u32, axis: usize, past_end: bool) -> Edge {
    let home = FACES[face as usize];
    let axes = [home.s, home.t];
    let towards = if past_end { axes[axis] } else { axes[axis].opposite() };
    let number = face_towards(towards);
    let there = FACES[number];
    // On the neighbouring face, the edge lies in the direction of the home face's normal.
    let away = usize::from(there.t.axis == home.major.axis);
    let there_axes = [there.s, there.t];
    Edge {
        face: number as u32,
        away,
        from_end: there_axes[away] == home.major,
        reversed: there_axes[1 - away] != axes[1 - axis],
    }
}

/// A texel of a seamless footprint, which may lie on a neighbouring face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seamless {
    /// The texel exists, at this position.
    At(FaceTexel),
    /// The texel is the fourth of a footprint around a corner of the cube, where only three texels
    /// meet: the one inside the face, then the ones across its edges.
    Missing([FaceTexel; 3]),
}

/// Rule 7.7 of docs/numerics.md: moves a footprint on a face of `n` texels per edge to the corner
/// of the face if it lacks more than one texel there, so that only one is missing. For each axis,
/// the pair is the lower index and the weight of the upper texel.
pub(crate) fn pulled(axes: [(i64, u32); 2], n: u32) -> [(i64, u32); 2] {
    let last = i64::from(n) - 1;
    let outside = |(i, _): (i64, u32)| [i, i + 1].map(|k| k < 0 || k > last);
    let [x, y] = axes.map(outside).map(|o| o.into_iter().filter(|o| *o).count());
    if x * y < 2 {
        return axes;
    }
    axes.map(|(index, weight)| match index {
        i if i < -1 => (-1, 0),
        i if i > last => (last, 256),
        i => (i, weight),
    })
}

/// Rule 7.7 of docs/numerics.md: the texel at an index of a face of `n` texels per edge. The
/// footprint must have been [`pulled`] to the corner.
pub(crate) fn seamless(face: u32, index: [i64; 2], n: u32) -> Seamless {
    let last = i64::from(n) - 1;
    let outside = index.map(|k| k < 0 || k > last);
    let inside = index.map(|k| k.clamp(0, last));
    match outside {
        [false, false] => Seamless::At(FaceTexel { face, at: index.map(|k| k as u32) }),
        [true, true] => Seamless::Missing([
            FaceTexel { face, at: inside.map(|k| k as u32) },
            behind(face, 0, index[0], inside[1], n),
            behind(face, 1, index[1], inside[0], n),
        ]),
        [true, false] => Seamless::At(behind(face, 0, index[0], index[1], n)),
        [false, true] => Seamless::At(behind(face, 1, index[1], index[0], n)),
    }
}

/// The texel of the neighbouring face whose index `k` is outside along `axis`; index `along` is
/// inside on the other axis. Rule 7.7 (open): past the neighbour's last row, that row repeats.
fn behind(face: u32, axis: usize, k: i64, along: i64, n: u32) -> FaceTexel {
    let last = i64::from(n) - 1;
    let edge = edge(face, axis, k > last);
    let depth = if k > last { k - last - 1 } else { -1 - k }.min(last);
    let mut at = [0; 2];
    at[edge.away] = if edge.from_end { last - depth } else { depth } as u32;
    at[1 - edge.away] = if edge.reversed { last - along } else { along } as u32;
    FaceTexel { face: edge.face, at }
}

#[cfg(test)]
mod tests;
