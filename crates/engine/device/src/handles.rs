//! Handles of textures, samplers and surfaces, which contain slots of the descriptor tables.

use crate::error::Error;
use texunit_forms::words;
use texunit_simt::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};

/// The slots of a handle in the tables of headers and samplers; 0 for a slot that the kind of
/// handle lacks.
pub(crate) type Slots = (usize, usize);

words! {
    /// Kinds of module-scope references to textures, samplers and surfaces, by the names of their
    /// types in PTX.
    OpaqueKind { Texture = ".texref", Sampler = ".samplerref", Surface = ".surfref" }
}

impl OpaqueKind {
    /// The handle with these slots.
    pub(crate) fn handle(self, (header, sampler): Slots) -> u64 {
        let flag = match self {
            Self::Texture => TEXTURE_BIT,
            Self::Sampler => SAMPLER_BIT,
            Self::Surface => SURFACE_BIT,
        };
        header as u64 | (sampler as u64) << 20 | flag
    }

    /// The slots in a handle; `None` if it is not of this kind.
    pub(crate) fn slots(self, handle: u64) -> Option<Slots> {
        let (header, sampler) = ((handle & 0xf_ffff) as usize, (handle >> 20 & 0xfff) as usize);
        let slots = match self {
            Self::Texture => (header, sampler),
            Self::Sampler => (0, sampler),
            Self::Surface => (header, 0),
        };
        (self.handle(slots) == handle).then_some(slots)
    }
}

/// The error for a handle that is in use or invalid.
pub(crate) fn taken(what: &str, handle: u64) -> Error {
    let why = format!("the handle {handle:#x} is that of another object, or of none there can be");
    Error::Taken { name: what.to_owned(), reason: why }
}
