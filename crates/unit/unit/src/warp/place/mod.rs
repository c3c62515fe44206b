//! The first stage of a fetch. For 32 lanes, it computes layer or face, sample, offsets and
//! coordinates; for a cube, the coordinates on the face. docs/numerics.md, 1.4, 1.10, 7 and 9.

mod faces;
mod planes;

pub(super) use faces::{Faces, USUAL, on_face, products, scale};
pub(super) use planes::Planes;

use super::build::Build;
use crate::request::{
    Coordinates, FetchForm, FetchKind, FetchRequest, Geometry, Lanes, Lod, ZERO_LANES,
};
use crate::resource::{Layout, Resource};

/// The parameters of the stage, from the instruction and the texture.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceStage {
    geometry: Geometry,
    /// The conversion of directions to faces; `None` for geometries other than cubes.
    faces: Option<Faces>,
    /// The computation of layers and faces; `None` for textures without layers that are not cubes.
    planes: Option<Planes>,
    last_sample: u32,
    offsets: Offsets,
}

/// The results of the stage for 32 lanes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct PlaceLanes {
    /// Index of the layer, or of the face among all cubes, times the requested pitch.
    pub(super) plane: Lanes,
    pub(super) sample: Lanes,
    /// Offsets in texels along x, y, z, as signed numbers.
    pub(super) offset: [Lanes; 3],
    face: Lanes,
    /// The products along s and t of the face, as f32 bits.
    on_face: [Lanes; 2],
}

impl PlaceLanes {
    pub(super) const ZERO: Self = Self {
        plane: [0; 32],
        sample: [0; 32],
        offset: [[0; 32]; 3],
        face: [0; 32],
        on_face: [[0; 32]; 2],
    };
}

impl PlaceStage {
    pub(super) fn new(form: FetchForm, resource: &Resource, build: Build) -> Self {
        let (geometry, shape) = (form.geometry, resource.shape());
        // Rule 1.9 of docs/numerics.md: offsets have no effect on linear memory.
        let is_linear = resource.layout() == Layout::Linear;
        let has_planes = geometry.is_cube() || geometry.is_array();
        let last_layer = shape.layers.saturating_sub(1);
        Self {
            geometry,
            faces: geometry.is_cube().then(|| Faces::new(build)),
            planes: has_planes.then(|| Planes::new(last_layer, build)),
            last_sample: shape.samples.saturating_sub(1),
            offsets: if is_linear { Offsets::None } else { Offsets::of(form) },
        }
    }

    /// Whether the texture has layers or faces.
    pub(super) fn has_planes(&self) -> bool {
        self.planes.is_some()
    }

    /// Whether the coordinates are directions.
    #[inline(always)]
    pub(super) fn is_cube(&self) -> bool {
        self.faces.is_some()
    }

    /// Computes the results of the stage. Layers and faces are indices times `pitch`. Inactive
    /// lanes get some valid location.
    #[inline(always)]
    pub(super) fn run(&self, request: &FetchRequest<'_>, pitch: u32, out: &mut PlaceLanes) {
        let Coordinates { layer, sample, point } = request.coords;
        let PlaceLanes { plane, sample: samples, offset, face, on_face } = out;
        if let Some(faces) = self.faces {
            faces.find(point, face, on_face);
        }
        if let Some(planes) = self.planes {
            let layer = self.geometry.is_array().then_some(layer);
            planes.find(layer, self.faces.map(|_| &*face), pitch, plane);
        }
        if self.geometry.is_multisample() {
            for lane in 0..32 {
                // The number of samples is a power of two, so that a mask takes the sample number
                // modulo this number.
                samples[lane] = sample[lane] & self.last_sample;
            }
        }
        self.offsets.run(request, offset);
    }

    /// Computes the results of the stage, also for textures without layers, faces or samples, whose
    /// numbers are then 0.
    #[inline(always)]
    pub(super) fn run_all(&self, request: &FetchRequest<'_>, out: &mut PlaceLanes) {
        if self.planes.is_none() {
            out.plane = [0; 32];
        }
        if !self.geometry.is_multisample() {
            out.sample = [0; 32];
        }
        self.run(request, 1, out);
    }

    /// The coordinates along each axis. A 1D texture has a coordinate y, which is 0.
    #[inline(always)]
    pub(super) fn point<'a>(
        &self,
        request: &FetchRequest<'a>,
        from: &'a PlaceLanes,
    ) -> [&'a Lanes; 3] {
        if self.faces.is_some() {
            let [s, t] = &from.on_face;
            return [s, t, &ZERO_LANES];
        }
        let [x, y, z] = request.coords.point;
        match self.geometry.axes() {
            1 => [x, &ZERO_LANES, &ZERO_LANES],
            2 => [x, y, &ZERO_LANES],
            _ => [x, y, z],
        }
    }

    /// The offsets along an axis; `None` if the instruction has no offsets.
    #[inline(always)]
    pub(super) fn offset<'a>(&self, axis: usize, from: &'a PlaceLanes) -> Option<&'a Lanes> {
        (self.offsets != Offsets::None).then_some(&from.offset[axis])
    }
}

/// Rule 1.9 of docs/numerics.md: numbers of layers and levels that integer coordinates can address.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntegerLimits {
    layers: u32,
    levels: u32,
}

impl IntegerLimits {
    /// Makes the limits. `layers` is the number of layers that the instruction can address on the
    /// actual resource.
    pub(super) fn new(form: FetchForm, resource: &Resource, layers: u32) -> Self {
        let by_level = form.kind == FetchKind::Sample(Lod::Level);
        let is_linear = resource.layout() == Layout::Linear;
        let count = resource.levels().len() as u32;
        Self {
            // A fetch with an explicit level clamps the layer.
            layers: if form.geometry.is_array() && !by_level { layers } else { u32::MAX },
            levels: if by_level && !is_linear { count } else { u32::MAX },
        }
    }

    /// The mask of the lanes that address a layer or level that does not exist.
    #[inline(always)]
    pub(super) fn outside(&self, request: &FetchRequest<'_>) -> u32 {
        let mut mask = 0;
        for (lanes, count) in [(request.coords.layer, self.layers), (request.level, self.levels)] {
            if count < u32::MAX {
                for lane in 0..32 {
                    mask |= u32::from(lanes[lane] >= count) << lane;
                }
            }
        }
        mask
    }
}

/// How the bits of the offset operand are decoded (rule 1.4 of docs/numerics.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offsets {
    None,
    /// Each axis has four bits.
    Four,
    /// Each axis has six bits.
    Six,
    /// x has four bits and the row of a 1D texture has four bits.
    Row,
}

impl Offsets {
    fn of(form: FetchForm) -> Self {
        match form.kind {
            _ if !form.offset => Self::None,
            FetchKind::Gather(_) => Self::Six,
            FetchKind::Sample(_) if form.geometry == Geometry::D1 => Self::Row,
            FetchKind::Sample(_) => Self::Four,
        }
    }

    /// Decodes the offsets along the geometry's axes. The offsets along other axes are arbitrary.
    #[inline(always)]
    fn run(self, request: &FetchRequest<'_>, out: &mut [Lanes; 3]) {
        let [x, y, z] = request.offset;
        match self {
            Self::None => {}
            Self::Four => {
                bits::<4, 0>(x, &mut out[0]);
                bits::<4, 0>(y, &mut out[1]);
                bits::<4, 0>(z, &mut out[2]);
            }
            Self::Six => {
                bits::<6, 0>(x, &mut out[0]);
                bits::<6, 0>(y, &mut out[1]);
                bits::<6, 0>(z, &mut out[2]);
            }
            Self::Row => {
                bits::<4, 0>(x, &mut out[0]);
                bits::<4, 4>(x, &mut out[1]);
            }
        }
    }
}

/// Sign-extends the `COUNT` bits from bit `FROM` on.
#[inline(always)]
fn bits<const COUNT: u32, const FROM: u32>(e: &Lanes, out: &mut Lanes) {
    for lane in 0..32 {
        out[lane] = ((e[lane] << (32 - COUNT - FROM)) as i32 >> (32 - COUNT)) as u32;
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
        let all = || numbers.into_iter();
        let directions = all().flat_map(|x| all().flat_map(move |y| all().map(move |z| [x, y, z])));
        for build in Build::all() {
            for direction in directions.clone() {
                let [x, y, z] = direction.map(|c: f32| [c.to_bits(); 32]);
                let (mut face, mut at) = ([9; 32], [[0; 32]; 2]);
                Faces::new(build).find([&x, &y, &z], &mut face, &mut at);
                let wanted = face_point(direction);
                assert_eq!(face, [wanted.face; 32], "{direction:?}");
                for (got, wanted) in at.iter().zip([wanted.sc, wanted.tc]) {
                    // The axis stages treat NaNs and subnormal numbers as zeros.
                    let got = f32::from_bits(got[31]);
                    let got = if got.is_nan() || got.is_subnormal() { 0.0 } else { got };
                    assert_eq!(got, wanted, "{direction:?}");
                }
            }
        }
    }
}
