//! Converts Python objects to input arrays, and makes arrays for results. Textures can read the
//! memory of an array without a copy.
//!
//! An object exposes its memory by the buffer protocol, `__array_interface__` or DLPack, and is
//! kept alive while it is read. As in NumPy, other threads must not change arrays during a call.

#![allow(unsafe_code, reason = "memory of other objects, while they are held")]

use crate::error::OrRaise;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList, PyMemoryView, PyTuple};
use std::ptr::NonNull;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_sample::{ArrayOptions, Dtype, Input, SampleError, shared_shape};
use texunit_unit::Resource;

/// The device type of CPU memory in DLPack, kDLCPU.
const DLPACK_CPU: i32 = 1;

/// An input array, whose owner is kept alive while it is read.
pub(crate) struct InputArray {
    shape: Vec<usize>,
    strides: Vec<isize>,
    dtype: Dtype,
    /// Address of the lowest byte of any element, and number of bytes up to the end of the highest
    /// element.
    data: *const u8,
    len: usize,
    /// Offset of the first element from `data`.
    start: usize,
    is_weak: bool,
    _owner: Owner,
}

/// The object that owns the memory of an input array.
#[allow(dead_code, reason = "kept, not looked at")]
enum Owner {
    Buffer(PyUntypedBuffer),
    Object(Py<PyAny>),
    Number(Box<[u8; 8]>),
}

/// The location of an array in memory, as its object exposes it.
struct ArrayLocation {
    shape: Vec<usize>,
    /// Strides in bytes; `None` for C order without gaps.
    strides: Option<Vec<isize>>,
    dtype: Dtype,
    /// Address of the first element.
    first: *const u8,
}

impl InputArray {
    /// The input array that an object exposes. `what` names the argument in messages.
    pub(crate) fn of(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_exact_instance_of::<PyFloat>() {
            return Ok(Self::number(Dtype::F64, object.extract::<f64>()?.to_le_bytes()));
        }
        if object.is_exact_instance_of::<PyInt>() {
            let number = object.extract::<i64>();
            let number = number
                .map_err(|_| PyValueError::new_err(format!("{what}: 64 bits do not hold it")))?;
            return Ok(Self::number(Dtype::S64, number.to_le_bytes()));
        }
        if object.is_instance_of::<PyList>() {
            // A list has Python numbers, which are converted to the type that the operand needs.
            let array = numpy(object.py(), "asarray")?.call1((object,))?;
            let array = Self::of_exported(what, PyUntypedBuffer::get(&array)?)?;
            return Ok(Self { is_weak: true, ..array });
        }
        if let Some(array) = Self::of_buffer(what, object)? {
            return Ok(array);
        }
        // NumPy makes an array of other objects, which shares their memory and keeps them alive.
        let py = object.py();
        let array = if object.hasattr(pyo3::intern!(py, "__array_interface__"))? {
            numpy(py, "asarray")?.call1((object,))?
        } else if object.hasattr(pyo3::intern!(py, "__dlpack__"))? {
            let (device, _): (i32, i32) = object.call_method0("__dlpack_device__")?.extract()?;
            if device != DLPACK_CPU {
                return Err(PyValueError::new_err(format!(
                    "{what}: it is not in the memory of the CPU: copy it there"
                )));
            }
            numpy(py, "from_dlpack")?.call1((object,))?
        } else {
            return Err(PyTypeError::new_err(format!(
                "{what}: {} is not an array: it has no buffer, no __array_interface__ \
                 and no __dlpack__",
                object.get_type().name()?
            )));
        };
        Self::of_buffer(what, &array)?.ok_or_else(|| {
            PyTypeError::new_err(format!("{what}: elements of its type are not read"))
        })
    }

    /// The input array that an object exposes by the buffer protocol; `None` if it has no buffer.
    fn of_buffer(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(buffer) = PyUntypedBuffer::get(object) {
            return Self::of_exported(what, buffer).map(Some);
        }
        let view = PyMemoryView::from(object).ok();
        view.map(|view| Self::of_copy(what, &view)).transpose()
    }

    /// Copies a buffer in C order that has no shape or strides, which PyO3 rejects: arrays without
    /// axes, NumPy scalars, and ctypes arrays.
    fn of_copy(what: &str, view: &Bound<'_, PyMemoryView>) -> PyResult<Self> {
        let format: String = view.getattr("format")?.extract()?;
        let bytes = view.call_method0("tobytes")?;
        let content = bytes.cast::<PyBytes>()?.as_bytes();
        let size: usize = view.getattr("itemsize")?.extract()?;
        let dtype = of_format(&format, size).ok_or_else(|| {
            PyTypeError::new_err(format!("{what}: elements of type {format:?} are not read"))
        })?;
        let shape = view.getattr("shape")?.extract()?;
        let place = ArrayLocation { shape, strides: None, dtype, first: content.as_ptr() };
        Ok(Self::at(place, Owner::Object(bytes.unbind())))
    }

    fn number(dtype: Dtype, bytes: [u8; 8]) -> Self {
        let bytes = Box::new(bytes);
        let place = ArrayLocation { shape: vec![], strides: None, dtype, first: bytes.as_ptr() };
        Self { is_weak: true, ..Self::at(place, Owner::Number(bytes)) }
    }

    fn of_exported(what: &str, buffer: PyUntypedBuffer) -> PyResult<Self> {
        let format = buffer.format().to_str().unwrap_or("?");
        let dtype = of_format(format, buffer.item_size()).ok_or_else(|| {
            PyTypeError::new_err(format!("{what}: elements of type {format:?} are not read"))
        })?;
        if buffer.suboffsets().is_some_and(|all| all.iter().any(|&offset| offset >= 0)) {
            return Err(PyTypeError::new_err(format!("{what}: an array of pointers is not read")));
        }
        let place = ArrayLocation {
            shape: buffer.shape().to_vec(),
            strides: Some(buffer.strides().to_vec()),
            dtype,
            first: buffer.buf_ptr().cast(),
        };
        Ok(Self::at(place, Owner::Buffer(buffer)))
    }

    fn at(place: ArrayLocation, owner: Owner) -> Self {
        let ArrayLocation { shape, strides, dtype, first } = place;
        let size = dtype.size() as isize;
        let strides = strides.unwrap_or_else(|| {
            let mut stride = size;
            let mut all = vec![0; shape.len()];
            for (to, &axis) in all.iter_mut().zip(&shape).rev() {
                *to = stride;
                stride = stride.wrapping_mul(axis as isize);
            }
            all
        });
        let (mut low, mut high) = (0_isize, size);
        for (&axis, &stride) in shape.iter().zip(&strides) {
            let reach = (axis as isize - 1).wrapping_mul(stride);
            low = low.wrapping_add(reach.min(0));
            high = high.wrapping_add(reach.max(0));
        }
        let len = if shape.contains(&0) { 0 } else { high.wrapping_sub(low) as usize };
        let data = first.wrapping_offset(low);
        let start = if len == 0 { 0 } else { low.unsigned_abs() };
        Self { shape, strides, dtype, data, len, start, is_weak: false, _owner: owner }
    }

    /// The array as an input of the crate `texunit-sample`.
    pub(crate) fn input(&self) -> PyResult<Input<'_>> {
        let bytes = if self.len == 0 {
            &[][..]
        } else {
            // SAFETY: `data` and `len` cover the elements that the owner exposes as its memory. The
            // owner is held by `self`, so that the bytes stay valid as long as the slice.
            unsafe { std::slice::from_raw_parts(self.data, self.len) }
        };
        let input =
            Input::new(&self.shape, &self.strides, self.dtype, bytes, self.start).or_raise()?;
        Ok(if self.is_weak { input.weak() } else { input })
    }

    /// Whether the elements are Python numbers that a type can have: integers, or floats for
    /// floats.
    pub(crate) fn converts_to(&self, dtype: Dtype) -> bool {
        self.is_weak && (dtype.is_float() || !self.dtype.is_float())
    }
}

/// Parses a format of the buffer protocol, native or little endian.
fn of_format(format: &str, size: usize) -> Option<Dtype> {
    let kind = match format.trim_start_matches(['@', '=', '<']) {
        "?" => 'b',
        "b" | "h" | "i" | "l" | "q" | "n" => 'i',
        "B" | "H" | "I" | "L" | "Q" | "N" => 'u',
        "e" | "f" | "d" => 'f',
        _ => return None,
    };
    Dtype::of(kind, size)
}

/// A function of NumPy, which is imported at the first use.
pub(crate) fn numpy<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module =
        NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind)).map_err(|_| {
            PyImportError::new_err(
                "results are NumPy arrays, which is not installed: `pip install numpy`",
            )
        })?;
    module.bind(py).getattr(name)
}

/// A new NumPy array in C order, whose elements are not initialised.
fn empty<'py>(py: Python<'py>, shape: &[usize], dtype: Dtype) -> PyResult<Bound<'py, PyAny>> {
    static EMPTY: PyOnceLock<(Py<PyAny>, Vec<Py<PyAny>>)> = PyOnceLock::new();
    let (empty, dtypes) = EMPTY.get_or_try_init(py, || {
        // The type is passed as an object, because NumPy would look up a name in every call.
        let of = numpy(py, "dtype")?;
        let made = |dtype: &Dtype| of.call1((dtype.name(),)).map(Bound::unbind);
        let dtypes = Dtype::ALL.iter().map(made).collect::<PyResult<_>>()?;
        PyResult::Ok((numpy(py, "empty")?.unbind(), dtypes))
    })?;
    empty.bind(py).call1((PyTuple::new(py, shape)?, &dtypes[dtype as usize]))
}

/// The array that the results of a call are written to.
pub(crate) struct Out<'py> {
    object: Bound<'py, PyAny>,
    buffer: PyUntypedBuffer,
    /// Whether the new array has one element and stands for a scalar result.
    is_scalar: bool,
}

impl<'py> Out<'py> {
    /// Takes the caller's array, if it has the right shape and type (rule R7), or makes a new one.
    pub(crate) fn new(
        py: Python<'py>,
        given: Option<Bound<'py, PyAny>>,
        shape: &[usize],
        dtype: Dtype,
    ) -> PyResult<Self> {
        let Some(object) = given else {
            // A scalar result gets an array with one axis, because PyO3 rejects buffers without
            // axes.
            let is_scalar = shape.is_empty();
            let object = empty(py, if is_scalar { &[1] } else { shape }, dtype)?;
            let buffer = PyUntypedBuffer::get(&object)?;
            return Ok(Self { object, buffer, is_scalar });
        };
        let without_axes =
            || object.call_method1("reshape", (1,)).and_then(|one| PyUntypedBuffer::get(&one));
        let buffer = if shape.is_empty() { without_axes() } else { PyUntypedBuffer::get(&object) };
        let buffer = buffer
            .map_err(|_| PyTypeError::new_err("out: it is not an array of the results' shape"))?;
        let format = buffer.format().to_str().unwrap_or("?");
        if of_format(format, buffer.item_size()) != Some(dtype) {
            return Err(PyTypeError::new_err(format!(
                "out: the results are {dtype}, not {format:?}"
            )));
        }
        if buffer.shape() != if shape.is_empty() { &[1] } else { shape } {
            let found = buffer.shape();
            return Err(PyValueError::new_err(format!(
                "out: the results have shape {shape:?}, not {found:?}"
            )));
        }
        if buffer.readonly() || !buffer.is_c_contiguous() {
            return Err(PyValueError::new_err("out: it has to be writable and C-contiguous"));
        }
        Ok(Self { object, buffer, is_scalar: false })
    }

    /// The bytes of all elements of the array.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        let len = self.buffer.len_bytes();
        if len == 0 {
            return &mut [];
        }
        // SAFETY: the buffer is C-contiguous and writable, since a new array is so and the caller's
        // was checked. It has `len` bytes, and `self.buffer` keeps it alive as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(self.buffer.buf_ptr().cast(), len) }
    }

    /// The object that the call returns: for a new array without axes a scalar, as in NumPy.
    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        if self.is_scalar { self.object.get_item(0) } else { Ok(self.object) }
    }
}

/// Keeps the memory of an array alive. A texture that reads the memory must be dropped before its
/// `Keeper`.
pub(crate) struct Keeper {
    _held: InputArray,
}

// SAFETY: the contents are never accessed, and any thread can drop them, because buffers and Python
// objects acquire the GIL for that.
unsafe impl Send for Keeper {}
// SAFETY: a shared reference gives no access to the contents.
unsafe impl Sync for Keeper {}

/// A resource with the `Keeper` of its memory; or an error that says why the memory cannot be
/// shared, and the arrays.
type Shared = Result<(Resource, Keeper), (SampleError, Vec<InputArray>)>;

/// Makes a resource that reads the memory of an array. The outer error is a Python exception.
pub(crate) fn shared(mut levels: Vec<InputArray>, options: &ArrayOptions) -> PyResult<Shared> {
    let inputs = levels.iter().map(InputArray::input).collect::<PyResult<Vec<_>>>()?;
    let shape = match shared_shape(&inputs, options) {
        Ok(shape) => shape,
        Err(why) => return Ok(Err((why, levels))),
    };
    drop(inputs);
    let Some(held) = levels.pop() else {
        return Ok(Err((SampleError::NotShared(String::new()), levels)));
    };
    let data = NonNull::new(held.data.cast_mut()).unwrap_or(NonNull::dangling());
    // SAFETY: `data` and `len` are those of the array's elements, which the owner keeps valid while
    // it is held. The caller holds the returned `Keeper` while the resource is used. The block is
    // read-only.
    let block = unsafe { Block::foreign(data, held.len, false, "texture") };
    let resource = Resource::array(&shape, Arc::new(block), "texture");
    Ok(Ok((resource.map_err(SampleError::from).or_raise()?, Keeper { _held: held })))
}
