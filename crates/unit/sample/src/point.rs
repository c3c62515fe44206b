//! One fetch at a point, without what arrays need.

use crate::input::Dtype;
use crate::request::{Action, Points, Request};
use crate::scratch::Borrowed;
use crate::texture::Texture;
use std::sync::Arc;
use texunit_unit::{Coordinates, FetchAnswer, FetchPlan, FetchRequest, ZERO_LANES};

/// The result of one fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Single {
    /// Registers, of which the first `channels` count.
    pub registers: [u32; 4],
    /// How many elements there are: R2.
    pub channels: usize,
    /// Type of the elements, which are the low bytes of registers: R4.
    pub dtype: Dtype,
}

impl Texture {
    /// What [`Texture::call`] gives for a sample at these coordinates without other operands. `None` for all
    /// that it refuses: it has the words for that.
    pub fn sample_point(&self, point: &[f32]) -> Option<Single> {
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
        Some(Single { registers, channels: self.channels(), dtype: self.result().1 })
    }

    /// The plan of such a fetch, if it needs no other operand.
    pub(crate) fn plan_of_points(&self) -> Option<Arc<FetchPlan>> {
        let geometry = self.resource().geometry();
        if geometry.is_array() {
            return None;
        }
        let request = Request::new(Action::Sample, Points::Separate(Vec::new()));
        self.plan(request.form(geometry, self.result().0).ok()?).ok()
    }
}
