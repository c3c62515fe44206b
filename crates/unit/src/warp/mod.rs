//! The planned path: 32 fetches at a time, specialised once per (instruction form, texture,
//! sampler). Equal to [`crate::reference`] on every bit, which tests hold it to.
//!
//! Three stages, each a plain loop over lanes that the compiler vectorises: axes (coordinates to
//! offsets and weights), texels (gathered into arrays), values (filtered). Each stage is picked
//! from monomorphised functions when the plan is made, on x86-64 in a build with AVX2 where the
//! machine has it. Nothing is allocated in a fetch. Lanes that are not active are computed like
//! the others and dropped: address modes make any coordinate a valid one.

#![allow(unsafe_code, reason = "calls of AVX2 builds, and unchecked float to integer conversion")]
#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

mod axis;
mod build;
mod class;
mod kernel;
mod texels;

use crate::effective::{Coords, EffectiveSampler, reads_normalized, resolve};
use crate::reference::not_built;
use crate::request::{FetchAnswer, FetchForm, FetchRequest, Lanes, PlanError};
use crate::sampler::{AddressMode, Filter, Sampler, Texture};
use axis::{Axis, AxisLanes, OUTSIDE};
use build::Build;
use kernel::{Buffers, Job, Kernel};
use std::sync::Arc;
use texels::Source;
use texunit_texel::{border_codes, pack, readings};

/// What fetches of a warp need to change; one a warp or a thread, for any plans.
#[derive(Clone, Debug)]
pub struct Scratch {
    axes: [AxisLanes; 3],
    buffers: Buffers,
    results: [Lanes; 4],
}

impl Scratch {
    /// Scratch space.
    pub fn new() -> Self {
        Self { axes: [AxisLanes::ZERO; 3], buffers: Buffers::ZERO, results: [[0; 32]; 4] }
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
    sampler: Sampler,
    effective: EffectiveSampler,
    axes: [Option<Axis>; 3],
    /// What stands for y if the geometry lacks it.
    row: &'static AxisLanes,
    source: Source,
    corners: usize,
    kernel: Kernel,
}

/// Axes that a geometry lacks contribute nothing.
static NO_AXIS: AxisLanes = AxisLanes::ZERO;

/// The row of a 1D texture that is filtered with a border: half of each result comes from row -1,
/// outside.
static BORDER_ROW: AxisLanes =
    AxisLanes { lower: [OUTSIDE; 32], upper: [0; 32], weight: [128; 32] };

impl FetchPlan {
    /// Plans fetches of this form, or says why they have no defined answer.
    pub fn new(
        form: FetchForm,
        texture: &Arc<Texture>,
        sampler: &Sampler,
    ) -> Result<Self, PlanError> {
        Self::with_build(form, texture, sampler, Build::fastest())
    }

    fn with_build(
        form: FetchForm,
        texture: &Arc<Texture>,
        sampler: &Sampler,
        build: Build,
    ) -> Result<Self, PlanError> {
        let effective = resolve(form, texture, sampler)?;
        not_built(form, texture)?;
        let (resource, dims) = (&*texture.resource, texture.resource.geometry().axes());
        let level = resource.levels()[0];
        let (format, extent) = (resource.format(), resource.extent());
        let linear = effective.filter == Filter::Linear;
        let normalized = reads_normalized(texture);
        let undefined =
            || PlanError::Undefined(format!("{format} has no such read mode and filter"));
        let kernel = kernel::pick(format, normalized, linear, build).ok_or_else(undefined)?;
        let readings = readings(format, normalized, false).ok_or_else(undefined)?;
        let border_row = dims == 1
            && linear
            && effective.address_mode.is_some_and(|mode| mode[1] == AddressMode::Border);
        let axis = |a: usize, size, pitch| {
            let mode = effective.address_mode.map(|mode| mode[a]);
            (a < dims).then(|| Axis::new(size, pitch, effective.coords, mode, linear, build))
        };
        let axes = [
            axis(0, extent.width, format.texel_size().into()),
            axis(1, extent.height, level.row_pitch),
            axis(2, extent.depth, level.slice_pitch),
        ];
        let corners = match dims {
            _ if !linear => 1,
            // Both rows of a 1D texture are the same one, whatever their shares.
            1 if !border_row => 2,
            3 => 8,
            _ => 4,
        };
        let border = match effective.coords {
            // Outside, integer coordinates read 0 (docs/numerics.md 1.9).
            Coords::Integer => [0; 4],
            _ => border_codes(readings, sampler.border),
        };
        let bytes = pack(format, border);
        let words = bytes.as_chunks::<4>().0;
        let source = Source {
            first: level.offset,
            border: std::array::from_fn(|w| u32::from_le_bytes(words[w])),
        };
        let row = if border_row { &BORDER_ROW } else { &NO_AXIS };
        let texture = Arc::clone(texture);
        Ok(Self { form, texture, sampler: *sampler, effective, axes, row, source, corners, kernel })
    }

    /// The instruction form that was planned.
    pub fn form(&self) -> FetchForm {
        self.form
    }

    /// The texture that was planned.
    pub fn texture(&self) -> &Arc<Texture> {
        &self.texture
    }

    /// The sampler that was planned.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// What the sampler comes to.
    pub fn effective(&self) -> &EffectiveSampler {
        &self.effective
    }

    /// Answers a fetch: fills the wanted components of the active lanes and leaves all others as
    /// they are.
    pub fn fetch(
        &self,
        request: &FetchRequest<'_>,
        scratch: &mut Scratch,
        answer: &mut FetchAnswer,
    ) {
        let Scratch { axes, buffers, results } = scratch;
        for ((axis, lanes), coords) in self.axes.iter().zip(&mut *axes).zip(request.coords) {
            if let Some(axis) = axis {
                axis.run(coords, lanes);
            }
        }
        let lanes = |a: usize, missing| {
            if self.axes[a].is_some() { &axes[a] } else { missing }
        };
        let job = Job {
            axes: [&axes[0], lanes(1, self.row), lanes(2, &NO_AXIS)],
            source: &self.source,
            block: self.texture.resource.block(),
            corners: self.corners,
            components: request.components,
        };
        let channels = usize::from(self.texture.resource.format().channels());
        let out = if request.active == u32::MAX { &mut answer.values } else { &mut *results };
        // SAFETY: `kernel::pick` was given a `Build` that runs here.
        unsafe { (self.kernel)(&job, buffers, out) }
        for (c, values) in out.iter_mut().enumerate().skip(channels) {
            if request.components >> c & 1 == 1 {
                *values = [0; 32];
            }
        }
        if request.active != u32::MAX {
            keep_inactive(request, results, &mut answer.values);
        }
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
