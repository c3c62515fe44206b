//! A fast path that computes the offsets of all lanes of a warp at once. It applies only if each
//! lane's access is inside, aligned and resident, so that neither the boundary policy nor a fault
//! is involved.

use super::{Rule, layer_number};
use crate::request::{Lanes, SurfaceRequest, ZERO_LANES};
use crate::resource::Resource;

/// The parameters of a [`Rule`] as 32-bit numbers.
#[derive(Clone, Copy, Debug)]
pub(in crate::surface) struct Plain {
    /// `last_x` is the largest valid x coordinate, in the unit of the instruction. `odd` is a mask
    /// of the bits that are 0 in an aligned x coordinate.
    last_x: u32,
    odd: u32,
    /// The number of bytes that one step of x stands for.
    unit: u32,
    rows: u32,
    slices: u32,
    planes: u32,
    first: u32,
    plane_pitch: u32,
    slice_pitch: u32,
    row_pitch: u32,
    /// `axes` is the number of axes of the geometry, and `is_array` tells whether it has layers.
    axes: usize,
    is_array: bool,
}

impl Plain {
    /// Makes the fast path for a rule. Returns `None` if the memory is too large or sparse, or if
    /// no access fits into a row.
    pub(in crate::surface) fn new(rule: &Rule, resource: &Resource) -> Option<Self> {
        let narrow = |number: u64| u32::try_from(number).ok();
        let size_fits = narrow(resource.block().size() as u64).is_some();
        let powers = rule.size.is_power_of_two() && rule.unit.is_power_of_two();
        if !size_fits || !powers || resource.residency().is_some() {
            return None;
        }
        let [row, rows, slices] = rule.bounds;
        let last = u32::try_from(row - i64::from(rule.size)).ok()?;
        Some(Self {
            // The coordinate is an s32. As an unsigned number a negative coordinate is larger than
            // this limit.
            last_x: (last / rule.unit).min(i32::MAX as u32),
            odd: (rule.size / rule.unit).saturating_sub(1),
            unit: rule.unit,
            rows: u32::try_from(rows).ok()?,
            slices: u32::try_from(slices).ok()?,
            planes: rule.planes,
            first: narrow(rule.first)?,
            // The pitch of a single plane, slice or row is not used and may be any number.
            plane_pitch: rule.plane_pitch as u32,
            slice_pitch: rule.slice_pitch as u32,
            row_pitch: rule.row_pitch as u32,
            axes: rule.geometry.axes(),
            is_array: rule.geometry.is_array(),
        })
    }

    /// The byte offset of each active lane's access. `None` if the access of any active lane is
    /// outside or misaligned.
    #[inline]
    pub(in crate::surface) fn offsets(&self, request: &SurfaceRequest<'_>) -> Option<Lanes> {
        let [x, y, z] = request.coords.point;
        let y = if self.axes > 1 { y } else { &ZERO_LANES };
        let z = if self.axes > 2 { z } else { &ZERO_LANES };
        let layer = if self.is_array { request.coords.layer } else { &ZERO_LANES };
        let (mut offsets, mut inside) = ([0; 32], [0; 32]);
        for lane in 0..32 {
            let [x, y, z, layer] = [x, y, z, layer].map(|lanes| lanes[lane]);
            // Negative coordinates are large unsigned numbers, and therefore fail the comparisons.
            inside[lane] = u32::from(
                (x <= self.last_x)
                    & (x & self.odd == 0)
                    & (y < self.rows)
                    & (z < self.slices)
                    & (layer_number(layer) < self.planes),
            );
            // For lanes that are inside, the sum does not wrap.
            offsets[lane] = self
                .first
                .wrapping_add(x.wrapping_mul(self.unit))
                .wrapping_add(y.wrapping_mul(self.row_pitch))
                .wrapping_add(z.wrapping_mul(self.slice_pitch))
                .wrapping_add(layer_number(layer).wrapping_mul(self.plane_pitch));
        }
        let mask = (0..32).fold(0, |mask, lane| mask | inside[lane] << lane);
        (request.active & !mask == 0).then_some(offsets)
    }
}
