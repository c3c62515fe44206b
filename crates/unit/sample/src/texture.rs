//! A texture made of arrays: texels, sampler, and the cached plans of its fetches.

use crate::error::{Result, SampleError, shape_text};
use crate::input::Input;
use crate::meaning::{ArrayOptions, Mipmaps, usual_read};
use crate::options::TextureOptions;
use crate::request::Request;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use texunit_memory::Block;
use texunit_texel::{Channel, Dtype, Reading, readings};
use texunit_unit::{
    ArrayShape, EffectiveSampler, FetchForm, FetchPlan, Override, ReadMode, Resource, ResultType,
    Sampler, Texture as Header, effective_sampler, overrides, resolve,
};

/// A texture: texels and sampler. The plan for a form of fetch is made on its first use and cached.
#[derive(Debug)]
pub struct Texture {
    header: Arc<Header>,
    sampler: Sampler,
    plans: RwLock<Vec<Arc<FetchPlan>>>,
    /// The plan for samples at points, if the texture supports them.
    point_plan: OnceLock<Option<Arc<FetchPlan>>>,
}

/// The effective state for fetches of one form, as the hardware applies it.
#[derive(Clone, Debug)]
pub struct Effective {
    /// The effective sampler.
    pub sampler: EffectiveSampler,
    /// Requested settings that have no effect or a different effect, with the reason.
    pub overrides: Vec<Override>,
    /// If the result of fetches of this form is undefined: the reason.
    pub refused: Option<String>,
}

impl Texture {
    /// Makes a texture from one array per mip level (rules A1 to A16, S1 to S4).
    pub fn new(
        levels: &[Input<'_>],
        array: &ArrayOptions,
        options: &TextureOptions,
    ) -> Result<Self> {
        Self::of_resource(Arc::new(resource(levels, array)?), options)
    }

    /// Makes a texture that reads an existing resource.
    pub fn of_resource(resource: Arc<Resource>, options: &TextureOptions) -> Result<Self> {
        let mut sampler = options.sampler;
        let format = resource.format();
        sampler.srgb |= format.is_srgb_block();
        let usual = || usual_read(format, None, &sampler);
        let read_mode = options.read_mode.unwrap_or_else(usual);
        let header = Header::new(resource, read_mode, options.normalized_coords, &sampler)?;
        Ok(Self::of_header(Arc::new(header), sampler))
    }

    /// Makes a texture with an existing header and sampler.
    pub fn of_header(header: Arc<Header>, sampler: Sampler) -> Self {
        Self { header, sampler, plans: RwLock::default(), point_plan: OnceLock::new() }
    }

    /// The texture header: the resource with its read mode.
    pub fn header(&self) -> &Arc<Header> {
        &self.header
    }

    /// The resource that holds the texels.
    pub fn resource(&self) -> &Arc<Resource> {
        &self.header.resource
    }

    /// The requested sampler state.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// The instruction of a request. It may still be invalid for this texture; [`Self::call`]
    /// checks that.
    pub fn form(&self, request: &Request<'_>) -> Result<FetchForm> {
        request.form(self.resource().geometry(), self.result().0)
    }

    /// The sampler state as the hardware applies it to fetches of this form.
    pub fn effective(&self, form: FetchForm) -> Effective {
        Effective {
            sampler: effective_sampler(&self.header, &self.sampler, form),
            overrides: overrides(&self.header, &self.sampler, form),
            refused: resolve(form, &self.header, &self.sampler).err().map(|why| why.to_string()),
        }
    }

    /// The texels of a mip level in the form of an array from which it could be made: shape, type,
    /// and bytes in C order. Blocks and packed formats have no array type for their channels, so
    /// they get a last axis of bytes.
    pub fn level(&self, level: u32) -> Result<(Vec<usize>, Dtype, Vec<u8>)> {
        let resource = self.resource().single_level(level)?;
        let shape = resource.shape();
        let (geometry, format, axes) = (shape.geometry, shape.format, shape.extent.axes());
        let block = format.block_extent();
        let mut all = Vec::new();
        all.extend(geometry.is_array().then_some(shape.layers as usize));
        all.extend(geometry.is_cube().then_some(6));
        all.extend(geometry.is_multisample().then_some(shape.samples as usize));
        let counted = |axis: usize| axes[axis].div_ceil(if axis < 2 { block } else { 1 }) as usize;
        all.extend((0..geometry.axes()).rev().map(counted));
        let (dtype, last) = match format.plain_channel() {
            Some(channel) => (Dtype::of_channel(channel), format.channels().into()),
            None => (Dtype::U8, format.texel_size() as usize),
        };
        all.extend((last > 1).then_some(last));
        let room = || SampleError::Room(resource.size_in_bytes());
        Ok((all, dtype, resource.try_to_packed().ok_or_else(room)?))
    }

    /// How the first channel is converted when it is read.
    pub(crate) fn reading(&self) -> Reading {
        let normalized = self.header.read_mode == ReadMode::NormalizedFloat;
        let all = readings(self.resource().format(), normalized, self.sampler.srgb);
        all.map_or(Reading::F32, |all| all[0])
    }

    /// The register type of a result, and the element type of the result array (rule R4).
    pub fn result(&self) -> (ResultType, Dtype) {
        match self.reading() {
            Reading::Uint { bits: 8 } => (ResultType::U32, Dtype::U8),
            Reading::Uint { bits: 16 } => (ResultType::U32, Dtype::U16),
            Reading::Uint { .. } => (ResultType::U32, Dtype::U32),
            Reading::Sint { bits: 8 } => (ResultType::S32, Dtype::S8),
            Reading::Sint { bits: 16 } => (ResultType::S32, Dtype::S16),
            Reading::Sint { .. } => (ResultType::S32, Dtype::S32),
            _ => (ResultType::F32, Dtype::F32),
        }
    }

    /// Number of channels of a result (rule R2).
    pub fn channels(&self) -> usize {
        match self.resource().format().channels() {
            3 => 4,
            n => n.into(),
        }
    }

    pub(crate) fn point_plan(&self) -> &Option<Arc<FetchPlan>> {
        self.point_plan.get_or_init(|| self.plan_of_points())
    }

    /// The plan for fetches of a form, from the cache or newly made.
    pub fn plan(&self, form: FetchForm) -> Result<Arc<FetchPlan>> {
        let find = |plans: &[Arc<FetchPlan>]| plans.iter().find(|p| p.form() == form).cloned();
        let known = self.plans.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = find(&known) {
            return Ok(plan);
        }
        drop(known);
        let plan = Arc::new(FetchPlan::new(form, &self.header, &self.sampler)?);
        let mut plans = self.plans.write().unwrap_or_else(PoisonError::into_inner);
        plans.push(Arc::clone(&plan));
        Ok(plan)
    }
}

/// Makes a resource with one array per level.
pub fn resource(levels: &[Input<'_>], array: &ArrayOptions) -> Result<Resource> {
    let none = || SampleError::Operand("a texture has a level at least".into());
    let (first, rest) = levels.split_first().ok_or_else(none)?;
    let mut shape = array.meaning(first)?;
    if levels.len() > 1 && array.mipmaps != Mipmaps::Given {
        let both = "mip levels are given, and made: one of the two".to_owned();
        return Err(SampleError::Option(both));
    }
    let mut bytes = Vec::new();
    first.pack(&mut bytes)?;
    for (n, level) in (1..).zip(rest) {
        check_level(array, &shape, n, level)?;
        level.pack(&mut bytes)?;
    }
    if levels.len() > 1 {
        shape.levels = Some(levels.len() as u32);
    }
    make_levels(array.mipmaps, &mut shape, &mut bytes)?;
    made(&shape, &bytes, TEXTURE)
}

/// The name in messages of a texture that is not made of a file.
pub(crate) const TEXTURE: &str = "texture";

/// Makes a resource from texels in packed order.
pub(crate) fn made(shape: &ArrayShape, bytes: &[u8], name: &str) -> Result<Resource> {
    let size = shape.size()?;
    let memory = || SampleError::Room(size);
    let block = usize::try_from(size).ok().and_then(|size| Block::new(size, name));
    let resource = Resource::array(shape, Arc::new(block.ok_or_else(memory)?), name)?;
    resource.fill_packed(bytes)?;
    Ok(resource)
}

fn check_level(array: &ArrayOptions, first: &ArrayShape, n: u32, level: &Input<'_>) -> Result<()> {
    let extent = first.level_extent(n);
    let size = first.format.is_block().then(|| extent.axes().to_vec());
    let dim = Some(first.geometry.axes() as u8);
    let own = ArrayOptions { size, dim, ..array.clone() }.meaning(level)?;
    if own == (ArrayShape { extent, ..*first }) {
        return Ok(());
    }
    let [width, height, depth] = extent.axes();
    Err(SampleError::Shape {
        shape: shape_text(level.shape()),
        rule: format!(
            "level {n} has half the size of the one before it, rounded down, and the same format and layers: \
             {width} x {height} x {depth} texels of {}",
            first.format
        ),
    })
}

/// Rule A15: appends generated mip levels to the bytes of level 0, and sets the number of levels in
/// the shape.
pub(crate) fn make_levels(
    wanted: Mipmaps,
    shape: &mut ArrayShape,
    bytes: &mut Vec<u8>,
) -> Result<()> {
    let longest = shape.extent.axes().into_iter().max().unwrap_or(1).max(1);
    let levels = match wanted {
        Mipmaps::Given => return Ok(()),
        Mipmaps::All => 32 - longest.leading_zeros(),
        Mipmaps::Levels(levels) => levels,
    };
    let format = shape.format;
    let why = || format!("mip levels are made of plain channels, not of {format}");
    let channel = format.plain_channel().ok_or_else(|| SampleError::Option(why()))?;
    shape.levels = Some(levels);
    // The number of levels and the size are checked before memory is allocated.
    let size = shape.packed_size()?;
    *bytes = chain(bytes, shape, channel, levels)?;
    debug_assert_eq!(size, bytes.len() as u64);
    Ok(())
}

#[cfg(feature = "files")]
fn chain(base: &[u8], shape: &ArrayShape, channel: Channel, levels: u32) -> Result<Vec<u8>> {
    let extent = shape.extent.axes();
    let chain = texunit_files::mipmaps::chain(base, shape.format, channel, extent, levels);
    chain.ok_or(SampleError::Room(shape.packed_size()?))
}

#[cfg(not(feature = "files"))]
fn chain(_: &[u8], _: &ArrayShape, _: Channel, _: u32) -> Result<Vec<u8>> {
    let why = "mip levels are made by the feature `files`, which is switched off: give them";
    Err(SampleError::Option(why.to_owned()))
}
