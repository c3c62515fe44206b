//! Where 32 lanes read: layer, sample, and the coordinates of the point, of a cube those on a
//! face. docs/numerics.md, 1.4, 1.10, 7 and 9.

use crate::reference::cube::face_point;
use crate::request::{FetchForm, FetchKind, FetchRequest, Geometry, Lanes, ZERO_LANES, lanes};
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
        let [c0, c1, c2, c3] = request.coords;
        let zero = &ZERO_LANES;
        let (sample, layer, point) = match self.geometry {
            Geometry::D1 => (zero, zero, [c0, zero, zero]),
            Geometry::D2 => (zero, zero, [c0, c1, zero]),
            Geometry::D3 | Geometry::Cube => (zero, zero, [c0, c1, c2]),
            Geometry::A1d => (zero, c0, [c1, zero, zero]),
            Geometry::A2d => (zero, c0, [c1, c2, zero]),
            Geometry::Acube => (zero, c0, [c1, c2, c3]),
            Geometry::D2ms => (c0, zero, [c1, c2, zero]),
            Geometry::A2dms => (c0, c1, [c2, c3, zero]),
        };
        for lane in 0..32 {
            out.plane[lane] = layer[lane].min(self.last_layer);
            out.sample[lane] = sample[lane].min(self.last_sample);
        }
        if self.geometry.is_cube() {
            faces(request.active, point, out);
        } else {
            for (out, coords) in out.coords.iter_mut().zip(point) {
                *out = *coords;
            }
        }
        self.offsets(request, &mut out.offset);
    }

    /// The coordinates of the point of one lane: without layer and sample, of a cube the
    /// direction. Axes that the geometry lacks get anything.
    pub(super) fn point(&self, [c0, c1, c2, c3]: [u32; 4]) -> [u32; 3] {
        match (self.geometry.is_array(), self.geometry.is_multisample()) {
            (false, false) => [c0, c1, c2],
            (true, true) => [c2, c3, 0],
            _ => [c1, c2, c3],
        }
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

/// Section 7.
fn faces(active: u32, direction: [&Lanes; 3], out: &mut PlaceLanes) {
    let PlaceLanes { plane, coords, .. } = out;
    for lane in 0..32 {
        plane[lane] *= 6;
    }
    for lane in lanes(active) {
        let at = face_point(direction.map(|c| f32::from_bits(c[lane])));
        plane[lane] += at.face;
        coords[0][lane] = at.s.to_bits();
        coords[1][lane] = at.t.to_bits();
    }
}
