//! Mipmapped arrays (driver API, "Memory Management").

use crate::args::{In, Out};
use crate::array::{self, ArrayObject, MipmapObject};
use crate::call::driver_api;
use crate::context::current;
use crate::handle::Handle;
use std::ffi::c_uint;
use texunit_cuda_abi::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY3D_DESCRIPTOR, CUdevice, CUresult,
};

driver_api! {
    /// Makes an array with mip levels: as many as asked for, but at least one, and none after the one
    /// of a single element.
    fn cuMipmappedArrayCreate(
        pHandle: Out<Handle<MipmapObject>>,
        pMipmappedArrayDesc: In<CUDA_ARRAY3D_DESCRIPTOR>,
        numMipmapLevels: c_uint,
    ) {
        let context = current()?;
        pHandle.check()?;
        let descriptor = pMipmappedArrayDesc.get()?;
        pHandle.set(array::create_mipmapped(&context, &descriptor, numMipmapLevels)?)
    }

    /// A level as an array, which ends with the whole. It is the same one at every call.
    fn cuMipmappedArrayGetLevel(
        pLevelArray: Out<Handle<ArrayObject>>,
        hMipmappedArray: Handle<MipmapObject>,
        level: c_uint,
    ) {
        current()?;
        pLevelArray.check()?;
        pLevelArray.set(array::level(hMipmappedArray, level)?)
    }

    /// Ends an array and its levels. A fetch from a texture of it, and an access to a surface, is a fault from here
    /// on.
    fn cuMipmappedArrayDestroy(hMipmappedArray: Handle<MipmapObject>) {
        current()?;
        array::destroy_mipmapped(hMipmappedArray)
    }

    /// Always `CUDA_ERROR_INVALID_VALUE`: only an array that is mapped later as a whole has them.
    fn cuMipmappedArrayGetMemoryRequirements(
        memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
        mipmap: Handle<MipmapObject>,
        device: CUdevice,
    ) {
        crate::state::gpu(device)?;
        memoryRequirements.check()?;
        mipmap.get()?;
        Err(CUresult::INVALID_VALUE.because(
            "mipmap was not made with CUDA_ARRAY3D_DEFERRED_MAPPING, and has its memory: only arrays that are \
             mapped later have requirements",
        ))
    }
}
