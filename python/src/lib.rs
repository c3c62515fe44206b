//! The compiled part of the Python package `texunit`: textures and surfaces on arrays, by the conventions of
//! docs/python-conventions.md. What is fetched, and which rules hold, is the business of `texunit-sample`; here
//! objects of Python become its arrays, and back.

mod array;
mod error;
mod explanation;
mod job;
mod operands;
mod options;
mod surface;
mod texture;

use pyo3::prelude::*;

/// What `texunit/__init__.py` takes from here.
#[pymodule]
mod _texunit {
    use super::*;

    #[pymodule_export]
    use super::explanation::Explanation;
    #[pymodule_export]
    use super::job::{fill_surface, surface_job, texture_job};
    #[pymodule_export]
    use super::surface::Surface;
    #[pymodule_export]
    use super::texture::Texture;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
