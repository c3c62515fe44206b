//! Surface accesses `suld.b` and `sust.b`: docs/numerics.md, section 10. Raw bytes of a box of
//! rows; formats do not matter.

use crate::request::{
    AccessFault, ClampMode, PlanError, SurfaceAnswer, SurfaceForm, SurfaceKind, SurfaceRequest,
    lanes,
};
use crate::sampler::Surface;
use std::sync::Arc;

/// A surface access made ready: once per (instruction form, surface).
#[derive(Clone, Debug)]
pub struct SurfacePlan {
    surface: Arc<Surface>,
    clamp: ClampMode,
    element_size: u8,
    vector: u8,
    /// Bytes of the whole access.
    size: u32,
    /// Bytes of a row, rows, slices; axes that the geometry lacks are 1.
    bounds: [i64; 3],
    dims: usize,
    row_pitch: u64,
    slice_pitch: u64,
}

/// Why elements are inside the block.
const CHECKED: &str = "`target` has checked the access against the resource";

/// Where an access of one lane goes.
enum Target {
    /// Offset in the block.
    At(u64),
    /// `.zero`: loads 0, drops the store.
    Nowhere,
}

impl SurfacePlan {
    /// Plans accesses of this form to a surface.
    pub fn new(form: SurfaceForm, surface: &Arc<Surface>) -> Result<Self, PlanError> {
        let resource = &surface.resource;
        let dims = form.geometry.axes();
        if form.geometry != resource.geometry() {
            return Err(PlanError::Geometry {
                instruction: form.geometry.name(),
                resource: resource.sentence("surface"),
            });
        }
        let (SurfaceKind::Load { element_size, vector }
        | SurfaceKind::Store { element_size, vector }) = form.kind
        else {
            return Err(PlanError::Undefined("not built yet".to_owned()));
        };
        let level = resource.levels()[0];
        let known = matches!(element_size, 1 | 2 | 4 | 8) && matches!(vector, 1 | 2 | 4);
        let size = u32::from(element_size) * u32::from(vector);
        if !known || size > 16 {
            return Err(PlanError::Undefined(format!(
                "a surface access is not made of {vector} elements of {element_size} bytes"
            )));
        }
        let extent = resource.extent();
        Ok(Self {
            clamp: form.clamp,
            element_size,
            vector,
            size,
            bounds: [resource.row_bytes(0) as i64, extent.height.into(), extent.depth.into()],
            dims,
            row_pitch: level.row_pitch,
            slice_pitch: level.slice_pitch,
            surface: Arc::clone(surface),
        })
    }

    /// `suld.b`. Lanes that are not active keep what was there. On a fault some lanes of
    /// `answer` may have their elements already.
    pub fn load(
        &self,
        request: &SurfaceRequest<'_>,
        answer: &mut SurfaceAnswer,
    ) -> Result<(), AccessFault> {
        for lane in lanes(request.active) {
            let target = self.target(request, lane)?;
            for element in 0..usize::from(self.vector) {
                answer.values[element][lane] = match target {
                    Target::At(offset) => self.load_element(offset, element),
                    Target::Nowhere => 0,
                };
            }
        }
        Ok(())
    }

    /// `sust.b`: elements 0 to `vector` of each active lane, lowest lane first. Where lanes write
    /// the same bytes the highest wins. On a fault lower lanes have stored.
    pub fn store(
        &self,
        request: &SurfaceRequest<'_>,
        values: &[[u64; 32]; 4],
    ) -> Result<(), AccessFault> {
        for lane in lanes(request.active) {
            if let Target::At(offset) = self.target(request, lane)? {
                for (element, value) in values.iter().take(self.vector.into()).enumerate() {
                    self.store_element(offset, element, value[lane]);
                }
            }
        }
        Ok(())
    }

    fn target(&self, request: &SurfaceRequest<'_>, lane: usize) -> Result<Target, AccessFault> {
        let mut at = [0; 3];
        for (axis, coord) in at.iter_mut().enumerate().take(self.dims) {
            *coord = i64::from(request.coords[axis][lane] as i32);
        }
        let size = i64::from(self.size);
        if at[0].rem_euclid(size) != 0 {
            return Err(AccessFault::Misaligned {
                lane: lane as u32,
                x: at[0] as i32,
                size: self.size,
                resource: self.surface.resource.describe(),
            });
        }
        let inside = (0..=self.bounds[0] - size).contains(&at[0])
            && (0..self.bounds[1]).contains(&at[1])
            && (0..self.bounds[2]).contains(&at[2]);
        if !inside {
            match self.clamp {
                ClampMode::Zero => return Ok(Target::Nowhere),
                // A row that is shorter than the access has no place to clamp to.
                ClampMode::Clamp if self.bounds[0] >= size => {
                    at[0] = at[0].clamp(0, (self.bounds[0] - size) / size * size);
                    at[1] = at[1].clamp(0, self.bounds[1] - 1);
                    at[2] = at[2].clamp(0, self.bounds[2] - 1);
                }
                ClampMode::Clamp | ClampMode::Trap => return Err(self.outside(lane, at)),
            }
        }
        let [x, y, z] = at.map(|i| i as u64);
        let first = self.surface.resource.levels()[0].offset;
        Ok(Target::At(first + z * self.slice_pitch + y * self.row_pitch + x))
    }

    #[cold]
    fn outside(&self, lane: usize, [x, y, z]: [i64; 3]) -> AccessFault {
        AccessFault::Outside {
            lane: lane as u32,
            x: x as i32,
            y: y as i32,
            z: z as i32,
            size: self.size,
            resource: self.surface.resource.describe(),
        }
    }

    fn load_element(&self, offset: u64, element: usize) -> u64 {
        let offset = offset + element as u64 * u64::from(self.element_size);
        self.surface.resource.block.load(offset, self.element_size).expect(CHECKED)
    }

    fn store_element(&self, offset: u64, element: usize, value: u64) {
        let offset = offset + element as u64 * u64::from(self.element_size);
        self.surface.resource.block.store(offset, self.element_size, value).expect(CHECKED);
    }
}

#[cfg(test)]
mod tests;
