//! DLPack: reads tensors of other libraries in CPU memory.

use super::ArrayLocation;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use std::ffi::{CStr, c_void};
use texunit_sample::Dtype;

/// The structure `DLManagedTensor` of dlpack.h, which an unversioned capsule contains.
#[repr(C)]
struct ManagedTensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedTensor)>,
}

/// A DLPack tensor that is kept alive while it is read.
pub(super) struct Managed {
    /// The capsule that owns the tensor. It is not marked as consumed, so that its destructor frees
    /// the tensor.
    _capsule: Py<PyAny>,
}

/// The device type of CPU memory, kDLCPU.
const CPU: i32 = 1;
/// The name of a capsule that has not been consumed.
const NAME: &CStr = c"dltensor";

/// The tensor that an object exports, and the location of its elements.
pub(super) fn managed(what: &str, object: &Bound<'_, PyAny>) -> PyResult<(Managed, ArrayLocation)> {
    let (device, _): (i32, i32) = object.call_method0("__dlpack_device__")?.extract()?;
    if device != CPU {
        return Err(PyValueError::new_err(format!(
            "{what}: it is not in the memory of the CPU: copy it there"
        )));
    }
    let capsule = object.call_method0("__dlpack__")?;
    let tensor = capsule.cast::<PyCapsule>()?.pointer_checked(Some(NAME))?.cast::<ManagedTensor>();
    // SAFETY: a capsule of this name contains a `DLManagedTensor`, and the capsule is held until
    // the end of the function, longer than the reference.
    let tensor = unsafe { tensor.as_ref() };
    let kind = match tensor.code {
        0 => 'i',
        1 => 'u',
        2 => 'f',
        6 => 'b',
        _ => '?',
    };
    let dtype = Dtype::of(kind, usize::from(tensor.bits / 8)).filter(|_| tensor.lanes == 1);
    let dtype = dtype.ok_or_else(|| {
        PyTypeError::new_err(format!("{what}: elements of its type are not read"))
    })?;
    let axes = usize::try_from(tensor.ndim).unwrap_or(0);
    let numbers = |from: *const i64| -> Option<Vec<i64>> {
        // SAFETY: the arrays `shape` and `strides` of a tensor have `ndim` elements if they are not
        // null, which is checked.
        (!from.is_null()).then(|| unsafe { std::slice::from_raw_parts(from, axes) }.to_vec())
    };
    let shape = if axes == 0 { vec![] } else { numbers(tensor.shape).unwrap_or_default() };
    let size = dtype.size() as isize;
    let strides = if axes == 0 { None } else { numbers(tensor.strides) };
    let strides = strides.map(|all| all.iter().map(|&n| n as isize * size).collect());
    let first = tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize);
    let shape = shape.iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect();
    Ok((Managed { _capsule: capsule.unbind() }, ArrayLocation { shape, strides, dtype, first }))
}
