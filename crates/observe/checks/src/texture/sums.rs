//! The statistics of the fetches of one source line, and the findings that follow from them, and
//! from the result type and the used components of an instruction.

use super::measured::Measured;
use super::{Reporter, words};
use crate::end::{Lane, Spot};
use crate::rules;
use crate::sink::{LaunchFinding, Sink};
use std::collections::BTreeMap;
use texunit_forms::Count;
use texunit_report::{CheckRule, Severity};
use texunit_simt::Described;
use texunit_texel::readings;
use texunit_unit::{
    Coords, FetchForm, FetchKind, FetchPlan, ReadMode, ResultType, Texture, overrides,
};

/// Minimum number of fetches for a finding about their coordinates.
const FEWEST: u64 = 8;

/// Statistics of the fetches of one source line.
#[derive(Debug)]
pub(super) struct Sums {
    /// Findings by the rule's code and the operation.
    hits: BTreeMap<(&'static str, u32), LaunchFinding>,
    pub(super) measured: Measured,
    /// Whether the coordinates of the first texture are normalized, and the size of that texture.
    coords: Coords,
    extent: [u32; 3],
    axes: usize,
    object: Described,
    /// The thread of the first fetch.
    pub(super) first: Spot,
    /// Axes whose address mode wrap or mirror has the effect of clamp, with the message for each.
    clamped: Vec<(usize, String)>,
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
    /// The statistics of a site without fetches, whose first thread is `spot`, with the findings
    /// that depend on the texture and the instruction alone.
    pub(super) fn new(plan: &FetchPlan, spot: Spot) -> Self {
        let (form, effective, resource) = (plan.form(), plan.effective(), &plan.seen().resource);
        let mut sums = Sums {
            hits: BTreeMap::new(),
            measured: Measured::default(),
            coords: effective.coords,
            extent: resource.extent().axes(),
            axes: form.geometry.axes(),
            object: words::object("texture", &plan.texture().resource),
            first: spot,
            clamped: Vec::new(),
        };
        for change in overrides(plan.texture(), plan.sampler(), form) {
            match change.rule {
                "1.13" => sums.hit(rules::TEXTURE_GEOMETRY, spot, change.text, 0),
                "1.8" | "1.11" if change.text.starts_with("address mode of") => {
                    let is = |axis: &&str| change.text.contains(&format!("of {axis}:"));
                    let axis = ["x", "y", "z"].iter().position(is);
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
        sums
    }

    /// Counts fetches for the findings that depend on the texture and the instruction alone.
    pub(super) fn executed(&mut self, count: u64) {
        for hit in self.hits.values_mut().filter(|hit| is_static(hit.rule)) {
            hit.count += count;
        }
    }

    /// Counts a finding. The message of the first finding of its rule and operation is kept.
    pub(super) fn hit(
        &mut self,
        rule: &'static CheckRule,
        spot: Spot,
        message: String,
        count: u64,
    ) {
        let object = Some(self.object.clone());
        let found = LaunchFinding { object, count: 0, ..LaunchFinding::new(rule, spot, message) };
        let hit = self.hits.entry((rule.code, spot.op)).or_insert(found);
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

    /// Adds the statistics of another worker thread, instruction or texture for the same source
    /// line.
    pub(super) fn add(&mut self, other: Self) {
        for (code, hit) in other.hits {
            match self.hits.get_mut(&code) {
                Some(own) => own.add(hit),
                None => drop(self.hits.insert(code, hit)),
            }
        }
        if other.first.order() < self.first.order() {
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
    pub(super) fn report(mut self, sink: &Sink) {
        self.by_measure();
        for hit in self.hits.into_values() {
            sink.found(LaunchFinding { count: hit.count.max(1), ..hit });
        }
    }

    /// Makes the findings that need the statistics of all coordinates.
    fn by_measure(&mut self) {
        let measured = self.measured.clone();
        let clamped = std::mem::take(&mut self.clamped);
        let is_crossed = |axis: usize| measured.beyond.get(axis).is_some_and(|beyond| beyond.1 > 0);
        if let Some((axis, text)) = clamped.into_iter().find(|(axis, _)| is_crossed(*axis)) {
            let (spot, count) = measured.beyond[axis];
            self.hit(rules::TEXTURE_ADDRESS_MODE, spot.unwrap_or(self.first), text, count);
        }
        if measured.fetches < FEWEST {
            return;
        }
        let size = words::size(self.extent, self.axes);
        let (fetches, texels) = (Count(measured.fetches, "fetch"), Count(&size, "texel"));
        let looks_like = match self.coords {
            Coords::Unnormalized if measured.look_normalized(self.extent, self.axes) => {
                Some(format!(
                    "all coordinates of {fetches} lie between 0 and 1, and the texture of {texels} counts in texels"
                ))
            }
            Coords::Normalized if measured.look_like_texels(self.extent, self.axes) => {
                Some(format!(
                    "the coordinates of {fetches} are multiples of 1/2 up to {}, and the texture of {texels} takes \
                     them from 0 to 1",
                    measured.largest()
                ))
            }
            _ => None,
        };
        if let Some(message) = looks_like {
            return self.hit(rules::TEXTURE_COORDINATES, self.first, message, measured.fetches);
        }
        if let Some((spot, message, count)) = measured.whole.found() {
            self.hit(rules::TEXTURE_HALF_TEXEL, spot, message, count);
        }
        let ((outside, border), judged) = ((measured.outside, measured.border), measured.judged);
        let all = Count(judged, "footprint");
        let lie = |count: u64| format!("{count} of {all} lie outside of the texture of {texels}");
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

    /// Checks the element type: reports floats that are fetched as integers, and integers that are
    /// fetched as floats.
    pub(super) fn types(&mut self, form: FetchForm, texture: &Texture, spot: Spot) {
        let normalized = texture.read_mode == ReadMode::NormalizedFloat;
        let format = texture.resource.format();
        let Some(readings) = readings(format, normalized, false) else { return };
        let is_float = readings[0].can_filter();
        let wants_float = !matches!(form.result, ResultType::S32 | ResultType::U32);
        if is_float != wants_float {
            let has = if is_float { "floats" } else { "integers" };
            let wants = if wants_float { "floats" } else { "integers" };
            let message = format!(
                "the instruction fetches {wants}, and texels of {format} are read as {has}"
            );
            self.hit(rules::TEXTURE_ELEMENT_TYPE, spot, message, 0);
        }
    }

    /// Reports the components of a fetch's result that the program uses and the texture's format
    /// lacks.
    pub(super) fn channels(
        &mut self,
        reporter: &Reporter<'_>,
        op: u32,
        form: FetchForm,
        texture: &Texture,
        spot: Spot,
    ) {
        let format = texture.resource.format();
        let has = usize::from(format.channels());
        let used = reporter.listing.components_used(op);
        let names = ["r", "g", "b", "a"];
        let missing: Vec<&str> = match form.kind {
            FetchKind::Gather(component) => {
                let component = usize::from(component);
                let is_missing = component >= has && used != 0;
                names.get(component).filter(|_| is_missing).copied().into_iter().collect()
            }
            FetchKind::Sample(_) => {
                let each = if form.result == ResultType::F16x2 { 2 } else { 1 };
                let is_used = |i: &usize| used >> (i / each) & 1 == 1;
                (has..4).filter(is_used).map(|i| names[i]).collect()
            }
        };
        // With `.f16x2` two components share a register, so that the program may use only the
        // component that exists.
        if missing.is_empty()
            || form.result == ResultType::F16x2 && has % 2 == 1 && missing.len() == 1
        {
            return;
        }
        let (missing, channels) = (missing.join(" and "), Count(has, "channel"));
        let message = format!(
            "the kernel uses {missing} of this fetch, and texels of {format} have {channels}"
        );
        self.hit(rules::TEXTURE_CHANNEL, spot, message, 0);
    }
}
