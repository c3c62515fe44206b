//! External memory (driver API, "External Resource Interoperability").

use crate::api::*;
use crate::external;

driver_api! {
    /// Imports memory of `cuMemCreate` by a file descriptor that was exported of it.
    fn cuImportExternalMemory(extMem_out, memHandleDesc) {
        let context = current()?;
        extMem_out.give(|| external::import(&context, &memHandleDesc.get()?))
    }

    /// Maps a range of imported memory as linear memory, which `cuMemFree` frees.
    fn cuExternalMemoryGetMappedBuffer(devPtr, extMem, bufferDesc) {
        let context = current()?;
        devPtr.give(|| external::buffer(&context, extMem, &bufferDesc.get()?))
    }

    /// Maps imported memory as a mipmapped array, which `cuMipmappedArrayDestroy` destroys.
    fn cuExternalMemoryGetMappedMipmappedArray(mipmap, extMem, mipmapDesc) {
        let context = current()?;
        mipmap.give(|| external::mipmapped(&context, extMem, &mipmapDesc.get()?))
    }

    /// Destroys imported memory. Its mappings stay.
    fn cuDestroyExternalMemory(extMem) {
        current()?;
        deferred::wait_for_all();
        external::destroy(extMem)
    }
}
