//! The general schedule, which supports every fetch. The stages for layer and face, levels and axes
//! fill per-lane arrays; a stage for the format reads texels and their codes; the channels are
//! summed from the arrays. Differences between plans are resolved outside the loops.
//!
//! Rare cases (extreme gradients, texels past the edges of cube faces) use functions of the
//! reference.

mod answers;
mod block;
mod cube;
pub(super) mod indices;
mod stages;
mod sums;
mod tally;
mod taps;
mod texels;

use super::axis::{Axis, AxisLanes, Find, Scaling};
use super::build::Build;
use super::levels::{LevelLanes, LevelStage};
use super::place::{IntegerLimits, PlaceLanes, PlaceStage};
use super::simd::{Run, Simd, Stage, arguments, pick};
use crate::effective::{Coords, EffectiveSampler, texture_readings};
use crate::request::{FetchForm, FetchKind, FetchRequest, Geometry, Lanes, Lod, PlanError};
use crate::resource::{Level, Resource};
use crate::sampler::{AddressMode, Filter, Sampler, Texture};
use indices::{Buffers, Pitches};
use stages::{Read, ReadArgs};
use taps::TapLanes;
use texels::{Blocks, Layout, Words};
use texunit_texel::{Format, Reading, border_codes};

/// The scratch memory of the general schedule.
#[derive(Clone, Debug)]
pub(super) struct Space {
    place: PlaceLanes,
    levels: LevelLanes,
    /// The sizes along x, y, z of the first and the second level of each lane.
    sizes: [[Lanes; 3]; 2],
    pitches: [Pitches; 2],
    axes: [AxisLanes; 3],
    texels: texels::Space,
    taps: TapLanes,
    /// For cubes, the texel indices along s and t on a face, limited to the face.
    inside: [Lanes; 2],
    /// The mask of the lanes whose first texel is outside.
    outside: u32,
    /// The mask of the lanes that read a texel that is not resident.
    missing: u32,
}

impl Space {
    pub(super) fn new() -> Self {
        Self {
            place: PlaceLanes::ZERO,
            levels: LevelLanes::ZERO,
            sizes: [[[1; 32]; 3]; 2],
            pitches: [Pitches::ZERO; 2],
            axes: [const { AxisLanes::ZERO }; 3],
            texels: texels::Space::new(),
            taps: TapLanes::new(),
            inside: [[0; 32]; 2],
            outside: 0,
            missing: 0,
        }
    }
}

/// A plan of the general schedule.
#[derive(Clone, Debug)]
pub(super) struct General {
    form: FetchForm,
    effective: EffectiveSampler,
    places: PlaceStage,
    stage: LevelStage,
    levels: Vec<Level>,
    /// Whether a fetch with gradients can consist of several taps.
    anisotropic: bool,
    find: Find,
    /// The stage of each axis; `None` for an axis along which every coordinate selects the same
    /// texel.
    axes: [Option<Axis>; 3],
    /// For integer coordinates, the numbers of layers and levels that exist.
    named: Option<IntegerLimits>,
    /// Whether sums need to know which texels are read.
    asks_for_reads: bool,
    format: Format,
    layout: Layout,
    /// Whether codes are read in pairs, which is the case for block formats with four channels of
    /// 8-bit unorm.
    pairs: bool,
    read: Run<ReadArgs>,
    readings: [Reading; 4],
    border: [u32; 4],
    run: Run<FetchArgs>,
}

/// The arguments of a fetch.
struct Call<'a> {
    resource: &'a Resource,
    request: &'a FetchRequest<'a>,
    /// The mask of the requested components.
    components: u8,
}

/// The arguments of a fetch by the general schedule: operands, scratch memory and outputs.
struct Job<'a> {
    plan: &'a General,
    call: Call<'a>,
    space: &'a mut Space,
    buffers: &'a mut Buffers,
    out: &'a mut [Lanes; 4],
}

arguments!(FetchArgs = Job);

/// All stages of the general schedule as one stage, so that their loops are compiled for each SIMD
/// level.
struct Fetch;

impl Stage<FetchArgs> for Fetch {
    #[inline(always)]
    fn run<S: Simd>(simd: S, job: Job<'_>) {
        let Job { plan, call, space, buffers, out } = job;
        plan.run(simd, &call, space, buffers, out);
    }
}

impl General {
    pub(super) fn new(
        form: FetchForm,
        texture: &Texture,
        sampler: &Sampler,
        effective: &EffectiveSampler,
        (layers, build): (u32, Build),
    ) -> Result<Self, PlanError> {
        let resource = &*texture.resource;
        let readings = texture_readings(texture, effective.srgb)?;
        let by_level = form.kind == FetchKind::Sample(Lod::Level);
        let anisotropic = effective.anisotropic;
        let find = match (form.kind, effective.address_mode, effective.filter) {
            (_, None, _) if by_level => Find::Clamped,
            (_, None, _) => Find::Integer,
            _ if effective.seamless_cube => Find::Seamless,
            (FetchKind::Gather(_), ..) => Find::Gather,
            (_, _, Filter::Point) if anisotropic => Find::Taps,
            (_, _, Filter::Point) => Find::Point,
            (_, _, Filter::Linear) => Find::Linear,
        };
        let geometry = form.geometry;
        // `.1d` with float coordinates is a 2D fetch at y = 0.
        let integers = effective.coords == Coords::Integer;
        let dims = geometry.axes() + usize::from(geometry == Geometry::D1 && !integers);
        let mode = effective.address_mode.unwrap_or([AddressMode::Clamp; 3]);
        let extent = resource.levels()[0].extent.axes();
        let scaling = Scaling { coords: effective.coords, of_face: geometry.is_cube() };
        let axes = std::array::from_fn(|a| {
            (a < dims).then(|| Axis::general(extent[a], find, scaling, mode[a], build))
        });
        let border = match effective.coords {
            // Outside, integer coordinates read 0 (docs/numerics.md 1.9).
            Coords::Integer => [0; 4],
            _ => border_codes(readings, sampler.border),
        };
        let format = resource.format();
        let sums = find == Find::Linear && effective.compare.is_none() && !anisotropic;
        // Codes are read in pairs only if they are summed and not used otherwise.
        let pairs = sums
            && format.is_block()
            && readings == [Reading::Unorm { bits: 8 }; 4]
            && resource.layer_stride.is_none();
        Ok(Self {
            form,
            effective: *effective,
            places: PlaceStage::new(form, resource, build),
            stage: LevelStage::new(form, resource, effective, sampler.level_bias, build),
            levels: resource.levels().to_vec(),
            anisotropic,
            find,
            axes,
            named: integers.then(|| IntegerLimits::new(form, resource, layers)),
            asks_for_reads: readings.iter().any(|r| matches!(r, Reading::F16 | Reading::F32)),
            format,
            layout: Layout::of(format, readings[0]),
            pairs,
            read: match format.is_block() {
                true => pick::<_, Read<Blocks>>(build),
                false => pick::<_, Read<Words>>(build),
            },
            readings,
            border,
            run: pick::<_, Fetch>(build),
        })
    }

    /// Computes the requested components of all lanes; inactive lanes get arbitrary values. Returns
    /// the lanes whose texels are all resident.
    pub(super) fn fetch(
        &self,
        resource: &Resource,
        request: &FetchRequest<'_>,
        components: u8,
        (space, buffers): (&mut Space, &mut Buffers),
        out: &mut [Lanes; 4],
    ) -> u32 {
        let call = Call { resource, request, components };
        self.run.call(Job { plan: self, call, space: &mut *space, buffers, out });
        !space.missing
    }

    #[inline(always)]
    fn run<S: Simd>(
        &self,
        simd: S,
        call: &Call<'_>,
        space: &mut Space,
        buffers: &mut Buffers,
        out: &mut [Lanes; 4],
    ) {
        (space.outside, space.missing) = (0, 0);
        self.places.run_all(call.request, &mut space.place);
        // Sections 3 and 4 of docs/numerics.md: the levels and the taps of each lane.
        let blends = match self.anisotropic {
            true => space.taps.grade(&self.stage, call.request, &mut space.levels),
            false => self.stage.run(call.request, &mut space.levels),
        };
        let slots = if blends { 2 } else { 1 };
        if self.anisotropic && space.taps.is_tapped() {
            self.tapped(simd, call, slots, space, buffers, out);
            return;
        }
        for slot in 0..slots {
            self.level(slot, space);
            self.axes(call, slot, false, space);
            let share = &space.levels.share[slot];
            let reads = if slot == 0 { u32::MAX } else { indices::some(share) };
            self.weigh(simd, slot, (share, reads), &space.axes, buffers);
            if self.find == Find::Seamless && self.filters() {
                cube::share_missing(cube::missing(slot, space), 4 * slot, buffers);
            }
            self.read(call, slot, space, buffers);
        }
        match self.form.kind {
            FetchKind::Gather(component) => {
                self.gathered(simd, call, component.into(), space, buffers, out)
            }
            FetchKind::Sample(_) => self.sampled(simd, call, slots, space, buffers, out),
        }
    }
}
