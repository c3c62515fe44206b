//! Adds fetches to the statistics of their site: where the footprint of each lies, and whether its
//! layer and level exist.

use super::measured::{FootprintPosition, note};
use super::sums::Sums;
use super::words;
use crate::end::Lane;
use crate::rules;
use texunit_forms::Count;
use texunit_unit::{
    AddressMode, CoordType, Coords, FetchForm, FetchKind, FetchOperands, FetchPlan, Filter, Layout,
    Lod,
};

/// The properties that all fetches of one instruction, texture and sampler (a plan) share.
pub(super) struct Frame {
    form: FetchForm,
    /// Number of axes of the texture, and number of coordinates of a fetch: a cube has two axes,
    /// and takes a direction of three coordinates.
    pub(super) axes: usize,
    used: usize,
    pub(super) along: [AxisLimits; 3],
    /// Whether the filter is linear, so that the program may have forgotten to add half a texel to
    /// its coordinates.
    pub(super) is_linear: bool,
    pub(super) is_normalized: bool,
}

/// The limits of the coordinate on one axis, in texels.
#[derive(Clone, Copy, Default)]
pub(super) struct AxisLimits {
    /// Number of texels per unit of the coordinate: the texture's size for normalized coordinates,
    /// else 1.
    pub(super) scale: f64,
    /// Whether the texture has more than one texel on the axis.
    pub(super) is_wide: bool,
    /// Limits of the coordinates at which no texel beyond the edges has a nonzero weight.
    pub(super) least: f64,
    pub(super) most: f64,
    /// Whether the coordinate `most` itself is within the limits.
    pub(super) has_most: bool,
    /// Limits of the coordinates at which at least one texel is inside the texture.
    low: f64,
    high: f64,
    /// Where a footprint lies whose coordinate is not between `low` and `high`; `None` if the axis
    /// repeats, so that each footprint is inside.
    outside: Option<FootprintPosition>,
}

impl Frame {
    pub(super) fn of(plan: &FetchPlan) -> Self {
        let (form, effective, resource) = (plan.form(), plan.effective(), &plan.seen().resource);
        // The footprint of a linear filter or a gather extends half a texel to either side.
        let is_gather = matches!(form.kind, FetchKind::Gather(_));
        let margin = if effective.filter == Filter::Linear || is_gather { 0.5 } else { 0.0 };
        let is_normalized = effective.coords == Coords::Normalized;
        let along = std::array::from_fn(|axis| {
            let size = f64::from(resource.extent().axes()[axis]);
            // The unit does not read a texel whose weight is less than half of 1/256, the smallest
            // weight.
            let (least, most) = match (margin > 0.0, is_gather) {
                (false, _) => (0.0, size),
                (true, true) => (0.5, size - 0.5),
                (true, false) => (0.5 - 1.0 / 512.0, size - 0.5 + 1.0 / 512.0),
            };
            let outside = match effective.address_mode.map(|mode| mode[axis]) {
                // If the coordinate of one axis is in the border, the fetch returns the border
                // colour, whatever the other axes are.
                None | Some(AddressMode::Border) => Some(FootprintPosition::InBorder),
                Some(_) if repeats(effective.address_mode, axis) => None,
                Some(_) => Some(FootprintPosition::Outside),
            };
            let scale = if is_normalized { size } else { 1.0 };
            let (is_wide, has_most) = (size != 1.0, margin > 0.0);
            let (low, high) = (-margin, size + margin);
            AxisLimits { scale, is_wide, least, most, has_most, low, high, outside }
        });
        let is_linear = margin > 0.0 && !is_gather && !resource.is_mipmapped();
        let axes = form.geometry.axes();
        Self { form, axes, used: form.geometry.gradients(), along, is_linear, is_normalized }
    }
}

/// Adds a fetch to the statistics. Returns where its footprint lies; `None` for a cube, or if a
/// coordinate is NaN.
#[inline]
pub(super) fn measure(
    sums: &mut Sums,
    frame: &Frame,
    (plan, operands): (&FetchPlan, &FetchOperands),
    who: Lane<'_>,
) -> Option<FootprintPosition> {
    let form = frame.form;
    layer(sums, plan, operands, who);
    level(sums, plan, operands, who);
    if form.coord == CoordType::S32 {
        return integer(sums, plan, operands, who);
    }
    let raw = operands.coords.point.map(f32::from_bits);
    let gradient = form.kind == FetchKind::Sample(Lod::Gradient);
    let slopes = operands.dpdx.iter().chain(&operands.dpdy).map(|&bits| f32::from_bits(bits));
    let has_nan =
        raw[..frame.used].iter().any(|c| c.is_nan()) || gradient && slopes.take(6).any(f32::is_nan);
    if has_nan {
        let text = || {
            let point: Vec<f64> = raw[..frame.used].iter().map(|&c| f64::from(c)).collect();
            format!("the coordinates {} or their gradients have a NaN", words::point(&point))
        };
        sums.hit_with(rules::TEXTURE_NAN, who, text);
        return None;
    }
    // The coordinates of a cube are a direction, and not a position in the texture.
    if form.geometry.is_cube() {
        return None;
    }
    Some(frame.place(sums, (raw, operands.offset), (plan, &|| *operands), who))
}

impl Frame {
    /// Whether the position of a fetch depends on float coordinates alone: its instruction has no
    /// offset, level or gradient operand, and the texture is no cube.
    pub(super) fn is_plain(&self) -> bool {
        self.form.coord == CoordType::F32
            && matches!(self.form.kind, FetchKind::Sample(Lod::Implicit | Lod::Base))
            && !self.form.offset
            && !self.form.geometry.is_cube()
    }

    /// Adds a fetch to the statistics, whose coordinates are not NaN. Returns where its footprint
    /// lies.
    #[inline]
    pub(super) fn place(
        &self,
        sums: &mut Sums,
        (raw, offset): ([f32; 3], [i32; 3]),
        (plan, operands): (&FetchPlan, &dyn Fn() -> FetchOperands),
        who: Lane<'_>,
    ) -> FootprintPosition {
        let point = raw.map(f64::from);
        let point = &point[..self.axes];
        sums.measured.take(point);
        let mut lies = FootprintPosition::Inside;
        for (axis, (along, c)) in self.along.iter().zip(point).enumerate() {
            let place = c * along.scale + f64::from(offset[axis]);
            let is_within = place >= along.least
                && (place < along.most || along.has_most && place == along.most);
            if !is_within {
                note(&mut sums.measured.beyond[axis], 1, who);
                let is_outside = place < along.low || place >= along.high;
                if let Some(outside) = along.outside.filter(|_| is_outside) {
                    lies = if lies == FootprintPosition::InBorder { lies } else { outside };
                }
            }
        }
        if self.is_linear {
            sums.measured.whole.take(plan, (operands, point), who);
        }
        lies
    }
}

/// Adds a fetch with integer coordinates, which are texel numbers in a mipmap level.
fn integer(
    sums: &mut Sums,
    plan: &FetchPlan,
    operands: &FetchOperands,
    who: Lane<'_>,
) -> Option<FootprintPosition> {
    let (form, resource) = (plan.form(), &plan.seen().resource);
    let axes = form.geometry.axes();
    let wanted = if form.kind == FetchKind::Sample(Lod::Level) { operands.level as i32 } else { 0 };
    let level = (wanted.max(0) as usize).min(resource.levels().len().saturating_sub(1));
    let extent = resource.levels().get(level).map_or([1; 3], |level| level.extent.axes());
    let at = |axis: usize| {
        i64::from(operands.coords.point[axis] as i32) + i64::from(operands.offset[axis])
    };
    let outside = (0..axes).any(|axis| at(axis) < 0 || at(axis) >= i64::from(extent[axis]));
    sums.measured.fetches += 1;
    if outside && resource.layout() == Layout::Linear {
        let text = || format!("element {} is fetched of {}, and the result is 0", at(0), extent[0]);
        sums.hit_with(rules::TEXTURE_FETCH_PAST_END, who, text);
        return None;
    }
    // A fetch with integer coordinates has no address mode, and reads zeros outside the texture.
    Some(if outside { FootprintPosition::InBorder } else { FootprintPosition::Inside })
}

fn layer(sums: &mut Sums, plan: &FetchPlan, operands: &FetchOperands, who: Lane<'_>) {
    let resource = &plan.texture().resource;
    let (layer, layers) = (operands.coords.layer, resource.shape().layers);
    if !resource.geometry().is_array() || layer < resource.layers_found() {
        return;
    }
    let text = || {
        if layer < layers {
            return format!(
                "layer {layer} is fetched of one level of a layered mipmapped array: the result \
                 comes from other texels"
            );
        }
        let layer = layer as i32;
        format!(
            "layer {layer} is fetched, and there are {layers}: the result comes from another layer"
        )
    };
    sums.hit_with(rules::TEXTURE_LAYER, who, text);
}

/// Reports levels of detail that the texture does not have. Computed levels are often slightly too
/// large, so that only a difference of a whole level counts.
fn level(sums: &mut Sums, plan: &FetchPlan, operands: &FetchOperands, who: Lane<'_>) {
    let form = plan.form();
    if form.kind != FetchKind::Sample(Lod::Level) {
        return;
    }
    let [least, most] = plan.effective().level_clamp.map(|level| level as f64 / 256.0);
    let (level, slack) = match form.coord {
        CoordType::S32 => (f64::from(operands.level as i32), 0.5),
        CoordType::F32 => (f64::from(f32::from_bits(operands.level)), 1.0),
    };
    let levels = plan.seen().resource.levels().len();
    if level.is_nan() {
        let text = || "the level is NaN".to_owned();
        return sums.hit_with(rules::TEXTURE_NAN, who, text);
    }
    if level >= most + slack || level <= least - slack {
        let text = || {
            let (acts, have) = (if level > most { most } else { least }, Count(levels, "level"));
            format!(
                "level {level} is fetched, and the texture has {have}: the result comes from level {acts}"
            )
        };
        sums.hit_with(rules::TEXTURE_LEVEL, who, text);
    }
}

/// Whether the address mode of an axis is wrap or mirror, with which coordinates outside the
/// texture are intended.
fn repeats(mode: Option<[AddressMode; 3]>, axis: usize) -> bool {
    mode.is_some_and(|mode| matches!(mode[axis], AddressMode::Wrap | AddressMode::Mirror))
}
