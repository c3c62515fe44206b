//! The class `texunit.Coverage`, which sums up the coverage of launches.

use crate::error::value_error;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_coverage::lcov;
use texunit_forms::Count;

/// Coverage of device code: which lines, functions and branches of the source lanes have executed,
/// and how often. It is the sum over all launches that it is passed to, ``kernel[grid, block](...,
/// coverage=coverage)``. CUDA's headers are excluded unless ``toolkit`` is true.
///
/// >>> import texunit
/// >>> coverage = texunit.Coverage()
/// >>> coverage.files, coverage.lcov()
/// ({}, '')
#[pyclass(frozen, module = "texunit")]
#[derive(Default)]
pub(crate) struct Coverage {
    sum: Mutex<texunit_coverage::Coverage>,
    toolkit: bool,
}

impl Coverage {
    fn sum(&self) -> MutexGuard<'_, texunit_coverage::Coverage> {
        self.sum.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, other: &texunit_coverage::Coverage) {
        let mut other = other.clone();
        if !self.toolkit {
            other.leave_out_toolkit();
        }
        self.sum().add(&other);
    }
}

#[pymethods]
impl Coverage {
    #[new]
    #[pyo3(signature = (*, toolkit = false))]
    fn new(toolkit: bool) -> Self {
        Self { sum: Mutex::default(), toolkit }
    }

    /// The coverage in an lcov tracefile. Invalid lines raise ``ValueError``.
    #[classmethod]
    fn parse(_: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let sum = lcov::parse(text).map_err(value_error)?;
        Ok(Self { sum: Mutex::new(sum), toolkit: true })
    }

    /// The coverage by source file name: ``lines`` (lanes by line), ``functions`` (name: line,
    /// lanes) and ``branches`` (line, lanes by direction).
    #[getter]
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, file) in &self.sum().files {
            let (one, lines, functions) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
            for (line, lanes) in &file.lines {
                lines.set_item(line, lanes)?;
            }
            for (name, function) in &file.functions {
                functions.set_item(name, (function.line, function.lanes))?;
            }
            let branches = file.branches.iter().map(|(key, ways)| (key.line, ways.clone()));
            one.set_item("lines", lines)?;
            one.set_item("functions", functions)?;
            one.set_item("branches", PyList::new(py, branches.collect::<Vec<_>>())?)?;
            all.set_item(name, one)?;
        }
        Ok(all)
    }

    /// The text of an lcov tracefile, which genhtml and coverage services read.
    fn lcov(&self) -> String {
        lcov::text(&self.sum())
    }

    /// Writes the coverage to an lcov tracefile.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        Ok(lcov::write(&path, &self.sum())?)
    }

    fn __add__(&self, other: &Bound<'_, Self>) -> Self {
        let sum = Self { sum: Mutex::new(self.sum().clone()), toolkit: true };
        let other = other.get().sum().clone();
        sum.add(&other);
        sum
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, text) = (slf.py(), slf.get().lcov());
        PyTuple::new(py, [slf.get_type().getattr("parse")?, PyTuple::new(py, [text])?.into_any()])
    }

    fn __repr__(&self) -> String {
        let sum = self.sum();
        let (mut lines, mut hit) = (0, 0);
        for file in sum.files.values() {
            lines += file.lines.len();
            hit += file.lines.values().filter(|&&lanes| lanes > 0).count();
        }
        format!("<texunit.Coverage: {hit} of {}>", Count(lines, "line"))
    }
}
