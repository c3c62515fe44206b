//! Detects lookup tables in textures whose linear interpolation loses precision. The weights of a
//! linear filter have 8 fractional bits, which may be too coarse for the table's values.

use super::words;
use crate::end::{Lane, Spot};
use std::sync::Arc;
use texunit_forms::Count;
use texunit_texel::{Channel, Reading, readings};
use texunit_unit::{
    AddressMode, CoordType, Coords, FetchAnswer, FetchKind, FetchOperands, FetchPlan, Filter,
    Geometry, ReadMode, ResultType, TexelIndex, Texture,
};

/// Maximum number of texels of a texture that is examined as a lookup table.
const MAX: u64 = 1 << 18;
/// Number of entries from which the usual step between neighbouring entries is estimated.
const LOOKED: u64 = 1 << 12;
/// Minimum number of entries of a lookup table along an axis.
const FEWEST: u32 = 3;
/// Number of executions of a fetch instruction in which the results of all lanes are compared with
/// exact interpolation. In each later execution only one lane is compared.
const ALL_LANES: u64 = 256;

/// The lanes to compare in an execution of the instruction; `executed` counts the executions, from
/// 1.
pub(super) fn compared(executed: u64, lanes: u32) -> u32 {
    if executed <= ALL_LANES {
        return lanes;
    }
    // From execution to execution another active lane is chosen.
    let from = lanes & u32::MAX << (executed & 31);
    let some = if from == 0 { lanes } else { from };
    some & some.wrapping_neg()
}

/// A lookup table in a texture of one to three axes whose values are finer than the filter's
/// weights.
pub(super) struct Table {
    texture: Arc<Texture>,
    readings: [Reading; 4],
    extent: [u32; 3],
    axes: usize,
    layers: u32,
    /// For each component, the usual (median) step between neighbouring entries.
    steps: Vec<f64>,
    normalized: bool,
    found: Option<(Spot, String)>,
    count: u64,
}

/// Whether the format can represent values that are finer than 1/256, the step of a filter's
/// weight.
fn is_fine(channel: Option<Channel>) -> bool {
    let fine = [Channel::F32, Channel::F16, Channel::U16, Channel::S16];
    channel.is_some_and(|channel| fine.contains(&channel))
}

#[cfg(test)]
#[test]
fn each_lane_is_compared_in_its_turn() {
    assert_eq!(compared(1, 0xff00), 0xff00);
    let (mut all, lanes) = (0, 0x8000_0f01);
    for executed in ALL_LANES + 1..ALL_LANES + 33 {
        let one = compared(executed, lanes);
        assert!(one.is_power_of_two() && one & lanes != 0);
        all |= one;
    }
    assert_eq!((all, compared(u64::MAX, 0)), (lanes, 0));
}

impl Table {
    /// The lookup table that a fetch instruction interpolates; `None` if the texture does not look
    /// like a lookup table or its values are coarse.
    pub(super) fn of(plan: &FetchPlan) -> Option<Self> {
        let (form, effective, texture) = (plan.form(), plan.effective(), plan.seen());
        let (resource, axes) = (&texture.resource, form.geometry.axes());
        let extent = resource.extent().axes();
        let layers = if resource.geometry().is_array() { resource.shape().layers } else { 1 };
        let texels = extent.iter().map(|&n| u64::from(n)).product::<u64>() * u64::from(layers);
        let (seen, table) = (resource.geometry(), form.geometry);
        let is_alike = seen.is_array() == table.is_array()
            && !seen.is_cube()
            && !seen.is_multisample()
            && extent[axes..].iter().all(|&n| n == 1);
        let is_table = is_alike
            && matches!(table, Geometry::D1 | Geometry::A1d | Geometry::D2 | Geometry::D3)
            && form.coord == CoordType::F32
            && form.result == ResultType::F32
            && matches!(form.kind, FetchKind::Sample(_))
            && effective.filter == Filter::Linear
            && effective.compare.is_none()
            && is_fine(resource.format().plain_channel())
            && !resource.is_mipmapped()
            && extent[..axes].iter().all(|&n| n >= FEWEST)
            && texels <= MAX;
        let clamps =
            |mode: [AddressMode; 3]| mode[..axes].iter().all(|&mode| mode == AddressMode::Clamp);
        if !is_table || !effective.address_mode.is_some_and(clamps) {
            return None;
        }
        let in_floats = texture.read_mode == ReadMode::NormalizedFloat;
        let readings = readings(resource.format(), in_floats, effective.srgb)?;
        if !readings[0].can_filter() {
            return None;
        }
        let normalized = effective.coords == Coords::Normalized;
        let (found, count, steps) = (None, 0, Vec::new());
        let texture = Arc::clone(texture);
        let mut table =
            Self { texture, readings, extent, axes, layers, steps, normalized, found, count };
        let channels = usize::from(table.texture.resource.format().channels());
        table.steps = (0..channels).map(|channel| table.usual_step(channel)).collect();
        Some(table)
    }

    /// The value of a table's entry in one component.
    fn entry(&self, plane: u32, at: [u32; 3], channel: usize) -> Option<f64> {
        let index = TexelIndex { plane, at, ..TexelIndex::default() };
        let codes = self.texture.resource.texel(index)?;
        let reading = *self.readings.get(channel)?;
        Some(f64::from(f32::from_bits(reading.point(codes[channel]))))
    }

    /// The median step between neighbouring entries, of all entries or a sample; infinite if all
    /// entries are equal.
    fn usual_step(&self, channel: usize) -> f64 {
        let mut steps = Vec::new();
        let [width, height, depth] = self.extent.map(u64::from);
        let all = width * height * depth * u64::from(self.layers);
        // With an odd stride the sample covers all columns of a table whose width is a power of
        // two.
        let every = if all > LOOKED { (all / LOOKED) | 1 } else { 1 };
        for n in (0..all).step_by(every as usize) {
            let (row, slice) = (n / width, n / width / height);
            let at = [n % width, row % height, slice % depth].map(|n| n as u32);
            let plane = (slice / depth) as u32;
            let Some(entry) = self.entry(plane, at, channel) else { continue };
            for axis in 0..self.axes {
                let mut next = at;
                next[axis] += 1;
                if next[axis] == self.extent[axis] {
                    continue;
                }
                let next = self.entry(plane, next, channel);
                let step = next.map_or(0.0, |next| (next - entry).abs());
                steps.extend((step > 0.0 && step.is_finite()).then_some(step));
            }
        }
        let middle = steps.len() / 2;
        if steps.is_empty() {
            return f64::INFINITY;
        }
        *steps.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    /// Compares the result of one lane with exact interpolation.
    pub(super) fn compare(
        &mut self,
        operands: &FetchOperands,
        (answer, lane): (&FetchAnswer, usize),
        who: Lane<'_>,
    ) {
        let (mut lower, mut parts, mut point) = ([0; 3], [0.0; 3], [0.0; 3]);
        for axis in 0..self.axes {
            let size = f64::from(self.extent[axis]);
            point[axis] = f64::from(f32::from_bits(operands.coords.point[axis]));
            let scaled = if self.normalized { point[axis] * size } else { point[axis] };
            let place = scaled + f64::from(operands.offset[axis]) - 0.5;
            if !(0.0..size - 1.0).contains(&place) {
                return;
            }
            (lower[axis], parts[axis]) = (place.floor() as u32, place.fract());
        }
        let plane = operands.coords.layer.min(self.layers.saturating_sub(1));
        for channel in 0..self.steps.len() {
            let value = f64::from(f32::from_bits(answer.values[channel][lane]));
            let Some(exact) = self.exact(plane, lower, parts, channel) else { continue };
            let (error, step) = ((value - exact).abs(), self.steps[channel]);
            if error <= step / 2.0 || !error.is_finite() {
                continue;
            }
            self.count += 1;
            if self.found.is_none() {
                let (at, point) = ((plane, lower, channel), &point[..self.axes]);
                let message = self.words(at, point, [value, exact, error, step]);
                self.found = Some((who.spot(), message));
            }
            return;
        }
    }

    /// The exact linear interpolation between the entry `lower` and its neighbours.
    fn exact(&self, plane: u32, lower: [u32; 3], parts: [f64; 3], channel: usize) -> Option<f64> {
        let mut sum = 0.0;
        for corner in 0..1_usize << self.axes {
            let (mut at, mut weight) = (lower, 1.0);
            for axis in 0..self.axes {
                let upper = corner >> axis & 1 == 1;
                at[axis] += u32::from(upper);
                weight *= if upper { parts[axis] } else { 1.0 - parts[axis] };
            }
            // An entry with weight 0 must not contribute, because it may be infinite.
            if weight != 0.0 {
                sum += weight * self.entry(plane, at, channel)?;
            }
        }
        sum.is_finite().then_some(sum)
    }

    fn words(
        &self,
        (plane, lower, channel): (u32, [u32; 3], usize),
        point: &[f64],
        [value, exact, error, step]: [f64; 4],
    ) -> String {
        let value = value as f32;
        let place = match *point {
            [x] => format!("{x}"),
            _ => words::point(point),
        };
        let component = match self.steps.len() {
            1 => String::new(),
            _ => format!("component {} of ", ["x", "y", "z", "w"][channel & 3]),
        };
        let around = match self.axes {
            1 => {
                let of = |x| self.entry(plane, [x, 0, 0], channel).unwrap_or(f64::NAN);
                format!("between {} and {}", of(lower[0]), of(lower[0] + 1))
            }
            axes => format!("between the {} around it", Count(1 << axes, "entry")),
        };
        format!(
            "{component}the result at {place} is {value}, and exact interpolation {around} is {exact}: the difference of \
             {error:.3e} is more than half of the table's usual step, {step:.3e}"
        )
    }

    /// Returns the finding and resets its count: thread, message, and number of inexact results
    /// since the last call.
    pub(super) fn take(&mut self) -> Option<(Spot, String, u64)> {
        let (spot, message) = self.found.clone()?;
        let count = std::mem::take(&mut self.count);
        (count > 0).then_some((spot, message, count))
    }
}
