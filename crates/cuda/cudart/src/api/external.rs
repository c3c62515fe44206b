//! External memory (runtime API, "External Resource Interoperability"). A `cudaExternalMemory_t` is
//! a `CUexternalMemory`.

use super::array::descriptor;
use crate::api::*;

/// Handle of imported memory (`cudaExternalMemory_t`), which is the driver's handle.
type External = usize;

runtime_api! {
    /// Maps imported memory as a mipmapped array, which `cudaFreeMipmappedArray` frees.
    fn cudaExternalMemoryGetMappedMipmappedArray(mipmap, extMem, mipmapDesc) {
        context()?;
        mipmap.check()?;
        let desc = mipmapDesc.get()?;
        let array = descriptor(&desc.format, desc.extent, desc.flags)?;
        let (offset, levels) = (desc.offset, desc.levels);
        let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { offset, array, levels };
        check(driver::cuExternalMemoryGetMappedMipmappedArray(mipmap, extMem, &desc))
    }
}
