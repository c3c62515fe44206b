//! The state that takes effect when an instruction fetches from a texture, for callers that explain
//! fetches: some settings of a sampler are ignored or changed by rules of the texture unit.

use crate::device::Device;
use crate::handles::{OpaqueKind, Slots};
use crate::kernel::Kernel;
use crate::module::Module;
use crate::texture::{SamplerObject, SurfaceObject, TextureObject};
use std::sync::Arc;
use texunit_simt::FetchSite;
use texunit_unit::{
    EffectiveSampler, FetchForm, Override, Sampler, Surface, Texture, effective_sampler, overrides,
    resolve,
};

/// A texture, and the sampler that it is used with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BoundTexture {
    /// The texture.
    pub texture: Arc<Texture>,
    /// The sampler state of the texture object, or in independent mode that of a separate sampler.
    pub sampler: Sampler,
}

/// The effect of a fetch instruction on a texture, after the rules that override requested state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Effective {
    /// The state that takes effect.
    pub sampler: EffectiveSampler,
    /// The settings that have no effect or another effect than requested, by the rules of
    /// docs/numerics.md.
    pub overrides: Vec<Override>,
    /// The reason why a fetch reads no texels, and returns zeros or is a fault; `None` if it reads
    /// texels.
    pub refused: Option<String>,
}

impl BoundTexture {
    /// The effective state for an instruction of this form.
    pub fn effective(&self, form: FetchForm) -> Effective {
        let Self { texture, sampler } = self;
        Effective {
            sampler: effective_sampler(texture, sampler, form),
            overrides: overrides(texture, sampler, form),
            refused: resolve(form, texture, sampler).err().map(|e| e.to_string()),
        }
    }

    /// The texture with another sampler.
    #[must_use]
    pub fn with_sampler(&self, sampler: &Sampler) -> Self {
        Self { texture: Arc::clone(&self.texture), sampler: *sampler }
    }
}

/// The texture and the sampler in these slots of the device's descriptor tables.
fn bound(device: &Device, (header, sampler): Slots) -> Option<BoundTexture> {
    let tables = device.inner.tables();
    let (texture, sampler) = (tables.textures.get(header)?, *tables.samplers.get(sampler)?);
    Some(BoundTexture { texture, sampler })
}

impl TextureObject {
    /// The texture that the object refers to, with the sampler state of the object.
    pub fn bound(&self) -> Option<BoundTexture> {
        bound(&self.0.device, self.0.slots)
    }
}

impl SurfaceObject {
    /// The surface that the object refers to.
    pub fn bound(&self) -> Option<Arc<Surface>> {
        self.0.device.inner.tables().surfaces.get(self.0.slots.0)
    }
}

impl SamplerObject {
    /// The sampler's state.
    pub fn state(&self) -> Option<Sampler> {
        self.0.device.inner.tables().samplers.get(self.0.slots.1).map(|sampler| *sampler)
    }
}

impl Module {
    /// The texture that is bound to the `.texref` of this name; `None` if nothing is bound.
    pub fn bound_texture(&self, name: &str) -> Option<BoundTexture> {
        bound(self.device(), self.slots(name, OpaqueKind::Texture)?)
    }

    /// The state of the `.samplerref` of this name.
    pub fn bound_sampler(&self, name: &str) -> Option<Sampler> {
        let (_, sampler) = self.slots(name, OpaqueKind::Sampler)?;
        self.inner.device.inner.tables().samplers.get(sampler).map(|sampler| *sampler)
    }
}

impl Kernel {
    /// The kernel's `tex` and `tld4` instructions, including those of the functions that it calls,
    /// in source order.
    pub fn fetch_sites(&self) -> Vec<FetchSite> {
        self.module().inner.program.fetch_sites(self.id())
    }
}
