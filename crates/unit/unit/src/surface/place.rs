//! Computes the location of a surface access: docs/numerics.md, section 10. Both plans and traces
//! use [`Rule::apply`]. [`Plain`] is a fast path for a warp all of whose lanes access bytes inside
//! the surface.

mod plain;

use crate::request::{AccessFault, ClampMode, Coordinates, Geometry};
use crate::resource::{Resource, TexelIndex, elements};
pub(super) use plain::Plain;

/// The parameters that determine the location of an access. They follow from the instruction form
/// and the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    clamp: ClampMode,
    /// Size of the whole access in bytes.
    pub(super) size: u32,
    /// The number of bytes that one step of x stands for.
    unit: u32,
    pub(super) geometry: Geometry,
    planes: u32,
    /// The size of a row in bytes, the number of rows, and the number of slices; 1 for axes that
    /// the geometry lacks.
    bounds: [i64; 3],
    texel_size: u32,
    first: u64,
    plane_pitch: u64,
    slice_pitch: u64,
    row_pitch: u64,
}

/// Coordinates of one access as given by the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Coordinate {
    pub(super) layer: Option<u32>,
    /// x, y, z; axes that the geometry lacks are 0.
    pub(super) at: [i32; 3],
}

/// The location of an access that is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfacePlace {
    /// Index of the layer; for cubes, `6 * cube + face`.
    pub layer: u32,
    /// The x coordinate of the access in bytes.
    pub x: u64,
    /// The row of the surface.
    pub y: u64,
    /// The slice of the surface.
    pub z: u64,
    /// Whether `.clamp` has changed the coordinates.
    pub moved: bool,
    /// Byte offset in the memory of the resource.
    pub offset: u64,
}

/// What happens to an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceOutcome {
    /// The access is executed.
    Made(SurfacePlace),
    /// The access hits a tile of a sparse array that is not resident. A load returns 0; a store or
    /// reduction is dropped.
    NotResident(SurfacePlace),
    /// The access is outside under `.zero`, or under `.clamp` in a row that is shorter than the
    /// access. A load returns 0; a store or reduction is dropped.
    Dropped,
    /// The access is outside under `.trap`, and faults.
    Outside,
    /// The x coordinate in bytes is not a multiple of the access size. The access faults under
    /// every policy.
    Misaligned,
}

/// Rule 10.3 (open: which bits are used): the number of a layer, whose top bit is ignored.
fn layer_number(layer: u32) -> u32 {
    layer & (u32::MAX >> 1)
}

impl Rule {
    /// Makes the parameters. `unit` is the number of bytes that one step of x stands for, `size`
    /// the number of bytes that a lane accesses.
    pub(super) fn new(
        resource: &Resource,
        geometry: Geometry,
        clamp: ClampMode,
        unit: u32,
        size: u32,
    ) -> Self {
        let level = resource.levels()[0];
        let (_, rows) = elements(resource.format(), level.extent);
        // Rule 10.10 of docs/numerics.md: on a 3D array, the layer of `.a2d` is checked against the
        // array's depth, but slice 0 is accessed.
        let (planes, plane_pitch) = match geometry {
            Geometry::A2d if resource.geometry() == Geometry::D3 => (level.extent.depth, 0),
            _ => (resource.shape().planes(), level.plane_pitch),
        };
        Self {
            clamp,
            size,
            unit,
            geometry,
            planes,
            bounds: [resource.row_bytes(0) as i64, rows as i64, level.extent.depth.into()],
            texel_size: resource.format().texel_size(),
            first: level.offset,
            plane_pitch,
            slice_pitch: level.slice_pitch,
            row_pitch: level.row_pitch,
        }
    }

    /// Whether accesses of 8 bytes at aligned coordinates have aligned addresses. The pitch between
    /// planes, slices or rows is ignored if there is only one, because linear memory has arbitrary
    /// pitches.
    pub(super) fn is_aligned(&self) -> bool {
        let [_, rows, slices] = self.bounds;
        let steps = [
            (rows, self.row_pitch),
            (slices, self.slice_pitch),
            (self.planes.into(), self.plane_pitch),
        ];
        let step_is_aligned = |(count, pitch): (i64, u64)| count < 2 || pitch.is_multiple_of(8);
        self.first.is_multiple_of(8) && steps.into_iter().all(step_is_aligned)
    }

    /// Extracts the coordinates that the geometry has.
    pub(super) fn coordinate(&self, coords: Coordinates<u32>) -> Coordinate {
        let mut at = [0; 3];
        for (at, coord) in at.iter_mut().zip(coords.point).take(self.geometry.axes()) {
            *at = coord as i32;
        }
        Coordinate { layer: self.geometry.is_array().then_some(coords.layer), at }
    }

    pub(super) fn policy(&self) -> ClampMode {
        self.clamp
    }

    /// The x coordinate of an access in bytes.
    pub(super) fn byte_x(&self, coordinate: Coordinate) -> i64 {
        i64::from(coordinate.at[0]) * i64::from(self.unit)
    }

    pub(super) fn apply(&self, coordinate: Coordinate, resource: &Resource) -> SurfaceOutcome {
        let size = i64::from(self.size);
        let [_, y, z] = coordinate.at.map(i64::from);
        let mut at = [self.byte_x(coordinate), y, z];
        let mut layer = layer_number(coordinate.layer.unwrap_or(0));
        if at[0].rem_euclid(size) != 0 {
            return SurfaceOutcome::Misaligned;
        }
        let inside = layer < self.planes
            && (0..=self.bounds[0] - size).contains(&at[0])
            && (0..self.bounds[1]).contains(&at[1])
            && (0..self.bounds[2]).contains(&at[2]);
        if !inside {
            match self.clamp {
                ClampMode::Zero => return SurfaceOutcome::Dropped,
                // Rule 10.5 of docs/numerics.md: if a row is shorter than the access, there is no
                // position to clamp to.
                ClampMode::Clamp if self.bounds[0] < size => return SurfaceOutcome::Dropped,
                ClampMode::Clamp => {
                    at[0] = at[0].clamp(0, (self.bounds[0] - size) / size * size);
                    at[1] = at[1].clamp(0, self.bounds[1] - 1);
                    at[2] = at[2].clamp(0, self.bounds[2] - 1);
                    layer = layer.min(self.planes - 1);
                }
                ClampMode::Trap => return SurfaceOutcome::Outside,
            }
        }
        let [x, y, z] = at.map(|i| i as u64);
        let offset = self.first
            + u64::from(layer) * self.plane_pitch
            + z * self.slice_pitch
            + y * self.row_pitch
            + x;
        let place = SurfacePlace { layer, x, y, z, moved: !inside, offset };
        if resource.residency().is_none() || self.is_resident(place, resource) {
            SurfaceOutcome::Made(place)
        } else {
            SurfaceOutcome::NotResident(place)
        }
    }

    /// Whether the tile of an access is resident. An access lies within one tile, because the rows
    /// of tiles are multiples of 16 bytes.
    fn is_resident(&self, place: SurfacePlace, resource: &Resource) -> bool {
        let block = resource.format().block_extent();
        let column = (place.x / u64::from(self.texel_size)) as u32;
        resource.is_resident(TexelIndex {
            level: 0,
            plane: place.layer,
            sample: 0,
            at: [column * block, place.y as u32 * block, place.z as u32],
        })
    }

    /// Converts the outcome of an access to a fault, if it is one.
    #[cold]
    pub(super) fn fault(
        &self,
        lane: usize,
        coordinate: Coordinate,
        outcome: SurfaceOutcome,
        resource: &Resource,
    ) -> Option<AccessFault> {
        let (lane, size, layer) = (lane as u32, self.size, coordinate.layer);
        let ([x, y, z], resource) = (coordinate.at, resource.describe());
        match outcome {
            SurfaceOutcome::Outside => {
                Some(AccessFault::Outside { lane, layer, x, y, z, size, resource })
            }
            SurfaceOutcome::Misaligned => {
                Some(AccessFault::Misaligned { lane, layer, x, size, resource })
            }
            _ => None,
        }
    }
}
