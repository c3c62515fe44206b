//! Sparse arrays (driver API, "Memory Management" and "Virtual Memory Management"). `cuMemCreate` makes memory for their
//! tiles (`api::virtual_memory`).

use crate::args::{In, Out};
use crate::array::{ArrayObject, MipmapObject};
use crate::call::driver_api;
use crate::handle::Handle;
use crate::late::Order;
use crate::sparse;
use crate::state;
use crate::stream::Stream;
use std::ffi::c_uint;
use texunit_cuda_abi::{CUDA_ARRAY_SPARSE_PROPERTIES, CUarrayMapInfo, CUresult};

driver_api! {
    /// How a sparse array is divided into tiles.
    fn cuArrayGetSparseProperties(
        sparseProperties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
        array: Handle<ArrayObject>,
    ) {
        state::gpus()?;
        sparseProperties.set(sparse::array_properties(array)?)
    }

    /// How a sparse array with levels is divided into tiles. Each layer has a mip tail of its own.
    fn cuMipmappedArrayGetSparseProperties(
        sparseProperties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
        mipmap: Handle<MipmapObject>,
    ) {
        state::gpus()?;
        sparseProperties.set(sparse::mipmapped_properties(mipmap)?)
    }

    /// Maps and unmaps tiles of sparse arrays: all, or none if one of the changes is wrong. A tile
    /// keeps its texels, whatever memory it is mapped to; those of a mip tail can be used when all of it is
    /// mapped.
    fn cuMemMapArrayAsync(
        mapInfoList: In<CUarrayMapInfo>,
        count: c_uint,
        hStream: Handle<Stream>,
    ) {
        let context = Order::of(hStream)?.context;
        if count == 0 {
            return Err(CUresult::INVALID_VALUE.because("count is 0: at least one change is given"));
        }
        // SAFETY: the caller guarantees an array of this length.
        let list = unsafe { mapInfoList.elements(count as usize) };
        sparse::map(&context, &list.to_vec()?)
    }
}
