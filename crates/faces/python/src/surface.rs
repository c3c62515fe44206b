//! The class `texunit.Surface`, which reads, writes and combines texels.

use crate::array::{InputArray, Out, numpy};
use crate::error::OrRaise;
use crate::operands::{Vectors, held};
use crate::options::{array_options, texture_options};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use texunit_sample::{Surface as Made, SurfaceCoordinates};
use texunit_unit::{ClampMode, ReduceOp};

/// A surface on a copy of an array, whose texels can be read, written and combined (rules F1 to F5
/// of docs/python-conventions.md). Coordinates are integers in texels, x first: (..., 2) for a 2D
/// surface.
///
/// >>> import numpy, texunit
/// >>> surface = texunit.Surface(numpy.zeros((2, 3), "uint32"))
/// >>> surface.write(numpy.array([[0, 0], [2, 1]]), numpy.array([7, 8], "uint32"))
/// >>> surface.reduce("add", (2, 1), 1)
/// >>> surface.to_array().tolist(), surface.read((2, 1))
/// ([[7, 0, 0], [0, 0, 9]], np.uint32(9))
#[pyclass(frozen, module = "texunit")]
pub(crate) struct Surface {
    made: Made,
}

type Object<'py> = Bound<'py, PyAny>;

/// The coordinates of a surface access with layer and boundary mode, kept alive.
struct At {
    points: Vectors,
    layer: Option<InputArray>,
    boundary: ClampMode,
}

impl At {
    fn new(ij: &Object<'_>, layer: Option<&Object<'_>>, boundary: &str) -> PyResult<Self> {
        let boundary = ClampMode::from_name(boundary)
            .ok_or_else(|| PyValueError::new_err("boundary: trap, clamp or zero"))?;
        Ok(Self { points: Vectors::of("coordinates", ij)?, layer: held("layer", layer)?, boundary })
    }

    fn places(&self) -> PyResult<SurfaceCoordinates<'_>> {
        let layer = self.layer.as_ref().map(InputArray::input).transpose()?;
        Ok(SurfaceCoordinates { points: self.points.points()?, layer, boundary: self.boundary })
    }
}

impl Surface {
    /// The surface as `texunit-sample` has created it.
    pub(crate) fn made(&self) -> &Made {
        &self.made
    }

    /// Converts an object to the values of a write. Python numbers are converted to the surface's
    /// type, except floats for integers.
    fn values(&self, values: &Object<'_>) -> PyResult<InputArray> {
        let held = InputArray::of("values", values)?;
        if !held.converts_to(self.made.dtype()) {
            return Ok(held);
        }
        let array = numpy(values.py(), "asarray")?.call1((values, self.made.dtype().name()))?;
        InputArray::of("values", &array)
    }
}

#[pymethods]
impl Surface {
    #[new]
    #[pyo3(signature = (array, **keywords))]
    fn new(array: Object<'_>, keywords: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = array_options(keywords.as_ref())?;
        // Keywords that are left are unknown to surfaces, so that they are reported as errors.
        if keywords.as_ref().is_some_and(|left| !left.is_empty()) {
            texture_options(keywords.as_ref())?;
            return Err(pyo3::exceptions::PyTypeError::new_err("a surface has no sampler state"));
        }
        let held = InputArray::of("array", &array)?;
        Ok(Self { made: Made::new(&held.input()?, &options).or_raise()? })
    }

    /// Reads texels as they are stored.
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
        let (places, bytes) = (at.places()?, out.bytes());
        ij.py().detach(|| self.made.read(places, bytes)).or_raise()?;
        out.finish()
    }

    /// Writes values in C order: of two writes to a texel, the later one takes effect.
    #[pyo3(signature = (ij, values, *, layer=None, boundary="trap"))]
    fn write(
        &self,
        ij: Object<'_>,
        values: Object<'_>,
        layer: Option<Object<'_>>,
        boundary: &str,
    ) -> PyResult<()> {
        let (at, values) = (At::new(&ij, layer.as_ref(), boundary)?, self.values(&values)?);
        let (places, values) = (at.places()?, values.input()?);
        ij.py().detach(|| self.made.write(places, &values)).or_raise()
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
        let (places, values) = (at.places()?, values.input()?);
        ij.py().detach(|| self.made.reduce(op, places, &values)).or_raise()
    }

    /// Pickling: the texels as an array, and the meaning of its axes.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let resource = self.made.resource();
        let (geometry, keywords) = (resource.geometry(), PyDict::new(py));
        keywords.set_item("dim", geometry.axes())?;
        keywords.set_item("layered", geometry.name().starts_with('a'))?;
        keywords.set_item("cube", geometry.is_cube())?;
        keywords.set_item("format", resource.format().name())?;
        Ok((PyTuple::new(py, [self.to_array(py)?])?, keywords))
    }

    /// The geometry as in PTX: ``2d``, ``acube``, ...
    #[getter]
    fn geometry(&self) -> &'static str {
        self.made.resource().geometry().name()
    }

    /// The format of texels: ``u8x4``, ``f32``, ...
    #[getter]
    fn format(&self) -> &'static str {
        self.made.resource().format().name()
    }

    /// A copy of all texels as an array.
    fn to_array<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let mut out = Out::new(py, None, &self.made.shape(), self.made.dtype())?;
        self.made.resource().read_packed(out.bytes());
        out.finish()
    }

    fn __repr__(&self) -> String {
        format!("<texunit.Surface: {}>", self.made.resource().describe())
    }
}
