//! Texture, sampler and surface objects: their creation, and the handles by which kernels refer to
//! them.

use crate::device::Device;
use crate::error::Error;
use crate::handles::{OpaqueKind, Slots};
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

/// The slots of an object, which are freed when it is dropped.
#[derive(Debug)]
pub(crate) struct ObjectSlots {
    pub(crate) device: Device,
    kind: OpaqueKind,
    pub(crate) slots: Slots,
    _kept: Option<Owner>,
}

impl ObjectSlots {
    fn handle(&self) -> u64 {
        self.kind.handle(self.slots)
    }
}

impl Drop for ObjectSlots {
    fn drop(&mut self) {
        self.device.inner.tables().release(self.kind, self.slots);
    }
}

/// A texture object, which is destroyed when dropped.
#[derive(Debug)]
pub struct TextureObject(pub(crate) ObjectSlots);

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
        let (kind, mut tables) = (OpaqueKind::Texture, device.inner.tables());
        let slots = tables.take(kind, "a texture", handle, Some(&descriptor.sampler))?;
        tables.textures.set(slots.0, Some(texture));
        drop(tables);
        Ok(Self(ObjectSlots { device: device.clone(), kind, slots, _kept: Some(owner) }))
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        self.0.handle()
    }
}

/// A sampler object, which is destroyed when dropped.
#[derive(Debug)]
pub struct SamplerObject(pub(crate) ObjectSlots);

impl SamplerObject {
    /// Creates a sampler object, with a given handle or any.
    pub(crate) fn new(
        device: &Device,
        sampler: &Sampler,
        handle: Option<u64>,
    ) -> Result<Self, Error> {
        let kind = OpaqueKind::Sampler;
        let slots = device.inner.tables().take(kind, "a sampler", handle, Some(sampler))?;
        Ok(Self(ObjectSlots { device: device.clone(), kind, slots, _kept: None }))
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        self.0.handle()
    }
}

/// A surface object, which is destroyed when dropped.
#[derive(Debug)]
pub struct SurfaceObject(pub(crate) ObjectSlots);

impl SurfaceObject {
    /// Creates a surface object, with a given handle or any.
    pub(crate) fn new(
        device: &Device,
        resource: &SurfaceResource<'_>,
        handle: Option<u64>,
    ) -> Result<Self, Error> {
        let (surface, owner) = surface_header(device, resource)?;
        let (kind, mut tables) = (OpaqueKind::Surface, device.inner.tables());
        let slots = tables.take(kind, "a surface", handle, None)?;
        tables.surfaces.set(slots.0, Some(surface));
        drop(tables);
        Ok(Self(ObjectSlots { device: device.clone(), kind, slots, _kept: Some(owner) }))
    }

    /// The 64-bit handle that kernels use.
    pub fn handle(&self) -> u64 {
        self.0.handle()
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
