//! Creation, description and destruction of arrays (driver API, "Memory Management").

use crate::args::{In, Out};
use crate::array::{self, ArrayObject};
use crate::call::driver_api;
use crate::context::current;
use crate::handle::Handle;
use std::ffi::c_uint;
use texunit_cuda_abi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY_DESCRIPTOR_v1, CUDA_ARRAY_MEMORY_REQUIREMENTS,
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR_v1, CUdevice, CUresult,
};

driver_api! {
    /// Creates a one-dimensional array (height 0) or a two-dimensional one.
    fn cuArrayCreate_v2(pHandle: Out<Handle<ArrayObject>>, pAllocateArray: In<CUDA_ARRAY_DESCRIPTOR>) {
        let context = current()?;
        pHandle.check()?;
        pHandle.set(array::create(&context, &in_3d(&pAllocateArray.get()?))?)
    }

    /// As `cuArrayCreate_v2`, with 32-bit sizes.
    fn cuArrayCreate(pHandle: Out<Handle<ArrayObject>>, pAllocateArray: In<CUDA_ARRAY_DESCRIPTOR_v1>) {
        let context = current()?;
        pHandle.check()?;
        let CUDA_ARRAY_DESCRIPTOR_v1 { width, height, format, num_channels } = pAllocateArray.get()?;
        let wide = CUDA_ARRAY_DESCRIPTOR {
            width: width as usize,
            height: height as usize,
            format,
            num_channels,
        };
        pHandle.set(array::create(&context, &in_3d(&wide))?)
    }

    /// Creates an array of any kind. Deferred mapping (`CUDA_ARRAY3D_DEFERRED_MAPPING`) and video
    /// formats are not provided.
    fn cuArray3DCreate_v2(
        pHandle: Out<Handle<ArrayObject>>,
        pAllocateArray: In<CUDA_ARRAY3D_DESCRIPTOR>,
    ) {
        let context = current()?;
        pHandle.check()?;
        pHandle.set(array::create(&context, &pAllocateArray.get()?)?)
    }

    /// As `cuArray3DCreate_v2`, with 32-bit sizes.
    fn cuArray3DCreate(
        pHandle: Out<Handle<ArrayObject>>,
        pAllocateArray: In<CUDA_ARRAY3D_DESCRIPTOR_v1>,
    ) {
        let context = current()?;
        pHandle.check()?;
        let given = pAllocateArray.get()?;
        let wide = CUDA_ARRAY3D_DESCRIPTOR {
            width: given.width as usize,
            height: given.height as usize,
            depth: given.depth as usize,
            format: given.format,
            num_channels: given.num_channels,
            flags: given.flags,
        };
        pHandle.set(array::create(&context, &wide)?)
    }

    /// Width, height and format of an array.
    fn cuArrayGetDescriptor_v2(
        pArrayDescriptor: Out<CUDA_ARRAY_DESCRIPTOR>,
        hArray: Handle<ArrayObject>,
    ) {
        current()?;
        let CUDA_ARRAY3D_DESCRIPTOR { width, height, format, num_channels, .. } =
            hArray.get()?.descriptor;
        pArrayDescriptor.set(CUDA_ARRAY_DESCRIPTOR { width, height, format, num_channels })
    }

    /// As `cuArrayGetDescriptor_v2`, with 32-bit sizes.
    fn cuArrayGetDescriptor(
        pArrayDescriptor: Out<CUDA_ARRAY_DESCRIPTOR_v1>,
        hArray: Handle<ArrayObject>,
    ) {
        current()?;
        let CUDA_ARRAY3D_DESCRIPTOR { width, height, format, num_channels, .. } =
            hArray.get()?.descriptor;
        // No array extent reaches 2^32.
        let (width, height) = (width as u32, height as u32);
        pArrayDescriptor.set(CUDA_ARRAY_DESCRIPTOR_v1 { width, height, format, num_channels })
    }

    /// The descriptor of an array; for a mip level, with the level's extent.
    fn cuArray3DGetDescriptor_v2(
        pArrayDescriptor: Out<CUDA_ARRAY3D_DESCRIPTOR>,
        hArray: Handle<ArrayObject>,
    ) {
        current()?;
        pArrayDescriptor.set(hArray.get()?.descriptor)
    }

    /// As `cuArray3DGetDescriptor_v2`, with 32-bit sizes.
    fn cuArray3DGetDescriptor(
        pArrayDescriptor: Out<CUDA_ARRAY3D_DESCRIPTOR_v1>,
        hArray: Handle<ArrayObject>,
    ) {
        current()?;
        let found = hArray.get()?.descriptor;
        pArrayDescriptor.set(CUDA_ARRAY3D_DESCRIPTOR_v1 {
            width: found.width as u32,
            height: found.height as u32,
            depth: found.depth as u32,
            format: found.format,
            num_channels: found.num_channels,
            flags: found.flags,
        })
    }

    /// Destroys an array. Texture fetches and surface accesses to it become faults.
    fn cuArrayDestroy(hArray: Handle<ArrayObject>) {
        current()?;
        array::destroy(hArray)
    }

    /// Always `CUDA_ERROR_INVALID_VALUE`, because no supported format has planes.
    fn cuArrayGetPlane(
        pPlaneArray: Out<Handle<ArrayObject>>,
        hArray: Handle<ArrayObject>,
        planeIdx: c_uint,
    ) {
        current()?;
        pPlaneArray.check()?;
        hArray.get()?;
        Err(CUresult::INVALID_VALUE.because(format!(
            "planeIdx {planeIdx}: hArray has no planes, which only video formats have"
        )))
    }

    /// Always `CUDA_ERROR_INVALID_VALUE`, because arrays with deferred mapping are not provided.
    fn cuArrayGetMemoryRequirements(
        memoryRequirements: Out<CUDA_ARRAY_MEMORY_REQUIREMENTS>,
        array: Handle<ArrayObject>,
        device: CUdevice,
    ) {
        crate::state::gpu(device)?;
        memoryRequirements.check()?;
        array.get()?;
        Err(CUresult::INVALID_VALUE.because(
            "array was not made with CUDA_ARRAY3D_DEFERRED_MAPPING, and has its memory: only arrays that are mapped \
             later have requirements",
        ))
    }
}

fn in_3d(descriptor: &CUDA_ARRAY_DESCRIPTOR) -> CUDA_ARRAY3D_DESCRIPTOR {
    let CUDA_ARRAY_DESCRIPTOR { width, height, format, num_channels } = *descriptor;
    CUDA_ARRAY3D_DESCRIPTOR { width, height, depth: 0, format, num_channels, flags: 0 }
}
