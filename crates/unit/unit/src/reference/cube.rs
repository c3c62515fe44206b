//! Cube maps: docs/numerics.md, section 7. From a direction to a face and a place on it; gradients
//! on a cube; texels past the edges of a face.

use super::gradient::{Gradient, Texels, scaled, slope};
use super::ten::{SignedTen, decompose_signed};
use texunit_texel::{Reading, f16_to_f32, f32_to_f16, sign_extend, srgb_table};

/// An axis of space, 0 to 2 for x, y, z, in one of its two directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    pub(crate) axis: usize,
    pub(crate) negative: bool,
}

impl Signed {
    /// The component of a vector along it.
    fn of(self, vector: [f32; 3]) -> f32 {
        let x = vector[self.axis];
        if self.negative { -x } else { x }
    }

    fn opposite(self) -> Self {
        Self { negative: !self.negative, ..self }
    }
}

/// How a face lies in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Face {
    /// Where it looks.
    pub(crate) major: Signed,
    /// Where s grows: the direction of sc.
    pub(crate) s: Signed,
    /// Where t grows: the direction of tc.
    pub(crate) t: Signed,
}

const fn plus(axis: usize) -> Signed {
    Signed { axis, negative: false }
}

const fn minus(axis: usize) -> Signed {
    Signed { axis, negative: true }
}

/// The faces in the order of their numbers: +x, -x, +y, -y, +z, -z.
#[rustfmt::skip]
pub(crate) const FACES: [Face; 6] = [
    Face { major: plus(0),  s: minus(2), t: minus(1) },
    Face { major: minus(0), s: plus(2),  t: minus(1) },
    Face { major: plus(1),  s: plus(0),  t: plus(2)  },
    Face { major: minus(1), s: plus(0),  t: minus(2) },
    Face { major: plus(2),  s: plus(0),  t: minus(1) },
    Face { major: minus(2), s: minus(0), t: minus(1) },
];

/// The number of the face that looks there.
fn face_towards(direction: Signed) -> usize {
    2 * direction.axis + usize::from(direction.negative)
}

/// A direction on its face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FacePoint {
    /// 0 to 5.
    pub(crate) face: u32,
    /// Coordinates on the face before the division.
    pub(crate) sc: f32,
    pub(crate) tc: f32,
    /// The component of the largest magnitude.
    pub(crate) ma: f32,
    /// Face coordinates, 0 to 1; NaN (which reads as 0) without a direction.
    pub(crate) s: f32,
    pub(crate) t: f32,
}

/// Rules 7.3 and 7.4: the hardware multiplies a direction by the reciprocal of its largest
/// component before it fetches. That takes an infinite direction to no direction at all: the
/// reciprocal is 0, and infinity times 0 is NaN. A NaN component reads as 0.
fn seen(direction: [f32; 3]) -> [f32; 3] {
    if direction.iter().any(|x| x.is_infinite()) {
        return [0.0; 3];
    }
    direction.map(|x| if x.is_nan() { 0.0 } else { x })
}

/// Rule 7.1: the face that a direction of numbers points at: the axis of the largest magnitude,
/// ties z, then y, then x; a component of -0 counts as positive.
fn face_of(direction: [f32; 3]) -> usize {
    let [x, y, z] = direction.map(f32::abs);
    let axis = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    face_towards(Signed { axis, negative: direction[axis] < 0.0 })
}

/// Rules 7.1, 7.2: the face that a direction points at and the place there, each step rounded to
/// f32.
pub(crate) fn face_point(direction: [f32; 3]) -> FacePoint {
    let direction = seen(direction);
    let face = face_of(direction);
    let Face { major, s, t } = FACES[face];
    let (sc, tc, ma) = (s.of(direction), t.of(direction), direction[major.axis]);
    let coordinate = |c: f32| (c / ma.abs() + 1.0) * 0.5;
    FacePoint { face: face as u32, sc, tc, ma, s: coordinate(sc), t: coordinate(tc) }
}

/// Rule 7.3: 1/x, of which the hardware has an approximation, one unit in the last place off for
/// some x (open): a table of it belongs here.
pub(crate) fn reciprocal(x: f32) -> f32 {
    1.0 / x
}

/// A lane of the quad that carries gradients: its direction over the largest component.
fn lane(direction: [f32; 3]) -> ([f32; 3], usize) {
    let largest = direction.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
    let r = reciprocal(largest);
    let products = direction.map(|x| x * r);
    // Rounding leaves no product above 1 but for the reciprocal of a subnormal, which overflows
    // (open): such a lane counts as one without direction.
    let products = if products.iter().any(|x| x.is_infinite()) { [0.0; 3] } else { products };
    let products = seen(products);
    (products, face_of(products))
}

/// Rule 4.11 (open in the last digit): the components of a gradient on the face of the
/// first lane, over twice the edge of a face; `None` from a face to the opposite one. A lane on a
/// neighbouring face is unfolded about the edge that both share.
fn across(
    (first, home): ([f32; 3], usize),
    (other, away): ([f32; 3], usize),
) -> Option<[SignedTen; 2]> {
    let Face { major, s, t } = FACES[home];
    let beyond = FACES[away].major;
    if beyond == major.opposite() {
        return None;
    }
    Some([s, t].map(|axis| {
        if beyond.axis != axis.axis || away == home {
            return SignedTen::difference(axis.of(other), axis.of(first));
        }
        // Toward the neighbour: what the first lane has up to the edge, and the other behind it.
        let before = beyond.of(first);
        let behind = major.of(other);
        let way = [(2, 0), decompose_signed(-before), decompose_signed(-behind)];
        let way = SignedTen::cut_signed_sum(way);
        if beyond == axis { way } else { way.negated() }
    }))
}

/// Rule 4.11: gradients of a direction as differences in a quad of P, P + dPdx, P + dPdy
/// (sums rounded to f32), on faces of `n` texels an edge. The diagonals count only if all three
/// are on one face.
pub(crate) fn gradient(point: [f32; 3], dpdx: [f32; 3], dpdy: [f32; 3], n: u32) -> Gradient {
    let moved = |d: [f32; 3]| lane(std::array::from_fn(|a| point[a] + d[a]));
    let (home, x, y) = (lane(point), moved(dpdx), moved(dpdy));
    let texels = |other| -> Option<Texels> {
        let [s, t] = across(home, other)?.map(|c| scaled(c.halved(), n));
        Some([s, t, SignedTen::ZERO])
    };
    match [texels(x), texels(y)] {
        [Some(dx), Some(dy)] => Gradient::Slope(slope([dx, dy], home.1 == x.1 && home.1 == y.1)),
        _ => Gradient::Last,
    }
}

/// A texel of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaceTexel {
    pub(crate) face: u32,
    pub(crate) at: [u32; 2],
}

/// What lies behind an edge of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The neighbour.
    pub(crate) face: u32,
    /// Which of the neighbour's axes leads away from the edge: 0 for s, 1 for t.
    pub(crate) away: usize,
    /// Whether the edge is the neighbour's far one, so that away from it indices fall.
    pub(crate) from_end: bool,
    /// Whether indices along the edge run the other way.
    pub(crate) reversed: bool,
}

/// The neighbour behind an edge, by the faces' axes in space: `axis` 0 for s and 1 for t, past its
/// beginning or its end.
pub(crate) fn edge(face: u32, axis: usize, past_end: bool) -> Edge {
    let home = FACES[face as usize];
    let axes = [home.s, home.t];
    let towards = if past_end { axes[axis] } else { axes[axis].opposite() };
    let number = face_towards(towards);
    let there = FACES[number];
    // On the neighbour, the edge is where the home face's major axis points.
    let away = usize::from(there.t.axis == home.major.axis);
    let there_axes = [there.s, there.t];
    Edge {
        face: number as u32,
        away,
        from_end: there_axes[away] == home.major,
        reversed: there_axes[1 - away] != axes[1 - axis],
    }
}

/// A texel of a seamless footprint: on its face or a neighbour's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seamless {
    /// It exists.
    At(FaceTexel),
    /// The fourth texel of a footprint around a corner of the cube, where only three meet: the
    /// one inside the face, then those behind its edges.
    Missing([FaceTexel; 3]),
}

/// Rule 7.7: the texel at an index of a face of `n` texels an edge, for a
/// footprint whose lower indices are `lower`. A footprint within a texel of the face, as
/// directions have them, has at most one missing texel.
///
/// Rule 7.7 (open): an offset or an anisotropic tap may go further. Rows are then counted on the
/// neighbour, up to its last one; past a corner, along s only.
pub(crate) fn seamless(face: u32, index: [i64; 2], lower: [i64; 2], n: u32) -> Seamless {
    let last = i64::from(n) - 1;
    let outside = index.map(|k| k < 0 || k > last);
    let at_corner = |k: i64| k == -1 || k == last;
    match outside {
        [false, false] => Seamless::At(FaceTexel { face, at: index.map(|k| k as u32) }),
        [true, true] if lower.into_iter().all(at_corner) => {
            let inside = index.map(|k| k.clamp(0, last));
            Seamless::Missing([
                FaceTexel { face, at: inside.map(|k| k as u32) },
                behind(face, 0, index[0], inside[1], n),
                behind(face, 1, index[1], inside[0], n),
            ])
        }
        [true, _] => Seamless::At(behind(face, 0, index[0], index[1].clamp(0, last), n)),
        [false, true] => Seamless::At(behind(face, 1, index[1], index[0], n)),
    }
}

/// The texel behind an edge: `k` is outside along `axis`, `along` inside along the other.
fn behind(face: u32, axis: usize, k: i64, along: i64, n: u32) -> FaceTexel {
    let last = i64::from(n) - 1;
    let edge = edge(face, axis, k > last);
    let depth = if k > last { k - last - 1 } else { -1 - k }.min(last);
    let mut at = [0; 2];
    at[edge.away] = if edge.from_end { last - depth } else { depth } as u32;
    at[1 - edge.away] = if edge.reversed { last - along } else { along } as u32;
    FaceTexel { face: edge.face, at }
}

/// Rule 7.7 (open: the rounding): a channel of the missing texel of a corner, as a code of the
/// texture's format. It is the average of the other three, to nearest; sRGB codes by what they
/// stand for.
pub(crate) fn missing_corner(reading: Reading, codes: [u32; 3]) -> u32 {
    let mean = |values: [i64; 3]| (2 * values.iter().sum::<i64>() + 3).div_euclid(6);
    let float_mean =
        |values: [f32; 3]| (values.into_iter().map(f64::from).sum::<f64>() / 3.0) as f32;
    match reading {
        Reading::Unorm { .. } => mean(codes.map(i64::from)) as u32,
        Reading::Snorm { bits } => mean(codes.map(|c| sign_extend(bits, c).into())) as u32,
        Reading::Srgb => {
            let table = srgb_table();
            let wanted = mean(codes.map(|c| table[c as usize & 0xff].into()));
            let distance = |code: &u32| (i64::from(table[*code as usize]) - wanted).abs();
            (0..256).min_by_key(distance).unwrap_or(0)
        }
        Reading::F16 => {
            f32_to_f16(float_mean(codes.map(|c| f32::from_bits(f16_to_f32(c as u16)))).to_bits())
                .into()
        }
        Reading::F32 => float_mean(codes.map(f32::from_bits)).to_bits(),
        // These have one value for all codes, or no linear filter.
        Reading::Missing | Reading::One | Reading::Uint { .. } | Reading::Sint { .. } => codes[0],
    }
}

#[cfg(test)]
mod tests;
