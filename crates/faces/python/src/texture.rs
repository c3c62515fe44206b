//! The class `texunit.Texture`, which samples a texture on an array.

use crate::array::{InputArray, Keeper, Out, shared};
use crate::descriptor::{Described, described, merge};
use crate::error::{OrRaise, error, unconverted};
use crate::explanation::Explanation;
use crate::operands::{OF_SAMPLES, Operands, Vectors, in_parts};
use crate::options::{array_options, copy_option, texture_options};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;
use texunit_sample::{Action, ArrayOptions, PointResult, Texture as Made};
use texunit_unit::{CoordType, FetchForm, FetchKind, Lod};

/// A texture on an array, sampled bit for bit as by NVIDIA's texture unit.
///
/// ``array`` is any object with a buffer, ``__array_interface__`` or DLPack, or a list of such
/// objects, one for each mip level; rules A1 to A16 of docs/python-conventions.md define its axes.
/// Keywords: ``dim``, ``layered``, ``cube``, ``multisample``, ``format``, ``size``, ``mipmaps``,
/// and the sampling state with the names of ``cuda.core`` or short ones: ``filter="linear"``,
/// ``address="wrap"``, ``read="normalized"``, ``normalized_coords=True``; ``options`` is an object
/// with these as attributes, like ``TextureObjectOptions``. ``copy=False`` shares the array's
/// memory, ``copy=None`` shares it if possible. Errors are ``TypeError`` and ``ValueError`` with
/// the rule.
///
/// >>> import numpy, texunit
/// >>> tex = texunit.Texture(numpy.array([[0, 1], [2, 3]], "float32"), filter="linear")
/// >>> tex(1.0, 1.0), tex.sample(numpy.array([[0.5, 0.5], [1.5, 1.25]], "float32")).tolist()
/// (np.float32(1.5), [0.0, 2.5])
#[pyclass(frozen, module = "texunit")]
pub(crate) struct Texture {
    made: Made,
    /// The keywords as the caller has given them, for pickling.
    keywords: Option<Py<PyDict>>,
    /// The memory descriptor that the texture was created from, for pickling.
    source: Option<Py<PyAny>>,
    /// The keeper of the memory, if the texture shares the memory of an array. It is dropped after
    /// the texture.
    keeper: Option<Keeper>,
}

/// Number of fetches from which the GIL is released; for fewer, releasing it takes longer.
const WORTH_DETACHING: usize = 256;

type Object<'py> = Bound<'py, PyAny>;

/// An operand that the caller may omit.
type OptionalObject<'py> = Option<Object<'py>>;

/// The keywords that the caller has given.
type Keywords<'a, 'py> = &'a Bound<'py, PyDict>;

/// The arrays of all mip levels: a list of arrays is a list of levels; a list of numbers, or of
/// lists of numbers, is one array.
fn levels(array: &Object<'_>) -> PyResult<Vec<InputArray>> {
    let is_number =
        |item: &Object<'_>| item.is_instance_of::<PyList>() || item.extract::<f64>().is_ok();
    match array.cast::<PyList>().ok().filter(|list| list.iter().any(|item| !is_number(&item))) {
        Some(levels) => levels.iter().map(|level| InputArray::of("array", &level)).collect(),
        None => Ok(vec![InputArray::of("array", array)?]),
    }
}

/// Converts coordinates with an object for each axis.
fn separate<'py>(
    x: Object<'py>,
    y: OptionalObject<'py>,
    z: OptionalObject<'py>,
) -> PyResult<Vectors> {
    let all = [Some(x), y, z].into_iter().flatten();
    let all = all.map(|object| InputArray::of("coordinates", &object));
    Ok(Vectors::Separate(all.collect::<PyResult<_>>()?))
}

/// The value of a coordinate that is a Python number (rule C5); `None` for other objects.
fn number(object: &Object<'_>) -> Option<f32> {
    if let Ok(float) = object.cast_exact::<PyFloat>() {
        return Some(float.value() as f32);
    }
    // Larger numbers are left to the general path, which reports an error.
    object.is_exact_instance_of::<PyInt>().then(|| object.extract::<i64>().ok())?.map(|n| n as f32)
}

impl Texture {
    /// The texture as `texunit-sample` has created it.
    pub(crate) fn made(&self) -> &Made {
        &self.made
    }

    fn run<'py>(&self, py: Python<'py>, operands: &Operands) -> PyResult<Object<'py>> {
        let call = operands.call(&self.made)?;
        let out = operands.out.as_ref().map(|out| out.bind(py).clone());
        let mut out = Out::new(py, out, call.shape(), call.dtype())?;
        let (bytes, threads) = (out.bytes(), operands.threads);
        if let Some(progress) = &operands.progress {
            in_parts(&call, bytes, threads, progress.bind(py))?;
        } else if call.fetches() < WORTH_DETACHING {
            call.run(bytes, 1).or_raise()?;
        } else {
            py.detach(|| call.run(bytes, threads)).or_raise()?;
        }
        out.finish()
    }

    /// Samples at a point of Python numbers, without allocating arrays; `None` if a coordinate is
    /// another object.
    fn at_numbers<'py>(
        &self,
        axes: [Option<&Object<'py>>; 3],
        py: Python<'py>,
    ) -> PyResult<OptionalObject<'py>> {
        let (mut point, mut count) = ([0.0; 3], 0);
        for axis in axes.into_iter().flatten() {
            let Some(x) = number(axis) else { return Ok(None) };
            point[count] = x;
            count += 1;
        }
        let Some(found) = self.made.sample_point(&point[..count]) else { return Ok(None) };
        let PointResult { registers, channels, dtype } = found;
        let shape = if channels == 1 { &[][..] } else { &[channels][..] };
        let mut out = Out::new(py, None, shape, dtype)?;
        for (element, word) in out.bytes().chunks_exact_mut(dtype.size()).zip(registers) {
            element.copy_from_slice(&word.to_le_bytes()[..dtype.size()]);
        }
        out.finish().map(Some)
    }

    /// The instruction by which a method of this name fetches.
    fn form(&self, method: &str) -> PyResult<FetchForm> {
        let (kind, coord) = match method {
            "sample" => (FetchKind::Sample(Lod::Implicit), CoordType::F32),
            "lod" => (FetchKind::Sample(Lod::Level), CoordType::F32),
            "grad" => (FetchKind::Sample(Lod::Gradient), CoordType::F32),
            "gather" => (FetchKind::Gather(0), CoordType::F32),
            "fetch" => (FetchKind::Sample(Lod::Implicit), CoordType::S32),
            _ => return Err(PyValueError::new_err("expected sample, lod, grad, gather or fetch")),
        };
        let geometry = self.made.resource().geometry();
        let (result, compare) = (self.made.result().0, self.made.sampler().compare.is_some());
        let form = FetchForm { kind, geometry, coord, result, offset: false, compare };
        let form = FetchForm { compare: compare && form.why_impossible().is_none(), ..form };
        match form.why_impossible() {
            Some(why) => Err(PyTypeError::new_err(why)),
            None => Ok(form),
        }
    }

    fn state<'py>(&self, py: Python<'py>, form: FetchForm) -> PyResult<Bound<'py, PyDict>> {
        let effective = self.made.effective(form);
        let (state, axes) = (&effective.sampler, form.geometry.axes());
        let modes = state
            .address_mode
            .map(|modes| modes[..axes].iter().map(|m| m.name()).collect::<Vec<_>>());
        let dict = PyDict::new(py);
        dict.set_item("instruction", form.to_string())?;
        dict.set_item("coordinates", state.coords.name())?;
        dict.set_item("filter", state.filter.name())?;
        dict.set_item("mip_filter", state.mip_filter.map(|filter| filter.name()))?;
        dict.set_item("address", modes)?;
        dict.set_item("level_clamp", state.level_clamp.map(|level| level as f64 / 256.0))?;
        dict.set_item("max_anisotropy", state.max_anisotropy)?;
        dict.set_item("srgb", state.srgb)?;
        dict.set_item("seamless_cube", state.seamless_cube)?;
        dict.set_item("compare", state.compare.map(|function| function.name()))?;
        let reasons = effective.overrides.iter().map(|change| (change.rule, change.text.as_str()));
        dict.set_item("overrides", reasons.collect::<Vec<_>>())?;
        dict.set_item("refused", effective.refused)?;
        Ok(dict)
    }
}

#[pymethods]
impl Texture {
    #[new]
    #[pyo3(signature = (array, options=None, **keywords))]
    fn new(
        array: Object<'_>,
        options: Option<Object<'_>>,
        keywords: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = array.py();
        let keywords = keywords.unwrap_or_else(|| PyDict::new(py));
        if let Some(options) = options {
            merge(&keywords, &options)?;
        }
        let given = Some(keywords.copy()?.unbind());
        let copy = copy_option(&keywords)?;
        let options = array_options(Some(&keywords))?;
        let state = texture_options(Some(&keywords))?;
        let array = match described(&array)? {
            None => array,
            Some(Described::Array(of)) => of,
            Some(Described::Memory(resource)) => {
                if options != ArrayOptions::default() {
                    return Err(PyTypeError::new_err("the descriptor of memory says what it is"));
                }
                let made = Made::of_resource(Arc::new(resource), &state).or_raise()?;
                let source = Some(array.unbind());
                return Ok(Self { made, keywords: given, source, keeper: None });
            }
        };
        let mut held = levels(&array)?;
        if copy != Some(true) {
            match shared(held, &options)? {
                Ok((resource, keeper)) => {
                    let made = Made::of_resource(Arc::new(resource), &state).or_raise()?;
                    return Ok(Self { made, keywords: given, source: None, keeper: Some(keeper) });
                }
                Err((why, _)) if copy == Some(false) => return Err(error(why)),
                Err((_, unshared)) => held = unshared,
            }
        }
        let inputs = held.iter().map(InputArray::input).collect::<PyResult<Vec<_>>>()?;
        let made = py.detach(|| Made::new(&inputs, &options, &state)).or_raise()?;
        Ok(Self { made, keywords: given, source: None, keeper: None })
    }

    /// A texture from a file: DDS, KTX 2.0, PNG, JPEG, OpenEXR or NPY.
    #[staticmethod]
    #[pyo3(signature = (path, **keywords))]
    fn open(py: Python<'_>, path: PathBuf, keywords: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let given = keywords.as_ref().map(|all| all.copy().map(Bound::unbind)).transpose()?;
        let options = array_options(keywords.as_ref())?;
        let state = texture_options(keywords.as_ref())?;
        let made = py.detach(|| Made::open(&path, &options, &state)).or_raise()?;
        Ok(Self { made, keywords: given, source: None, keeper: None })
    }

    /// Samples at float coordinates: x, y, z in the last axis, or a tuple of arrays (rules C1 to
    /// C11, R1 to R9).
    ///
    /// ``xy`` has the shape ``(..., 2)`` for a 2D texture (float16, float32, or float64, which is
    /// rounded). The result has the shape ``(...)``, with a last axis of channels if the texture
    /// has more than one. It is float32, or the integer type if integers are read as elements.
    /// ``lod`` (levels) and ``layer`` broadcast with the coordinates, ``grad`` is ``(ddx, ddy)`` in
    /// the units of the coordinates, ``offset`` is in texels, ``compare`` is the reference value
    /// for a texture with a compare function. ``progress`` is called with the numbers of completed
    /// and of all fetches, or is True for a tqdm bar.
    ///
    /// >>> import numpy, texunit
    /// >>> tex = texunit.Texture(numpy.arange(32, dtype="float32").reshape(4, 4, 2), mipmaps=True,
    /// ...                       normalized_coords=True)
    /// >>> tex.sample(numpy.full((3, 5, 2), 0.3, "float32")).shape
    /// (3, 5, 2)
    /// >>> tex.sample((0.3, 0.3), lod=[0.0, 2.0]).tolist()
    /// [[10.0, 11.0], [15.0, 16.0]]
    #[pyo3(signature = (xy, **keywords),
           text_signature = "($self, xy, *, lod=None, grad=None, layer=None, offset=None, \
                             compare=None, dtype=None, strict=False, out=None, threads=1, \
                             progress=None)")]
    fn sample<'py>(
        &self,
        xy: Object<'py>,
        keywords: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        let points = (Action::Sample, Vectors::of("coordinates", &xy)?);
        let names = [&OF_SAMPLES[..], &["progress"]].concat();
        self.run(xy.py(), &Operands::new(("Texture.sample", &names), points, keywords, &self.made)?)
    }

    /// ``sample`` with separate coordinates, and its keywords except ``progress``.
    #[pyo3(signature = (x, y=None, z=None, **keywords))]
    fn __call__<'py>(
        &self,
        x: Object<'py>,
        y: OptionalObject<'py>,
        z: OptionalObject<'py>,
        keywords: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        let py = x.py();
        if keywords.is_none()
            && let Some(found) = self.at_numbers([Some(&x), y.as_ref(), z.as_ref()], py)?
        {
            return Ok(found);
        }
        let points = (Action::Sample, separate(x, y, z)?);
        let method = ("Texture.__call__", &OF_SAMPLES[..]);
        self.run(py, &Operands::new(method, points, keywords, &self.made)?)
    }

    /// Gathers the four texels around each point, of one component (``tld4``). The result has a
    /// last axis of four.
    ///
    /// >>> import numpy, texunit
    /// >>> texunit.Texture(numpy.array([[0, 1], [2, 3]], "float32")).gather((1.0, 1.0)).tolist()
    /// [2.0, 3.0, 1.0, 0.0]
    #[pyo3(signature = (xy, component=None, **keywords),
           text_signature = "($self, xy, component=0, *, layer=None, offset=None, compare=None, \
                             strict=False, out=None, threads=1)")]
    fn gather<'py>(
        &self,
        xy: Object<'py>,
        component: OptionalObject<'py>,
        keywords: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        let component = component.map_or(Ok(0), |value| {
            value.extract::<u8>().map_err(|e| unconverted("component", &value, &e))
        })?;
        if component > 3 {
            return Err(PyValueError::new_err("component: 0 to 3"));
        }
        let points = (Action::Gather(component), Vectors::of("coordinates", &xy)?);
        let names = ["layer", "offset", "compare", "strict", "out", "threads"];
        self.run(xy.py(), &Operands::new(("Texture.gather", &names), points, keywords, &self.made)?)
    }

    /// Reads texels at integer coordinates, (..., 2) for a 2D texture; outside is 0.
    ///
    /// >>> import numpy, texunit
    /// >>> tex = texunit.Texture(numpy.array([[0, 1], [2, 3]], "uint8"))
    /// >>> tex.fetch(numpy.array([[1, 0], [1, 1], [2, 0]])).tolist()
    /// [1, 3, 0]
    #[pyo3(signature = (ij, **keywords),
           text_signature = "($self, ij, *, lod=None, layer=None, sample=None, offset=None, \
                             dtype=None, out=None, threads=1)")]
    fn fetch<'py>(
        &self,
        ij: Object<'py>,
        keywords: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        let points = (Action::Fetch, Vectors::of("coordinates", &ij)?);
        let names = ["lod", "layer", "sample", "offset", "dtype", "out", "threads"];
        self.run(ij.py(), &Operands::new(("Texture.fetch", &names), points, keywords, &self.made)?)
    }

    /// Explains one sample: every step with its rule. ``print`` shows the text, a notebook shows
    /// the picture, ``to_dict()`` returns all numbers.
    ///
    /// >>> import numpy, texunit
    /// >>> shown = texunit.Texture(numpy.array([[0, 1], [2, 3]], "float32"),
    /// ...                         filter="linear").explain(1.0, 1.25)
    /// >>> [texel["weight"] for texel in shown.to_dict()["footprints"][0]["texels"]]
    /// [32, 32, 96, 96]
    #[pyo3(signature = (x, y=None, z=None, **keywords),
           text_signature = "($self, x, y=None, z=None, *, lod=None, grad=None, layer=None, \
                             offset=None, compare=None)")]
    fn explain<'py>(
        &self,
        x: Object<'py>,
        y: OptionalObject<'py>,
        z: OptionalObject<'py>,
        keywords: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Explanation> {
        let points = (Action::Sample, separate(x, y, z)?);
        let method = ("Texture.explain", &OF_SAMPLES[..5]);
        let operands = Operands::new(method, points, keywords, &self.made)?;
        let call = operands.call(&self.made)?;
        if call.fetches() != 1 {
            return Err(PyValueError::new_err(
                "explain: one fetch is explained, not an array of them",
            ));
        }
        let fetch = call.operands(0).or_raise()?;
        let (header, sampler) = (self.made.header(), self.made.sampler());
        let explained = texunit_explain::Explanation::new(call.form(), header, sampler, &fetch)
            .map_err(|why| PyValueError::new_err(why.to_string()))?;
        Ok(Explanation {
            text: explained.text(),
            json: explained.json().to_string(),
            svg: explained.svg(),
        })
    }

    /// Copies of the mip levels as arrays. Block-compressed levels are arrays of block bytes.
    #[getter]
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for level in 0..self.made.resource().levels().len() {
            let (shape, dtype, bytes) = self.made.level(level as u32).or_raise()?;
            let mut array = Out::new(py, None, &shape, dtype)?;
            array.bytes().copy_from_slice(&bytes);
            all.append(array.finish()?)?;
        }
        Ok(all)
    }

    /// Pickling: the mip levels as arrays, the meaning of their axes, and the keywords as given.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = match &self.keywords {
            Some(given) => given.bind(py).copy()?,
            None => PyDict::new(py),
        };
        if let Some(source) = &self.source {
            return Ok((PyTuple::new(py, [source.bind(py)])?, keywords));
        }
        let resource = self.made.resource();
        let geometry = resource.geometry();
        let levels = self.levels(py)?;
        let array = if levels.len() == 1 { levels.get_item(0)? } else { levels.into_any() };
        if resource.levels().len() > 1 && keywords.contains("mipmaps")? {
            keywords.del_item("mipmaps")?;
        }
        keywords.set_item("dim", geometry.axes())?;
        keywords.set_item("layered", geometry.name().starts_with('a'))?;
        keywords.set_item("cube", geometry.is_cube())?;
        keywords.set_item("multisample", geometry.is_multisample())?;
        keywords.set_item("format", resource.format().name())?;
        Ok((PyTuple::new(py, [array])?, keywords))
    }

    /// The sampling state that takes effect for ``sample``; ``overrides`` lists the requested
    /// settings that do not take effect, as pairs of a rule's name and what the rule changes.
    #[getter]
    fn effective<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let multisample = self.made.resource().geometry().is_multisample();
        self.state(py, self.form(if multisample { "fetch" } else { "sample" })?)
    }

    /// The sampling state that takes effect for a method, which is ``"sample"``, ``"lod"``,
    /// ``"grad"``, ``"gather"`` or ``"fetch"``; ``overrides`` lists the requested settings that do
    /// not take effect, as pairs of a rule's name and what the rule changes.
    fn effective_for<'py>(&self, py: Python<'py>, method: &str) -> PyResult<Bound<'py, PyDict>> {
        self.state(py, self.form(method)?)
    }

    /// Size of level 0 in texels, x last: ``(height, width)``.
    #[getter]
    fn size<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let resource = self.made.resource();
        let axes = resource.extent().axes();
        PyTuple::new(py, axes[..resource.geometry().axes()].iter().rev())
    }

    /// Whether the texture reads the array's own memory (``copy=False`` or ``None``), so that
    /// changes of the array take effect.
    #[getter]
    fn is_shared(&self) -> bool {
        self.keeper.is_some()
    }

    /// The geometry as in PTX: ``2d``, ``acube``, ...
    #[getter]
    fn geometry(&self) -> &'static str {
        self.made.resource().geometry().name()
    }

    /// The format of texels: ``u8x4``, ``bc7``, ...
    #[getter]
    fn format(&self) -> &'static str {
        self.made.resource().format().name()
    }

    fn __repr__(&self) -> String {
        format!("<texunit.Texture: {}>", self.made.resource().describe())
    }
}
