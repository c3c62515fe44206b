//! A workload: an instruction, a texture, a sampler, and the coordinates to fetch at; and how long
//! it is measured.

use crate::points::hash;
use std::sync::Arc;
use std::time::Duration;
use texunit_texel::{Channel, f32_to_f16};
use texunit_unit::{
    ArrayShape, FetchForm, FetchOperands, ReadMode, Residency, Resource, Sampler, Texture,
    reference,
};

/// A workload to measure.
#[derive(Clone, Debug)]
pub struct Workload {
    /// `a-wrap-coh`
    pub name: String,
    /// The instruction.
    pub form: FetchForm,
    /// The shape of the array to read.
    pub shape: ArrayShape,
    /// Whether the array is sparse, with all of its tiles resident.
    pub is_sparse: bool,
    /// Whether texels are read as elements or normalized floats.
    pub read_mode: ReadMode,
    /// The sampler state; coordinates are normalized.
    pub sampler: Sampler,
    /// Components that are used, bit 0 for x.
    pub components: u8,
    /// The operands of each fetch, by its number.
    pub operands: fn(u32) -> FetchOperands,
    /// The PTX kernel that does the same work.
    pub kernel: Option<KernelCall>,
}

/// A kernel of `kernels.ptx`.
#[derive(Clone, Copy, Debug)]
pub struct KernelCall {
    /// Its name.
    pub name: &'static str,
    /// Its argument: the distance between points.
    pub scale: f32,
}

/// Why a workload could not be measured, as a message.
pub type Failure = String;

impl Workload {
    /// The texture, filled with noise.
    pub fn texture(&self) -> Result<Arc<Texture>, Failure> {
        let made = Resource::from_texels(&self.shape, &self.texels()?, "texture");
        let mut resource = made.map_err(|e| e.to_string())?;
        if self.is_sparse {
            let residency = Residency::new(&self.shape).map_err(|e| e.to_string())?;
            residency.set_all(true);
            resource = resource.with_residency(Arc::new(residency)).map_err(|e| e.to_string())?;
        }
        let texture = Texture::new(Arc::new(resource), self.read_mode, true, &self.sampler);
        Ok(Arc::new(texture.map_err(|e| e.to_string())?))
    }

    /// Noise: floats from 0 to 1, random bits for other formats.
    pub fn texels(&self) -> Result<Vec<u8>, Failure> {
        let size = self.shape.packed_size().map_err(|e| e.to_string())?;
        let unit = |i: u64| (hash(i as u32) >> 8) as f32 / (1 << 24) as f32;
        let bytes = |element: u64, make: &dyn Fn(u64) -> [u8; 4]| -> Vec<u8> {
            (0..size / element).flat_map(|i| make(i).into_iter().take(element as usize)).collect()
        };
        Ok(match self.shape.format.plain_channel() {
            Some(Channel::F32) => bytes(4, &|i| unit(i).to_le_bytes()),
            Some(Channel::F16) => {
                bytes(2, &|i| u32::from(f32_to_f16(unit(i).to_bits())).to_le_bytes())
            }
            _ => bytes(1, &|i| (hash(i as u32) >> 24).to_le_bytes()),
        })
    }

    /// The reference sampler's result of a fetch, as the bits of four registers.
    pub fn expected(&self, texture: &Texture, fetch: u32) -> Result<[u32; 4], Failure> {
        let answer = reference::fetch(self.form, texture, &self.sampler, &(self.operands)(fetch));
        Ok(answer.map_err(|e| e.to_string())?.values)
    }

    /// Panics with an internal error if a register differs from the reference.
    pub(crate) fn demand(&self, fetch: u32, component: usize, got: u32, expected: u32) {
        assert!(
            got == expected,
            "{}, fetch {fetch}, component {component}: {got:#010x} is not {expected:#010x}",
            self.name
        );
    }
}

/// A few hundred numbers below `count`, spread so that they share no period with lanes or rows.
pub(crate) fn samples(count: u32) -> impl Iterator<Item = u32> {
    const SAMPLES: u32 = 400;
    (0..count).step_by(((count / SAMPLES) | 1) as usize)
}

/// The effort of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Host threads, at least one.
    pub threads: usize,
    /// Fetches of a run.
    pub fetches: u32,
    /// Fetches per batch, whose results are in arrays at the same time.
    pub batch: u32,
    /// Minimum total time of the runs.
    pub time: Duration,
}
