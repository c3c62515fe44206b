//! One object of each kind, and declarations of the functions that take them.

#![allow(non_snake_case, dead_code)]

use crate::common::{Ptr, context, functions, ok};
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};
use texunit_cuda_abi::{
    CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_HOST, CU_RESOURCE_TYPE_ARRAY, CUDA_ARRAY_DESCRIPTOR,
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_SURFACE_LDST, CUDA_MEMCPY2D, CUDA_RESOURCE_DESC,
    CUDA_TEXTURE_DESC, CUresult,
};

functions! {
    cuCtxGetCurrent(context: *mut Ptr);
    cuCtxPushCurrent_v2(context: Ptr);
    cuCtxPopCurrent_v2(context: *mut Ptr);
    cuCtxGetDevice(device: *mut i32);
    cuCtxGetFlags(flags: *mut u32);
    cuCtxGetId(context: Ptr, id: *mut u64);
    cuCtxGetApiVersion(context: Ptr, version: *mut u32);
    cuCtxSynchronize();
    cuCtxSetLimit(limit: u32, value: usize);
    cuCtxGetLimit(value: *mut usize, limit: u32);
    cuCtxSetCacheConfig(config: u32);
    cuCtxGetCacheConfig(config: *mut u32);
    cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32);
    cuDevicePrimaryCtxRetain(context: *mut Ptr, device: i32);
    cuDevicePrimaryCtxRelease_v2(device: i32);
    cuDevicePrimaryCtxReset_v2(device: i32);
    cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32);
    cuDevicePrimaryCtxGetState(device: i32, flags: *mut u32, active: *mut i32);
    cuDeviceGetCount(count: *mut i32);
    cuDeviceGet(device: *mut i32, ordinal: i32);
    cuDeviceGetName(name: *mut u8, len: i32, device: i32);
    cuDeviceTotalMem_v2(size: *mut usize, device: i32);
    cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32);
    cuMemAlloc_v2(address: *mut u64, size: usize);
    cuMemAllocPitch_v2(a: *mut u64, pitch: *mut usize, width: usize, height: usize, element: u32);
    cuMemAllocHost_v2(address: *mut Ptr, size: usize);
    cuMemAllocManaged(address: *mut u64, size: usize, flags: u32);
    cuMemAllocAsync(address: *mut u64, size: usize, stream: Ptr);
    cuMemFree_v2(address: u64);
    cuMemFreeAsync(address: u64, stream: Ptr);
    cuMemFreeHost(address: Ptr);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemGetAddressRange_v2(base: *mut u64, size: *mut usize, address: u64);
    cuMemcpy(to: u64, from: u64, size: usize);
    cuMemcpyHtoD_v2(to: u64, from: *const u8, size: usize);
    cuMemcpyDtoH_v2(to: *mut u8, from: u64, size: usize);
    cuMemcpyDtoD_v2(to: u64, from: u64, size: usize);
    cuMemcpyDtoHAsync_v2(to: *mut u8, from: u64, size: usize, stream: Ptr);
    cuMemcpyAtoH_v2(to: *mut u8, array: Ptr, offset: usize, size: usize);
    cuMemcpyHtoA_v2(array: Ptr, offset: usize, from: *const u8, size: usize);
    cuMemcpy2D_v2(copy: *const CUDA_MEMCPY2D);
    cuMemsetD8_v2(to: u64, value: u8, n: usize);
    cuMemsetD32Async(to: u64, value: u32, n: usize, stream: Ptr);
    cuArrayCreate_v2(array: *mut Ptr, descriptor: *const CUDA_ARRAY_DESCRIPTOR);
    cuArray3DCreate_v2(array: *mut Ptr, descriptor: *const CUDA_ARRAY3D_DESCRIPTOR);
    cuArrayGetDescriptor_v2(descriptor: *mut CUDA_ARRAY_DESCRIPTOR, array: Ptr);
    cuArray3DGetDescriptor_v2(descriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, array: Ptr);
    cuArrayDestroy(array: Ptr);
    cuMipmappedArrayCreate(m: *mut Ptr, descriptor: *const CUDA_ARRAY3D_DESCRIPTOR, levels: u32);
    cuMipmappedArrayGetLevel(array: *mut Ptr, mipmapped: Ptr, level: u32);
    cuMipmappedArrayDestroy(mipmapped: Ptr);
    cuTexObjectCreate(
        texture: *mut u64, resource: *const CUDA_RESOURCE_DESC, how: *const CUDA_TEXTURE_DESC,
        view: *const u8,
    );
    cuTexObjectDestroy(texture: u64);
    cuTexObjectGetResourceDesc(descriptor: *mut CUDA_RESOURCE_DESC, texture: u64);
    cuTexObjectGetTextureDesc(descriptor: *mut CUDA_TEXTURE_DESC, texture: u64);
    cuSurfObjectCreate(surface: *mut u64, resource: *const CUDA_RESOURCE_DESC);
    cuSurfObjectDestroy(surface: u64);
    cuSurfObjectGetResourceDesc(descriptor: *mut CUDA_RESOURCE_DESC, surface: u64);
    cuModuleLoad(module: *mut Ptr, name: *const c_char);
    cuModuleLoadData(module: *mut Ptr, image: *const u8);
    cuModuleUnload(module: Ptr);
    cuModuleGetFunction(function: *mut Ptr, module: Ptr, name: *const c_char);
    cuModuleGetFunctionCount(count: *mut u32, module: Ptr);
    cuModuleGetGlobal_v2(address: *mut u64, size: *mut usize, module: Ptr, name: *const c_char);
    cuFuncGetAttribute(value: *mut i32, attribute: u32, function: Ptr);
    cuFuncSetAttribute(function: Ptr, attribute: u32, value: i32);
    cuFuncGetModule(module: *mut Ptr, function: Ptr);
    cuFuncGetName(name: *mut *const c_char, function: Ptr);
    cuLaunchKernel(
        function: Ptr, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32,
        stream: Ptr, params: *mut *mut u8, extra: *mut usize,
    );
    cuLaunchCooperativeKernel(
        function: Ptr, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32,
        stream: Ptr, params: *mut *mut u8,
    );
    cuLaunchHostFunc(stream: Ptr, f: Option<unsafe extern "C" fn(Ptr)>, data: Ptr);
    cuStreamAddCallback(
        stream: Ptr, f: Option<unsafe extern "C" fn(Ptr, CUresult, Ptr)>, data: Ptr, flags: u32,
    );
    cuStreamCreate(stream: *mut Ptr, flags: u32);
    cuStreamDestroy_v2(stream: Ptr);
    cuStreamSynchronize(stream: Ptr);
    cuStreamQuery(stream: Ptr);
    cuStreamWaitEvent(stream: Ptr, event: Ptr, flags: u32);
    cuStreamGetCtx(stream: Ptr, context: *mut Ptr);
    cuStreamGetFlags(stream: Ptr, flags: *mut u32);
    cuStreamGetPriority(stream: Ptr, priority: *mut i32);
    cuStreamGetId(stream: Ptr, id: *mut u64);
    cuStreamIsCapturing(stream: Ptr, status: *mut u32);
    cuEventCreate(event: *mut Ptr, flags: u32);
    cuEventDestroy_v2(event: Ptr);
    cuEventRecord(event: Ptr, stream: Ptr);
    cuEventQuery(event: Ptr);
    cuEventSynchronize(event: Ptr);
    cuEventElapsedTime(ms: *mut f32, start: Ptr, end: Ptr);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(n: *mut i32, f: Ptr, threads: i32, shared: usize);
    cuLibraryLoadData(
        library: *mut Ptr, code: *const u8, jit: *const u32, values: *mut usize, n: u32,
        options: *const u32, more: *const Ptr, m: u32,
    );
    cuLibraryUnload(library: Ptr);
    cuLibraryGetKernel(kernel: *mut Ptr, library: Ptr, name: *const c_char);
    cuKernelGetFunction(function: *mut Ptr, kernel: Ptr);
    cuLinkCreate_v2(n: u32, options: *const u32, values: *mut usize, state: *mut Ptr);
    cuLinkComplete(state: Ptr, image: *mut *const u8, size: *mut usize);
    cuLinkDestroy(state: Ptr);
}

/// `good` has no effect, `bad` writes to an invalid address.
pub(crate) const PTX: &CStr = c"
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 word = 7;
.visible .entry good() { ret; }
.visible .entry bad()
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 16;
    st.global.u32 [%rd1], 1;
    ret;
}
";

/// One object of each kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) context: Ptr,
    pub(crate) memory: u64,
    pub(crate) array: Ptr,
    pub(crate) mipmapped: Ptr,
    pub(crate) texture: u64,
    pub(crate) surface: u64,
    pub(crate) module: Ptr,
    pub(crate) function: Ptr,
    pub(crate) bad: Ptr,
    pub(crate) library: Ptr,
    pub(crate) kernel: Ptr,
    pub(crate) stream: Ptr,
    pub(crate) event: Ptr,
    pub(crate) link: Ptr,
}

/// An array of 8 x 8 `f32` that can be a surface.
pub(crate) static ARRAY: CUDA_ARRAY3D_DESCRIPTOR = CUDA_ARRAY3D_DESCRIPTOR {
    width: 8,
    height: 8,
    depth: 0,
    format: 0x20,
    num_channels: 1,
    flags: CUDA_ARRAY3D_SURFACE_LDST,
};

pub(crate) fn of_array(array: Ptr) -> CUDA_RESOURCE_DESC {
    CUDA_RESOURCE_DESC {
        res_type: CU_RESOURCE_TYPE_ARRAY,
        what: array as u64,
        ..CUDA_RESOURCE_DESC::default()
    }
}

/// Writes the 8 x 8 texels of an array of [`ARRAY`].
pub(crate) fn upload(array: Ptr, texels: &[f32]) {
    assert_eq!(texels.len(), 64);
    let mut copy = CUDA_MEMCPY2D { width_in_bytes: 32, height: 8, ..CUDA_MEMCPY2D::default() };
    copy.src.memory_type = CU_MEMORYTYPE_HOST;
    copy.src.host = texels.as_ptr() as u64;
    copy.src.pitch = 32;
    copy.dst.memory_type = CU_MEMORYTYPE_ARRAY;
    copy.dst.array = array as usize;
    ok!(cuMemcpy2D_v2(&raw const copy));
}

impl World {
    /// A world in which all handles are null.
    pub(crate) fn nothing() -> Self {
        let none = null_mut();
        Self {
            context: none,
            memory: 0,
            array: none,
            mipmapped: none,
            texture: 0,
            surface: 0,
            module: none,
            function: none,
            bad: none,
            library: none,
            kernel: none,
            stream: none,
            event: none,
            link: none,
        }
    }

    /// Creates all objects in a new context, which is current.
    pub(crate) fn new() -> Self {
        Self { context: context(), ..Self::nothing() }.fill()
    }

    /// Creates one object of each kind in the current context.
    pub(crate) fn fill(mut self) -> Self {
        let w = &mut self;
        ok!(cuMemAlloc_v2(&raw mut w.memory, 4096));
        ok!(cuArray3DCreate_v2(&raw mut w.array, &raw const ARRAY));
        ok!(cuMipmappedArrayCreate(&raw mut w.mipmapped, &raw const ARRAY, 2));
        let (resource, how) = (of_array(w.array), CUDA_TEXTURE_DESC::default());
        ok!(cuTexObjectCreate(&raw mut w.texture, &raw const resource, &raw const how, null()));
        ok!(cuSurfObjectCreate(&raw mut w.surface, &raw const resource));
        let text = PTX.as_ptr().cast();
        ok!(cuModuleLoadData(&raw mut w.module, text));
        ok!(cuModuleGetFunction(&raw mut w.function, w.module, c"good".as_ptr()));
        ok!(cuModuleGetFunction(&raw mut w.bad, w.module, c"bad".as_ptr()));
        let none = null_mut::<u8>();
        ok!(cuLibraryLoadData(&raw mut w.library, text, null(), none.cast(), 0, null(), null(), 0));
        ok!(cuLibraryGetKernel(&raw mut w.kernel, w.library, c"good".as_ptr()));
        ok!(cuStreamCreate(&raw mut w.stream, 0));
        ok!(cuEventCreate(&raw mut w.event, 0));
        ok!(cuEventRecord(w.event, w.stream));
        ok!(cuLinkCreate_v2(0, null(), none.cast(), &raw mut w.link));
        self
    }

    /// Launches a kernel without parameters: one thread in the default stream.
    pub(crate) fn launch(function: Ptr) -> CUresult {
        let none = null_mut();
        // SAFETY: the kernel has no parameters.
        unsafe { cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, none, none.cast(), none.cast()) }
    }

    /// Causes a fault, after which the current context is unusable.
    pub(crate) fn fault(&self) {
        assert_eq!(Self::launch(self.bad), CUresult::SUCCESS);
    }
}
