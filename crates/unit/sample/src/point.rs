//! A fast path for one fetch at a point, without the machinery for arrays.

use crate::call::Borrowed;
use crate::request::{Action, Points, Request};
use crate::texture::Texture;
use std::sync::Arc;
use texunit_texel::Dtype;
use texunit_unit::{Coordinates, FetchAnswer, FetchPlan, FetchRequest, ZERO_LANES};

/// The result of one fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointResult {
    /// Result registers; the first `channels` are valid.
    pub registers: [u32; 4],
    /// Number of elements in the result (rule R2).
    pub channels: usize,
    /// Type of the elements, which are in the low bytes of the registers (rule R4).
    pub dtype: Dtype,
}

impl Texture {
    /// The result that [`Texture::call`] gives for one point without other operands. Returns `None`
    /// if the request is invalid; `call` then gives the error.
    pub fn sample_point(&self, point: &[f32]) -> Option<PointResult> {
        let plan = self.point_plan().as_ref()?;
        if point.len() != plan.form().geometry.gradients() {
            return None;
        }
        let mut lanes = [ZERO_LANES; 3];
        for (lanes, x) in lanes.iter_mut().zip(point) {
            lanes[0] = x.to_bits();
        }
        let mut answer = FetchAnswer::default();
        let request = FetchRequest::new(1, Coordinates::at(lanes.each_ref(), &ZERO_LANES));
        plan.fetch(&request, Borrowed::new().get(), &mut answer);
        let registers = answer.values.map(|lanes| lanes[0]);
        Some(PointResult { registers, channels: self.channels(), dtype: self.result().1 })
    }

    /// The plan for fetches at points, if the texture needs no other operands, such as a layer.
    pub(crate) fn plan_of_points(&self) -> Option<Arc<FetchPlan>> {
        let geometry = self.resource().geometry();
        if geometry.is_array() {
            return None;
        }
        let request = Request::new(Action::Sample, Points::Separate(Vec::new()));
        self.plan(request.form(geometry, self.result().0).ok()?).ok()
    }
}
