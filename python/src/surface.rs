//! `texunit.Surface`.

use crate::array::{Held, Out, numpy};
use crate::error::OrRaise;
use crate::operands::{Vectors, held};
use crate::options::{array_options, texture_options};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use texunit_sample::{Places, Surface as Made};
use texunit_unit::{ClampMode, ReduceOp};

/// A surface on a copy of an array: texels that are read, written and combined in place (F1 to F5 of
/// docs/python-conventions.md).
#[pyclass(frozen, module = "texunit")]
pub(crate) struct Surface {
    made: Made,
}

type Object<'py> = Bound<'py, PyAny>;

/// Operands of an access, held.
struct At {
    points: Vectors,
    layer: Option<Held>,
    boundary: ClampMode,
}

impl At {
    fn new(ij: &Object<'_>, layer: Option<&Object<'_>>, boundary: &str) -> PyResult<Self> {
        let mode = ClampMode::from_name(boundary);
        let boundary =
            mode.ok_or_else(|| PyValueError::new_err("boundary: trap, clamp or zero"))?;
        Ok(Self { points: Vectors::of("coordinates", ij)?, layer: held("layer", layer)?, boundary })
    }

    fn places(&self) -> PyResult<Places<'_>> {
        let layer = self.layer.as_ref().map(Held::input).transpose()?;
        Ok(Places { points: self.points.points()?, layer, boundary: self.boundary })
    }
}

impl Surface {
    /// The texels.
    pub(crate) fn made(&self) -> &Made {
        &self.made
    }

    /// Values, of which numbers of Python become the surface's type.
    fn values(&self, values: &Object<'_>) -> PyResult<Held> {
        let held = Held::of("values", values)?;
        if !held.is_weak() {
            return Ok(held);
        }
        let array = numpy(values.py(), "asarray")?.call1((values, self.made.dtype().name()))?;
        Held::of("values", &array)
    }
}

#[pymethods]
impl Surface {
    #[new]
    #[pyo3(signature = (array, **keywords))]
    fn new(array: Object<'_>, keywords: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = array_options(keywords.as_ref())?;
        // What is left are words that surfaces do not have.
        if keywords.as_ref().is_some_and(|left| !left.is_empty()) {
            texture_options(keywords.as_ref())?;
            return Err(pyo3::exceptions::PyTypeError::new_err("a surface has no sampler state"));
        }
        let held = Held::of("array", &array)?;
        Ok(Self { made: Made::new(&held.input()?, &options).or_raise()? })
    }

    /// Texels as they are stored.
    #[pyo3(signature = (ij, *, layer=None, boundary="trap", out=None))]
    fn read<'py>(
        &self,
        ij: Object<'py>,
        layer: Option<Object<'py>>,
        boundary: &str,
        out: Option<Object<'py>>,
    ) -> PyResult<Object<'py>> {
        let at = At::new(&ij, layer.as_ref(), boundary)?;
        let shape = self.made.read_shape(&at.places()?).or_raise()?;
        let mut out = Out::new(ij.py(), out, &shape, self.made.dtype())?;
        self.made.read(at.places()?, out.bytes()).or_raise()?;
        out.finish()
    }

    /// Stores values, in C order: of two for one texel the later stays.
    #[pyo3(signature = (ij, values, *, layer=None, boundary="trap"))]
    fn write(
        &self,
        ij: Object<'_>,
        values: Object<'_>,
        layer: Option<Object<'_>>,
        boundary: &str,
    ) -> PyResult<()> {
        let (at, values) = (At::new(&ij, layer.as_ref(), boundary)?, self.values(&values)?);
        self.made.write(at.places()?, &values.input()?).or_raise()
    }

    /// Combines values with texels: ``add``, ``min``, ``max``, ``and``, ``or``.
    #[pyo3(signature = (op, ij, values, *, layer=None, boundary="trap"))]
    fn reduce(
        &self,
        op: &str,
        ij: Object<'_>,
        values: Object<'_>,
        layer: Option<Object<'_>>,
        boundary: &str,
    ) -> PyResult<()> {
        let op = ReduceOp::from_name(op);
        let op = op.ok_or_else(|| PyValueError::new_err("op: add, min, max, and, or"))?;
        let (at, values) = (At::new(&ij, layer.as_ref(), boundary)?, self.values(&values)?);
        self.made.reduce(op, at.places()?, &values.input()?).or_raise()
    }

    /// All texels as an array: a copy.
    fn to_array<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let mut out = Out::new(py, None, &self.made.shape(), self.made.dtype())?;
        out.bytes().copy_from_slice(&self.made.resource().to_packed());
        out.finish()
    }

    fn __repr__(&self) -> String {
        format!("<texunit.Surface: {}>", self.made.resource().describe())
    }
}
