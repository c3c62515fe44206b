//! Mipmapped arrays (runtime API, "Memory Management"). A `cudaMipmappedArray_t` is a
//! `CUmipmappedArray`.

use super::array::descriptor;
use crate::call::{check, forward, runtime_api};
use crate::driver;
use crate::state::{check_device, context};
use crate::types::{Array, Mipmap, cudaChannelFormatDesc, cudaExtent};
use std::ffi::c_uint;
use texunit_cuda_abi::args::{In, Out};
use texunit_cuda_abi::{CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES, CUdevice};

runtime_api! {
    /// Allocates a mipmapped array.
    fn cudaMallocMipmappedArray(
        mipmappedArray: Out<Mipmap>,
        desc: In<cudaChannelFormatDesc>,
        extent: cudaExtent,
        numLevels: c_uint,
        flags: c_uint,
    ) {
        context()?;
        mipmappedArray.check()?;
        let descriptor = descriptor(&desc.get()?, extent, flags)?;
        check(driver::cuMipmappedArrayCreate(mipmappedArray, &descriptor, numLevels))
    }

    /// The array of a level, which remains owned by the mipmapped array.
    fn cudaGetMipmappedArrayLevel(levelArray: Out<Array>, mipmappedArray: Mipmap, level: c_uint) {
        context()?;
        levelArray.check()?;
        let mut array = 0;
        check(driver::cuMipmappedArrayGetLevel(&mut array, mipmappedArray, level))?;
        levelArray.set(array)
    }

    /// Frees a mipmapped array; null is allowed.
    fn cudaFreeMipmappedArray(mipmappedArray: Mipmap) {
        context()?;
        if mipmappedArray == 0 {
            return Ok(());
        }
        check(driver::cuMipmappedArrayDestroy(mipmappedArray))
    }

    /// Memory requirements of a mipmapped array with deferred mapping.
    fn cudaMipmappedArrayGetMemoryRequirements(
        memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
        mipmap: Mipmap,
        device: CUdevice,
    ) {
        context()?;
        check_device(device)?;
        check(driver::cuMipmappedArrayGetMemoryRequirements(memoryRequirements, mipmap, device))
    }
}

forward! {
    /// Tile size and mip tail of a sparse mipmapped array.
    fn cudaMipmappedArrayGetSparseProperties(
        sparseProperties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>, mipmap: Mipmap,
    ) = cuMipmappedArrayGetSparseProperties;
}
