//! Textures and surfaces of a job.

use super::resource::{ResourceSpec, TexelSource, resource};
use super::sampler::{SamplerSpec, sampler_keys};
use crate::problem::codes;
use crate::table::{At, Table};
use texunit_device::ReadMode;

/// A texture.
#[derive(Clone, Debug)]
pub struct TextureSpec {
    /// Place of the table.
    pub at: At<()>,
    /// Its texels.
    pub resource: ResourceSpec,
    /// `read`
    pub read: Option<ReadMode>,
    /// `normalized`
    pub normalized: Option<bool>,
    /// `filter`, `address`, `border` and so on
    pub sampler: SamplerSpec,
}

/// A surface.
#[derive(Clone, Debug)]
pub struct SurfaceSpec {
    /// Place of the table.
    pub at: At<()>,
    /// Its texels.
    pub resource: ResourceSpec,
    /// `level`: which one the surface is of.
    pub level: Option<At<u32>>,
    /// `layer`: which one the surface is of; of cubes, which face.
    pub layer: Option<At<u32>>,
}

const READS: &[(&str, ReadMode)] =
    &[("element", ReadMode::Element), ("normalized", ReadMode::NormalizedFloat)];

/// Reads the keys of a texture.
pub(super) fn texture(table: &Table<'_>, at: At<()>) -> Option<TextureSpec> {
    let resource = resource(table, "texture");
    let read = table.get("read").and_then(|v| v.word(READS));
    let normalized = table.get("normalized").and_then(|v| v.boolean());
    let sampler = sampler_keys(table);
    table.finish();
    Some(TextureSpec { at, resource: resource?, read, normalized, sampler })
}

/// Reads the keys of a surface.
pub(super) fn surface(table: &Table<'_>, at: At<()>) -> Option<SurfaceSpec> {
    let resource = resource(table, "surface");
    let number = |key| table.get(key).and_then(|v| Some(v.at(v.small(0)?)));
    let (level, layer) = (number("level"), number("layer"));
    table.finish();
    let mut resource = resource?;
    if resource.view.is_some() && (level.is_some() || layer.is_some()) {
        let message = "a surface has either a `view`, or a `level` and a `layer`";
        table.problem(codes::CONFLICT, message.into());
        return None;
    }
    // Without a file, the axes that are written make the number of dimensions.
    if matches!(resource.source, TexelSource::Zeros) && resource.geometry.is_none() {
        resource.dims = resource.dims.or(Some(resource.extent.dims));
    }
    Some(SurfaceSpec { at, resource, level, layer })
}
