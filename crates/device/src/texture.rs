//! Texture, sampler and surface objects.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::device::{Device, Error};
use std::sync::Arc;
use texunit_simt::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use texunit_texel::Format;
use texunit_unit::{ReadMode, Resource, Sampler, Surface, Texture};

/// What a texture reads (`CUDA_RESOURCE_DESC`).
#[derive(Clone, Copy, Debug)]
pub enum TextureResource<'a> {
    /// An array.
    Array(&'a Array),
    /// Linear memory, from the first byte of a buffer on.
    Linear {
        /// The memory.
        buffer: &'a Buffer,
        /// Format of the texels.
        format: Format,
        /// Texels.
        width: u32,
    },
    /// Pitch-linear 2D memory, from the first byte of a buffer on.
    Pitched {
        /// The memory.
        buffer: &'a Buffer,
        /// Format of the texels.
        format: Format,
        /// Texels of a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Bytes from a row to the next.
        pitch: u64,
    },
}

impl TextureResource<'_> {
    fn device(&self) -> &Device {
        match self {
            Self::Array(array) => array.device(),
            Self::Linear { buffer, .. } | Self::Pitched { buffer, .. } => buffer.device(),
        }
    }

    /// What must live as long as a texture of this.
    fn keep(&self) -> Kept {
        match *self {
            Self::Array(array) => Kept::Array(array.clone()),
            Self::Linear { buffer, .. } | Self::Pitched { buffer, .. } => {
                Kept::Buffer(buffer.clone())
            }
        }
    }

    fn resource(&self) -> Result<Arc<Resource>, Error> {
        let resource = match *self {
            Self::Array(array) => return Ok(Arc::clone(array.resource())),
            Self::Linear { buffer, format, width } => {
                let (block, address) = (Arc::clone(buffer.block()), buffer.address());
                Resource::linear(format, width, block, 0, address, buffer.name())
            }
            Self::Pitched { buffer, format, width, height, pitch } => {
                let (block, address) = (Arc::clone(buffer.block()), buffer.address());
                Resource::pitched(format, width, height, pitch, block, 0, address, buffer.name())
            }
        };
        Ok(Arc::new(resource?))
    }
}

/// Owners of the memory behind a descriptor.
#[derive(Clone, Debug)]
#[allow(dead_code)] // held, never read
pub(crate) enum Kept {
    Array(Array),
    Buffer(Buffer),
}

/// How a texture reads its resource (`CUDA_TEXTURE_DESC`). [`Default`] is CUDA's: elements,
/// unnormalized coordinates, point filter; with PTX's default address mode, clamp to edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureDescriptor {
    /// As elements or as normalized floats.
    pub read_mode: ReadMode,
    /// Whether coordinates run from 0 to 1.
    pub normalized_coords: bool,
    /// Sampler state.
    pub sampler: Sampler,
}

/// Checks a texture of this resource and makes its header.
pub(crate) fn texture_header(
    device: &Device,
    resource: &TextureResource<'_>,
    descriptor: &TextureDescriptor,
) -> Result<(Arc<Texture>, Kept), Error> {
    if !device.is(resource.device()) {
        return Err(Error::OtherDevice("the texture's resource".to_owned()));
    }
    let TextureDescriptor { read_mode, normalized_coords, sampler } = *descriptor;
    let texture = Texture::new(resource.resource()?, read_mode, normalized_coords, &sampler)?;
    Ok((Arc::new(texture), resource.keep()))
}

/// A texture object; destroyed when dropped.
#[derive(Debug)]
pub struct TextureObject {
    device: Device,
    header: usize,
    sampler: usize,
    _kept: Kept,
}

impl TextureObject {
    pub(crate) fn new(
        device: &Device,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<Self, Error> {
        let (texture, kept) = texture_header(device, resource, descriptor)?;
        let mut tables = device.inner.tables();
        let header = tables.reserve_texture()?;
        let sampler = match tables.share_sampler(&descriptor.sampler) {
            Ok(slot) => slot,
            Err(e) => {
                tables.release_texture(header);
                return Err(e);
            }
        };
        tables.set_texture(header, Some(texture));
        drop(tables);
        Ok(Self { device: device.clone(), header, sampler, _kept: kept })
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        texture_handle(self.header, self.sampler)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }
}

impl Drop for TextureObject {
    fn drop(&mut self) {
        let mut tables = self.device.inner.tables();
        tables.release_texture(self.header);
        tables.unshare_sampler(self.sampler);
    }
}

/// Handle of a texture header with a sampler.
pub(crate) fn texture_handle(header: usize, sampler: usize) -> u64 {
    header as u64 | (sampler as u64) << 20 | TEXTURE_BIT
}

/// A sampler of its own; destroyed when dropped.
#[derive(Debug)]
pub struct SamplerObject {
    device: Device,
    slot: usize,
}

impl SamplerObject {
    pub(crate) fn new(device: &Device, sampler: &Sampler) -> Result<Self, Error> {
        let slot = device.inner.tables().share_sampler(sampler)?;
        Ok(Self { device: device.clone(), slot })
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        sampler_handle(self.slot)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }
}

impl Drop for SamplerObject {
    fn drop(&mut self) {
        self.device.inner.tables().unshare_sampler(self.slot);
    }
}

/// Handle of a sampler.
pub(crate) fn sampler_handle(slot: usize) -> u64 {
    (slot as u64) << 20 | SAMPLER_BIT
}

/// A surface object; destroyed when dropped.
#[derive(Debug)]
pub struct SurfaceObject {
    device: Device,
    slot: usize,
    _kept: Array,
}

impl SurfaceObject {
    pub(crate) fn new(device: &Device, array: &Array) -> Result<Self, Error> {
        let surface = surface_header(device, array)?;
        let mut tables = device.inner.tables();
        let slot = tables.reserve_surface()?;
        tables.set_surface(slot, Some(surface));
        drop(tables);
        Ok(Self { device: device.clone(), slot, _kept: array.clone() })
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        surface_handle(self.slot)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }
}

impl Drop for SurfaceObject {
    fn drop(&mut self) {
        self.device.inner.tables().release_surface(self.slot);
    }
}

/// Checks a surface over this array.
pub(crate) fn surface_header(device: &Device, array: &Array) -> Result<Arc<Surface>, Error> {
    if !device.is(array.device()) {
        return Err(Error::OtherDevice("the surface's array".to_owned()));
    }
    Ok(Arc::new(Surface::new(Arc::clone(array.resource()))?))
}

/// Handle of a surface.
pub(crate) fn surface_handle(slot: usize) -> u64 {
    slot as u64 | SURFACE_BIT
}
