//! The general way: any fetch. Places, levels, axes, texels and sums, a loop over 32 lanes each;
//! what differs between plans is decided before the loops.

mod axes;
mod block;
mod cube;
mod levels;
mod place;
mod sums;
mod taps;
mod texels;

use super::build::Build;
use super::kernel::Buffers;
use crate::effective::{Coords, EffectiveSampler, texture_readings};
use crate::reference::graded::{Graded, graded};
use crate::reference::{gather, result};
use crate::request::{
    FetchForm, FetchKind, FetchOperands, FetchRequest, Geometry, Lanes, Lod, PlanError, lanes,
};
use crate::resource::{Level, Resource, TexelIndex};
use crate::sampler::{AddressMode, CompareFunction, Filter, Sampler, Texture};
use axes::{Axis, AxisLanes, Find};
use levels::{LevelLanes, Source};
use place::{PlaceLanes, Places};
use sums::Shape;
use taps::TapLanes;
use texels::{Pitches, Storage, Which};
use texunit_texel::{Reading, border_codes};

/// What the stages hand on.
#[derive(Clone, Debug)]
pub(super) struct Space {
    place: PlaceLanes,
    levels: LevelLanes,
    sizes: [[f64; 32]; 3],
    pitches: Pitches,
    axes: [AxisLanes; 3],
    texels: texels::Space,
    taps: TapLanes,
    /// Lanes whose first texel is outside.
    outside: u32,
    /// Lanes that read a texel that is not resident.
    missing: u32,
}

impl Space {
    pub(super) fn new() -> Self {
        Self {
            place: PlaceLanes::ZERO,
            levels: LevelLanes::ZERO,
            sizes: [[1.0; 32]; 3],
            pitches: Pitches::ZERO,
            axes: [AxisLanes::NONE; 3],
            texels: texels::Space::new(),
            taps: TapLanes::new(),
            outside: 0,
            missing: 0,
        }
    }
}

/// A fetch made ready.
#[derive(Clone, Debug)]
pub(super) struct General {
    form: FetchForm,
    effective: EffectiveSampler,
    bias: f32,
    places: Places,
    source: Source,
    levels: Vec<Level>,
    /// Whether gradients may make several footprints.
    anisotropic: bool,
    find: Find,
    /// `None` for axes of one texel that no coordinate moves.
    axes: [Option<Axis>; 3],
    storage: Storage,
    readings: [Reading; 4],
    border: [u32; 4],
    run: Run,
}

/// What a fetch is given.
struct Call<'a> {
    resource: &'a Resource,
    request: &'a FetchRequest<'a>,
    /// Components that are wanted.
    components: u8,
}

/// # Safety
/// The [`Build`] that it was picked for must run on this machine.
type Run = unsafe fn(&General, &Call<'_>, &mut Space, &mut Buffers, &mut [Lanes; 4]);

fn pick(build: Build) -> Run {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fast(p: &General, c: &Call<'_>, s: &mut Space, b: &mut Buffers, out: &mut [Lanes; 4]) {
        p.run(c, s, b, out);
    }
    fn portable(p: &General, c: &Call<'_>, s: &mut Space, b: &mut Buffers, out: &mut [Lanes; 4]) {
        p.run(c, s, b, out);
    }
    #[cfg(target_arch = "x86_64")]
    if build.is_avx2() {
        return fast;
    }
    let _ = build;
    portable
}

impl General {
    pub(super) fn new(
        form: FetchForm,
        texture: &Texture,
        sampler: &Sampler,
        effective: &EffectiveSampler,
        build: Build,
    ) -> Result<Self, PlanError> {
        let resource = &*texture.resource;
        let readings = texture_readings(texture, effective.srgb)?;
        let find = match (form.kind, effective.address_mode, effective.filter) {
            (_, None, _) => Find::Integer,
            (FetchKind::Gather(_), ..) => Find::Gather,
            _ if effective.seamless_cube => Find::Seamless,
            (_, _, Filter::Point) => Find::Point,
            (_, _, Filter::Linear) => Find::Linear,
        };
        let geometry = form.geometry;
        // A plain 1D texture is a 2D one of height 1, read at y = 0.
        let dims = geometry.axes() + usize::from(geometry == Geometry::D1);
        let mode = effective.address_mode.unwrap_or([AddressMode::Clamp; 3]);
        let axes = std::array::from_fn(|a| {
            (a < dims).then_some(Axis { find, coords: effective.coords, mode: mode[a] })
        });
        let border = match effective.coords {
            // Outside, integer coordinates read 0 (docs/numerics.md 1.9).
            Coords::Integer => [0; 4],
            _ => border_codes(readings, sampler.border),
        };
        Ok(Self {
            form,
            effective: *effective,
            bias: sampler.level_bias,
            places: Places::new(form, resource.shape()),
            source: Source::of(form, effective),
            levels: resource.levels().to_vec(),
            anisotropic: form.kind == FetchKind::Sample(Lod::Gradient)
                && effective.max_anisotropy > 1,
            find,
            axes,
            storage: Storage::of(resource.format()),
            readings,
            border,
            run: pick(build),
        })
    }

    /// Fills the wanted components of the active lanes, and others with anything; returns the
    /// lanes whose texels are all resident.
    pub(super) fn fetch(
        &self,
        resource: &Resource,
        request: &FetchRequest<'_>,
        components: u8,
        (space, buffers): (&mut Space, &mut Buffers),
        out: &mut [Lanes; 4],
    ) -> u32 {
        let call = Call { resource, request, components };
        // SAFETY: `pick` was given a `Build` that runs here.
        unsafe { (self.run)(self, &call, space, buffers, out) }
        if space.missing != 0 {
            for (c, values) in out.iter_mut().enumerate() {
                for lane in lanes(space.missing).filter(|_| components >> c & 1 == 1) {
                    values[lane] = 0;
                }
            }
        }
        !space.missing
    }

    #[inline(always)]
    fn run(
        &self,
        call: &Call<'_>,
        space: &mut Space,
        buffers: &mut Buffers,
        out: &mut [Lanes; 4],
    ) {
        (space.outside, space.missing) = (0, 0);
        self.places.run(call.request, &mut space.place);
        self.level_numbers(call, space);
        // Lanes that are not active have no second level, unless all have.
        let slots = if space.levels.share[1].iter().any(|&share| share > 0) { 2 } else { 1 };
        if self.anisotropic && space.taps.most > 1 {
            self.tapped(call, slots, space, buffers, out);
            return;
        }
        for slot in 0..slots {
            self.level(slot, space);
            self.axes(space);
            self.weigh(slot, space, buffers);
            self.read(call, slot, space, buffers);
        }
        match self.form.kind {
            FetchKind::Gather(component) => self.gathered(call, component.into(), buffers, out),
            FetchKind::Sample(_) => self.sampled(call, slots, space, buffers, out),
        }
    }

    /// Whether texels of a level are filtered.
    fn filters(&self) -> bool {
        matches!(self.find, Find::Linear | Find::Seamless)
    }

    /// Texels a slice.
    fn per(&self) -> usize {
        if self.filters() || self.find == Find::Gather { 4 } else { 1 }
    }

    /// Slices a level.
    fn slices(&self) -> usize {
        if self.find == Find::Linear && self.axes[2].is_some() { 2 } else { 1 }
    }

    /// Sections 3 and 4: the levels of each lane, and its taps.
    #[inline(always)]
    fn level_numbers(&self, call: &Call<'_>, space: &mut Space) {
        let Space { levels, taps, .. } = space;
        if self.anisotropic {
            taps.clear();
        }
        let (geometry, base) = (self.form.geometry, call.resource.extent());
        // Neighbours often have the same gradients. Quads see the point too.
        let quad = geometry.is_cube() || geometry.axes() == 3;
        let mut last: Option<(FetchOperands, Graded)> = None;
        levels::run(self.source, (self.bias, &self.effective), call.request, levels, |lane| {
            let operands = call.request.lane(lane);
            let same = |(o, _): &&(FetchOperands, Graded)| {
                !quad && o.dpdx == operands.dpdx && o.dpdy == operands.dpdy
            };
            let kept = last.as_ref().filter(same).map(|&(_, graded)| graded);
            let graded = kept.unwrap_or_else(|| {
                let point = self.places.point(operands.coords);
                graded(geometry, &self.effective, base, point, &operands)
            });
            last = Some((operands, graded));
            if self.anisotropic {
                taps.put(lane, graded, kept.is_some());
            }
            graded.level()
        });
    }

    /// Sizes and places in memory of the level that a slot of each lane has.
    #[inline(always)]
    fn level(&self, slot: usize, space: &mut Space) {
        let Space { place, levels, sizes, pitches, .. } = space;
        let last = self.levels.len() as u32 - 1;
        for lane in 0..32 {
            let level = &self.levels[levels.level[slot][lane].min(last) as usize];
            for (sizes, n) in sizes.iter_mut().zip(level.extent.axes()) {
                sizes[lane] = n.into();
            }
            let (plane, sample) = (u64::from(place.plane[lane]), u64::from(place.sample[lane]));
            let base = level.offset + plane * level.plane_pitch + sample * level.sample_pitch;
            pitches.base[lane] = base as i64;
            pitches.plane[lane] = level.plane_pitch as i64;
            pitches.row[lane] = level.row_pitch as i64;
            pitches.slice[lane] = level.slice_pitch as i64;
        }
    }

    /// Section 1, axis by axis.
    #[inline(always)]
    fn axes(&self, space: &mut Space) {
        let Space { place, sizes, axes, .. } = space;
        for (a, lanes) in axes.iter_mut().enumerate() {
            match self.axes[a] {
                Some(axis) => {
                    let (coords, size, offset) = (&place.coords[a], &sizes[a], &place.offset[a]);
                    axis.run(axes::Operands { coords, size, offset }, lanes);
                }
                None => *lanes = AxisLanes::NONE,
            }
        }
    }

    /// Weights of a level's texels (docs/numerics.md 2, "Weights"), split along z, x, y.
    #[inline(always)]
    fn weigh(&self, slot: usize, space: &Space, buffers: &mut Buffers) {
        let Space { axes: [x, y, z], levels, .. } = space;
        let share = &levels.share[slot];
        if !self.filters() {
            buffers.weights[4 * slot] = *share;
            return;
        }
        for slice in 0..self.slices() {
            let place = 4 * (slot * self.slices() + slice);
            for lane in 0..32 {
                let (a, b, c) = (x.weight[lane], y.weight[lane], z.weight[lane]);
                let front = (share[lane] * (256 - c) + 128) >> 8;
                let total = if slice == 0 { front } else { share[lane] - front };
                let right = (total * a + 128) >> 8;
                let left = total - right;
                let w11 = (right * b + 128) >> 8;
                let w00 = (left * (256 - b) + 128) >> 8;
                buffers.weights[place][lane] = w00;
                buffers.weights[place + 1][lane] = right - w11;
                buffers.weights[place + 2][lane] = left - w00;
                buffers.weights[place + 3][lane] = w11;
            }
        }
    }

    /// The texels of a level.
    #[inline(always)]
    fn read(&self, call: &Call<'_>, slot: usize, space: &mut Space, buffers: &mut Buffers) {
        let from = texels::From {
            storage: self.storage,
            block: call.resource.block(),
            border: self.border,
        };
        if self.find == Find::Seamless {
            for k in 0..4 {
                let place = 4 * slot + k;
                let wanted = call.request.active & some(&buffers.weights[place]);
                let out = &mut buffers.texels[place];
                let (from, which) = ((from, self.readings), (slot, k, wanted));
                space.missing |= cube::read(from, call.resource, which, space, out);
            }
            return;
        }
        let Space { axes, pitches, texels, .. } = space;
        for slice in 0..self.slices() {
            for k in 0..self.per() {
                let place = 4 * (slot * self.slices() + slice) + k;
                let side = [k & 1, k >> 1, slice];
                let at = std::array::from_fn(|a| {
                    if side[a] == 0 { &axes[a].lower } else { &axes[a].upper }
                });
                let wanted = match self.find {
                    Find::Integer | Find::Gather => call.request.active,
                    Find::Point | Find::Linear | Find::Seamless => {
                        call.request.active & some(&buffers.weights[place])
                    }
                };
                let which = Which { at, pitches, wanted };
                texels::codes(from, which, texels, &mut buffers.texels[place]);
                if call.resource.residency().is_some() {
                    let level = &space.levels.level[slot];
                    space.missing |= absent(call.resource, &space.place, level, which);
                }
                if self.find == Find::Integer {
                    space.outside |= negative(at);
                }
            }
        }
    }

    /// Values of a `tex`.
    #[inline(always)]
    fn sampled(
        &self,
        call: &Call<'_>,
        slots: usize,
        space: &mut Space,
        buffers: &Buffers,
        out: &mut [Lanes; 4],
    ) {
        let shape = Shape { groups: slots * self.slices(), per: self.per() };
        if let Some(function) = self.effective.compare {
            self.compared(call, function, shape, space, buffers, out);
            return;
        }
        // A point filter sums only where it blends levels.
        let blended = if slots == 2 { some(&space.levels.share[1]) } else { 0 };
        for (c, out) in out.iter_mut().enumerate() {
            if call.components >> c & 1 == 0 {
                continue;
            }
            let reading = self.readings[c];
            if self.filters() {
                sums::sum(reading, shape, buffers, c, out);
                continue;
            }
            sums::point(reading, &buffers.texels[0][c], out);
            if blended != 0 {
                let mut sum = [0; 32];
                sums::sum(reading, shape, buffers, c, &mut sum);
                for lane in lanes(blended) {
                    out[lane] = sum[lane];
                }
            }
            if space.outside != 0 {
                for lane in lanes(space.outside) {
                    out[lane] = 0;
                }
            }
        }
    }

    /// Section 9: the share of the texels that pass, in all components.
    fn compared(
        &self,
        call: &Call<'_>,
        function: CompareFunction,
        shape: Shape,
        space: &mut Space,
        buffers: &Buffers,
        out: &mut [Lanes; 4],
    ) {
        let mut passing = [0; 32];
        for k in shape.places() {
            let passes = self.passes(call, function, &buffers.texels[k][0]);
            for lane in lanes(passes & !space.outside) {
                passing[lane] += buffers.weights[k][lane];
            }
        }
        let values = passing.map(|weight| (weight as f32 / 256.0).to_bits());
        put(call.components, values, out);
    }

    /// Lanes whose texel, of these codes, passes.
    fn passes(&self, call: &Call<'_>, function: CompareFunction, codes: &Lanes) -> u32 {
        let mut mask = 0;
        for lane in lanes(call.request.active) {
            let reference = f32::from_bits(call.request.compare[lane]);
            let texel = f32::from_bits(self.readings[0].point(codes[lane]));
            mask |= u32::from(result::compare(function, reference, texel)) << lane;
        }
        mask
    }

    /// Section 4: the values of anisotropic footprints.
    #[inline(always)]
    fn tapped(
        &self,
        call: &Call<'_>,
        slots: usize,
        space: &mut Space,
        buffers: &mut Buffers,
        out: &mut [Lanes; 4],
    ) {
        let channels = |c: &usize| call.components >> c & 1 == 1;
        let is_float = |c: usize| matches!(self.readings[c], Reading::F16 | Reading::F32);
        let compare = self.effective.compare;
        // Sums of floats depend on the largest texel of all taps.
        let twice = compare.is_none() && (0..4).filter(channels).any(is_float);
        for sum in if twice { [false, true].as_slice() } else { &[true] } {
            for number in 0..space.taps.most {
                space.taps.select(number);
                for slot in 0..slots {
                    self.level(slot, space);
                    self.shifted_axes(space);
                    self.weigh(slot, space, buffers);
                    for k in 4 * slot..4 * slot + 4 {
                        for lane in 0..32 {
                            let tap = space.taps.weight[lane];
                            let weight = &mut buffers.weights[k][lane];
                            *weight = if tap == 0 { 0 } else { *weight };
                        }
                    }
                    self.read(call, slot, space, buffers);
                }
                for c in (0..4).filter(channels) {
                    let reading = self.readings[c];
                    match (compare, sum) {
                        (Some(_), _) => {}
                        (None, true) => space.taps.add(reading, slots, buffers, c),
                        (None, false) => space.taps.measure(reading, slots, buffers, c),
                    }
                }
                if let Some(function) = compare {
                    for k in 0..4 * slots {
                        let passes = self.passes(call, function, &buffers.texels[k][0]);
                        for lane in lanes(passes) {
                            let weight = buffers.weights[k][lane] * space.taps.weight[lane];
                            space.taps.passing[lane] += weight;
                        }
                    }
                }
            }
        }
        if compare.is_some() {
            let share = |weight: i32| result::share_that_passes(weight as u32);
            put(call.components, space.taps.passing.map(share), out);
            return;
        }
        for c in (0..4).filter(channels) {
            space.taps.finish(self.readings[c], c, &mut out[c]);
        }
    }

    /// Section 1 for the tap at hand.
    #[inline(always)]
    fn shifted_axes(&self, space: &mut Space) {
        let Space { place, sizes, axes, taps, .. } = space;
        for (a, lanes) in axes.iter_mut().enumerate() {
            match (self.axes[a], taps.shift.get(a)) {
                (Some(axis), Some(shift)) => {
                    let (coords, size, offset) = (&place.coords[a], &sizes[a], &place.offset[a]);
                    axis.run_shifted(axes::Operands { coords, size, offset }, shift, lanes);
                }
                _ => *lanes = AxisLanes::NONE,
            }
        }
    }

    /// Section 8: a component of four texels, counter-clockwise from the lower left one.
    fn gathered(
        &self,
        call: &Call<'_>,
        component: usize,
        buffers: &Buffers,
        out: &mut [Lanes; 4],
    ) {
        let reading = self.readings[component];
        for (c, [x, y]) in gather::ORDER.into_iter().enumerate() {
            if call.components >> c & 1 == 0 {
                continue;
            }
            let codes = &buffers.texels[usize::from(x + 2 * y)];
            let passes = self.effective.compare.map(|f| self.passes(call, f, &codes[0]));
            for lane in lanes(call.request.active) {
                let passes = passes.map(|mask| mask >> lane & 1 == 1);
                out[c][lane] = gather::value(reading, codes[component][lane], passes);
            }
        }
    }
}

/// The same values in all wanted components.
fn put(components: u8, values: Lanes, out: &mut [Lanes; 4]) {
    for (c, out) in out.iter_mut().enumerate() {
        if components >> c & 1 == 1 {
            *out = values;
        }
    }
}

/// Lanes of numbers above 0.
#[inline(always)]
fn some(numbers: &[i32; 32]) -> u32 {
    let mut mask = 0;
    for lane in 0..32 {
        mask |= u32::from(numbers[lane] > 0) << lane;
    }
    mask
}

/// Lanes with a negative index.
#[inline(always)]
fn negative([x, y, z]: [&[i32; 32]; 3]) -> u32 {
    let mut mask = 0;
    for lane in 0..32 {
        mask |= u32::from(x[lane] | y[lane] | z[lane] < 0) << lane;
    }
    mask
}

/// Lanes whose texel is not in memory.
fn absent(resource: &Resource, place: &PlaceLanes, level: &[u32; 32], which: Which<'_>) -> u32 {
    let mut mask = 0;
    for lane in lanes(which.wanted) {
        let at = which.at.map(|axis| axis[lane]);
        if at.iter().any(|&i| i < 0) {
            continue;
        }
        let at = at.map(|i| i as u32);
        let (plane, sample) = (place.plane[lane], place.sample[lane]);
        let index = TexelIndex { level: level[lane], plane, sample, at };
        mask |= u32::from(!resource.is_resident(index)) << lane;
    }
    mask
}
