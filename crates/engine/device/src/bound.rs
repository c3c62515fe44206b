//! What textures really do: the state that takes effect for an instruction.

use crate::kernel::Kernel;
use crate::module::{Module, OpaqueKind};
use crate::texture::{SamplerObject, SurfaceObject, TextureObject};
use std::sync::Arc;
use texunit_simt::FetchSite;
use texunit_unit::{
    EffectiveSampler, FetchForm, Override, Sampler, Surface, Texture, effective_sampler, overrides,
    resolve,
};

/// A texture with the sampler it is used with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BoundTexture {
    /// The texture.
    pub texture: Arc<Texture>,
    /// Its own sampler state, or that of a sampler in independent mode.
    pub sampler: Sampler,
}

/// What an instruction does with a texture, whatever was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Effective {
    /// The state that takes effect.
    pub sampler: EffectiveSampler,
    /// What of the state asked for does not act as asked, by the rules of docs/numerics.md.
    pub overrides: Vec<Override>,
    /// Why such a fetch reads no texels: it gives zeros, or is a fault. `None`: it reads some.
    pub refused: Option<String>,
}

impl BoundTexture {
    /// What an instruction of this form does.
    pub fn effective(&self, form: FetchForm) -> Effective {
        let Self { texture, sampler } = self;
        Effective {
            sampler: effective_sampler(texture, sampler, form),
            overrides: overrides(texture, sampler, form),
            refused: resolve(form, texture, sampler).err().map(|e| e.to_string()),
        }
    }

    /// This texture with another sampler.
    #[must_use]
    pub fn with_sampler(&self, sampler: &Sampler) -> Self {
        Self { texture: Arc::clone(&self.texture), sampler: *sampler }
    }
}

impl TextureObject {
    /// The texture and its own sampler.
    pub fn bound(&self) -> Option<BoundTexture> {
        let tables = self.device().inner.tables();
        let (header, sampler) = self.slots();
        Some(BoundTexture { texture: tables.texture(header)?, sampler: *tables.sampler(sampler)? })
    }
}

impl SurfaceObject {
    /// The surface.
    pub fn bound(&self) -> Option<Arc<Surface>> {
        self.device().inner.tables().surface(self.slot())
    }
}

impl SamplerObject {
    /// Its state.
    pub fn state(&self) -> Option<Sampler> {
        self.device().inner.tables().sampler(self.slot()).map(|sampler| *sampler)
    }
}

impl Module {
    /// What is bound to the `.texref` of that name; `None` if nothing is.
    pub fn bound_texture(&self, name: &str) -> Option<BoundTexture> {
        let (header, sampler) = self.slots(name, OpaqueKind::Texture)?;
        let tables = self.inner.device.inner.tables();
        Some(BoundTexture {
            texture: tables.texture(header?)?,
            sampler: *tables.sampler(sampler?)?,
        })
    }

    /// State of the `.samplerref` of that name.
    pub fn bound_sampler(&self, name: &str) -> Option<Sampler> {
        let (_, sampler) = self.slots(name, OpaqueKind::Sampler)?;
        self.inner.device.inner.tables().sampler(sampler?).map(|sampler| *sampler)
    }
}

impl Kernel {
    /// Its `tex` and `tld4` instructions, those of the functions it calls included, in source
    /// order.
    pub fn fetch_sites(&self) -> Vec<FetchSite> {
        self.module().inner.program.fetch_sites(self.id())
    }
}
