//! The compiled part of the Python package `texunit`.

use pyo3::prelude::*;

/// What `texunit/__init__.py` takes from here.
#[pymodule]
mod _texunit {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
