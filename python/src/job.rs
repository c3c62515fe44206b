//! Textures and surfaces as objects of a job file (docs/jobs.md): what `texunit.distributed.launch` sends to workers.

use crate::error::OrRaise;
use crate::surface::Surface;
use crate::texture::Texture;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use texunit_sample::SampleError;
use texunit_unit::{ArrayShape, ReadMode, Resource, Sampler};

/// The keys of a texture in a job but for the file, and the texels that the file has.
#[pyfunction]
pub(crate) fn texture_job<'py>(
    py: Python<'py>,
    texture: &Texture,
) -> (String, Bound<'py, PyBytes>) {
    let made = texture.made();
    let header = made.header();
    let read = match header.read_mode {
        ReadMode::Element => "element",
        ReadMode::NormalizedFloat => "normalized",
    };
    let keys = format!(
        "{}, read = \"{read}\", normalized = {}, {}",
        shape_keys(made.resource()),
        header.normalized_coords,
        sampler_keys(made.sampler())
    );
    (keys, PyBytes::new(py, &made.resource().to_packed()))
}

/// Likewise of a surface.
#[pyfunction]
pub(crate) fn surface_job<'py>(
    py: Python<'py>,
    surface: &Surface,
) -> (String, Bound<'py, PyBytes>) {
    let resource = surface.made().resource();
    (shape_keys(resource), PyBytes::new(py, &resource.to_packed()))
}

/// Writes all texels of a surface, as `surface_job` has them.
#[pyfunction]
pub(crate) fn fill_surface(surface: &Surface, texels: &[u8]) -> PyResult<()> {
    surface.made().resource().fill_packed(texels).map_err(SampleError::from).or_raise()
}

fn shape_keys(resource: &Resource) -> String {
    let ArrayShape { format, geometry, extent, layers, levels, samples } = *resource.shape();
    let mut keys = format!("format = \"{format}\", geometry = \"{geometry}\"");
    let sizes = [("width", extent.width), ("height", extent.height), ("depth", extent.depth)];
    for (key, size) in &sizes[..geometry.axes()] {
        keys += &format!(", {key} = {size}");
    }
    if geometry.is_array() {
        keys += &format!(", layers = {layers}");
    }
    if let Some(levels) = levels {
        keys += &format!(", levels = {levels}");
    }
    if geometry.is_multisample() {
        keys += &format!(", samples = {samples}");
    }
    keys
}

fn sampler_keys(sampler: &Sampler) -> String {
    let [x, y, z] = sampler.address_mode.map(|mode| mode.name());
    // The bits: decimal digits would lose a NaN's.
    let bits = |bits: u32| format!("\"{bits:#010x}\"");
    let [r, g, b, a] = sampler.border.map(bits);
    format!(
        "filter = \"{}\", mip_filter = \"{}\", address = [\"{x}\", \"{y}\", \"{z}\"], border = [{r}, {g}, {b}, {a}], \
         min_level_clamp = {}, max_level_clamp = {}, level_bias = {}, max_anisotropy = {}, srgb = {}, \
         seamless_cube = {}, compare = \"{}\"",
        sampler.filter.name(),
        sampler.mip_filter.name(),
        bits(sampler.min_level_clamp.to_bits()),
        bits(sampler.max_level_clamp.to_bits()),
        bits(sampler.level_bias.to_bits()),
        sampler.max_anisotropy,
        sampler.srgb,
        sampler.seamless_cube,
        sampler.compare.map_or("none", |compare| compare.name()),
    )
}
