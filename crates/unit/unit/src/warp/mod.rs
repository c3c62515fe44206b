//! The planned path: fetches of 32 lanes at a time, specialised once per (instruction form,
//! texture, sampler). Results equal those of [`crate::reference`] on every bit, which tests check.
//!
//! A plan is a list of stages over the vectors of `simd`, each written once and compiled for every
//! SIMD level: `place`, `levels`, `axis`, `weights`, `texel`, `channel`. A schedule runs the
//! stages. `fast` is the schedule for plain formats, and keeps intermediate results in registers
//! where that pays. `general` supports everything: intermediate results are per-lane arrays, and
//! texels come from any kind of source.
//!
//! Names that all stages share: a *group* is the texels that a lane reads in one slice of one
//! level, at most 2 x 2; a *slot* is 0 for a lane's first level and 1 for its second; a *chunk* is
//! the part of a warp that one vector holds.
//!
//! A fetch allocates nothing, because intermediate results are in a [`Scratch`]. Inactive lanes are
//! computed like the others where that is cheap, and their results dropped; address modes make any
//! coordinate valid.

#![allow(
    unsafe_code,
    reason = "calls of builds for a SIMD level, its instructions, and unchecked float to integer conversion"
)]
#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

mod arrays;
mod axis;
mod build;
mod channel;
mod doubles;
mod fast;
mod general;
mod levels;
mod observed;
mod place;
mod prefetch;
mod simd;
mod texel;
mod weights;

pub use arrays::{FetchArrays, LengthError};
pub use build::{Build, SimdError, SimdLevel, fetch_simd_level, simd_level};

use crate::effective::{EffectiveSampler, layers_of_integers, resolve, seen};
use crate::register_files::{FetchRows, Requests};
use crate::request::{
    FetchAnswer, FetchForm, FetchRequest, Lanes, OutputRegisters, PlanError, ResultType,
};
use crate::sampler::{Sampler, Texture};
use fast::Fast;
use general::General;
use general::indices::Buffers;
use std::borrow::Cow;
use std::sync::Arc;
use texunit_texel::f32_to_f16;

/// Scratch memory for fetches. A thread needs one, which serves any plans.
#[derive(Clone, Debug)]
pub struct Scratch {
    fast: fast::Space,
    general: general::Space,
    buffers: Buffers,
    results: [Lanes; 4],
}

impl Scratch {
    /// Allocates scratch memory.
    pub fn new() -> Self {
        Self {
            fast: fast::Space::new(),
            general: general::Space::new(),
            buffers: Buffers::ZERO,
            results: [[0; 32]; 4],
        }
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

/// A prepared fetch, made once per (instruction form, texture, sampler). Immutable, and shared
/// between threads.
#[derive(Clone, Debug)]
pub struct FetchPlan {
    form: FetchForm,
    texture: Arc<Texture>,
    /// The texture in the geometry of the instruction. It is almost always the texture itself.
    seen: Arc<Texture>,
    sampler: Sampler,
    effective: EffectiveSampler,
    schedule: Schedule,
}

/// The schedule that runs the stages of a plan.
#[derive(Clone, Debug)]
enum Schedule {
    Fast(Box<Fast>),
    General(Box<General>),
}

impl FetchPlan {
    /// Plans fetches of this form; the error says why their result is undefined.
    pub fn new(
        form: FetchForm,
        texture: &Arc<Texture>,
        sampler: &Sampler,
    ) -> Result<Self, PlanError> {
        Self::with_build(form, texture, sampler, build::fastest())
    }

    /// Plans fetches for a given SIMD level, or for the highest level below it that this machine
    /// supports. For tests and benchmarks; results are the same at all levels.
    pub fn at_level(
        form: FetchForm,
        texture: &Arc<Texture>,
        sampler: &Sampler,
        level: SimdLevel,
    ) -> Result<Self, PlanError> {
        Self::with_build(form, texture, sampler, Build::at_most(level))
    }

    fn with_build(
        form: FetchForm,
        texture: &Arc<Texture>,
        sampler: &Sampler,
        build: Build,
    ) -> Result<Self, PlanError> {
        let effective = resolve(form, texture, sampler)?;
        let layers = layers_of_integers(&texture.resource);
        let seen = match seen(form, texture)? {
            Cow::Borrowed(_) => Arc::clone(texture),
            Cow::Owned(seen) => Arc::new(seen),
        };
        let fast = Fast::new(form, &seen, sampler, &effective, (layers, build));
        let schedule = match fast {
            Some(fast) => Schedule::Fast(Box::new(fast)),
            None => {
                let general = General::new(form, &seen, sampler, &effective, (layers, build))?;
                Schedule::General(Box::new(general))
            }
        };
        let (texture, sampler) = (Arc::clone(texture), *sampler);
        Ok(Self { form, texture, seen, sampler, effective, schedule })
    }

    /// The instruction form of the plan.
    pub fn form(&self) -> FetchForm {
        self.form
    }

    /// The texture of the plan.
    pub fn texture(&self) -> &Arc<Texture> {
        &self.texture
    }

    /// The texture in the geometry of the instruction (docs/numerics.md 1.13).
    pub fn seen(&self) -> &Arc<Texture> {
        &self.seen
    }

    /// The sampler of the plan.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// The effective sampler state.
    pub fn effective(&self) -> &EffectiveSampler {
        &self.effective
    }

    /// Whether results are f16.
    fn is_narrow(&self) -> bool {
        matches!(self.form.result, ResultType::F16 | ResultType::F16x2)
    }

    /// Executes the fetches of several warps whose operands and results are in register files, one
    /// file per warp. Inactive lanes may get arbitrary values. `resident` receives, for each warp,
    /// the mask of the active lanes whose texels are all resident, as far as the length of
    /// `resident` allows.
    ///
    /// # Panics
    ///
    /// If a file lacks a row.
    #[inline]
    pub fn fetch_warps(
        &self,
        files: &mut [&mut [Lanes]],
        rows: &FetchRows<'_>,
        requests: &impl Requests,
        resident: &mut [u32],
        scratch: &mut Scratch,
    ) {
        if let (Schedule::Fast(plan), false) = (&self.schedule, self.is_narrow()) {
            // `memset` of nothing is slow: a masked store to an address that is not mapped.
            if !resident.is_empty() {
                resident.fill(u32::MAX);
            }
            let space = &mut scratch.fast;
            return plan.fetch_warps(&self.seen.resource, files, rows, requests, space);
        }
        let mut resident = resident.iter_mut();
        for (warp, file) in files.iter_mut().enumerate() {
            let mut places = OutputRegisters::default();
            let others = rows.results.split_file(file, &mut places);
            let all = self.fetch_to(&requests.request(warp, &others), places, scratch);
            if let Some(resident) = resident.next() {
                *resident = all;
            }
        }
    }

    /// Executes the fetch of one warp through memory buffers, and returns the resident lanes.
    fn fetch_to(
        &self,
        request: &FetchRequest<'_>,
        places: OutputRegisters<'_>,
        scratch: &mut Scratch,
    ) -> u32 {
        let Scratch { fast, general, buffers, results } = scratch;
        let wanted = (0..4).filter(|&c| places[c].is_some()).fold(0, |mask, c| mask | 1 << c);
        let components = self.components(wanted);
        let resident = self.answer(request, components, (fast, general, buffers), results);
        self.convert(results, components);
        for (place, values) in places.into_iter().zip(results) {
            if let Some(place) = place {
                *place = *values;
            }
        }
        resident
    }

    /// Executes the fetch of one warp: writes the requested components and the residency of the
    /// active lanes, and leaves everything else unchanged.
    pub fn fetch(&self, request: &FetchRequest, scratch: &mut Scratch, answer: &mut FetchAnswer) {
        let Scratch { fast, general, buffers, results } = scratch;
        let direct = request.active == u32::MAX && !self.is_narrow();
        let components = self.components(request.components);
        let out = if direct { &mut answer.values } else { &mut *results };
        let resident = self.answer(request, components, (fast, general, buffers), out);
        answer.resident = answer.resident & !request.active | resident & request.active;
        if !direct {
            self.convert(results, components);
            keep_inactive(request, results, &mut answer.values);
        }
    }

    /// The mask of the components that are needed for a mask of requested result registers.
    fn components(&self, registers: u8) -> u8 {
        match self.form.result {
            // Register 0 holds components 0 and 1.
            ResultType::F16x2 => [0, 0b0011, 0b1100, 0b1111][usize::from(registers & 3)],
            _ => registers,
        }
    }

    /// Computes components as 32-bit floats or integers, at least in the active lanes, and returns
    /// the active lanes that are resident.
    #[inline(always)]
    fn answer(
        &self,
        request: &FetchRequest<'_>,
        components: u8,
        (fast, general, buffers): (&mut fast::Space, &mut general::Space, &mut Buffers),
        out: &mut [Lanes; 4],
    ) -> u32 {
        match &self.schedule {
            Schedule::Fast(plan) => {
                plan.fetch(&self.seen.resource, request, components, fast, out);
                u32::MAX
            }
            Schedule::General(plan) => {
                plan.fetch(&self.seen.resource, request, components, (general, buffers), out)
            }
        }
    }

    /// Converts results to f16 if the instruction returns f16.
    fn convert(&self, results: &mut [Lanes; 4], components: u8) {
        match self.form.result {
            ResultType::F16 => to_halves(results, components),
            ResultType::F16x2 => to_pairs(results, components),
            ResultType::F32 | ResultType::S32 | ResultType::U32 => {}
        }
    }
}

/// Rule 2.6 of docs/numerics.md: converts results to f16, each zero-extended.
fn to_halves(results: &mut [Lanes; 4], components: u8) {
    for (c, values) in results.iter_mut().enumerate() {
        if components >> c & 1 == 1 {
            for value in values {
                *value = f32_to_f16(*value).into();
            }
        }
    }
}

/// Rule 2.6 of docs/numerics.md: converts results to two registers of two f16 values each.
fn to_pairs(results: &mut [Lanes; 4], components: u8) {
    to_halves(results, components);
    for lane in 0..32 {
        let [x, y, z, w] = [0, 1, 2, 3].map(|c: usize| results[c][lane]);
        results[0][lane] = x | y << 16;
        results[1][lane] = z | w << 16;
    }
}

/// Copies the requested components of the active lanes only, so inactive lanes keep their values.
fn keep_inactive(request: &FetchRequest<'_>, results: &[Lanes; 4], values: &mut [Lanes; 4]) {
    for (c, (new, old)) in results.iter().zip(values).enumerate() {
        if request.components >> c & 1 == 1 {
            for lane in 0..32 {
                old[lane] = if request.active >> lane & 1 == 1 { new[lane] } else { old[lane] };
            }
        }
    }
}
