//! Statistics of the coordinates of fetches. From these follow the findings about footprints
//! outside the texture, and about normalized coordinates in place of texel coordinates or the
//! reverse. A footprint is the set of texels that a fetch reads.

use super::half::WholeCoordinates;
use super::site::{Sums, has_positions, order, repeats};
use super::words;
use crate::rules;
use crate::sink::{Lane, Spot};
use texunit_forms::Count;
use texunit_unit::{
    AddressMode, CoordType, Coords, FetchForm, FetchKind, FetchOperands, FetchPlan, Filter, Layout,
    Lod,
};

/// Statistics of the fetches of one instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) fetches: u64,
    /// Number of fetches whose threads use the result, as far as known: a thread all of whose
    /// surface stores are dropped does not use it.
    pub(super) judged: u64,
    /// Among the fetches whose threads use the result: the first that reads only texels of an edge,
    /// because its footprint is outside the texture, and the number of these fetches.
    pub(super) outside: (Option<Spot>, u64),
    /// Among the fetches whose threads use the result: the first that reads the border colour or
    /// zeros, because its footprint is outside the texture, and the number of these fetches.
    pub(super) border: (Option<Spot>, u64),
    /// Fetches with a linear filter at coordinates without fractions.
    pub(super) whole: WholeCoordinates,
    /// For each axis: the first fetch of which a texel with a nonzero weight lies beyond the
    /// texture's edge, and the number of such fetches.
    pub(super) beyond: [(Option<Spot>, u64); 3],
    pub(super) least: [f64; 3],
    pub(super) most: [f64; 3],
    /// Number of coordinates that are not multiples of 1/2.
    pub(super) odd: u64,
    /// Whether the fetches have different coordinates on some axis.
    pub(super) varies: bool,
}

/// Where a footprint lies relative to the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FootprintPosition {
    /// At least one texel of the footprint is inside the texture.
    Inside,
    /// The footprint is outside, and the fetch reads the border colour or zeros.
    InBorder,
    /// The footprint is outside, and the fetch reads texels of an edge.
    Outside,
}

impl Measured {
    /// Counts fetches of a thread that uses their results.
    pub(super) fn lies(&mut self, lies: FootprintPosition, count: u64, who: Lane<'_>) {
        self.judged += count;
        match lies {
            _ if count == 0 => {}
            FootprintPosition::Inside => {}
            FootprintPosition::InBorder => note(&mut self.border, count, who),
            FootprintPosition::Outside => note(&mut self.outside, count, who),
        }
    }

    #[inline]
    fn take(&mut self, point: &[f64]) {
        if self.fetches == 0 {
            self.least[..point.len()].copy_from_slice(point);
            self.most = self.least;
        }
        for (axis, &c) in point.iter().enumerate().take(3) {
            self.varies |= self.least[axis] != c;
            self.least[axis] = self.least[axis].min(c);
            self.most[axis] = self.most[axis].max(c);
            self.odd += u64::from(!is_whole(c * 2.0));
        }
        self.fetches += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        if other.fetches == 0 {
            return;
        }
        for axis in 0..3 {
            if self.fetches == 0 {
                (self.least[axis], self.most[axis]) = (other.least[axis], other.most[axis]);
            }
            self.varies |= self.least[axis] != other.least[axis];
            self.least[axis] = self.least[axis].min(other.least[axis]);
            self.most[axis] = self.most[axis].max(other.most[axis]);
            add(&mut self.beyond[axis], other.beyond[axis]);
        }
        self.judged += other.judged;
        add(&mut self.outside, other.outside);
        add(&mut self.border, other.border);
        self.whole.add(&other.whole);
        self.varies |= other.varies;
        self.odd += other.odd;
        self.fetches += other.fetches;
    }

    /// Whether the coordinates look normalized: all lie between 0 and 1 and have fractions,
    /// although the texture has many texels.
    pub(super) fn look_normalized(&self, extent: [u32; 3], axes: usize) -> bool {
        let small = |axis: usize| self.least[axis] >= 0.0 && self.most[axis] <= 1.0;
        let large = extent[..axes].iter().any(|&n| n >= 4);
        let spans =
            (0..axes).any(|axis| extent[axis] >= 4 && self.most[axis] - self.least[axis] > 0.25);
        large && self.varies && spans && self.odd > 0 && (0..axes).all(small)
    }

    /// Whether the coordinates look like texel numbers or centres: all are multiples of 1/2 up to
    /// the size of the texture, and not only those of the first texels.
    pub(super) fn look_like_texels(&self, extent: [u32; 3], axes: usize) -> bool {
        let fits = |axis: usize| {
            self.least[axis] >= 0.0 && self.most[axis] <= f64::from(extent[axis]) + 0.5
        };
        let large = (0..axes).any(|axis| {
            extent[axis] >= 4
                && self.most[axis] >= f64::from(extent[axis]) / 2.0
                && self.most[axis] > 1.5
        });
        self.odd == 0 && self.varies && large && (0..axes).all(fits)
    }

    pub(super) fn largest(&self) -> f64 {
        self.most.iter().copied().fold(0.0, f64::max)
    }
}

/// Whether a number has no fraction. The conversion to an integer needs no call of the C library;
/// beyond 2^63 no float has a fraction.
fn is_whole(x: f64) -> bool {
    let cut = x as i64;
    cut as f64 == x || matches!(cut, i64::MIN | i64::MAX) && x.is_finite()
}

/// Adds two counts. The first fetch of the lower CTA is kept, so that the report does not depend on
/// the number of worker threads.
fn add(sum: &mut (Option<Spot>, u64), other: (Option<Spot>, u64)) {
    sum.0 = match (sum.0, other.0) {
        (Some(own), Some(other)) if order(&other) < order(&own) => Some(other),
        (own, other) => own.or(other),
    };
    sum.1 += other.1;
}

fn note(sum: &mut (Option<Spot>, u64), count: u64, who: Lane<'_>) {
    let [x, y, z] = who.at.cta;
    // The finding shows one fetch as an example: the first one of the first CTA.
    let is_first = count > 0 && sum.0.is_none_or(|spot| [z, y, x] < order(&spot));
    add(sum, (is_first.then(|| who.spot()), count));
}

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
    if !has_positions(form.geometry) {
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
            && has_positions(self.form.geometry)
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
        sums.measured().take(point);
        let mut lies = FootprintPosition::Inside;
        for (axis, (along, c)) in self.along.iter().zip(point).enumerate() {
            let place = c * along.scale + f64::from(offset[axis]);
            let is_within = place >= along.least
                && (place < along.most || along.has_most && place == along.most);
            if !is_within {
                note(&mut sums.measured().beyond[axis], 1, who);
                if let Some(outside) =
                    along.outside.filter(|_| place < along.low || place >= along.high)
                {
                    lies = if lies == FootprintPosition::InBorder { lies } else { outside };
                }
            }
        }
        if self.is_linear {
            sums.measured().whole.take(plan, (operands, point), who);
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
    sums.measured().fetches += 1;
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
            let acts = if level > most { most } else { least };
            let have =
                if levels == 1 { "1 level".to_owned() } else { Count(levels, "level").to_string() };
            format!(
                "level {level} is fetched, and the texture has {have}: the result comes from level {acts}"
            )
        };
        sums.hit_with(rules::TEXTURE_LEVEL, who, text);
    }
}
