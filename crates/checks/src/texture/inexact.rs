//! Tables that a linear filter reads: whether its weights of 8 bits are fine enough for them.

use crate::sink::Spot;
use texunit_unit::{
    AddressMode, CoordType, Coords, FetchKind, FetchOperands, FetchPlan, Filter, Geometry,
    TexelIndex,
};

/// Most entries of a table that is looked at.
const MOST: u32 = 1 << 16;

/// A table of floats in a texture of one axis.
pub(super) struct Table {
    entries: Vec<f32>,
    /// The step between neighbouring entries that is in the middle of all.
    step: f64,
    normalized: bool,
    worst: f64,
    found: Option<(Spot, String)>,
    count: u64,
}

impl Table {
    /// Of a fetch that interpolates one.
    pub(super) fn of(plan: &FetchPlan) -> Option<Self> {
        let (form, effective, resource) = (plan.form(), plan.effective(), &plan.seen().resource);
        let width = resource.extent().width;
        let is_table = form.geometry == Geometry::D1
            && form.coord == CoordType::F32
            && matches!(form.kind, FetchKind::Sample(_))
            && effective.filter == Filter::Linear
            && resource.format().name() == "f32"
            && !resource.is_mipmapped()
            && (3..=MOST).contains(&width);
        let clamps = effective.address_mode.is_some_and(|mode| mode[0] == AddressMode::Clamp);
        if !is_table || !clamps {
            return None;
        }
        let texel = |x| resource.texel(TexelIndex { at: [x, 0, 0], ..TexelIndex::default() });
        let entries: Option<Vec<f32>> =
            (0..width).map(|x| texel(x).map(|codes| f32::from_bits(codes[0]))).collect();
        let entries = entries?;
        let mut steps: Vec<f64> = entries
            .windows(2)
            .map(|pair| (f64::from(pair[1]) - f64::from(pair[0])).abs())
            .filter(|step| *step > 0.0 && step.is_finite())
            .collect();
        steps.sort_by(f64::total_cmp);
        let step = *steps.get(steps.len() / 2)?;
        let normalized = effective.coords == Coords::Normalized;
        Some(Self { entries, step, normalized, worst: 0.0, found: None, count: 0 })
    }

    /// Compares an answer with exact interpolation.
    pub(super) fn compare(&mut self, operands: &FetchOperands, answer: f32, spot: Spot) {
        let x = f64::from(f32::from_bits(operands.coords.point[0]));
        let last = self.entries.len() - 1;
        let scaled = if self.normalized { x * self.entries.len() as f64 } else { x };
        let place = scaled + f64::from(operands.offset[0]) - 0.5;
        if !(0.0..last as f64).contains(&place) || !answer.is_finite() {
            return;
        }
        let lower = place.floor() as usize;
        let [a, b] = [lower, lower + 1].map(|i| f64::from(self.entries[i.min(last)]));
        let exact = a + (b - a) * place.fract();
        let error = (f64::from(answer) - exact).abs();
        if error <= self.step / 2.0 || !exact.is_finite() {
            return;
        }
        self.count += 1;
        if error > self.worst && self.found.is_none() {
            self.worst = error;
            let message = format!(
                "the result at {x} is {answer}, and exact interpolation between {a} and {b} is {exact}: the difference of \
                 {error:.3e} is more than half of the table's usual step, {:.3e}",
                self.step
            );
            self.found = Some((spot, message));
        }
    }

    /// What was found since it was asked for last: who, what, and how often.
    pub(super) fn take(&mut self) -> Option<(Spot, String, u64)> {
        let (spot, message) = self.found.clone()?;
        let count = std::mem::take(&mut self.count);
        (count > 0).then_some((spot, message, count))
    }
}
