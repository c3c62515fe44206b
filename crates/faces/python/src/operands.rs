//! Converts the Python operands of fetches to inputs of `texunit-sample`, and keeps them alive
//! while they are read.

use crate::array::InputArray;
use crate::error::OrRaise;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use texunit_sample::{Action, Call, Points, Request, Texture};

/// Vector operands, which are coordinates, offsets or gradients: one array with an axis of
/// components, or an array for each component (rules C1 and C2).
pub(crate) enum Vectors {
    Array(InputArray),
    Separate(Vec<InputArray>),
}

impl Vectors {
    /// Converts an object to vectors. A tuple has an array for each axis.
    pub(crate) fn of(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(tuple) = object.cast::<PyTuple>() else {
            return Ok(Self::Array(InputArray::of(what, object)?));
        };
        let all = tuple.iter().map(|item| InputArray::of(what, &item));
        Ok(Self::Separate(all.collect::<PyResult<_>>()?))
    }

    pub(crate) fn points(&self) -> PyResult<Points<'_>> {
        Ok(match self {
            Self::Array(held) => Points::Array(held.input()?),
            Self::Separate(all) => {
                Points::Separate(all.iter().map(InputArray::input).collect::<PyResult<_>>()?)
            }
        })
    }
}

/// The operands of one call, kept alive.
pub(crate) struct Operands {
    pub(crate) action: Action,
    pub(crate) points: Vectors,
    pub(crate) lod: Option<InputArray>,
    pub(crate) grad: Option<[Vectors; 2]>,
    pub(crate) layer: Option<InputArray>,
    pub(crate) sample: Option<InputArray>,
    pub(crate) offset: Option<Vectors>,
    pub(crate) compare: Option<InputArray>,
    pub(crate) half: bool,
    pub(crate) strict: bool,
}

type OptionalObject<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Converts an optional operand to an array that is kept alive.
pub(crate) fn held(what: &str, object: OptionalObject<'_, '_>) -> PyResult<Option<InputArray>> {
    object.map(|object| InputArray::of(what, object)).transpose()
}

impl Operands {
    pub(crate) fn new(action: Action, points: Vectors) -> Self {
        Self {
            action,
            points,
            lod: None,
            grad: None,
            layer: None,
            sample: None,
            offset: None,
            compare: None,
            half: false,
            strict: false,
        }
    }

    /// Adds the operand `grad=(ddx, ddy)`.
    pub(crate) fn with_grad(mut self, grad: OptionalObject<'_, '_>) -> PyResult<Self> {
        let Some(grad) = grad else { return Ok(self) };
        let two = grad.cast::<PyTuple>().ok().filter(|tuple| tuple.len() == 2);
        let two = two
            .ok_or_else(|| PyTypeError::new_err("grad: a tuple of two is expected, (ddx, ddy)"))?;
        self.grad = Some([
            Vectors::of("grad", &two.get_item(0)?)?,
            Vectors::of("grad", &two.get_item(1)?)?,
        ]);
        Ok(self)
    }

    pub(crate) fn with_offset(mut self, offset: OptionalObject<'_, '_>) -> PyResult<Self> {
        self.offset = offset.map(|offset| Vectors::of("offset", offset)).transpose()?;
        Ok(self)
    }

    /// Adds the result type `dtype="float16"`, given by name or as a NumPy type.
    pub(crate) fn with_dtype(
        mut self,
        texture: &Texture,
        dtype: OptionalObject<'_, '_>,
    ) -> PyResult<Self> {
        let Some(dtype) = dtype else { return Ok(self) };
        let name = match dtype.extract::<String>() {
            Ok(name) => name,
            Err(_) => dtype.getattr("name").or_else(|_| dtype.getattr("__name__"))?.extract()?,
        };
        let usual = texture.result().1.name();
        self.half = match name.as_str() {
            "float16" => true,
            name if name == usual => false,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "dtype: the results are {usual}, or float16 of floats"
                )));
            }
        };
        Ok(self)
    }

    /// The call of `texunit-sample` with these operands.
    pub(crate) fn call(&self, texture: &Texture) -> PyResult<Call<'_>> {
        let grad = match &self.grad {
            Some([x, y]) => Some([x.points()?, y.points()?]),
            None => None,
        };
        let request = Request {
            lod: self.lod.as_ref().map(InputArray::input).transpose()?,
            grad,
            layer: self.layer.as_ref().map(InputArray::input).transpose()?,
            sample: self.sample.as_ref().map(InputArray::input).transpose()?,
            offset: self.offset.as_ref().map(Vectors::points).transpose()?,
            compare: self.compare.as_ref().map(InputArray::input).transpose()?,
            half: self.half,
            strict: self.strict,
            ..Request::new(self.action, self.points.points()?)
        };
        texture.call(request).or_raise()
    }
}
