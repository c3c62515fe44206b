//! The planned path: 32 fetches at a time, specialised once per (instruction form, texture,
//! sampler). Equal to [`crate::reference`] on every bit, which tests hold it to.
//!
//! There are two ways. `fast` is for plain formats: monomorphised stages over the vectors of `simd`,
//! written once and built for AVX-512, AVX2 and portable code. `general` is for all others: the same
//! stages (place, levels, axes, texels, sums), each a loop over lanes that asks what it has to do before
//! the loop and not in it, compiled for the same levels.
//!
//! Nothing is allocated in a fetch: what stages hand on lies in a [`Scratch`]. Lanes that are not
//! active are computed like the others, where that is cheap, and dropped: address modes make any
//! coordinate a valid one.

#![allow(
    unsafe_code,
    reason = "calls of builds for a SIMD level, its instructions, and unchecked float to integer conversion"
)]
#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

mod arrays;
mod build;
mod fast;
#[cfg(target_arch = "x86_64")]
mod gathers;
mod general;
mod simd;

pub use arrays::{FetchArrays, LengthError};
pub use build::{SimdError, SimdLevel, fetch_level, simd_level};

use crate::effective::{EffectiveSampler, resolve, seen};
use crate::request::{FetchAnswer, FetchForm, FetchRequest, Lanes, Places, PlanError, ResultType};
use crate::sampler::{Sampler, Texture};
use build::Build;
use fast::Fast;
use general::General;
use std::borrow::Cow;
use std::sync::Arc;
use texunit_texel::f32_to_f16;

/// What fetches of a warp need to change; one a warp or a thread, for any plans.
#[derive(Clone, Debug)]
pub struct Scratch {
    fast: fast::Space,
    general: general::Space,
    buffers: general::buffers::Buffers,
    results: [Lanes; 4],
}

impl Scratch {
    /// Scratch space.
    pub fn new() -> Self {
        Self {
            fast: fast::Space::new(),
            general: general::Space::new(),
            buffers: general::buffers::Buffers::ZERO,
            results: [[0; 32]; 4],
        }
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

/// A fetch made ready: once per (instruction form, texture, sampler). Immutable, shared between
/// threads.
#[derive(Clone, Debug)]
pub struct FetchPlan {
    form: FetchForm,
    texture: Arc<Texture>,
    /// The texture as the instruction sees it; almost always the same.
    seen: Arc<Texture>,
    sampler: Sampler,
    effective: EffectiveSampler,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Fast(Box<Fast>),
    General(Box<General>),
}

impl FetchPlan {
    /// Plans fetches of this form, or says why they have no defined answer.
    pub fn new(
        form: FetchForm,
        texture: &Arc<Texture>,
        sampler: &Sampler,
    ) -> Result<Self, PlanError> {
        Self::with_build(form, texture, sampler, Build::fastest())
    }

    /// The same for a level of SIMD instructions, or the highest of this machine if it lacks them: for
    /// tests and comparisons, as results are the same on all.
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
        let seen = match seen(form.geometry, texture)? {
            Cow::Borrowed(_) => Arc::clone(texture),
            Cow::Owned(seen) => Arc::new(seen),
        };
        let fast = Fast::new(form, &seen, sampler, &effective, build);
        let way = match fast {
            Some(fast) => Way::Fast(Box::new(fast)),
            None => Way::General(Box::new(General::new(form, &seen, sampler, &effective, build)?)),
        };
        Ok(Self { form, texture: Arc::clone(texture), seen, sampler: *sampler, effective, way })
    }

    /// The instruction form that was planned.
    pub fn form(&self) -> FetchForm {
        self.form
    }

    /// The texture that was planned.
    pub fn texture(&self) -> &Arc<Texture> {
        &self.texture
    }

    /// The texture as the instruction sees it: of its geometry (docs/numerics.md 1.13).
    pub fn seen(&self) -> &Arc<Texture> {
        &self.seen
    }

    /// The sampler that was planned.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// What the sampler comes to.
    pub fn effective(&self) -> &EffectiveSampler {
        &self.effective
    }

    /// Whether results are halves.
    fn is_narrow(&self) -> bool {
        matches!(self.form.result, ResultType::F16 | ResultType::F16x2)
    }

    /// Whether this plan has a way of its own to answer [several warps](Self::fetch_warps).
    #[inline]
    pub fn takes_warps(&self) -> bool {
        matches!(self.way, Way::Fast(_)) && !self.is_narrow()
    }

    /// Whether fetches need nothing but [coordinates](Self::fetch_at).
    #[inline]
    pub fn takes_coordinates(&self) -> bool {
        matches!(&self.way, Way::Fast(plan) if plan.is_whole()) && !self.is_narrow()
    }

    /// As [`FetchPlan::fetch_warps`], at the first three coordinates of each warp: faster, where the plan
    /// [needs no more](Self::takes_coordinates). Else nothing is done. Coordinates or places without the
    /// others are left alone.
    pub fn fetch_at(&self, coords: &[[&Lanes; 3]], out: &mut [Places<'_>], scratch: &mut Scratch) {
        if let (Way::Fast(plan), true) = (&self.way, self.takes_coordinates()) {
            let warps = coords.len().min(out.len());
            let (coords, out) = (&coords[..warps], &mut out[..warps]);
            plan.fetch_at(&self.seen.resource, coords, out, &mut scratch.fast);
        }
    }

    /// Fetches of several warps, for those who have operands and results in registers: each place gets the
    /// results of all lanes of its request, active or not. All of them are resident. Nothing is done if this
    /// plan [answers only one warp at a time](Self::takes_warps).
    #[inline]
    pub fn fetch_warps<'w>(
        &self,
        warps: impl Iterator<Item = (FetchRequest<'w>, Places<'w>)>,
        scratch: &mut Scratch,
    ) {
        if let (Way::Fast(plan), true) = (&self.way, self.takes_warps()) {
            plan.fetch_warps(&self.seen.resource, warps, &mut scratch.fast);
        }
    }

    /// Answers a fetch: fills the wanted components and the residency of the active lanes, and
    /// leaves all others as they are.
    pub fn fetch(
        &self,
        request: &FetchRequest<'_>,
        scratch: &mut Scratch,
        answer: &mut FetchAnswer,
    ) {
        let Scratch { fast, general, buffers, results } = scratch;
        let direct = request.active == u32::MAX && !self.is_narrow();
        let components = match self.form.result {
            // Register 0 has components 0 and 1.
            ResultType::F16x2 => [0, 0b0011, 0b1100, 0b1111][usize::from(request.components & 3)],
            _ => request.components,
        };
        let out = if direct { &mut answer.values } else { &mut *results };
        let resident = match &self.way {
            Way::Fast(plan) => {
                plan.fetch(&self.seen.resource, request, components, fast, out);
                u32::MAX
            }
            Way::General(plan) => {
                plan.fetch(&self.seen.resource, request, components, (general, buffers), out)
            }
        };
        answer.resident = answer.resident & !request.active | resident & request.active;
        if !direct {
            match self.form.result {
                ResultType::F16 => to_halves(results, components),
                ResultType::F16x2 => to_pairs(results, components),
                ResultType::F32 | ResultType::S32 | ResultType::U32 => {}
            }
            keep_inactive(request, results, &mut answer.values);
        }
    }
}

/// Rule 2: results as halves, each zero-extended.
fn to_halves(results: &mut [Lanes; 4], components: u8) {
    for (c, values) in results.iter_mut().enumerate() {
        if components >> c & 1 == 1 {
            for value in values {
                *value = f32_to_f16(*value).into();
            }
        }
    }
}

/// Rule 2: two registers of two halves.
fn to_pairs(results: &mut [Lanes; 4], components: u8) {
    to_halves(results, components);
    for lane in 0..32 {
        let [x, y, z, w] = [0, 1, 2, 3].map(|c: usize| results[c][lane]);
        results[0][lane] = x | y << 16;
        results[1][lane] = z | w << 16;
    }
}

/// Copies the active lanes of the wanted components.
fn keep_inactive(request: &FetchRequest<'_>, results: &[Lanes; 4], values: &mut [Lanes; 4]) {
    for (c, (new, old)) in results.iter().zip(values).enumerate() {
        if request.components >> c & 1 == 1 {
            for lane in 0..32 {
                old[lane] = if request.active >> lane & 1 == 1 { new[lane] } else { old[lane] };
            }
        }
    }
}

#[cfg(test)]
mod tests;
