//! Arrays whose memory a texture can share without a copy: rule A16 of docs/python-conventions.md.

use crate::error::SampleError;
use crate::input::Input;
use crate::meaning::{ArrayOptions, Mipmaps};
use texunit_forms::Count;
use texunit_unit::ArrayShape;

/// The shape of an array whose memory a texture can share, or why it cannot: each row must begin at
/// a multiple of 8 bytes, and rows must be contiguous.
pub fn shared_shape(levels: &[Input<'_>], array: &ArrayOptions) -> Result<ArrayShape, SampleError> {
    let refused = |why: &str| SampleError::NotShared(why.to_owned());
    let [input] = levels else {
        return Err(refused("the mip levels of a texture lie in one piece of memory"));
    };
    if array.mipmaps != Mipmaps::Given {
        return Err(refused("mip levels are made, which takes memory of the texture's own"));
    }
    if input.is_weak() {
        return Err(refused("numbers of Python have no memory to share"));
    }
    if !input.is_contiguous() {
        return Err(refused(
            "the array is not contiguous in C order, as `numpy.ascontiguousarray` makes it",
        ));
    }
    let shape = array.meaning(input)?;
    let (size, packed) = (shape.size()?, shape.packed_size()?);
    if packed != input.bytes().len() as u64 {
        return Err(refused("the array has another size than its texels"));
    }
    let rows = shape.extent.height.div_ceil(shape.format.block_extent());
    let is_one_row = rows == 1 && shape.extent.depth == 1 && shape.planes() * shape.samples == 1;
    if size != packed && !is_one_row {
        return Err(SampleError::NotShared(format!(
            "a row of {} of {} is not a multiple of 8 bytes, at which rows of a texture begin",
            Count(shape.extent.width, "texel"),
            shape.format
        )));
    }
    Ok(shape)
}
