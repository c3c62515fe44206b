//! How texels are read: textures, samplers and surfaces (CUDA's `CUDA_TEXTURE_DESC`).

use crate::resource::Resource;
use std::sync::Arc;

/// What a texel is read as (`cudaTextureReadMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadMode {
    /// As its own type: integers as integers, floats as floats.
    #[default]
    Element,
    /// 8 and 16-bit integers as floats in [0, 1] or [-1, 1].
    NormalizedFloat,
}

/// A resource with how its texels are read: the texture header.
#[derive(Clone, Debug)]
pub struct Texture {
    /// The texels.
    pub resource: Arc<Resource>,
    /// As elements or as normalized floats.
    pub read_mode: ReadMode,
    /// Whether coordinates run from 0 to 1 instead of 0 to the size.
    pub normalized_coords: bool,
}

/// A resource as a surface.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The texels.
    pub resource: Arc<Resource>,
}

/// What a coordinate outside does (PTX `addr_mode_n`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// Repeats.
    Wrap,
    /// Repeats, every second time backwards.
    Mirror,
    /// The edge texel (`clamp_to_edge`).
    #[default]
    Clamp,
    /// The border colour.
    Border,
}

/// Point (nearest) or linear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The texel that holds the point.
    #[default]
    Point,
    /// The weighted mean of the neighbours.
    Linear,
}

/// Sampler state. [`Default`] is what an omitted initialiser gives: point, clamp to edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampler {
    /// Between texels.
    pub filter: Filter,
    /// Address mode of x, y, z.
    pub address_mode: [AddressMode; 3],
    /// Border colour r, g, b, a: f32 bits.
    pub border: [u32; 4],
    /// Overrides the texture's `normalized_coords` (`.samplerref` in independent mode).
    pub force_unnormalized_coords: bool,
}
