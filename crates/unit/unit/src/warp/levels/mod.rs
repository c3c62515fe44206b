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
use crate::warp::simd::{Run, Simd, Stage, arguments, pick};
use finish::Finish;
use gradients::{Gauge, LOWEST};

/// The levels that each lane reads, at most two.
#[derive(Clone, Debug)]
pub(in crate::warp) struct LevelLanes {
    /// The indices of the first and the second level, which both exist.
    pub(in crate::warp) level: [Lanes; 2],
    /// The shares of the first and the second level, in 1/256.
    pub(in crate::warp) share: [Lanes; 2],
}

impl LevelLanes {
    pub(in crate::warp) const ZERO: Self = Self { level: [[0; 32]; 2], share: [[0; 32]; 2] };
}

/// The level stage of a plan: computes from operands the levels that lanes read.
#[derive(Clone, Copy, Debug)]
pub(in crate::warp) struct LevelStage {
    source: Source,
    finish: Finish,
    /// The bias that is added to f32 levels and to levels from gradients: an integer in 1/256.
    bias: f64,
    gauge: Gauge,
    // The next three fields are needed for gradients that the reference computes.
    geometry: Geometry,
    base: Extent,
    effective: EffectiveSampler,
    compiled: Run<LevelArgs>,
}

/// The arguments of the level stage.
pub(in crate::warp) struct LevelCall<'a> {
    stage: &'a LevelStage,
    request: &'a FetchRequest<'a>,
    out: &'a mut LevelLanes,
    /// Output: whether any lane has a second level.
    second: &'a mut bool,
}

arguments!(pub(in crate::warp) LevelArgs = LevelCall);

/// The level stage, whose plain loops are compiled for each SIMD level.
struct Choose;

impl Stage<LevelArgs> for Choose {
    #[inline(always)]
    fn run<S: Simd>(simd: S, call: LevelCall<'_>) {
        *call.second = call.stage.run_here(simd, call.request, call.out);
    }
}

/// The operand from which levels are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::warp) enum Source {
    /// There is no operand: all lanes read the same levels.
    Constant(Levels),
    /// The level operand, as f32.
    Float,
    /// The level operand, as s32. A level that does not exist is treated as level 0 (rule 1.9 of
    /// docs/numerics.md).
    Whole {
        /// The number of levels that exist.
        count: u32,
    },
    /// The gradient operands.
    Gradient,
}

impl Source {
    /// The operand from which levels are computed, for a fetch of this form.
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
    /// Makes the level stage; `level_bias` is the sampler's bias.
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
            // Gradients of unnormalized coordinates are in texels already.
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

    /// The operand from which levels are computed.
    pub(in crate::warp) fn source(&self) -> Source {
        self.source
    }

    /// Computes the levels of all lanes; inactive lanes get no second level. Returns whether any
    /// lane has a second level. Not for anisotropic gradients, whose levels are computed with their
    /// taps.
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
            Source::Whole { count } => return integer_levels(request.level, count, out),
            Source::Gradient => self.gradients(simd, request, &mut wanted),
        }
        self.finish(&wanted, request.active, out)
    }

    /// Rules 3.3 and 3.4 of docs/numerics.md: computes from levels in 1/256, to which the bias has
    /// been added, the levels that are read.
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

    /// The bias in 1/256 for levels from gradients. It is limited, because these levels are small.
    pub(in crate::warp) fn small_bias(&self) -> i32 {
        // SAFETY: the number has at most 24 bits, because `bias` has clamped it.
        unsafe { to_int(limit(self.bias, -SMALL, SMALL)) }
    }

    /// Computes the levels, with bias, of the lanes of the mask `which` from their gradients, by
    /// the reference.
    fn by_reference(&self, request: &FetchRequest<'_>, which: u32, out: &mut [i32; 32]) {
        for lane in lanes(which) {
            out[lane] = self.wanted(self.graded(request, lane).level());
        }
    }

    /// The result of the reference's gradient stage for one lane.
    pub(in crate::warp) fn graded(&self, request: &FetchRequest<'_>, lane: usize) -> Graded {
        let point = request.coords.point.map(|c| c[lane]);
        graded(self.geometry, &self.effective, self.base, point, &request.lane(lane))
    }

    /// The level in 1/256 of a gradient, with bias.
    pub(in crate::warp) fn wanted(&self, level: RequestedLevel) -> i32 {
        match level {
            RequestedLevel::At(q) => q as i32 + self.small_bias(),
            RequestedLevel::Highest => HIGHEST,
            RequestedLevel::Base | RequestedLevel::Whole(_) | RequestedLevel::Lowest => LOWEST,
        }
    }
}

/// The limit for f32 levels and biases, in 1/256.
const FAR: f64 = (1_i64 << 40) as f64;

/// A level in 1/256 that is above all existing levels, whatever the bias.
const HIGHEST: i32 = 1 << 28;

/// A number in 1/256 above all levels from gradients. Twice this number is far below [`HIGHEST`].
const SMALL: f64 = (1 << 24) as f64;

/// Rule 3.2 of docs/numerics.md: the bias in 1/256, truncated. If anisotropy sharpens levels, rule
/// 3.6 determines the bias.
fn bias(level_bias: f32, effective: &EffectiveSampler) -> f64 {
    let low = level::sharpening(effective).map_or((0, 1), |sharpening| sharpening.low);
    (bias_field(level_bias, low) + low.0 / low.1) as f64
}

/// Writes the same levels to all lanes. Returns whether there is a second level.
#[inline(always)]
fn constant(levels: Levels, out: &mut LevelLanes) -> bool {
    let [(first, share), (next, rest)] = levels.reads;
    out.level = [[first; 32], [if rest > 0 { next } else { first }; 32]];
    out.share = [[share; 32], [rest; 32]];
    rest > 0
}

/// Rule 3.2 of docs/numerics.md: converts f32 level operands to 1/256, and adds the bias.
#[inline(always)]
fn floats(levels: &Lanes, bias: f64, out: &mut [i32; 32]) {
    for lane in 0..32 {
        let x = f32::from_bits(levels[lane]);
        let x = if x.is_nan() { 0.0 } else { x };
        let q = limit((f64::from(x) * 256.0).trunc(), -FAR, FAR);
        // SAFETY: the number is limited to the range of an i32, and NaNs were replaced.
        out[lane] = unsafe { to_int(limit(q + bias, LOWEST.into(), HIGHEST.into())) };
    }
}

/// Rule 1.9 of docs/numerics.md: the levels that s32 operands name, to which no bias is added.
#[inline(always)]
fn integer_levels(levels: &Lanes, count: u32, out: &mut LevelLanes) -> bool {
    for lane in 0..32 {
        let level = levels[lane];
        out.level[0][lane] = if level < count { level } else { 0 };
    }
    out.level[1] = out.level[0];
    out.share = [[256; 32], [0; 32]];
    false
}
