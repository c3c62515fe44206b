//! The statistics of one instruction with one texture and sampler (a site), and the findings that
//! follow from the statistics.

use super::measure::{FootprintPosition, Frame, Measured, measure};
use super::{Reporter, each, inexact, words};
use crate::rules;
use crate::sink::{Lane, LaunchFinding, Sink, Spot};
use std::collections::BTreeMap;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_report::{CheckRule, Severity};
use texunit_simt::Described;
use texunit_simt::observe::{At, ExecutedFetch};
use texunit_unit::{AddressMode, Coords, FetchKind, FetchOperands, FetchPlan, Geometry, overrides};

/// Findings by the rule's code and the operation.
type SiteFindings = BTreeMap<(&'static str, u32), SiteFinding>;

/// A finding about the fetches of one source line, with the number of its occurrences.
#[derive(Debug)]
struct SiteFinding {
    rule: &'static CheckRule,
    severity: Severity,
    spot: Spot,
    message: String,
    object: Described,
    count: u64,
}

/// Minimum number of fetches for a finding about their coordinates.
const FEWEST: u64 = 8;

/// Statistics of the fetches of one source line.
#[derive(Debug)]
pub(super) struct Sums {
    hits: SiteFindings,
    measured: Measured,
    /// Whether the coordinates of the first texture are normalized, and the size of that texture.
    coords: Coords,
    extent: [u32; 3],
    axes: usize,
    object: Described,
    first: Spot,
    /// Axes whose address mode wrap or mirror has the effect of clamp, with the message for each.
    clamped: Vec<(usize, String)>,
}

/// A site: an instruction with a texture and a sampler, as one worker thread executes it.
pub(super) struct Site {
    /// The plan keeps the texture alive, because the texture's address is a part of the site's key.
    pub(super) plan: Arc<FetchPlan>,
    frame: Frame,
    table: Option<inexact::Table>,
    /// By warp and lane: the number of footprints in each position, for threads of the current CTA.
    /// They count when the CTA ends, because a thread whose surface stores are all dropped does not
    /// use its fetches.
    waiting: Option<Vec<[[u64; 3]; 32]>>,
    /// How often the worker thread has executed the instruction.
    executed: u64,
    pub(super) sums: Sums,
}

impl Site {
    /// Makes the site of a fetch instruction `op`, whose findings are reported at the operation of
    /// `at`. If `waits`, threads may store to surfaces, and fetches count only at the end of the
    /// CTA.
    pub(super) fn new(
        reporter: &Reporter<'_>,
        (at, op): (&At, u32),
        fetch: &ExecutedFetch<'_>,
        waits: bool,
    ) -> Self {
        let plan = fetch.plan;
        let (form, texture, effective) = (plan.form(), plan.seen(), plan.effective());
        let resource = &texture.resource;
        let spot = Spot::new(at, at.lanes.trailing_zeros() & 31, reporter.block);
        let axes = form.geometry.axes();
        let mut sums = Sums {
            hits: SiteFindings::new(),
            measured: Measured::default(),
            coords: effective.coords,
            extent: resource.extent().axes(),
            axes,
            object: words::object("texture", &plan.texture().resource),
            first: spot,
            clamped: Vec::new(),
        };
        for change in overrides(plan.texture(), plan.sampler(), form) {
            match change.rule {
                "1.13" => sums.hit(rules::TEXTURE_GEOMETRY, spot, change.text, 0),
                "1.8" | "1.11" if change.text.starts_with("address mode of") => {
                    let axis = ["x", "y", "z"]
                        .iter()
                        .position(|axis| change.text.contains(&format!("of {axis}:")));
                    sums.clamped.extend(axis.map(|axis| (axis, change.text)));
                }
                _ => {}
            }
        }
        if matches!(form.kind, FetchKind::Gather(_)) && !resource.is_for_gather() {
            let message =
                format!("a gather from {}, which was made without the flag for that", sums.object);
            sums.hit(rules::TEXTURE_GATHER_FLAG, spot, message, 0);
        }
        sums.types(form, plan.texture(), spot);
        sums.channels(reporter, op, form, plan.texture(), spot);
        let table = inexact::Table::of(plan);
        let waiting = waits.then(Vec::new);
        let frame = Frame::of(plan);
        Self { plan: Arc::new(plan.clone()), frame, table, waiting, executed: 0, sums }
    }

    /// Adds a warp's fetches to the statistics.
    pub(super) fn fetched(&mut self, reporter: &Reporter<'_>, at: &At, fetch: &ExecutedFetch<'_>) {
        debug_assert!(Arc::ptr_eq(self.plan.texture(), fetch.plan.texture()));
        for hit in self.sums.hits.values_mut().filter(|hit| is_static(hit.rule)) {
            hit.count += u64::from(at.lanes.count_ones());
        }
        let mut waiting = self.waiting.as_mut().map(|all| {
            let warp = at.warp as usize;
            all.resize(all.len().max(warp + 1), [[0; 3]; 32]);
            &mut all[warp]
        });
        self.executed = self.executed.saturating_add(1);
        let resource = &self.plan.texture().resource;
        let layers = resource.layers_found();
        let layer = |lane: u32| fetch.request.coords.layer[lane as usize];
        let is_plain = self.frame.is_plain()
            && (!resource.geometry().is_array() || each(at.lanes).all(|l| layer(l) < layers));
        let axes = self.plan.form().geometry.axes();
        let compared = inexact::compared(self.executed, at.lanes);
        let usual = match is_plain {
            true => {
                self.frame.usual(&mut self.sums.measured, &fetch.request.coords.point, at.lanes)
            }
            false => 0,
        };
        match &mut waiting {
            Some(lanes) => each(usual).for_each(|l| lanes[l as usize][0] += 1),
            None => self.sums.measured.judged += u64::from(usual.count_ones()),
        }
        for lane in each(at.lanes & !usual) {
            let who = Lane { at, lane, block: reporter.block };
            let operands = || fetch.request.lane(lane as usize);
            let raw = fetch.request.coords.point.map(|row| f32::from_bits(row[lane as usize]));
            let of = (&*self.plan, &operands as &dyn Fn() -> FetchOperands);
            let lies = match is_plain && !raw[..axes].iter().any(|c| c.is_nan()) {
                true => Some(self.frame.place(&mut self.sums, (raw, [0; 3]), of, who)),
                false => measure(&mut self.sums, &self.frame, (&self.plan, &operands()), who),
            };
            match (lies, &mut waiting) {
                (Some(lies), Some(lanes)) => lanes[lane as usize][lies as usize] += 1,
                (Some(lies), None) => self.sums.measured().lies(lies, 1, who),
                (None, _) => {}
            }
        }
        if let Some(table) = &mut self.table {
            for lane in each(compared) {
                let who = Lane { at, lane, block: reporter.block };
                table.compare(
                    &fetch.request.lane(lane as usize),
                    (fetch.answer, lane as usize),
                    who,
                );
            }
        }
        if let Some(table) = &mut self.table
            && let Some((spot, message, count)) = table.take()
        {
            self.sums.hit(rules::TEXTURE_INEXACT, spot, message, count);
        }
    }
}

impl Site {
    /// At the end of a CTA, counts the fetches of its threads. `dropped` has, for each warp, the
    /// lanes whose surface stores were all dropped; their fetches do not count.
    pub(super) fn cta_ends(&mut self, cta: [u32; 3], block: [u32; 3], dropped: &[u32]) {
        let mut waiting = self.waiting.take();
        for (warp, lanes) in (0..).zip(waiting.iter().flatten()) {
            let gone = dropped.get(warp as usize).copied().unwrap_or(0);
            let at = At { cta, warp, lanes: !gone, op: self.sums.first.op };
            for lane in each(at.lanes) {
                let who = Lane { at: &at, lane, block };
                let all = [
                    FootprintPosition::Inside,
                    FootprintPosition::InBorder,
                    FootprintPosition::Outside,
                ];
                for (lies, count) in all.into_iter().zip(lanes[lane as usize]) {
                    self.sums.measured().lies(lies, count, who);
                }
            }
        }
        waiting.iter_mut().for_each(Vec::clear);
        self.waiting = waiting;
    }
}

/// Whether the rule depends only on the instruction and the texture, and not on the operands of
/// lanes.
fn is_static(rule: &CheckRule) -> bool {
    let all = [
        rules::TEXTURE_CHANNEL,
        rules::TEXTURE_ELEMENT_TYPE,
        rules::TEXTURE_GATHER_FLAG,
        rules::TEXTURE_GEOMETRY,
    ];
    all.contains(&rule)
}

impl Sums {
    /// Counts a finding. The message of the first finding of its rule and operation is kept.
    pub(super) fn hit(
        &mut self,
        rule: &'static CheckRule,
        spot: Spot,
        message: String,
        count: u64,
    ) {
        let object = &self.object;
        let (object, severity) = (object.clone(), rule.severity);
        let new = || SiteFinding { rule, severity, spot, message, object, count: 0 };
        let hit = self.hits.entry((rule.code, spot.op)).or_insert_with(new);
        hit.count = hit.count.saturating_add(count);
    }

    /// Counts a finding, and formats its message only if it is the first of its rule and operation.
    pub(super) fn hit_with(
        &mut self,
        rule: &'static CheckRule,
        who: Lane<'_>,
        message: impl FnOnce() -> String,
    ) {
        match self.hits.get_mut(&(rule.code, who.at.op)) {
            Some(hit) => hit.count = hit.count.saturating_add(1),
            None => self.hit(rule, who.spot(), message(), 1),
        }
    }

    /// The thread of the first fetch.
    pub(super) fn first(&self) -> Spot {
        self.first
    }

    pub(super) fn measured(&mut self) -> &mut Measured {
        &mut self.measured
    }

    /// Adds the statistics of another worker thread, instruction or texture for the same source
    /// line.
    pub(super) fn add(&mut self, other: Self) {
        for (code, hit) in other.hits {
            match self.hits.get_mut(&code) {
                Some(own) => {
                    let count = own.count.saturating_add(hit.count);
                    if order(&hit.spot) < order(&own.spot) {
                        *own = hit;
                    }
                    own.count = count;
                }
                None => drop(self.hits.insert(code, hit)),
            }
        }
        if order(&other.first) < order(&self.first) {
            self.first = other.first;
        }
        // Coordinates are comparable only in textures of one size.
        if (self.coords, self.extent) == (other.coords, other.extent) {
            self.measured.add(&other.measured);
            for (axis, text) in other.clamped {
                if !self.clamped.iter().any(|(known, _)| *known == axis) {
                    self.clamped.push((axis, text));
                }
            }
        }
    }

    /// Reports the findings at the end of a launch.
    pub(super) fn tell(mut self, sink: &Sink) {
        self.by_measure();
        for hit in self.hits.into_values() {
            let (count, severity) = (hit.count.max(1), hit.severity);
            let found = LaunchFinding::new(hit.rule, hit.spot, hit.message);
            sink.found(LaunchFinding { object: Some(hit.object), count, severity, ..found });
        }
    }

    /// Makes the findings that need the statistics of all coordinates.
    fn by_measure(&mut self) {
        let measured = self.measured.clone();
        let clamped = std::mem::take(&mut self.clamped);
        if let Some((axis, text)) = clamped
            .into_iter()
            .find(|(axis, _)| measured.beyond.get(*axis).is_some_and(|b| b.1 > 0))
        {
            let (spot, count) = measured.beyond[axis];
            self.hit(rules::TEXTURE_ADDRESS_MODE, spot.unwrap_or(self.first), text, count);
        }
        if measured.fetches < FEWEST {
            return;
        }
        let size = words::size(
            texunit_unit::Extent {
                width: self.extent[0],
                height: self.extent[1],
                depth: self.extent[2],
            },
            self.axes,
        );
        let kind = match self.coords {
            Coords::Unnormalized if measured.look_normalized(self.extent, self.axes) => {
                Some(format!(
                    "all coordinates of {} lie between 0 and 1, and the texture of {} counts in texels",
                    Count(measured.fetches, "fetch"),
                    Count(&size, "texel")
                ))
            }
            Coords::Normalized if measured.look_like_texels(self.extent, self.axes) => {
                Some(format!(
                    "the coordinates of {} are multiples of 1/2 up to {}, and the texture of {} takes them \
                 from 0 to 1",
                    Count(measured.fetches, "fetch"),
                    measured.largest(),
                    Count(&size, "texel")
                ))
            }
            _ => None,
        };
        let is_other = kind.is_some();
        if let Some(message) = kind {
            self.hit(rules::TEXTURE_COORDINATES, self.first, message, measured.fetches);
        }
        if is_other {
            return;
        }
        if let Some((spot, message, count)) = measured.whole.found() {
            self.hit(rules::TEXTURE_HALF_TEXEL, spot, message, count);
        }
        let ((outside, border), judged) = ((measured.outside, measured.border), measured.judged);
        let lie = |count: u64| {
            format!(
                "{count} of {} lie outside of the texture of {}",
                Count(judged, "footprint"),
                Count(&size, "texel")
            )
        };
        if let (Some(spot), true) = (outside.0, outside.1 * 2 > judged) {
            self.hit(rules::TEXTURE_OUTSIDE, spot, lie(outside.1), outside.1);
        } else if let (Some(spot), count) = (border.0.or(outside.0), outside.1 + border.1)
            && count * 2 > judged
        {
            // Rays through a volume read the border where they enter and leave it, which is
            // intended. The finding is therefore only a note.
            let message = lie(count) + ", most of them where the border is read";
            self.hit(rules::TEXTURE_OUTSIDE, spot, message, count);
            let own = (rules::TEXTURE_OUTSIDE.code, spot.op);
            self.hits.entry(own).and_modify(|hit| hit.severity = Severity::Note);
        }
    }
}

/// Sort key: the position of the CTA in the grid, z first.
pub(super) fn order(spot: &Spot) -> [u32; 3] {
    let [x, y, z] = spot.cta;
    [z, y, x]
}

/// Whether the address mode of an axis is wrap or mirror, with which coordinates outside the
/// texture are intended.
pub(super) fn repeats(mode: Option<[AddressMode; 3]>, axis: usize) -> bool {
    mode.is_some_and(|mode| matches!(mode[axis], AddressMode::Wrap | AddressMode::Mirror))
}

/// Whether coordinates are positions in the texture. The coordinates of a cube are a direction.
pub(super) fn has_positions(geometry: Geometry) -> bool {
    !geometry.is_cube()
}
