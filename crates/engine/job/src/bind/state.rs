//! How textures are read: what the job says, else what holds without it.

use crate::spec::{SamplerSpec, TextureSpec};
use texunit_device::{Format, ReadMode, Sampler, TextureDescriptor};

/// The state of a texture whose texels have this format (that of its view).
pub(super) fn descriptor(
    spec: &TextureSpec,
    format: Format,
    initial: &TextureDescriptor,
) -> TextureDescriptor {
    let only =
        if format.is_normalized_kind() { ReadMode::NormalizedFloat } else { ReadMode::Element };
    TextureDescriptor::default()
        .with_read_mode(spec.read.unwrap_or(only))
        .with_normalized_coords(spec.normalized.unwrap_or(initial.normalized_coords))
        .with_sampler(sampler(&spec.sampler, &initial.sampler))
}

/// The state of a sampler.
pub(super) fn sampler(spec: &SamplerSpec, initial: &Sampler) -> Sampler {
    Sampler::default()
        .with_filter(spec.filter.unwrap_or(initial.filter))
        .with_mip_filter(spec.mip_filter.unwrap_or(initial.mip_filter))
        .with_address_modes(spec.address.unwrap_or(initial.address_mode))
        .with_border_bits(spec.border.unwrap_or(initial.border))
        .with_min_level_clamp(spec.min_level_clamp.unwrap_or(initial.min_level_clamp))
        .with_max_level_clamp(spec.max_level_clamp.unwrap_or(initial.max_level_clamp))
        .with_level_bias(spec.level_bias.unwrap_or(initial.level_bias))
        .with_max_anisotropy(spec.max_anisotropy.unwrap_or(initial.max_anisotropy))
        .with_force_unnormalized_coords(
            spec.force_unnormalized.unwrap_or(initial.force_unnormalized_coords),
        )
        .with_srgb(spec.srgb.unwrap_or(initial.srgb))
        .with_seamless_cube(spec.seamless_cube.unwrap_or(initial.seamless_cube))
        .with_compare(spec.compare.unwrap_or(initial.compare))
}
