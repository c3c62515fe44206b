//! The class `texunit.Explanation`, which has the steps of a fetch as text, dictionary and picture.

use pyo3::prelude::*;

/// The explanation of one fetch: ``print`` shows the steps, a notebook shows the picture.
#[pyclass(frozen, module = "texunit")]
pub(crate) struct Explanation {
    pub(crate) text: String,
    pub(crate) json: String,
    pub(crate) svg: String,
}

#[pymethods]
impl Explanation {
    fn __repr__(&self) -> &str {
        &self.text
    }

    /// All steps of the fetch as a dictionary; bits are strings of eight hexadecimal digits.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.json,))
    }

    /// The explanation as a picture, in SVG.
    #[getter]
    fn svg(&self) -> &str {
        &self.svg
    }

    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    fn _repr_html_(&self) -> String {
        let text = self.text.replace('&', "&amp;").replace('<', "&lt;");
        format!("{}<pre>{text}</pre>", self.svg)
    }
}
