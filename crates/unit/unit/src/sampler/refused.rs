//! Checks of textures, samplers and surfaces. They refuse combinations that the CUDA runtime
//! refuses (docs/numerics.md 8.1), and combinations without a meaning.

use super::{Filter, ReadMode, Sampler, Surface, Texture};
use crate::resource::{CreateError, CudaError, Layout, Resource};
use std::sync::Arc;
use texunit_texel::readings;

impl Texture {
    /// A texture for use with `sampler`, if the CUDA runtime would create it (docs/numerics.md
    /// 8.1). [`Self::without_sampler`] makes textures for independent mode, in which samplers are
    /// separate.
    pub fn new(
        resource: Arc<Resource>,
        read_mode: ReadMode,
        normalized_coords: bool,
        sampler: &Sampler,
    ) -> Result<Self, CreateError> {
        let texture = Self { resource: resource.for_texture(), read_mode, normalized_coords };
        check_filter(&texture.resource, read_mode, sampler.filter)?;
        check_pair(&texture, sampler)?;
        Ok(texture)
    }

    /// A texture for use with separate samplers (independent mode). It is refused if no sampler is
    /// compatible with it. Each fetch checks the sampler that it uses.
    pub fn without_sampler(
        resource: Arc<Resource>,
        read_mode: ReadMode,
        normalized_coords: bool,
    ) -> Result<Self, CreateError> {
        check_state(&resource, read_mode, resource.format().is_srgb_block())?;
        Ok(Self { resource: resource.for_texture(), read_mode, normalized_coords })
    }
}

/// Checks whether the driver accepts a texture together with a sampler, even if they were made
/// separately. The driver also accepts integers with a linear filter, which the runtime refuses.
pub(crate) fn check_pair(texture: &Texture, sampler: &Sampler) -> Result<(), CreateError> {
    let Texture { resource, read_mode, .. } = texture;
    check_state(resource, *read_mode, sampler.srgb)?;
    check_sampler_of(resource, *read_mode, sampler)
}

fn refused(code: CudaError, resource: &Resource, reason: String) -> CreateError {
    CreateError::Cuda { code, reason: format!("texture `{}`: {reason}", resource.name()) }
}

/// The runtime's check for cudaErrorInvalidFilterSetting (docs/numerics.md 8.1). It refuses linear
/// filtering of integers that are read as integers. Linear memory and multi-sample arrays are
/// exempt, because their fetches have integer coordinates and ignore the filter.
fn check_filter(
    resource: &Resource,
    read_mode: ReadMode,
    filter: Filter,
) -> Result<(), CreateError> {
    let format = resource.format();
    let of = |normalized| readings(format, normalized, format.is_srgb_block());
    let filters = filter == Filter::Linear
        && resource.layout() != Layout::Linear
        && !resource.geometry().is_multisample();
    if !filters || of(false).is_none_or(|readings| readings[0].can_filter()) {
        return Ok(());
    }
    let reason = if of(true).is_none() {
        format!("32-bit integers ({format}) have no linear filter; use point")
    } else if read_mode == ReadMode::Element {
        format!(
            "integers ({format}) read as elements have no linear filter; use point, or read \
             them as normalized floats, `read` = `normalized`"
        )
    } else {
        return Ok(());
    };
    Err(refused(CudaError::InvalidFilterSetting, resource, reason))
}

/// The runtime's check for cudaErrorInvalidNormSetting (docs/numerics.md 8.1), which refuses read
/// modes that a format does not have. It also refuses sRGB blocks without the sRGB flag.
fn check_state(resource: &Resource, read_mode: ReadMode, srgb: bool) -> Result<(), CreateError> {
    let format = resource.format();
    let normalized = read_mode == ReadMode::NormalizedFloat;
    let (code, reason) = match readings(format, normalized, srgb || format.is_srgb_block()) {
        None if normalized => (
            CudaError::InvalidNormSetting,
            format!(
                "{format} cannot be read as normalized floats, only 8 and 16-bit integers can; \
                 read it as elements"
            ),
        ),
        None => {
            (CudaError::InvalidNormSetting, format!("{format} is read as normalized floats only"))
        }
        Some(_) if format.is_srgb_block() && !srgb => (
            CudaError::InvalidValue,
            format!("the colours of {format} are sRGB: set the sRGB flag"),
        ),
        Some(_) => return Ok(()),
    };
    Err(refused(code, resource, reason))
}

/// Checks that the resource supports the sampler's seamless filter and compare function.
fn check_sampler_of(
    resource: &Resource,
    read_mode: ReadMode,
    sampler: &Sampler,
) -> Result<(), CreateError> {
    let format = resource.format();
    let reason = if sampler.seamless_cube && !resource.geometry().is_cube() {
        format!("seamless filtering is for cube maps, not for a {}", resource.kind())
    } else if sampler.compare.is_some() && {
        let read = readings(format, read_mode == ReadMode::NormalizedFloat, sampler.srgb);
        read.is_some_and(|readings| !readings[0].can_filter())
    } {
        format!("integers ({format}) read as elements have no depth compare")
    } else {
        return Ok(());
    };
    Err(refused(CudaError::InvalidValue, resource, reason))
}

impl Surface {
    /// A surface over an array, or over linear or pitched memory, within the limits of the
    /// resource's architecture. `.a2d` instructions access the faces of cube maps.
    pub fn new(resource: Arc<Resource>) -> Result<Self, CreateError> {
        let refused = |code, reason: String| CreateError::Cuda {
            code,
            reason: format!("surface `{}`: {reason}", resource.name()),
        };
        let (format, geometry) = (resource.format(), resource.geometry());
        if format.is_block() || format.is_depth() {
            let reason = format!("{format} texels cannot be accessed as a surface");
            return Err(refused(CudaError::InvalidValue, reason));
        }
        if geometry.is_multisample() {
            let reason = format!("a {} cannot be accessed as a surface", resource.kind());
            return Err(refused(CudaError::InvalidValue, reason));
        }
        if resource.levels().len() != 1 {
            let reason = "a surface is one mip level: take a view of one".to_owned();
            return Err(refused(CudaError::InvalidValue, reason));
        }
        resource.limits().check_surface(&resource)?;
        Ok(Self { resource })
    }
}
