//! The texels along an axis for observers of fetches, who do not need the texels' codes.

use super::FetchPlan;
use super::axis::{Axis, AxisLanes, Find, Operands, Scaling};
use super::build::fastest;
use crate::request::{Lanes, ZERO_LANES};
use crate::sampler::{AddressMode, Filter};

impl FetchPlan {
    /// Whether fetches have integer coordinates.
    pub(crate) fn has_integers(&self) -> bool {
        self.effective.address_mode.is_none()
    }

    /// The texels of 32 lanes along an axis of `size` texels as indices, for fetches of one level
    /// without taps; `None` if all lanes read the first one.
    pub(crate) fn along(
        &self,
        axis: usize,
        point: &Lanes,
        offset: Option<&Lanes>,
        size: u32,
    ) -> Option<AxisLanes> {
        let (geometry, effective) = (self.form.geometry, &self.effective);
        // `.1d` with float coordinates is a 2D fetch at y = 0.
        let is_row = axis == 1 && geometry.axes() == 1 && !geometry.is_array();
        if axis >= geometry.axes() && (!is_row || self.has_integers()) {
            return None;
        }
        let find = match effective.filter {
            _ if self.has_integers() => Find::Integer,
            Filter::Point => Find::Point,
            Filter::Linear => Find::Linear,
        };
        let scaling = Scaling { coords: effective.coords, of_face: false };
        let mode = effective.address_mode.map_or(AddressMode::Clamp, |modes| modes[axis]);
        let mut lanes = AxisLanes::ZERO;
        let coords = if is_row { &ZERO_LANES } else { point };
        let of = Operands { coords, offset, shift: None, size: Some(&[size; 32]), pitch: None };
        Axis::general(size, find, scaling, mode, fastest()).run(of, &mut lanes);
        Some(lanes)
    }
}
