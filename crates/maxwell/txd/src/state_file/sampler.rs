//! Parses the samplers of a state file.

use super::{descriptor, inexpressible};
use texunit_sass::descriptor::{Descriptor, encode_sampler, sampler};
use texunit_spec::{SamplerSpec, Table};
use texunit_unit::Sampler;

/// The keys that set fields, by the beginning of the field's name.
const KEYS: [(&str, &str); 5] = [
    ("address_", "address_mode"),
    ("max_anisotropy", "max_anisotropy"),
    ("mip_lod_bias", "mipmap_level_bias"),
    ("min_lod_clamp", "min_mipmap_level_clamp"),
    ("max_lod_clamp", "max_mipmap_level_clamp"),
];

/// Parses a sampler into its descriptor.
pub(super) fn words(table: &Table<'_>) -> Option<Descriptor> {
    descriptor(table, sampler::FIELDS, || described(table))
}

fn described(table: &Table<'_>) -> Option<Descriptor> {
    let before = table.problem_count();
    let (spec, has_mip_filter) = SamplerSpec::of_header(table);
    if table.problem_count() > before {
        return None;
    }
    let words = encode_sampler(&spec.over(&Sampler::default().with_max_anisotropy(1)));
    let mut words = words.map_err(|error| inexpressible(table, &KEYS, error)).ok()?;
    if !has_mip_filter {
        sampler::MIP_FILTER.set(&mut words, 1);
    }
    Some(words)
}
