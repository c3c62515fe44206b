//! Converts the Python operands of fetches to inputs of `texunit-sample`, and keeps them alive
//! while they are read; splits long calls, so that progress is reported and signals are handled
//! during a call.

use crate::array::InputArray;
use crate::error::{OrRaise, unconverted};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
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

/// The operands of one call, whose arrays are kept alive.
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
    /// The array for the results, if the caller has given one.
    pub(crate) out: Option<Py<PyAny>>,
    pub(crate) threads: usize,
    pub(crate) progress: Option<Py<PyAny>>,
}

/// The keyword arguments of `sample`. Methods that explain a fetch take the first few of them.
pub(crate) const OF_SAMPLES: [&str; 9] =
    ["lod", "grad", "layer", "offset", "compare", "dtype", "strict", "out", "threads"];

/// Maximum number of threads of a call.
const MAX_THREADS: usize = 1024;

/// Converts an optional operand to an array that is kept alive.
pub(crate) fn held(what: &str, object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<InputArray>> {
    object.map(|object| InputArray::of(what, object)).transpose()
}

impl Operands {
    /// The operands of a method, from its coordinates and those keywords of `names` that the caller
    /// has given.
    pub(crate) fn new(
        (method, names): (&str, &[&str]),
        (action, points): (Action, Vectors),
        keywords: Option<&Bound<'_, PyDict>>,
        texture: &Texture,
    ) -> PyResult<Self> {
        let mut operands = Self {
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
            out: None,
            threads: 1,
            progress: None,
        };
        for (key, value) in keywords.into_iter().flatten() {
            let key: String = key.extract()?;
            if !names.contains(&key.as_str()) {
                return Err(PyTypeError::new_err(format!(
                    "{method}() got an unexpected keyword argument '{key}'"
                )));
            }
            if value.is_none() && !matches!(key.as_str(), "strict" | "threads") {
                continue;
            }
            let named = |e: PyErr| unconverted(&key, &value, &e);
            match key.as_str() {
                "lod" => operands.lod = Some(InputArray::of("lod", &value)?),
                "layer" => operands.layer = Some(InputArray::of("layer", &value)?),
                "sample" => operands.sample = Some(InputArray::of("sample", &value)?),
                "compare" => operands.compare = Some(InputArray::of("compare", &value)?),
                "offset" => operands.offset = Some(Vectors::of("offset", &value)?),
                "grad" => operands.grad = Some(gradients(&value)?),
                "dtype" => operands.half = is_half(texture, &value)?,
                "strict" => operands.strict = value.extract().map_err(named)?,
                "threads" => operands.threads = value.extract().map_err(named)?,
                "out" => operands.out = Some(value.unbind()),
                _ => operands.progress = Some(value.unbind()),
            }
        }
        match operands.threads {
            0..=MAX_THREADS => Ok(operands),
            _ => Err(PyValueError::new_err("threads: a number from 0 to 1024")),
        }
    }

    /// The call of `texunit-sample` with these operands.
    pub(crate) fn call(&self, texture: &Texture) -> PyResult<Call<'_>> {
        let request = Request {
            lod: self.lod.as_ref().map(InputArray::input).transpose()?,
            grad: match &self.grad {
                Some([x, y]) => Some([x.points()?, y.points()?]),
                None => None,
            },
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

/// The operand `grad=(ddx, ddy)`.
fn gradients(grad: &Bound<'_, PyAny>) -> PyResult<[Vectors; 2]> {
    let two = grad.cast::<PyTuple>().ok().filter(|tuple| tuple.len() == 2);
    let two =
        two.ok_or_else(|| PyTypeError::new_err("grad: a tuple of two is expected, (ddx, ddy)"))?;
    let part = |n| Vectors::of("grad", &two.get_item(n)?);
    Ok([part(0)?, part(1)?])
}

/// Whether the result type `dtype`, given by name or as a NumPy type, is float16.
fn is_half(texture: &Texture, dtype: &Bound<'_, PyAny>) -> PyResult<bool> {
    let name = match dtype.extract::<String>() {
        Ok(name) => name,
        Err(_) => dtype.getattr("name").or_else(|_| dtype.getattr("__name__"))?.extract()?,
    };
    let usual = texture.result().1.name();
    match name.as_str() {
        "float16" => Ok(true),
        name if name == usual => Ok(false),
        _ => Err(PyValueError::new_err(format!(
            "dtype: the results are {usual}, or float16 of floats"
        ))),
    }
}

/// Number of fetches in a batch.
const PART: usize = 1 << 20;

/// Makes the fetches of a call, a limited number at a time. After each batch, signals are handled
/// and `progress` (a function, a tqdm bar or `True`) is updated.
pub(crate) fn in_parts(
    call: &Call<'_>,
    bytes: &mut [u8],
    threads: usize,
    progress: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (py, total) = (progress.py(), call.fetches());
    let size = call.byte_size() / total.max(1);
    let manager = py.import("texunit._progress")?.call_method1("callback", (progress, "fetch"))?;
    let tell = manager.call_method0("__enter__")?;
    let mut parts = bytes.chunks_mut((PART * size).max(1)).enumerate();
    let done = parts.try_for_each(|(part, out)| -> PyResult<()> {
        let first = part * PART;
        py.detach(|| call.run_from(first, out, threads)).or_raise()?;
        py.check_signals()?;
        match tell.is_none() {
            true => Ok(()),
            false => tell.call1((first + out.len() / size, total)).map(drop),
        }
    });
    // A progress bar that was created here is closed even after an error.
    manager.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    done
}
