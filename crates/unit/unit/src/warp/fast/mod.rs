//! The fast schedule, for plain formats: their channels are stored one after the other and are all
//! converted alike. Its stages are: layer, face and offsets (`place`), levels, axes (coordinates to
//! byte offsets and weights), kernel (texels to values). A fetch has two halves, before and after
//! its texels are read, so that the next fetch can begin before this one ends. The most common
//! fetches also exist as one fused stage (`fused`), which is much faster for consecutive warps.

mod footprint;
mod fused;
mod groups;
mod kernel;
mod leveled;
mod levels;
mod plan;
mod registers;
mod stored;

use super::axis::{Axis, AxisLanes};
use super::place::{IntegerLimits, PlaceLanes, PlaceStage};
use super::simd::Run;
use crate::register_files::{FetchRows, Requests, Results};
use crate::request::{self, FetchRequest, Lanes, places};
use crate::resource::Resource;
use footprint::{Call, Task};
use fused::FusedArgs;
use kernel::KernelArgs;
use leveled::LeveledArgs;
use levels::{LevelSpace, Levels, Slices};
pub(super) use registers::{Points, Registers};
use stored::StoredAddresses;

/// Scratch memory of the fast schedule.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Space {
    /// The intermediate results of a fetch and of the next fetch.
    pub(super) placed: [FetchAddresses; 2],
    /// The texel locations that the fused stage has stored, for two warps.
    stored: [StoredAddresses; 2],
}

impl Space {
    pub(super) fn new() -> Self {
        Self {
            placed: [FetchAddresses::new(), FetchAddresses::new()],
            stored: [const { StoredAddresses::new() }; 2],
        }
    }
}

/// The intermediate results between the stages of a fetch: the locations and weights of its texels.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct FetchAddresses {
    /// The texels along x, y and z, in a lane's first and second level.
    axes: [[AxisLanes; 3]; 2],
    /// Byte offset of each group of texels.
    bases: [Lanes; 4],
    /// Weight of each group of texels, in 1/256.
    totals: [Lanes; 4],
    /// Layers or faces, as indices or, if all lanes read one level, as byte offsets.
    place: PlaceLanes,
    levels: LevelSpace,
    /// The number of levels that lanes read, 1 or 2.
    slots: usize,
}

impl FetchAddresses {
    pub(super) fn new() -> Self {
        Self {
            axes: [const { [AxisLanes::ZERO; 3] }; 2],
            bases: [[0; 32]; 4],
            totals: [[256; 32]; 4],
            place: PlaceLanes::ZERO,
            levels: LevelSpace::new(),
            slots: 1,
        }
    }
}

/// A plan of the fast schedule.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    places: PlaceStage,
    axes: [Option<Axis>; 3],
    slices: Slices,
    /// Constant texels along y, for geometries without this axis.
    row: &'static AxisLanes,
    levels: Levels,
    /// Byte offset in its memory block of the resource's first texel.
    first: u64,
    border: [u32; 4],
    /// The kernels for fetches of one level and of two levels.
    kernels: [Run<KernelArgs>; 2],
    filters: bool,
    /// Whether a point filter returns the weighted sum of its texel (rule 3.5 of docs/numerics.md).
    sums_texels: bool,
    /// For integer coordinates, the numbers of layers and levels that exist.
    named: Option<IntegerLimits>,
    channels: usize,
    /// The fused stage for fetches of one level (`fused`), and the one for levels that differ by
    /// lane (`leveled`).
    fused: Option<Run<FusedArgs>>,
    leveled: Option<Run<LeveledArgs>>,
    /// Whether the fused stage prefetches the texels of the next warp.
    prefetches: bool,
}

/// Constant texels along axes that a geometry lacks.
static NO_AXIS: AxisLanes = AxisLanes::ZERO;

static FULL: Lanes = [256; 32];
static NOTHING: Lanes = [0; 32];

impl Fast {
    /// Computes the requested components of all lanes.
    #[inline(always)]
    pub(super) fn fetch(
        &self,
        resource: &Resource,
        request: &FetchRequest<'_>,
        components: u8,
        space: &mut Space,
        out: &mut [Lanes; 4],
    ) {
        let mut out = places(out, components);
        if self.is_fused() {
            self.clear(&mut out);
            let coords = request.coords.point.map(std::slice::from_ref);
            let out = out.each_mut().map(|out| match out {
                Some(out) => std::slice::from_mut(&mut **out),
                None => &mut [],
            });
            let mut next = 0;
            let points = Points::Axes(coords);
            let mut registers = Registers::Arrays { points, out };
            self.run_fused(resource, &mut registers, &mut next, space);
            if next == 1 {
                return;
            }
        }
        self.fetch_levels(resource, request, space, out);
    }

    /// Executes a fetch with levels that differ by lane. If the plan has a fused stage for such
    /// levels, uses that.
    #[inline(always)]
    fn fetch_levels(
        &self,
        resource: &Resource,
        request: &FetchRequest<'_>,
        space: &mut Space,
        mut out: request::OutputRegisters<'_>,
    ) {
        let Space { placed: [placed, _], .. } = space;
        if let (Some(stage), Levels::Each(each)) = (self.leveled, &self.levels) {
            let blends = each.choose(request, &mut placed.levels);
            let mut is_done = false;
            self.clear(&mut out);
            let (window, border, channels) = (self.window(resource), &self.border, self.channels);
            let ([x, y, _], levels) = (request.coords.point, &placed.levels.lanes);
            let out = request::reborrow(&mut out);
            stage.call(leveled::Call {
                axes: &self.axes,
                each,
                point: [x, y],
                levels,
                blends,
                task: Task { window, next: None, border, channels, out },
                is_done: &mut is_done,
            });
            if is_done {
                return;
            }
        }
        self.place(request, placed);
        self.finish(resource, placed, out);
    }

    /// Whether the plan has a fused stage (`fused`), which fetches consecutive warps in one loop.
    #[inline(always)]
    pub(super) fn is_fused(&self) -> bool {
        self.fused.is_some()
    }

    /// The number of channels of the format. Further components are zeros.
    pub(super) fn channels(&self) -> usize {
        self.channels
    }

    /// Executes the fetches of the warps from `next` on by the fused stage. Stops at the first warp
    /// that the stage does not support. Only for plans that [have a fused stage](Self::is_fused).
    #[inline(always)]
    pub(super) fn run_fused<'a>(
        &'a self,
        resource: &'a Resource,
        registers: &'a mut Registers<'a>,
        next: &'a mut usize,
        space: &'a mut Space,
    ) {
        let (window, border, channels) = (self.window(resource), &self.border, self.channels);
        let (axes, prefetches, stored) = (&self.axes, self.prefetches, &mut space.stored);
        let face_pitch = self.places.is_cube().then(|| self.levels.plane_pitch());
        if let Some(stage) = self.fused {
            stage.call(fused::Call {
                axes,
                window,
                border,
                channels,
                face_pitch,
                prefetches,
                registers,
                next,
                stored,
            });
        }
    }

    /// Executes the fetches of several warps, in all lanes. Uses the fused stage if the plan [has
    /// one](Self::is_fused).
    #[inline]
    pub(super) fn fetch_warps<'w>(
        &self,
        resource: &Resource,
        files: &'w mut [&mut [Lanes]],
        rows: &FetchRows<'_>,
        requests: &'w impl Requests,
        space: &mut Space,
    ) {
        if !self.is_fused() {
            let mut warps = files.iter_mut().enumerate();
            let next = |places: &mut request::OutputRegisters<'w>| {
                let (warp, file) = warps.next()?;
                Some(requests.request(warp, &rows.results.split_file(file, places)))
            };
            return self.fetch_staged(resource, next, space);
        }
        let Results { len, components, .. } = rows.results;
        if components[..len].iter().any(|&c| usize::from(c) >= self.channels) {
            for file in &mut *files {
                let mut places = request::OutputRegisters::default();
                rows.results.split_file(file, &mut places);
                self.clear(&mut places);
            }
        }
        let mut next = 0;
        while next < files.len() {
            // SAFETY: `files` is borrowed until the stage returns, and the stage replaces none of
            // its slices, so that none becomes one with a shorter lifetime.
            let lent = unsafe {
                std::mem::transmute::<&mut [&mut [Lanes]], &mut [&mut [Lanes]]>(&mut *files)
            };
            let mut registers = Registers::Files { files: lent, rows };
            self.run_fused(resource, &mut registers, &mut next, space);
            // The fused stage stops at a warp whose fetches need other stages; these follow.
            let Some(file) = files.get_mut(next) else { break };
            self.fetch_file(resource, file, rows, (requests, next), space);
            next += 1;
        }
    }

    /// Executes the fetch of a warp whose coordinates are outside the range of the fused stage.
    #[cold]
    fn fetch_file(
        &self,
        resource: &Resource,
        file: &mut [Lanes],
        rows: &FetchRows<'_>,
        (requests, warp): (&impl Requests, usize),
        Space { placed: [placed, _], .. }: &mut Space,
    ) {
        let mut places = request::OutputRegisters::default();
        self.place(&requests.request(warp, &rows.results.split_file(file, &mut places)), placed);
        self.finish(resource, placed, places);
    }

    /// Executes the fetches of several warps in two halves: the next fetch begins before the
    /// current one waits for its texels. `next` returns the fetches one by one, and sets the output
    /// slots of the requested components.
    #[inline]
    pub(super) fn fetch_staged<'w>(
        &self,
        resource: &Resource,
        mut next: impl FnMut(&mut request::OutputRegisters<'w>) -> Option<FetchRequest<'w>>,
        space: &mut Space,
    ) {
        let mut out = request::OutputRegisters::default();
        if self.leveled.is_some() {
            loop {
                let request = next(&mut out);
                let Some(request) = &request else { return };
                self.fetch_levels(resource, request, space, std::mem::take(&mut out));
            }
        }
        let Space { placed: [now, then], .. } = space;
        let (mut now, mut then) = (now, then);
        let first = next(&mut out);
        let Some(first) = &first else { return };
        self.place(first, now);
        loop {
            let mut places = request::OutputRegisters::default();
            let request = next(&mut places);
            let Some(request) = &request else { break };
            self.place(request, then);
            self.finish(resource, now, out);
            out = places;
            std::mem::swap(&mut now, &mut then);
        }
        self.finish(resource, now, out);
    }

    /// Writes zeros to components that the format lacks.
    #[inline(always)]
    fn clear(&self, out: &mut request::OutputRegisters<'_>) {
        for values in out.iter_mut().skip(self.channels).flatten() {
            **values = [0; 32];
        }
    }

    /// The first half of a fetch: computes the locations and weights of its texels.
    pub(super) fn place(&self, request: &FetchRequest<'_>, placed: &mut FetchAddresses) {
        let FetchAddresses { axes, bases, totals, place, levels, slots } = placed;
        self.places.run(request, self.levels.plane_pitch(), place);
        match &self.levels {
            Levels::One { .. } => {
                self.run_axes(request, place, None, &mut axes[0]);
                *slots = 1;
            }
            Levels::Each(each) => {
                // Only the kernel for two levels adds up weighted texels. A fetch of a single texel
                // needs this kernel as well, if the texel's value has to go through the hardware's
                // adder.
                *slots = if each.choose(request, levels) | self.sums_texels { 2 } else { 1 };
                for slot in 0..*slots {
                    let sizes = &mut levels.sizes[slot];
                    let plane = self.places.has_planes().then_some(&place.plane);
                    each.find(&levels.lanes.level[slot], plane, sizes, &mut levels.bases[slot]);
                    self.run_axes(request, place, Some(sizes), &mut axes[slot]);
                }
            }
        }
        if let Some(named) = &self.named {
            axes[0][0].outside[0] |= named.outside(request);
        }
        // The slices of a 3D texture have offsets and weights of their own.
        if self.axes[2].is_some() {
            let (bases, totals) = (bases.as_chunks_mut::<2>().0, totals.as_chunks_mut::<2>().0);
            for (slot, (bases, totals)) in bases.iter_mut().zip(totals).enumerate().take(*slots) {
                let level = (self.start(&place.plane, levels, slot), self.share(levels, slot));
                self.slices.split(&axes[slot][2], level, bases.each_mut(), totals.each_mut());
            }
        }
    }

    /// The second half of a fetch: reads its texels and computes the values.
    pub(super) fn finish(
        &self,
        resource: &Resource,
        placed: &FetchAddresses,
        mut out: request::OutputRegisters<'_>,
    ) {
        self.clear(&mut out);
        let slots = placed.slots;
        let groups = self.groups(placed);
        let window = self.window(resource);
        let (border, channels) = (&self.border, self.channels);
        let task = Task { window, next: None, border, channels, out };
        self.kernels[slots - 1].call(Call { groups: &groups, task });
    }
}
