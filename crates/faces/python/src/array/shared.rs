//! Textures that read the memory of an array without a copy.

use super::InputArray;
use crate::error::OrRaise;
use pyo3::prelude::*;
use std::ptr::NonNull;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_sample::{ArrayOptions, SampleError, shared_shape};
use texunit_unit::Resource;

/// Keeps the memory of an array alive. A texture that reads the memory must be dropped before it.
pub(crate) struct Keeper {
    _held: InputArray,
}

// SAFETY: the contents are never accessed, and any thread can drop them, because buffers and Python
// objects acquire the GIL for that.
unsafe impl Send for Keeper {}
// SAFETY: a shared reference gives no access to the contents.
unsafe impl Sync for Keeper {}

/// A resource with the keeper of its memory. Otherwise the error says why the memory cannot be
/// shared, and returns the arrays.
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
