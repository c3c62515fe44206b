//! Everything that a launch on a device would find, and how it is made again on another device: at the same
//! addresses, under the same handles.

use crate::array::Array;
use crate::bound::BoundTexture;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use crate::resource::{SurfaceResource, TextureResource};
use crate::texture::{
    SamplerObject, SurfaceObject, TextureDescriptor, TextureObject, sampler_handle, surface_handle,
    texture_handle,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use texunit_memory::{End, MemoryMap, Placement};
use texunit_unit::{Resource, Sampler, Surface};

/// Addresses and handles of the variables of a module, by name; those that are not named get what is free.
#[derive(Clone, Debug, Default)]
pub struct VariablePlaces {
    /// Of `.global` and `.const` variables.
    pub memory: HashMap<String, u64>,
    /// Of `.texref`, `.samplerref` and `.surfref` variables.
    pub handles: HashMap<String, u64>,
}

/// What is on a device.
#[derive(Debug)]
#[non_exhaustive]
pub struct State {
    /// Memory: buffers, variables, the program's own.
    pub memory: MemoryMap,
    /// Arrays, also destroyed ones that something is still made of.
    pub arrays: Vec<Array>,
    /// Textures with their samplers, of objects and of references.
    pub textures: Vec<Stored<BoundTexture>>,
    /// Samplers that no texture has.
    pub samplers: Vec<Stored<Sampler>>,
    /// Surfaces, of objects and of references.
    pub surfaces: Vec<Stored<Arc<Surface>>>,
    /// Number of the next launch (`%gridid`).
    pub launches: u64,
}

/// Something behind a handle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stored<T> {
    /// What kernels name it by.
    pub handle: u64,
    /// What it is.
    pub value: T,
}

impl Array {
    /// Whether the texels of a resource are some of these.
    pub fn holds(&self, resource: &Resource) -> bool {
        Arc::ptr_eq(self.resource().block(), resource.block())
    }

    /// Its texels, as the sampler sees them.
    pub fn texels(&self) -> &Resource {
        self.resource()
    }
}

impl Device {
    /// What a launch would find now.
    pub fn state(&self) -> State {
        let memory = self.inner.memory.map();
        let arrays = Array::all(self);
        let tables = self.inner.tables();
        let samplers = tables.all_samplers();
        let mut paired = HashSet::new();
        let mut textures = Vec::new();
        for (slot, texture) in tables.all_textures() {
            let Some(sampler_slot) = tables.pair_of(slot) else { continue };
            paired.insert(sampler_slot);
            let sampler = tables.sampler(sampler_slot).map_or_else(Sampler::default, |s| *s);
            let handle = texture_handle(slot, sampler_slot);
            textures.push(Stored { handle, value: BoundTexture { texture, sampler } });
        }
        let alone = samplers.into_iter().filter(|(slot, _)| !paired.contains(slot));
        let samplers = alone
            .map(|(slot, sampler)| Stored { handle: sampler_handle(slot), value: *sampler })
            .collect();
        let surfaces = tables.all_surfaces().into_iter();
        let surfaces =
            surfaces.map(|(slot, value)| Stored { handle: surface_handle(slot), value }).collect();
        drop(tables);
        let launches = self.inner.launches.load(Ordering::Relaxed);
        State { memory, arrays, textures, samplers, surfaces, launches }
    }

    /// As [`Self::alloc`], at a place that is given.
    ///
    /// # Errors
    /// [`Error::Taken`] if something else is there, [`Error::Memory`] if the device has no room for it.
    pub fn alloc_at(&self, place: &Placement<'_>) -> Result<Buffer, Error> {
        Buffer::at(self, place)
    }

    /// Takes the right to be written from the memory that begins at an address; false if there is none.
    pub fn make_read_only(&self, address: u64) -> bool {
        self.inner.memory.make_read_only(address)
    }

    /// Ends the memory that begins at an address, for a reason that faults will name; false if there is none.
    pub fn end_memory(&self, address: u64, how: End) -> bool {
        self.inner.memory.end_at(address, how)
    }

    /// As [`Self::create_texture_as_driver`], with a handle that is given.
    ///
    /// # Errors
    /// [`Error::Taken`] if something else has the handle, and those of [`Self::create_texture_as_driver`].
    pub fn create_texture_at(
        &self,
        handle: u64,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<TextureObject, Error> {
        TextureObject::with_handle(self, resource, descriptor, handle)
    }

    /// As [`Self::create_sampler`], with a handle that is given.
    ///
    /// # Errors
    /// [`Error::Taken`] if something else has the handle, and those of [`Self::create_sampler`].
    pub fn create_sampler_at(
        &self,
        handle: u64,
        sampler: &Sampler,
    ) -> Result<SamplerObject, Error> {
        SamplerObject::with_handle(self, sampler, handle)
    }

    /// As [`Self::create_surface`], with a handle that is given.
    ///
    /// # Errors
    /// [`Error::Taken`] if something else has the handle, and those of [`Self::create_surface`].
    pub fn create_surface_at<'a>(
        &self,
        handle: u64,
        resource: impl Into<SurfaceResource<'a>>,
    ) -> Result<SurfaceObject, Error> {
        SurfaceObject::with_handle(self, &resource.into(), handle)
    }
}
