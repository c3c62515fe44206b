//! The gradient stage of `tex.grad`: docs/numerics.md, section 4. Selects the rules that convert
//! the gradients for a geometry to a level and taps, and describes the computation for a trace.

use super::anisotropy::{Anisotropy, Taps, anisotropy};
use super::float10::SignedFloat10;
use super::gradient::{Gradient, Slope, flat, solid};
use super::level::RequestedLevel;
use super::number::real;
use super::trace::Step;
use super::{cube, explain::step};
use crate::effective::{Coords, EffectiveSampler};
use crate::request::{FetchOperands, Geometry};
use crate::resource::Extent;

/// The result of the gradient stage for one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Graded {
    /// The lengths of the gradients, or the information that a coordinate is too large.
    pub(crate) gradient: Gradient,
    /// Level and taps of an anisotropic fetch; `None` for other fetches.
    pub(crate) anisotropy: Option<Anisotropy>,
}

/// Section 4 of docs/numerics.md: level and the taps for a point and its gradients. The point is
/// the coordinates without array index, or for a cube the direction. `base` is the size of level 0.
pub(crate) fn graded(
    geometry: Geometry,
    effective: &EffectiveSampler,
    base: Extent,
    point: [u32; 3],
    operands: &FetchOperands,
) -> Graded {
    let [point, dpdx, dpdy] = [point, operands.dpdx, operands.dpdy].map(|v| v.map(f32::from_bits));
    // Gradients of unnormalized coordinates are already in texels.
    let normalized = effective.coords == Coords::Normalized;
    let [width, height, depth] = base.axes().map(|n| if normalized { n } else { 1 });
    // A footprint on a cube can have taps only if it lies on one face.
    let (gradient, is_flat) = match geometry {
        Geometry::Cube | Geometry::Acube => cube::gradient(point, dpdx, dpdy, width),
        Geometry::D3 => (solid(point, dpdx, dpdy, [width, height, depth]), false),
        // The second component of a gradient of a 1D texture is 0.
        Geometry::D1 | Geometry::A1d => (flat([dpdx[0], 0.0], [dpdy[0], 0.0], [width, 1]), true),
        Geometry::D2 | Geometry::A2d | Geometry::D2ms | Geometry::A2dms => {
            (flat([dpdx[0], dpdx[1]], [dpdy[0], dpdy[1]], [width, height]), true)
        }
    };
    let anisotropy = match &gradient {
        Gradient::Slope(slope) if effective.anisotropic && is_flat => {
            Some(anisotropy(slope, effective.max_anisotropy))
        }
        _ => None,
    };
    Graded { gradient, anisotropy }
}

impl Graded {
    /// The level before bias and clamps.
    pub(crate) fn level(&self) -> RequestedLevel {
        self.anisotropy.map_or_else(|| self.gradient.level(), |a| a.level)
    }

    /// The taps of the fine or of the coarse level; `None` without anisotropy. `rest` of 256 is the
    /// weight of the coarse level.
    pub(crate) fn taps(&self, is_coarse: bool, rest: u32) -> Option<Taps> {
        self.anisotropy.map(|a| a.of_level(is_coarse, rest))
    }

    /// The steps of a trace that derive the level before bias and clamps.
    pub(super) fn words(&self, geometry: Geometry) -> Vec<Step> {
        let Gradient::Slope(slope) = &self.gradient else {
            return Vec::new();
        };
        let components = if geometry.is_cube() { 2 } else { geometry.axes() };
        let mut steps = vec![scaled_words(slope, geometry, components)];
        match &self.anisotropy {
            Some(a) => anisotropy_words(slope, a, &mut steps),
            None => isotropic_words(slope, &mut steps),
        }
        steps
    }
}

/// A vector as text, such as `(1.5, 0)`.
fn vector(components: &[SignedFloat10]) -> String {
    let all: Vec<String> = components.iter().map(|c| real(c.to_f64())).collect();
    format!("({})", all.join(", "))
}

fn scaled_words(slope: &Slope, geometry: Geometry, components: usize) -> Step {
    let [x, y] = slope.scaled.each_ref().map(|d| vector(&d[..components]));
    let (rule, how) = match geometry {
        Geometry::D3 => ("4.9", ", as differences in a quad"),
        Geometry::Cube | Geometry::Acube => {
            ("4.11", ", as differences in a quad, unfolded on the face")
        }
        _ => ("4.2", ""),
    };
    step(rule, format!("in texels of level 0, ten bits: dPdx = {x}, dPdy = {y}{how}"))
}

fn isotropic_words(slope: &Slope, steps: &mut Vec<Step>) {
    let [x, y] = slope.lengths.map(|n| real(n.to_f64()));
    steps.push(step("4.3", format!("lengths of dPdx and dPdy: {x} and {y}")));
    let [sum, difference] = slope.diagonals.map(|n| real(n.to_f64()));
    steps.push(step(
        "4.4",
        format!("11/16 of the lengths of their sum and difference: {sum} and {difference}"),
    ));
    let rho = real(slope.rho.to_f64());
    steps.push(step("4.6", format!("the largest: rho = {rho}")));
    if let Some(q) = slope.rho.log2_256() {
        let e = slope.rho.ilogb();
        let table = q - 256 * i64::from(e);
        steps.push(step("4.7", format!("256 * log2(rho) = 256 * {e} + {table} = {q}")));
    }
}

fn anisotropy_words(slope: &Slope, a: &Anisotropy, steps: &mut Vec<Step>) {
    isotropic_words(slope, steps);
    let area = real(a.area.to_f64());
    steps.push(step("4.12", format!("area of the footprint: {area}")));
    let ratio = (a.ratio as f64 / 256.0).exp2();
    steps.push(step(
        "4.12",
        format!(
            "256 * log2(rho^2 / area), limited by the anisotropy: {} (ratio {ratio:.2})",
            a.ratio
        ),
    ));
    if let RequestedLevel::At(q) = a.level {
        steps.push(step("4.12", format!("256 * log2(rho / ratio) = {q}")));
    }
    let [x, y] = a.direction.map(|d| real(d as f64 / 64.0));
    let text = match a.taps {
        0 => "one tap".to_owned(),
        taps => format!("taps for a ratio of 2^({taps}/256) along ({x}, {y})"),
    };
    steps.push(step("4.12", text));
}
