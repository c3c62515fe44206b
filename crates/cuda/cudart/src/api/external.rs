//! External memory (runtime API, "External Resource Interoperability"). A `cudaExternalMemory_t` is
//! a `CUexternalMemory`.

use super::array::descriptor;
use crate::call::{check, forward, runtime_api};
use crate::driver;
use crate::state::context;
use crate::types::{Mipmap, cudaExternalMemoryMipmappedArrayDesc};
use texunit_cuda_abi::args::{In, Out};
use texunit_cuda_abi::{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, CUdeviceptr,
};

/// Handle of imported memory (`cudaExternalMemory_t`), which is the driver's handle.
type External = usize;

forward! {
    /// Imports memory of `cuMemCreate` by a file descriptor that was exported of it.
    fn cudaImportExternalMemory(extMem_out: Out<External>, memHandleDesc: In<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>)
        = cuImportExternalMemory;
    /// Maps a range of imported memory as linear memory, which `cudaFree` frees.
    fn cudaExternalMemoryGetMappedBuffer(
        devPtr: Out<CUdeviceptr>,
        extMem: External,
        bufferDesc: In<CUDA_EXTERNAL_MEMORY_BUFFER_DESC>,
    ) = cuExternalMemoryGetMappedBuffer;
    /// Destroys imported memory. Its mappings stay.
    fn cudaDestroyExternalMemory(extMem: External) = cuDestroyExternalMemory;
}

runtime_api! {
    /// Maps imported memory as a mipmapped array, which `cudaFreeMipmappedArray` frees.
    fn cudaExternalMemoryGetMappedMipmappedArray(
        mipmap: Out<Mipmap>,
        extMem: External,
        mipmapDesc: In<cudaExternalMemoryMipmappedArrayDesc>,
    ) {
        context()?;
        mipmap.check()?;
        let desc = mipmapDesc.get()?;
        let array = descriptor(&desc.format, desc.extent, desc.flags)?;
        let (offset, levels) = (desc.offset, desc.levels);
        let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { offset, array, levels };
        check(driver::cuExternalMemoryGetMappedMipmappedArray(mipmap, extMem, &desc))
    }
}
