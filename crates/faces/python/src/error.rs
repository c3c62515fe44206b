//! Converts errors of the crates to Python exceptions.

use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use texunit_files::Problem;
use texunit_sample::{ErrorKind, SampleError};

/// The `TypeError` or `ValueError` for an error, whose message names the violated rule.
pub(crate) fn error(error: SampleError) -> PyErr {
    let text = error.to_string();
    match (&error, error.kind()) {
        (SampleError::File(file), _) if matches!(file.problem, Problem::Missing) => {
            PyFileNotFoundError::new_err(text)
        }
        (_, ErrorKind::Type) => PyTypeError::new_err(text),
        (_, ErrorKind::Value) => PyValueError::new_err(text),
        (_, ErrorKind::Memory) => PyMemoryError::new_err(text),
    }
}

/// The `ValueError` for an error of the device or of a text.
pub(crate) fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The exception for an argument that PyO3 could not convert: a `ValueError` for a number out of
/// range, for which PyO3 raises an `OverflowError`, and otherwise a `TypeError`.
pub(crate) fn unconverted(what: &str, value: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let py = value.py();
    let text = format!("argument '{what}': {}", error.value(py));
    match error.is_instance_of::<PyOverflowError>(py) {
        true => PyValueError::new_err(text),
        false => PyTypeError::new_err(text),
    }
}

/// Converts the errors of results of the crate `texunit-sample` to Python exceptions.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, SampleError> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(error)
    }
}
