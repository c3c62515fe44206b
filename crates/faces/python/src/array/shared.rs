//! Memory of arrays that textures read where it is.

use super::Held;
use crate::error::OrRaise;
use pyo3::prelude::*;
use std::ptr::NonNull;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_sample::{ArrayOptions, SampleError, shared_shape};
use texunit_unit::Resource;

/// Keeps the memory of an array: a texture over it is dropped before.
pub(crate) struct Keeper {
    _held: Held,
}

// SAFETY: nothing of it is looked at, and what it owns can be dropped by any thread: buffers and objects of Python take the
// interpreter's lock for that.
unsafe impl Send for Keeper {}
// SAFETY: as above.
unsafe impl Sync for Keeper {}

/// A resource and what keeps its memory, or why it cannot be shared, and the arrays back.
type Shared = Result<(Resource, Keeper), (SampleError, Vec<Held>)>;

/// A resource whose texels lie in the memory of an array; the outer error is Python's.
pub(crate) fn shared(mut levels: Vec<Held>, options: &ArrayOptions) -> PyResult<Shared> {
    let inputs = levels.iter().map(Held::input).collect::<PyResult<Vec<_>>>()?;
    let shape = match shared_shape(&inputs, options) {
        Ok(shape) => shape,
        Err(why) => return Ok(Err((why, levels))),
    };
    drop(inputs);
    let Some(held) = levels.pop() else {
        return Ok(Err((SampleError::NotShared(String::new()), levels)));
    };
    let data = NonNull::new(held.data.cast_mut()).unwrap_or(NonNull::dangling());
    // SAFETY: the owner keeps its elements there as long as it is held, which the caller does as long as the resource is
    // used. Nothing is written through the block.
    let block = unsafe { Block::foreign(data, held.len, false, "texture") };
    let resource = Resource::array(&shape, Arc::new(block), "texture");
    Ok(Ok((resource.map_err(SampleError::from).or_raise()?, Keeper { _held: held })))
}
