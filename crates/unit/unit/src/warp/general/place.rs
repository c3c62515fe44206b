//! Where 32 lanes read: layer, sample, and the coordinates of the point, of a cube those on a
//! face. docs/numerics.md, 1.4, 1.10, 7 and 9.

use crate::request::{
    Coordinates, FetchForm, FetchKind, FetchRequest, Geometry, Lanes, ZERO_LANES,
};
use crate::resource::ArrayShape;

/// What the stage knows of instruction and texture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    geometry: Geometry,
    last_layer: u32,
    last_sample: u32,
    offsets: Offsets,
}

/// How the offset operand is taken apart (rule 1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offsets {
    None,
    /// So many bits for each of so many axes.
    Bits(u32, usize),
    /// Four bits along x and four for the row.
    Row,
}

/// Where.
#[derive(Clone, Debug)]
pub(super) struct PlaceLanes {
    /// Layer, or face of all cubes.
    pub(super) plane: [u32; 32],
    pub(super) sample: [u32; 32],
    /// Bits of the coordinates along x, y, z.
    pub(super) coords: [Lanes; 3],
    /// In texels.
    pub(super) offset: [[i32; 32]; 3],
}

impl PlaceLanes {
    pub(super) const ZERO: Self =
        Self { plane: [0; 32], sample: [0; 32], coords: [[0; 32]; 3], offset: [[0; 32]; 3] };
}

impl Places {
    pub(super) fn new(form: FetchForm, shape: &ArrayShape) -> Self {
        let geometry = form.geometry;
        let axes = geometry.axes();
        let offsets = match form.kind {
            _ if !form.offset => Offsets::None,
            FetchKind::Gather(_) => Offsets::Bits(6, axes),
            FetchKind::Sample(_) if geometry == Geometry::D1 => Offsets::Row,
            FetchKind::Sample(_) => Offsets::Bits(4, axes),
        };
        Self {
            geometry,
            last_layer: shape.layers.saturating_sub(1),
            last_sample: shape.samples.saturating_sub(1),
            offsets,
        }
    }

    /// Fills `out`. Lanes that are not active get some place inside.
    #[inline(always)]
    pub(super) fn run(&self, request: &FetchRequest<'_>, out: &mut PlaceLanes) {
        let Coordinates { layer, sample, point } = request.coords;
        let or_zero = |has: bool, lanes| if has { lanes } else { &ZERO_LANES };
        let layer = or_zero(self.geometry.is_array(), layer);
        let sample = or_zero(self.geometry.is_multisample(), sample);
        for lane in 0..32 {
            out.plane[lane] = layer[lane].min(self.last_layer);
            out.sample[lane] = sample[lane].min(self.last_sample);
        }
        if self.geometry.is_cube() {
            faces(point, out);
        } else {
            let axes = self.geometry.axes();
            for (axis, (out, coords)) in out.coords.iter_mut().zip(point).enumerate() {
                // A row has a y, which is 0.
                *out = *or_zero(axis < axes, coords);
            }
        }
        self.offsets(request, &mut out.offset);
    }

    #[inline(always)]
    fn offsets(&self, request: &FetchRequest<'_>, out: &mut [[i32; 32]; 3]) {
        *out = [[0; 32]; 3];
        match self.offsets {
            Offsets::None => {}
            Offsets::Bits(bits, axes) => {
                for (out, from) in out.iter_mut().zip(request.offset).take(axes) {
                    low_bits(32 - bits, 0, from, out);
                }
            }
            Offsets::Row => {
                low_bits(28, 0, request.offset[0], &mut out[0]);
                low_bits(28, 4, request.offset[0], &mut out[1]);
            }
        }
    }
}

/// Bits from `from` on as numbers of two's complement, `32 - drop` of them.
#[inline(always)]
fn low_bits(drop: u32, from: u32, e: &Lanes, out: &mut [i32; 32]) {
    for lane in 0..32 {
        out[lane] = (e[lane] >> from << drop) as i32 >> drop;
    }
}

/// Rules 7.1, 7.2 and 7.4, for all lanes.
#[inline(always)]
fn faces([x, y, z]: [&Lanes; 3], out: &mut PlaceLanes) {
    let PlaceLanes { plane, coords: [s, t, _], .. } = out;
    for lane in 0..32 {
        let point = FacePoint::of([x[lane], y[lane], z[lane]].map(f32::from_bits));
        plane[lane] = 6 * plane[lane] + point.face;
        s[lane] = point.s.to_bits();
        t[lane] = point.t.to_bits();
    }
}

/// A face and a place on it; not a number where there is no direction, which reads as 0.
struct FacePoint {
    face: u32,
    s: f32,
    t: f32,
}

impl FacePoint {
    #[inline(always)]
    fn of(direction: [f32; 3]) -> Self {
        let none = direction.iter().fold(false, |any, x| any | x.is_infinite());
        let [x, y, z] = direction.map(|x| if none | x.is_nan() { 0.0 } else { x });
        let (along_x, along_y, along_z) = (x.abs(), y.abs(), z.abs());
        let is_z = (along_z >= along_x) & (along_z >= along_y);
        let is_y = !is_z & (along_y >= along_x);
        let major = if is_z {
            z
        } else if is_y {
            y
        } else {
            x
        };
        let behind = major < 0.0;
        let (minus_x, minus_z) = (if behind { -x } else { x }, if behind { -z } else { z });
        let s = if is_z {
            minus_x
        } else if is_y {
            x
        } else {
            -minus_z
        };
        let t = if is_y { minus_z } else { -y };
        let axis = if is_z {
            4
        } else if is_y {
            2
        } else {
            0
        };
        let coordinate = |c: f32| (c / major.abs() + 1.0) * 0.5;
        Self { face: axis + u32::from(behind), s: coordinate(s), t: coordinate(t) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::cube::face_point;

    #[test]
    fn faces_are_the_references() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let numbers = [0.0, -0.0, 1.0, -1.0, 0.75, -0.75, 1e-45, -1e-45, 3e38, inf, -inf, nan];
        for x in numbers {
            for y in numbers {
                for z in numbers {
                    let (got, wanted) = (FacePoint::of([x, y, z]), face_point([x, y, z]));
                    assert_eq!(got.face, wanted.face, "{x} {y} {z}");
                    for (got, wanted) in [(got.s, wanted.s), (got.t, wanted.t)] {
                        let same = got == wanted || got.is_nan() && wanted.is_nan();
                        assert!(same, "{x} {y} {z}: {got}, not {wanted}");
                    }
                }
            }
        }
    }
}
