//! Parses textures, surfaces and samplers of a job.

use super::memory::{self, PartSpec, part};
use super::resource::{ResourceSpec, TexelSource, resource};
use crate::problem::codes;
use texunit_device::ReadMode;
use texunit_spec::{At, SamplerSpec, Table, TomlValue, keys, read_mode};

/// A texture.
#[derive(Clone, Debug)]
pub struct TextureSpec {
    /// Position of the table.
    pub at: At<()>,
    /// The texels of the texture.
    pub resource: ResourceSpec,
    /// The part of the texels that the texture refers to.
    pub part: PartSpec,
    /// The key `read_mode`.
    pub read_mode: Option<ReadMode>,
    /// The key `normalized_coords`.
    pub normalized_coords: Option<bool>,
    /// The keys of the sampler: `filter_mode`, `address_mode`, `border_color` and so on.
    pub sampler: SamplerSpec,
    /// The key `handle`.
    pub handle: Option<u64>,
}

/// A surface.
#[derive(Clone, Debug)]
pub struct SurfaceSpec {
    /// Position of the table.
    pub at: At<()>,
    /// The texels of the surface.
    pub resource: ResourceSpec,
    /// The part of the texels that the surface refers to.
    pub part: PartSpec,
    /// The key `handle`.
    pub handle: Option<u64>,
}

/// A sampler that is separate from textures.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndependentSampler {
    /// The sampling state of the sampler.
    pub state: SamplerSpec,
    /// The key `handle`.
    pub handle: Option<u64>,
}

/// Parses a sampler.
pub(super) fn sampler(value: &TomlValue<'_>) -> Option<IndependentSampler> {
    let table = value.table()?;
    let sampler = IndependentSampler { state: SamplerSpec::read(&table), handle: handle(&table) };
    table.finish();
    Some(sampler)
}

/// Parses a texture.
pub(super) fn texture(table: &Table<'_>, at: At<()>) -> Option<TextureSpec> {
    let resource = resource(table, "texture");
    let read_mode = read_mode(table);
    let normalized_coords = table.get(keys::NORMALIZED_COORDS).and_then(|v| v.boolean());
    let sampler = SamplerSpec::of_texture(table);
    let (part, handle) = (part(table), handle(table));
    table.finish();
    let resource = resource?;
    let is_one = is_one_part(table, &resource, &part, "texture");
    let texture = TextureSpec { at, resource, part, read_mode, normalized_coords, sampler, handle };
    is_one.then_some(texture)
}

/// Parses a surface.
pub(super) fn surface(table: &Table<'_>, at: At<()>) -> Option<SurfaceSpec> {
    let resource = resource(table, "surface");
    let (part, handle) = (part(table), handle(table));
    table.finish();
    let mut resource = resource?;
    if !is_one_part(table, &resource, &part, "surface") {
        return None;
    }
    // Without a file, the number of given axes determines the geometry.
    let written = matches!(resource.source, TexelSource::Zeros | TexelSource::Inline(_));
    if written && resource.shape.geometry.is_none() {
        resource.shape.dims = resource.shape.dims.or(Some(resource.shape.extent.dims));
    }
    Some(SurfaceSpec { at, resource, part, handle })
}

/// Parses the handle by which kernels refer to the object.
pub(super) fn handle(table: &Table<'_>) -> Option<u64> {
    table.get("handle").and_then(|v| memory::address(&v)).map(|at| at.value)
}

fn is_one_part(table: &Table<'_>, resource: &ResourceSpec, part: &PartSpec, what: &str) -> bool {
    // A view of a mipmapped array is applied before the key `level`, which selects a level of the
    // view.
    let both = !matches!(resource.source, TexelSource::Array(_))
        && resource.shape.view.is_some()
        && (part.level.is_some() || part.layer.is_some());
    if both {
        let message = format!("a {what} has either a `view`, or a `level` and a `layer`");
        table.problem(codes::CONFLICT, message);
    }
    !both
}
