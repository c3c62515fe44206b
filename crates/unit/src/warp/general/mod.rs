//! The general way: any fetch. Places, levels, axes, texels and sums, a loop over 32 lanes each;
//! what differs between plans is decided before the loops.
//!
//! Rules that are pure functions of a few integers (levels, gradients, faces) are the reference's.
//! Addressing, weights and sums are not: what the tests compare was written twice.

mod answers;
mod axes;
mod block;
mod cube;
mod levels;
mod place;
mod stages;
mod sums;
mod taps;
mod texels;

use super::build::Build;
use super::kernel::Buffers;
use crate::effective::{Coords, EffectiveSampler, texture_readings};
use crate::request::{FetchForm, FetchKind, FetchRequest, Geometry, Lanes, Lod, PlanError, lanes};
use crate::resource::{Level, Resource};
use crate::sampler::{AddressMode, Filter, Sampler, Texture};
use axes::{Axis, AxisLanes, Find};
use levels::{LevelLanes, Source};
use place::{PlaceLanes, Places};
use taps::TapLanes;
use texels::{Pitches, Storage};
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

    /// Fills the wanted components of all lanes, those of lanes that are not active with anything;
    /// returns the lanes whose texels are all resident.
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
    fn run(&self, call: &Call<'_>, space: &mut Space, buffers: &mut Buffers, out: &mut [Lanes; 4]) {
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
}
