//! Textures that read the memory of an array without a copy.

use super::InputArray;
use crate::error::OrRaise;
use pyo3::prelude::*;
use std::ptr::NonNull;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_sample::{ArrayOptions, SampleError, shared_shape};
use texunit_unit::Resource;

/// Keeps the memory of an array alive; a texture on it is dropped earlier.
pub(crate) struct Keeper {
    _held: InputArray,
}

// SAFETY: its contents are never accessed, and any thread can drop them: buffers and Python objects
// acquire the GIL for that.
unsafe impl Send for Keeper {}
// SAFETY: as above.
unsafe impl Sync for Keeper {}

/// A resource with the keeper of its memory, or why the memory cannot be shared, with the arrays
/// returned.
type Shared = Result<(Resource, Keeper), (SampleError, Vec<InputArray>)>;

/// A resource on the memory of an array; the outer error is Python's.
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
    // SAFETY: the owner keeps its elements valid while it is held, and the caller holds it while
    // the resource is used. Nothing is written through the block.
    let block = unsafe { Block::foreign(data, held.len, false, "texture") };
    let resource = Resource::array(&shape, Arc::new(block), "texture");
    Ok(Ok((resource.map_err(SampleError::from).or_raise()?, Keeper { _held: held })))
}
