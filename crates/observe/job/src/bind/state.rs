//! The sampling state of textures: keys of the job, and defaults.

use crate::spec::TextureSpec;
use texunit_device::{Format, ReadMode, TextureDescriptor};

/// The sampling state of a texture whose texels (or whose view) have this format.
pub(super) fn descriptor(
    spec: &TextureSpec,
    format: Format,
    initial: &TextureDescriptor,
) -> TextureDescriptor {
    let only =
        if format.is_normalized_kind() { ReadMode::NormalizedFloat } else { ReadMode::Element };
    TextureDescriptor::default()
        .with_read_mode(spec.read_mode.unwrap_or(only))
        .with_normalized_coords(spec.normalized_coords.unwrap_or(initial.normalized_coords))
        .with_sampler(spec.sampler.over(&initial.sampler))
}
