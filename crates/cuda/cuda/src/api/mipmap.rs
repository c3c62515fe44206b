//! Mipmapped arrays (driver API, "Memory Management").

use crate::api::*;
use crate::array::{self, ArrayObject, MipmapObject};

driver_api! {
    /// Creates a mipmapped array. The number of levels is limited to at least one and at most those
    /// down to a single element.
    fn cuMipmappedArrayCreate(
        pHandle: Out<Handle<MipmapObject>>,
        pMipmappedArrayDesc: In<CUDA_ARRAY3D_DESCRIPTOR>,
        numMipmapLevels: c_uint,
    ) {
        let context = current()?;
        pHandle.check()?;
        let descriptor = pMipmappedArrayDesc.get()?;
        pHandle.set(array::create_mipmapped(&context, &descriptor, numMipmapLevels, None)?)
    }

    /// A level as an array, which lives as long as the mipmapped array. Repeated calls return the
    /// same handle.
    fn cuMipmappedArrayGetLevel(
        pLevelArray: Out<Handle<ArrayObject>>,
        hMipmappedArray: Handle<MipmapObject>,
        level: c_uint,
    ) {
        current()?;
        pLevelArray.give(|| array::level(hMipmappedArray, level))
    }

    /// Destroys a mipmapped array and its levels. Texture fetches and surface accesses to it become
    /// faults.
    fn cuMipmappedArrayDestroy(hMipmappedArray: Handle<MipmapObject>) {
        current()?;
        array::destroy_mipmapped(hMipmappedArray)
    }

    /// Always `CUDA_ERROR_INVALID_VALUE`, because arrays with deferred mapping are not provided.
    fn cuMipmappedArrayGetMemoryRequirements(
        memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
        mipmap: Handle<MipmapObject>,
        device: CUdevice,
    ) {
        crate::state::gpu(device)?;
        memoryRequirements.check()?;
        mipmap.get()?;
        Err(invalid!(
            "mipmap was not made with CUDA_ARRAY3D_DEFERRED_MAPPING, and has its memory: only arrays that are \
             mapped later have requirements"
        ))
    }
}
