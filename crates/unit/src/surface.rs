//! Surface accesses `suld.b` and `sust.b`: docs/numerics.md, section 10. Raw bytes of a box of
//! rows; formats do not matter.

use crate::request::{
    AccessFault, ClampMode, PlanError, SurfaceAnswer, SurfaceForm, SurfaceRequest,
};
use crate::sampler::Surface;
use std::sync::Arc;

/// A surface access made ready: once per (instruction form, surface).
#[derive(Clone, Debug)]
pub struct SurfacePlan {
    surface: Arc<Surface>,
    clamp: ClampMode,
    element_size: u32,
    vector: u8,
    /// Bytes of the whole access.
    size: u32,
    /// Bytes of a row, rows, slices; axes that the geometry lacks are 1.
    bounds: [i64; 3],
    dims: usize,
    row_pitch: u64,
    slice_pitch: u64,
}

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
        let Some(dims) = form.geometry.box_dims() else {
            return Err(PlanError::Undefined(format!(
                "surface accesses of {} geometry are not supported",
                form.geometry.name()
            )));
        };
        if dims != resource.dims() {
            return Err(PlanError::Geometry {
                instruction: form.geometry.name(),
                resource: resource.sentence("surface"),
            });
        }
        let SurfaceForm { element_size, vector, .. } = form;
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
            element_size: element_size.into(),
            vector,
            size,
            bounds: [resource.row_bytes() as i64, extent.height.into(), extent.depth.into()],
            dims: dims.into(),
            row_pitch: resource.row_pitch,
            slice_pitch: resource.slice_pitch,
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
        let first = self.surface.resource.offset;
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
        let block = &self.surface.resource.block;
        let offset = offset + element as u64 * u64::from(self.element_size);
        match self.element_size {
            1 => block.load_u8(offset).map(u64::from),
            2 => block.load_u16(offset).map(u64::from),
            4 => block.load_u32(offset).map(u64::from),
            _ => block.load_u64(offset),
        }
        .expect("`target` has checked the access against the resource")
    }

    fn store_element(&self, offset: u64, element: usize, value: u64) {
        let block = &self.surface.resource.block;
        let offset = offset + element as u64 * u64::from(self.element_size);
        match self.element_size {
            1 => block.store_u8(offset, value as u8),
            2 => block.store_u16(offset, value as u16),
            4 => block.store_u32(offset, value as u32),
            _ => block.store_u64(offset, value),
        }
        .expect("`target` has checked the access against the resource");
    }
}

/// Numbers of the lanes of a mask, lowest first.
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::request::Geometry;
    use crate::resource::{Extent, Resource};
    use texunit_memory::Block;
    use texunit_texel::Format;

    fn surface(dims: u8, width: u32, height: u32, depth: u32) -> Arc<Surface> {
        let extent = Extent { width, height, depth };
        let format = Format::from_name("u8").unwrap();
        let size = (width * height * depth) as usize;
        let block = Arc::new(Block::new(size, "b").unwrap());
        let bytes: Vec<u8> = (0..size).map(|i| i as u8 + 1).collect();
        block.write(0, &bytes).unwrap();
        let resource = Resource::array(format, extent, dims, block, "s").unwrap();
        Arc::new(Surface::new(Arc::new(resource)).unwrap())
    }

    fn form(geometry: Geometry, element_size: u8, vector: u8, clamp: ClampMode) -> SurfaceForm {
        SurfaceForm { geometry, element_size, vector, clamp }
    }

    fn load(plan: &SurfacePlan, coord: [i32; 3]) -> Result<[u64; 4], AccessFault> {
        let coords = coord.map(|c| [c as u32; 32]);
        let request = SurfaceRequest { active: 1 << 7, coords: coords.each_ref() };
        let mut answer = SurfaceAnswer::default();
        plan.load(&request, &mut answer)?;
        Ok(answer.values.map(|v| v[7]))
    }

    #[test]
    fn vectors_and_widths() {
        let s = surface(1, 32, 1, 1);
        let of = |size, vector| {
            SurfacePlan::new(form(Geometry::D1, size, vector, ClampMode::Trap), &s).unwrap()
        };
        assert_eq!(load(&of(1, 4), [4, 0, 0]), Ok([5, 6, 7, 8]));
        assert_eq!(load(&of(2, 2), [4, 0, 0]), Ok([0x605, 0x807, 0, 0]));
        assert_eq!(load(&of(8, 2), [16, 9, 9]).unwrap()[1], 0x201f_1e1d_1c1b_1a19);
        for (size, vector) in [(8, 4), (3, 1), (4, 3), (16, 1), (0, 1)] {
            let f = form(Geometry::D1, size, vector, ClampMode::Trap);
            assert!(SurfacePlan::new(f, &s).is_err(), "{size} x {vector}");
        }
    }

    #[test]
    fn clamp_keeps_to_aligned_positions_at_which_the_access_fits() {
        let s = surface(2, 24, 2, 1);
        let plan = |clamp| SurfacePlan::new(form(Geometry::D2, 4, 4, clamp), &s).unwrap();
        let first = load(&plan(ClampMode::Trap), [0, 1, 0]).unwrap();
        assert_eq!(load(&plan(ClampMode::Clamp), [16, 1, 0]), Ok(first), "at 0, not at 8");
        assert_eq!(load(&plan(ClampMode::Clamp), [-16, 7, 0]), Ok(first));
        assert_eq!(load(&plan(ClampMode::Zero), [16, 1, 0]), Ok([0; 4]));
        let fault = load(&plan(ClampMode::Trap), [16, 1, 5]).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "coordinate (16, 1, 0) with 16 bytes is outside 2D array `s`, 24 x 2 texels of u8"
        );
        assert!(matches!(fault, AccessFault::Outside { lane: 7, .. }));
    }

    #[test]
    fn misaligned_under_every_policy() {
        let s = surface(1, 32, 1, 1);
        for clamp in [ClampMode::Trap, ClampMode::Clamp, ClampMode::Zero] {
            let plan = SurfacePlan::new(form(Geometry::D1, 4, 1, clamp), &s).unwrap();
            for x in [2, -2, 1001, i32::MIN + 1] {
                let fault = load(&plan, [x, 0, 0]).unwrap_err();
                assert!(matches!(fault, AccessFault::Misaligned { size: 4, .. }), "{clamp:?}");
            }
        }
    }

    #[test]
    fn a_row_shorter_than_the_access() {
        let s = surface(1, 3, 1, 1);
        let plan = |clamp| SurfacePlan::new(form(Geometry::D1, 4, 1, clamp), &s).unwrap();
        assert!(load(&plan(ClampMode::Clamp), [0, 0, 0]).is_err());
        assert_eq!(load(&plan(ClampMode::Zero), [0, 0, 0]), Ok([0; 4]));
    }

    #[test]
    fn stores_are_dropped_clamped_or_made() {
        let s = surface(3, 4, 2, 2);
        let bytes = || s.resource.to_packed();
        let store = |clamp, coord: [i32; 3], value: u64| {
            let plan = SurfacePlan::new(form(Geometry::D3, 2, 2, clamp), &s).unwrap();
            let coords = coord.map(|c| [c as u32; 32]);
            let request = SurfaceRequest { active: u32::MAX, coords: coords.each_ref() };
            plan.store(&request, &[[value; 32], [value + 1; 32], [99; 32], [99; 32]])
        };
        let before = bytes();
        store(ClampMode::Zero, [4, 0, 0], 7).unwrap();
        store(ClampMode::Zero, [0, 0, 2], 7).unwrap();
        assert!(store(ClampMode::Trap, [0, -1, 0], 7).is_err());
        assert_eq!(bytes(), before);
        store(ClampMode::Clamp, [400, 1, 9], 0x10_a1a0).unwrap();
        assert_eq!(bytes()[..12], before[..12]);
        assert_eq!(bytes()[12..], [0xa0, 0xa1, 0xa1, 0xa1], "elements are cut to their size");
    }

    #[test]
    fn geometry_must_match() {
        let s = surface(2, 4, 4, 1);
        let of = |geometry| SurfacePlan::new(form(geometry, 1, 1, ClampMode::Trap), &s);
        assert_eq!(
            of(Geometry::D3).unwrap_err().to_string(),
            "the instruction reads .3d geometry, but surface `s` is a 2D array of 4 x 4 texels \
             of u8"
        );
        assert!(of(Geometry::A2d).is_err());
    }

    #[test]
    fn lane_numbers() {
        assert_eq!(lanes(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!(lanes(0).count(), 0);
        assert_eq!(lanes(u32::MAX).count(), 32);
    }
}
