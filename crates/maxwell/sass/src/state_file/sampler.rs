//! The samplers of a state file.

use super::raw::{RawSampler, Word};
use super::{StateError, eight, one_of, set_fields};
use crate::descriptor::{Bits, Descriptor, encode_sampler, sampler};
use texunit_unit::{AddressMode, Filter, Sampler};

/// The words of a sampler.
pub(super) fn words(raw: &RawSampler) -> Result<Descriptor, StateError> {
    let mut words = match &raw.words {
        Some(words) if raw.has_only_words() => eight(words)?,
        Some(_) => return Err(StateError::words_alone()),
        None => described(raw)?,
    };
    let all: Vec<&Bits> = sampler::FIELDS.iter().collect();
    set_fields(&mut words, &all, &raw.fields)?;
    Ok(words)
}

fn described(raw: &RawSampler) -> Result<Descriptor, StateError> {
    let filter = |key, name: &Option<String>| match name {
        Some(name) => one_of(key, "filter", name, &Filter::NAMES),
        None => Ok(Filter::Point),
    };
    let mut address_mode = [AddressMode::Clamp; 3];
    let modes = raw.address.as_deref().unwrap_or_default();
    if modes.len() > 3 {
        return Err(StateError::of("address", "`address` has up to three modes"));
    }
    for (n, mode) in address_mode.iter_mut().enumerate() {
        // The last mode is that of the axes after it.
        if let Some(name) = modes.get(n).or(modes.last()) {
            *mode = one_of("address", "address mode", name, &AddressMode::NAMES)?;
        }
    }
    let border: Vec<u32> = raw.border.iter().flatten().map(Word::bits).collect::<Result<_, _>>()?;
    let none = raw.mip_filter.as_deref() == Some("none");
    let sampler = Sampler::default()
        .with_filter(filter("filter", &raw.filter)?)
        .with_mip_filter(if none {
            Filter::Point
        } else {
            filter("mip_filter", &raw.mip_filter)
                .map_err(|e| StateError { message: e.message + ", none", ..e })?
        })
        .with_address_modes(address_mode)
        .with_border_bits(std::array::from_fn(|n| border.get(n).copied().unwrap_or(0)))
        .with_min_level_clamp(raw.min_lod.unwrap_or(0.0))
        .with_max_level_clamp(raw.max_lod.unwrap_or(f32::INFINITY))
        .with_level_bias(raw.lod_bias.unwrap_or(0.0))
        .with_max_anisotropy(raw.max_anisotropy.unwrap_or(1))
        .with_force_unnormalized_coords(raw.force_unnormalized_coords)
        .with_srgb(raw.srgb);
    let mut words = encode_sampler(&sampler)?;
    if none {
        sampler::MIP_FILTER.set(&mut words, 1);
    }
    Ok(words)
}
