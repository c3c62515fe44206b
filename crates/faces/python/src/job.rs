//! Textures and surfaces as objects of a job file (docs/jobs.md), which
//! `texunit.distributed.launch` sends to workers.

use crate::error::OrRaise;
use crate::surface::Surface;
use crate::texture::Texture;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use texunit_sample::SampleError;
use texunit_spec::write;
use texunit_unit::Resource;

/// A texture as the keys of a job's object, without the key of its file, and the texels that the
/// file must contain.
#[pyfunction]
pub(crate) fn texture_job<'py>(
    py: Python<'py>,
    texture: &Texture,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let made = texture.made();
    let header = made.header();
    let state = write::texture(header.read_mode, header.normalized_coords, made.sampler());
    let shape = write::shape(made.resource().shape());
    let keys = format!("{}, {}", write::inline(&shape), write::inline(&state));
    Ok((keys, packed(py, made.resource())?))
}

/// A surface as the keys of a job's object, without the key of its file, and the texels that the
/// file must contain.
#[pyfunction]
pub(crate) fn surface_job<'py>(
    py: Python<'py>,
    surface: &Surface,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let resource = surface.made().resource();
    Ok((write::inline(&write::shape(resource.shape())), packed(py, resource)?))
}

/// The packed texels of a resource; an error if memory is exhausted.
fn packed<'py>(py: Python<'py>, resource: &Resource) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, resource.size_in_bytes() as usize, |bytes| {
        resource.read_packed(bytes);
        Ok(())
    })
}

/// Writes all texels of a surface, in the layout of `surface_job`.
#[pyfunction]
pub(crate) fn fill_surface(surface: &Surface, texels: &[u8]) -> PyResult<()> {
    surface.made().resource().fill_packed(texels).map_err(SampleError::from).or_raise()
}
