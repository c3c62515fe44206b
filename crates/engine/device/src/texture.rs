//! Texture, sampler and surface objects: their creation, and the handles by which kernels refer to
//! them.

use crate::device::Device;
use crate::error::Error;
use crate::handles::{sampler_handle, surface_handle, texture_handle};
use crate::resource::{OwnedResource, Owner, SurfaceResource, TextureResource};
use std::sync::Arc;
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

impl Device {
    /// Creates a texture object (`cudaCreateTextureObject`), and refuses what the CUDA runtime
    /// refuses (docs/numerics.md 8.1).
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if CUDA has no such texture, [`Error::TooMany`] if all
    /// handles are in use.
    pub fn create_texture(
        &self,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<TextureObject, Error> {
        TextureObject::new(self, resource, descriptor, Pairing::Now, None)
    }

    /// Creates a texture object, and refuses only what the driver refuses (`cuTexObjectCreate`):
    /// integers that are read as integers may have a linear filter.
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if the driver has no such texture, [`Error::TooMany`]
    /// if all handles are in use.
    pub fn create_texture_as_driver(
        &self,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<TextureObject, Error> {
        TextureObject::new(self, resource, descriptor, Pairing::AtFetch, None)
    }

    /// Creates a sampler object, for modules in independent texturing mode.
    ///
    /// # Errors
    /// [`Error::Create`] if the state is not valid, [`Error::TooMany`] if all handles are in use.
    pub fn create_sampler(&self, sampler: &Sampler) -> Result<SamplerObject, Error> {
        SamplerObject::new(self, sampler, None)
    }

    /// Creates a surface object (`cuSurfObjectCreate`) of an array, `create_surface(&array)`, or of
    /// memory.
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if there can be no such surface, [`Error::TooMany`] if
    /// all handles are in use.
    pub fn create_surface<'a>(
        &self,
        resource: impl Into<SurfaceResource<'a>>,
    ) -> Result<SurfaceObject, Error> {
        SurfaceObject::new(self, &resource.into(), None)
    }
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
