//! How textures are read: what the job says, else what holds without it.

use crate::spec::TextureSpec;
use texunit_device::{Format, ReadMode, TextureDescriptor};

/// The state of a texture whose texels have this format (that of its view).
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
