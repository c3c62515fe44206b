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
    /// Whether only what the driver refuses is refused (`cuTexObjectCreate`): integers that are
    /// read as integers may have a linear filter, with which fetches are faults. Otherwise what the
    /// CUDA runtime refuses is refused as well (docs/numerics.md 8.1).
    pub as_driver: bool,
}

texunit_unit::setters! {
    TextureDescriptor {
        with_read_mode(read_mode: ReadMode);
        with_normalized_coords(normalized_coords: bool);
        with_sampler(sampler: Sampler);
        with_as_driver(as_driver: bool);
    }
}

/// Checks a texture of this resource, and creates its header.
pub(crate) fn texture_header(
    device: &Device,
    resource: &TextureResource<'_>,
    descriptor: &TextureDescriptor,
) -> Result<(Arc<Texture>, Owner), Error> {
    let OwnedResource { resource, owner } = resource.make(device)?;
    let TextureDescriptor { read_mode, normalized_coords, sampler, as_driver } = *descriptor;
    let texture = match as_driver {
        true => Texture::without_sampler(resource, read_mode, normalized_coords)?,
        false => Texture::new(resource, read_mode, normalized_coords, &sampler)?,
    };
    Ok((Arc::new(texture), owner))
}

impl Device {
    /// Creates a texture object (`cudaCreateTextureObject`).
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if CUDA has no such texture, [`Error::TooMany`] if all
    /// handles are in use.
    pub fn create_texture(
        &self,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<TextureObject, Error> {
        self.create_texture_at(None, resource, descriptor)
    }

    /// As [`Self::create_texture`], with a given handle or any.
    ///
    /// # Errors
    /// [`Error::Taken`] if the handle is in use, and the errors of [`Self::create_texture`].
    pub fn create_texture_at(
        &self,
        handle: Option<u64>,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<TextureObject, Error> {
        let (texture, owner) = texture_header(self, resource, descriptor)?;
        let (kind, mut tables) = (OpaqueKind::Texture, self.inner.tables());
        let slots = tables.take(kind, "a texture", handle, Some(&descriptor.sampler))?;
        tables.textures.set(slots.0, Some(texture));
        Ok(TextureObject(ObjectSlots { device: self.clone(), kind, slots, _kept: Some(owner) }))
    }

    /// Creates a sampler object, for modules in independent texturing mode.
    ///
    /// # Errors
    /// [`Error::Create`] if the state is not valid, [`Error::TooMany`] if all handles are in use.
    pub fn create_sampler(&self, sampler: &Sampler) -> Result<SamplerObject, Error> {
        self.create_sampler_at(None, sampler)
    }

    /// As [`Self::create_sampler`], with a given handle or any.
    ///
    /// # Errors
    /// [`Error::Taken`] if the handle is in use, and the errors of [`Self::create_sampler`].
    pub fn create_sampler_at(
        &self,
        handle: Option<u64>,
        sampler: &Sampler,
    ) -> Result<SamplerObject, Error> {
        let kind = OpaqueKind::Sampler;
        let slots = self.inner.tables().take(kind, "a sampler", handle, Some(sampler))?;
        Ok(SamplerObject(ObjectSlots { device: self.clone(), kind, slots, _kept: None }))
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
        self.create_surface_at(None, resource)
    }

    /// As [`Self::create_surface`], with a given handle or any.
    ///
    /// # Errors
    /// [`Error::Taken`] if the handle is in use, and the errors of [`Self::create_surface`].
    pub fn create_surface_at<'a>(
        &self,
        handle: Option<u64>,
        resource: impl Into<SurfaceResource<'a>>,
    ) -> Result<SurfaceObject, Error> {
        let (surface, owner) = surface_header(self, &resource.into())?;
        let (kind, mut tables) = (OpaqueKind::Surface, self.inner.tables());
        let slots = tables.take(kind, "a surface", handle, None)?;
        tables.surfaces.set(slots.0, Some(surface));
        Ok(SurfaceObject(ObjectSlots { device: self.clone(), kind, slots, _kept: Some(owner) }))
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

impl Drop for ObjectSlots {
    fn drop(&mut self) {
        self.device.inner.tables().release(self.kind, self.slots);
    }
}

/// Objects, which are destroyed when dropped.
macro_rules! objects {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $name(pub(crate) ObjectSlots);

            impl $name {
                /// The 64-bit handle that kernels use.
                pub fn handle(&self) -> u64 {
                    self.0.kind.handle(self.0.slots)
                }
            }
        )*
    };
}
objects! {
    /// A texture object, which is destroyed when dropped.
    TextureObject;
    /// A sampler object, which is destroyed when dropped.
    SamplerObject;
    /// A surface object, which is destroyed when dropped.
    SurfaceObject;
}

/// Checks a surface of this resource, and creates its header.
pub(crate) fn surface_header(
    device: &Device,
    resource: &SurfaceResource<'_>,
) -> Result<(Arc<Surface>, Owner), Error> {
    let OwnedResource { resource, owner } = resource.make_surface(device)?;
    Ok((Arc::new(Surface::new(resource)?), owner))
}
