//! Handles of textures, samplers and surfaces, which contain slots of the descriptor tables.

use crate::error::Error;
use texunit_simt::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};

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

/// The handle of a sampler slot.
pub(crate) fn sampler_handle(slot: usize) -> u64 {
    (slot as u64) << 20 | SAMPLER_BIT
}

/// The slot in a handle; `None` if it is not that of a sampler.
pub(crate) fn sampler_slot(handle: u64) -> Option<usize> {
    let slot = (handle >> 20 & 0xfff) as usize;
    (sampler_handle(slot) == handle).then_some(slot)
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
