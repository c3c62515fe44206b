//! Texture, sampler and surface objects: their creation, and the handles by which kernels refer to
//! them.

use crate::device::Device;
use crate::error::Error;
use crate::resource::{OwnedResource, Owner, SurfaceResource, TextureResource};
use std::sync::Arc;
use texunit_simt::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use texunit_unit::{ReadMode, Sampler, Surface, Texture};

/// How a texture reads its resource (`CUDA_TEXTURE_DESC`). [`Default`] is CUDA's default (elements,
/// unnormalized coordinates, point filter), with PTX's default address mode, clamp to edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TextureDescriptor {
    /// Whether texels are read as elements or as normalized floats.
    pub read_mode: ReadMode,
    /// Whether coordinates are normalized to 0 to 1.
    pub normalized_coords: bool,
    /// The sampler state.
    pub sampler: Sampler,
}

texunit_unit::setters! {
    TextureDescriptor {
        with_read_mode(read_mode: ReadMode);
        with_normalized_coords(normalized_coords: bool);
        with_sampler(sampler: Sampler);
    }
}

/// When an invalid combination of texels and sampler is refused (docs/numerics.md 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// At creation, as the CUDA runtime does.
    Now,
    /// At the fetch, as the driver does, and for separate samplers.
    AtFetch,
}

/// Checks a texture of this resource, and creates its header.
pub(crate) fn texture_header(
    device: &Device,
    resource: &TextureResource<'_>,
    descriptor: &TextureDescriptor,
    pairing: Pairing,
) -> Result<(Arc<Texture>, Owner), Error> {
    let OwnedResource { resource, owner } = resource.make(device)?;
    let TextureDescriptor { read_mode, normalized_coords, sampler } = *descriptor;
    let texture = match pairing {
        Pairing::AtFetch => Texture::without_sampler(resource, read_mode, normalized_coords)?,
        Pairing::Now => Texture::new(resource, read_mode, normalized_coords, &sampler)?,
    };
    Ok((Arc::new(texture), owner))
}

/// A texture object, which is destroyed when dropped.
#[derive(Debug)]
pub struct TextureObject {
    device: Device,
    header: usize,
    sampler: usize,
    _kept: Owner,
}

impl TextureObject {
    /// Creates a texture object, with a given handle or any.
    pub(crate) fn new(
        device: &Device,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
        pairing: Pairing,
        handle: Option<u64>,
    ) -> Result<Self, Error> {
        let (texture, owner) = texture_header(device, resource, descriptor, pairing)?;
        let mut tables = device.inner.tables();
        let (header, sampler) =
            tables.take_texture("a texture", handle, Some(&descriptor.sampler))?;
        tables.textures.set(header, Some(texture));
        drop(tables);
        Ok(Self { device: device.clone(), header, sampler, _kept: owner })
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        texture_handle(self.header, self.sampler)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// The slots in the tables of headers and samplers.
    pub(crate) fn slots(&self) -> (usize, usize) {
        (self.header, self.sampler)
    }
}

impl Drop for TextureObject {
    fn drop(&mut self) {
        let mut tables = self.device.inner.tables();
        tables.release_texture(self.header);
        tables.unshare_sampler(self.sampler);
    }
}

/// The handle of a texture header with a sampler.
pub(crate) fn texture_handle(header: usize, sampler: usize) -> u64 {
    header as u64 | (sampler as u64) << 20 | TEXTURE_BIT
}

/// The slots of header and sampler in a handle; `None` if it is not that of a texture.
pub(crate) fn texture_slots(handle: u64) -> Option<(usize, usize)> {
    let (header, sampler) = ((handle & 0xf_ffff) as usize, (handle >> 20 & 0xfff) as usize);
    (texture_handle(header, sampler) == handle).then_some((header, sampler))
}

/// The error for a handle that is in use or invalid.
pub(crate) fn taken(what: &str, handle: u64) -> Error {
    let reason =
        format!("the handle {handle:#x} is that of another object, or of none there can be");
    Error::Taken { name: what.to_owned(), reason }
}

/// A sampler object, which is destroyed when dropped.
#[derive(Debug)]
pub struct SamplerObject {
    device: Device,
    slot: usize,
}

impl SamplerObject {
    /// Creates a sampler object, with a given handle or any.
    pub(crate) fn new(
        device: &Device,
        sampler: &Sampler,
        handle: Option<u64>,
    ) -> Result<Self, Error> {
        let slot = device.inner.tables().share_sampler(sampler, handle)?;
        Ok(Self { device: device.clone(), slot })
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        sampler_handle(self.slot)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn slot(&self) -> usize {
        self.slot
    }
}

impl Drop for SamplerObject {
    fn drop(&mut self) {
        self.device.inner.tables().unshare_sampler(self.slot);
    }
}

/// The handle of a sampler slot.
pub(crate) fn sampler_handle(slot: usize) -> u64 {
    (slot as u64) << 20 | SAMPLER_BIT
}

/// The slot in a handle; `None` if it is not that of a sampler.
pub(crate) fn sampler_slot(handle: u64) -> Option<usize> {
    let slot = (handle >> 20 & 0xfff) as usize;
    (sampler_handle(slot) == handle).then_some(slot)
}

/// A surface object, which is destroyed when dropped.
#[derive(Debug)]
pub struct SurfaceObject {
    device: Device,
    slot: usize,
    _kept: Owner,
}

impl SurfaceObject {
    /// Creates a surface object, with a given handle or any.
    pub(crate) fn new(
        device: &Device,
        resource: &SurfaceResource<'_>,
        handle: Option<u64>,
    ) -> Result<Self, Error> {
        let (surface, owner) = surface_header(device, resource)?;
        let mut tables = device.inner.tables();
        let slot = tables.take_surface("a surface", handle)?;
        tables.surfaces.set(slot, Some(surface));
        drop(tables);
        Ok(Self { device: device.clone(), slot, _kept: owner })
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        surface_handle(self.slot)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }
}

impl SurfaceObject {
    /// The slot in the table of surfaces.
    pub(crate) fn slot(&self) -> usize {
        self.slot
    }
}

impl Drop for SurfaceObject {
    fn drop(&mut self) {
        self.device.inner.tables().surfaces.release(self.slot);
    }
}

/// Checks a surface of this resource, and creates its header.
pub(crate) fn surface_header(
    device: &Device,
    resource: &SurfaceResource<'_>,
) -> Result<(Arc<Surface>, Owner), Error> {
    let OwnedResource { resource, owner } = resource.make_surface(device)?;
    Ok((Arc::new(Surface::new(resource)?), owner))
}

/// The handle of a surface slot.
pub(crate) fn surface_handle(slot: usize) -> u64 {
    slot as u64 | SURFACE_BIT
}

/// The slot in a handle; `None` if it is not that of a surface.
pub(crate) fn surface_slot(handle: u64) -> Option<usize> {
    let slot = (handle & 0xf_ffff) as usize;
    (surface_handle(slot) == handle).then_some(slot)
}
