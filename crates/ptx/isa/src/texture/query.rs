//! The objects that txq and suq can query.

use crate::types::Attribute;
use crate::types::ScalarType::{self, Samplerref, Surfref, Texref};
use crate::{Form, Opcode};

/// The opaque types that a form of txq or suq can query in a texturing mode; a 64-bit register with
/// a handle is valid in any case.
pub fn handles(form: &Form, independent: bool) -> &'static [ScalarType] {
    let mut words = form.slots.iter().flat_map(|slot| &slot.words);
    match words.find_map(|word| Attribute::from_name(word)) {
        _ if form.row.opcode == Opcode::Suq => &[Surfref],
        Some(Attribute::ForceUnnormalizedCoords) => &[Samplerref],
        Some(attribute) if attribute.is_of_sampler() && independent => &[Samplerref],
        Some(Attribute::MemoryLayout) if independent => &[Texref, Samplerref, Surfref],
        _ => &[Texref],
    }
}
