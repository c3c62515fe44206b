//! The compiled part of the Python package `texunit`: textures and surfaces on arrays, by the
//! conventions of docs/python-conventions.md.
//!
//! This crate converts between Python objects and the arrays of `texunit-sample`, which implements
//! fetches and their rules. PTX modules and launches come from `texunit-device`, checks and
//! coverage from the crates of that name.

mod array;
mod check;
mod coverage;
mod descriptor;
mod error;
mod explanation;
mod inspect;
mod job;
mod launch;
mod operands;
mod options;
mod program;
mod surface;
mod texture;

use pyo3::prelude::*;

/// The compiled module `texunit._texunit`, from which `texunit/__init__.py` imports.
#[pymodule]
mod _texunit {
    use super::*;

    #[pymodule_export]
    use super::check::{_check, _with_sources};
    #[pymodule_export]
    use super::coverage::Coverage;
    #[pymodule_export]
    use super::explanation::Explanation;
    #[pymodule_export]
    use super::inspect::_inspect;
    #[pymodule_export]
    use super::job::{fill_surface, surface_job, texture_job};
    #[pymodule_export]
    use super::program::Program;
    #[pymodule_export]
    use super::surface::Surface;
    #[pymodule_export]
    use super::texture::Texture;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
