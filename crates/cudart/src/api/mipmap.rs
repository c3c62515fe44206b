//! Mipmapped arrays (runtime API, "Memory Management"). A `cudaMipmappedArray_t` is a
//! `CUmipmappedArray`, and its levels are the driver's.

use super::array::descriptor;
use crate::call::{check, runtime_api};
use crate::state::{check_device, context};
use crate::types::{Array, Mipmap, cudaChannelFormatDesc, cudaExtent};
use std::ffi::c_uint;
use texunit_cuda_abi::args::{In, Out};
use texunit_cuda_abi::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES, CUDA_ARRAY3D_DESCRIPTOR,
    CUdevice, CUresult,
};

// The pointers that they take come from the C caller, whose they are, or are to our own variables.
unsafe extern "C" {
    safe fn cuMipmappedArrayCreate(
        mipmap: Out<Mipmap>,
        from: &CUDA_ARRAY3D_DESCRIPTOR,
        levels: c_uint,
    ) -> CUresult;
    pub(super) safe fn cuMipmappedArrayGetLevel(
        array: &mut Array,
        mipmap: Mipmap,
        level: c_uint,
    ) -> CUresult;
    safe fn cuMipmappedArrayDestroy(mipmap: Mipmap) -> CUresult;
    safe fn cuMipmappedArrayGetSparseProperties(
        to: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
        mipmap: Mipmap,
    ) -> CUresult;
    safe fn cuMipmappedArrayGetMemoryRequirements(
        to: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
        mipmap: Mipmap,
        device: CUdevice,
    ) -> CUresult;
}

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
        let descriptor = descriptor(desc, extent, flags)?;
        check(cuMipmappedArrayCreate(mipmappedArray, &descriptor, numLevels))
    }

    /// The array of a level, which the mipmapped array owns.
    fn cudaGetMipmappedArrayLevel(levelArray: Out<Array>, mipmappedArray: Mipmap, level: c_uint) {
        context()?;
        levelArray.check()?;
        let mut array = 0;
        check(cuMipmappedArrayGetLevel(&mut array, mipmappedArray, level))?;
        levelArray.set(array)
    }

    /// Frees a mipmapped array; null is fine.
    fn cudaFreeMipmappedArray(mipmappedArray: Mipmap) {
        context()?;
        if mipmappedArray == 0 {
            return Ok(());
        }
        check(cuMipmappedArrayDestroy(mipmappedArray))
    }

    /// Tiles and mip tail of a sparse array.
    fn cudaMipmappedArrayGetSparseProperties(
        sparseProperties: Out<CUDA_ARRAY_SPARSE_PROPERTIES>,
        mipmap: Mipmap,
    ) {
        context()?;
        check(cuMipmappedArrayGetSparseProperties(sparseProperties, mipmap))
    }

    /// The memory that an array with deferred mapping needs.
    fn cudaMipmappedArrayGetMemoryRequirements(
        memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
        mipmap: Mipmap,
        device: CUdevice,
    ) {
        context()?;
        check_device(device)?;
        check(cuMipmappedArrayGetMemoryRequirements(memoryRequirements, mipmap, device))
    }
}
