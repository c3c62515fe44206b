//! Sparse arrays (driver API, "Memory Management" and "Virtual Memory Management"). Memory for
//! their tiles is created by `cuMemCreate` (`api::virtual_memory`).

use crate::api::*;
use crate::sparse::{self, Sparse};

driver_api! {
    /// Tile size and mip tail of a sparse array.
    fn cuArrayGetSparseProperties(sparseProperties, array) {
        sparseProperties.set(Sparse::array(array)?.properties())
    }

    /// Tile size and mip tail of a sparse mipmapped array. Each layer has its own mip tail.
    fn cuMipmappedArrayGetSparseProperties(sparseProperties, mipmap) {
        sparseProperties.set(Sparse::mipmapped(mipmap)?.properties())
    }

    /// Maps and unmaps tiles of sparse arrays; if one entry of the list is invalid, none is
    /// applied. A tile keeps its texels, whatever memory it is mapped to; a mip tail is usable once
    /// all of it is mapped.
    fn cuMemMapArrayAsync(mapInfoList[count], count, hStream) {
        let context = Order::of(hStream)?.context;
        ensure!(count != 0, "count is 0: at least one change is given");
        sparse::map(&context, &mapInfoList.to_vec()?)
    }
}
