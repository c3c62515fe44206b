//! The state of a device that a launch depends on, which recorded launches recreate on another
//! device at the same addresses and handles.

use crate::array::Array;
use crate::bound::BoundTexture;
use crate::device::Device;
use crate::handles::OpaqueKind;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use texunit_memory::MemoryMap;
use texunit_unit::{Resource, Sampler, Surface};

/// The objects of a device.
#[derive(Debug)]
#[non_exhaustive]
pub struct State {
    /// Memory: buffers, variables, and mapped host memory.
    pub memory: MemoryMap,
    /// Arrays, including destroyed ones that a texture or surface still refers to.
    pub arrays: Vec<Array>,
    /// Textures with their samplers, of objects and of references.
    pub textures: Vec<WithHandle<BoundTexture>>,
    /// Samplers that are not part of a texture.
    pub samplers: Vec<WithHandle<Sampler>>,
    /// Surfaces, of objects and of references.
    pub surfaces: Vec<WithHandle<Arc<Surface>>>,
    /// Number of the next launch (`%gridid`).
    pub launches: u64,
}

/// An object with its handle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WithHandle<T> {
    /// The handle by which kernels refer to the object.
    pub handle: u64,
    /// The object.
    pub value: T,
}

impl Array {
    /// Whether the texels of a resource are those of this array.
    pub fn holds(&self, resource: &Resource) -> bool {
        Arc::ptr_eq(self.texels().block(), resource.block())
    }
}

impl Device {
    /// The current state, as a launch would see it.
    pub fn state(&self) -> State {
        let memory = self.inner.memory.map();
        let arrays = Array::all(self);
        let tables = self.inner.tables();
        let mut paired = HashSet::new();
        let mut textures = Vec::new();
        for (slot, texture) in tables.textures.filled() {
            let Some(&sampler_slot) = tables.pairs.get(&slot) else { continue };
            paired.insert(sampler_slot);
            let sampler = tables.samplers.get(sampler_slot).map_or_else(Sampler::default, |s| *s);
            let handle = OpaqueKind::Texture.handle((slot, sampler_slot));
            let value = BoundTexture { texture: Arc::clone(texture), sampler };
            textures.push(WithHandle { handle, value });
        }
        let alone = tables.samplers.filled().filter(|(slot, _)| !paired.contains(slot));
        let samplers = alone
            .map(|(slot, sampler)| WithHandle {
                handle: OpaqueKind::Sampler.handle((0, slot)),
                value: **sampler,
            })
            .collect();
        let surfaces = tables.surfaces.filled();
        let surfaces = surfaces
            .map(|(slot, value)| WithHandle {
                handle: OpaqueKind::Surface.handle((slot, 0)),
                value: Arc::clone(value),
            })
            .collect();
        drop(tables);
        let launches = self.inner.launches.load(Ordering::Relaxed);
        State { memory, arrays, textures, samplers, surfaces, launches }
    }
}
