//! The level stage: which mip levels 32 lanes read (docs/numerics.md, sections 3 and 4). All
//! computations are loops over lanes without branches.

mod finish;
pub(super) mod float10;
pub(super) mod gradients;

use super::doubles::{limit, to_int};
use crate::effective::{Coords, EffectiveSampler};
use crate::fixed_level::bias_field;
use crate::reference::graded::{Graded, graded};
use crate::reference::level::{self, Levels, RequestedLevel};
use crate::request::{CoordType, FetchForm, FetchKind, FetchRequest, Geometry, Lanes, Lod, lanes};
use crate::resource::{Extent, Layout, Resource};
use crate::warp::build::Build;
use crate::warp::simd::{Arguments, Run, Simd, Stage, pick};
use finish::Finish;
use gradients::{Gauge, LOWEST};

/// Up to two levels per lane.
#[derive(Clone, Debug)]
pub(in crate::warp) struct LevelLanes {
    /// Index of an existing level.
    pub(in crate::warp) level: [Lanes; 2],
    /// Share of the level, of 256.
    pub(in crate::warp) share: [Lanes; 2],
}

impl LevelLanes {
    pub(in crate::warp) const ZERO: Self = Self { level: [[0; 32]; 2], share: [[0; 32]; 2] };
}

/// From operands to levels; made once per plan.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct LevelStage {
    source: Source,
    finish: Finish,
    /// Bias that is added to f32 levels and to levels from gradients: an integer in 1/256.
    bias: f64,
    gauge: Gauge,
    // Inputs of the reference for gradients that are left to it.
    geometry: Geometry,
    base: Extent,
    effective: EffectiveSampler,
    compiled: Run<LevelArgs>,
}

/// Arguments of the stage.
pub(in crate::warp) struct LevelCall<'a> {
    stage: &'a LevelStage,
    request: &'a FetchRequest<'a>,
    out: &'a mut LevelLanes,
    /// Output: whether any lane has a second level.
    second: &'a mut bool,
}

#[derive(Debug)]
pub(in crate::warp) struct LevelArgs;

impl Arguments for LevelArgs {
    type Args<'a> = LevelCall<'a>;
}

/// The stage, whose plain loops are compiled for each SIMD level.
struct Choose;

impl Stage<LevelArgs> for Choose {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: LevelCall<'_>) {
        *call.second = call.stage.run_here(simd, call.request, call.out);
    }
}

/// The source of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::warp) enum Source {
    /// All lanes have the same levels.
    Constant(Levels),
    /// f32 level operands.
    Float,
    /// s32 level operands; levels that do not exist are treated as level 0 (rule 1.9).
    Whole {
        /// Number of levels.
        count: u32,
    },
    /// Gradient operands.
    Gradient,
}

impl Source {
    /// The source of levels for a fetch of this form.
    fn of(form: FetchForm, resource: &Resource, effective: &EffectiveSampler) -> Self {
        let constant = |q| Source::Constant(level::levels(q, effective.mip_filter));
        let [min, max] = effective.level_clamp;
        match form.kind {
            FetchKind::Sample(Lod::Level) if form.coord == CoordType::S32 => {
                let is_linear = resource.layout() == Layout::Linear;
                let count = resource.levels().len() as u32;
                if is_linear { constant(0) } else { Source::Whole { count } }
            }
            _ if form.coord == CoordType::S32 => constant(0),
            FetchKind::Sample(Lod::Implicit | Lod::Base) => {
                constant(level::clamped(RequestedLevel::Base, 0.0, effective))
            }
            FetchKind::Gather(_) => constant(0),
            FetchKind::Sample(_) if min == max && !effective.anisotropic => constant(min),
            FetchKind::Sample(Lod::Level) => Source::Float,
            FetchKind::Sample(Lod::Gradient) => Source::Gradient,
        }
    }
}

impl LevelStage {
    /// Makes the stage; `level_bias` is the sampler's.
    pub(in crate::warp) fn new(
        form: FetchForm,
        resource: &Resource,
        effective: &EffectiveSampler,
        level_bias: f32,
        build: Build,
    ) -> Self {
        let geometry = form.geometry;
        let base = resource.extent();
        let texels = match effective.coords {
            Coords::Normalized => base,
            // Unnormalized gradients are in texels already.
            Coords::Integer | Coords::Unnormalized => Extent { width: 1, height: 1, depth: 1 },
        };
        Self {
            source: Source::of(form, resource, effective),
            finish: Finish::new(effective),
            bias: bias(level_bias, effective),
            gauge: Gauge::new(geometry, texels),
            geometry,
            base,
            effective: *effective,
            compiled: pick::<_, Choose>(build),
        }
    }

    /// The source of levels.
    pub(in crate::warp) fn source(&self) -> Source {
        self.source
    }

    /// Computes the levels of all lanes; inactive lanes get no second level. Returns whether any
    /// lane has a second one. Anisotropic gradients compute their levels elsewhere.
    pub(in crate::warp) fn run(&self, request: &FetchRequest<'_>, out: &mut LevelLanes) -> bool {
        let mut second = false;
        self.compiled.call(LevelCall { stage: self, request, out, second: &mut second });
        second
    }

    #[inline(always)]
    fn run_here<S: Simd>(&self, simd: S, request: &FetchRequest<'_>, out: &mut LevelLanes) -> bool {
        let mut wanted = [0; 32];
        match self.source {
            Source::Constant(levels) => return constant(levels, out),
            Source::Float => floats(request.level, self.bias, &mut wanted),
            Source::Whole { count } => return whole(request.level, count, out),
            Source::Gradient => self.gradients(simd, request, &mut wanted),
        }
        self.finish(&wanted, request.active, out)
    }

    /// Applies rules 3.3 and 3.4 to biased levels in 1/256.
    #[inline(always)]
    pub(in crate::warp) fn finish(
        &self,
        wanted: &[i32; 32],
        active: u32,
        out: &mut LevelLanes,
    ) -> bool {
        self.finish.run(wanted, active, out)
    }

    #[inline(always)]
    fn gradients<S: Simd>(&self, simd: S, request: &FetchRequest<'_>, out: &mut [i32; 32]) {
        let odd = self.gauge.levels(simd, request, out);
        let bias = self.small_bias();
        for q in &mut *out {
            *q += bias;
        }
        self.by_reference(request, odd & request.active, out);
    }

    /// The bias for levels from gradients, clamped because those levels are small.
    pub(in crate::warp) fn small_bias(&self) -> i32 {
        // SAFETY: the number has at most 24 bits, because `bias` has clamped it.
        unsafe { to_int(limit(self.bias, -SMALL, SMALL)) }
    }

    /// The biased levels of some lanes' gradients, computed by the reference.
    fn by_reference(&self, request: &FetchRequest<'_>, which: u32, out: &mut [i32; 32]) {
        for lane in lanes(which) {
            out[lane] = self.wanted(self.graded(request, lane).level());
        }
    }

    /// The reference's gradient stage for one lane.
    pub(in crate::warp) fn graded(&self, request: &FetchRequest<'_>, lane: usize) -> Graded {
        let point = request.coords.point.map(|c| c[lane]);
        graded(self.geometry, &self.effective, self.base, point, &request.lane(lane))
    }

    /// The biased level of a gradient.
    pub(in crate::warp) fn wanted(&self, level: RequestedLevel) -> i32 {
        match level {
            RequestedLevel::At(q) => q as i32 + self.small_bias(),
            RequestedLevel::Highest => HIGHEST,
            RequestedLevel::Base | RequestedLevel::Whole(_) | RequestedLevel::Lowest => LOWEST,
        }
    }
}

/// Limit of f32 levels and biases, in 1/256.
const FAR: f64 = (1_i64 << 40) as f64;

/// Above all levels, whatever the bias.
const HIGHEST: i32 = 1 << 28;

/// Above all levels from gradients; twice this is far below [`HIGHEST`].
const SMALL: f64 = (1 << 24) as f64;

/// Rule 3.2: the bias in 1/256, truncated; if levels are sharpened, by rule 3.6.
fn bias(level_bias: f32, effective: &EffectiveSampler) -> f64 {
    let low = level::sharpening(effective).map_or((0, 1), |sharpening| sharpening.low);
    (bias_field(level_bias, low) + low.0 / low.1) as f64
}

/// The same levels for all lanes.
#[inline(always)]
fn constant(levels: Levels, out: &mut LevelLanes) -> bool {
    let [(first, share), (next, rest)] = levels.reads;
    out.level = [[first; 32], [if rest > 0 { next } else { first }; 32]];
    out.share = [[share; 32], [rest; 32]];
    rest > 0
}

/// Rule 3.2: f32 level operands.
#[inline(always)]
fn floats(levels: &Lanes, bias: f64, out: &mut [i32; 32]) {
    for lane in 0..32 {
        let x = f32::from_bits(levels[lane]);
        let x = if x.is_nan() { 0.0 } else { x };
        let q = limit((f64::from(x) * 256.0).trunc(), -FAR, FAR);
        // SAFETY: the number is clamped, and NaNs were replaced.
        out[lane] = unsafe { to_int(limit(q + bias, LOWEST.into(), HIGHEST.into())) };
    }
}

/// Rule 1.9: s32 level operands, to which no bias is added.
#[inline(always)]
fn whole(levels: &Lanes, count: u32, out: &mut LevelLanes) -> bool {
    for lane in 0..32 {
        let level = levels[lane];
        out.level[0][lane] = if level < count { level } else { 0 };
    }
    out.level[1] = out.level[0];
    out.share = [[256; 32], [0; 32]];
    false
}
