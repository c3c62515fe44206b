//! Declarations of the functions that several tests call, as in a C program: those of the list of
//! `texunit_cuda_abi`, and others, or with other types.

#![allow(dead_code)]

use super::Ptr;
use std::ffi::c_char;
use texunit_cuda_abi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUlaunchConfig,
    CUmemAllocationProp,
};

mod listed {
    use super::Ptr;
    use std::ffi::*;
    use texunit_cuda_abi::*;

    /// Untyped memory.
    #[allow(non_camel_case_types)]
    type c_void = u8;

    macro_rules! handles {
        ($($name:ident)*) => {
            $(type $name = Ptr;)*
        };
    }
    handles! {
        CUarray CUcontext CUdevResourceDesc CUevent CUexternalMemory CUfunction CUgraph CUgraphExec
        CUgraphNode CUgreenCtx CUkernel CUlibrary CUmemoryPool CUmipmappedArray CUmodule CUstream
        CUuserObject
    }

    macro_rules! declare {
        ($($safety:ident { $(fn $name:ident($($arg:ident: $ty:ty),*);)* })*) => {
            $(super::super::functions! { $($name($($arg: $ty),*);)* })*
        };
    }
    texunit_cuda_abi::driver_functions!(declare);
}
pub(crate) use listed::*;

functions! {
    cuArrayCreate_v2(array: *mut Ptr, descriptor: *const CUDA_ARRAY_DESCRIPTOR);
    cuArrayGetDescriptor_v2(descriptor: *mut CUDA_ARRAY_DESCRIPTOR, array: Ptr);
    cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32);
    cuEventRecord(event: Ptr, stream: Ptr);
    cuFuncGetModule(module: *mut Ptr, function: Ptr);
    cuGetProcAddress_v2(name: *const c_char, f: *mut Ptr, version: i32, flags: u64, why: *mut u32);
    cuKernelGetAttribute(value: *mut i32, attribute: u32, kernel: Ptr, device: i32);
    cuLaunchCooperativeKernel(
        function: Ptr, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32,
        stream: Ptr, params: *mut *mut u8,
    );
    cuLaunchKernel(
        function: Ptr, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32,
        stream: Ptr, params: *mut *mut u8, extra: *mut usize,
    );
    cuLaunchKernelEx(
        config: *const CUlaunchConfig, function: Ptr, params: *mut *mut u8, extra: *mut usize,
    );
    cuLibraryLoadData(
        library: *mut Ptr, code: *const u8, jit: *const u32, values: *mut usize, n: u32,
        options: *const u32, more: *const Ptr, m: u32,
    );
    cuLinkAddData_v2(
        state: Ptr, kind: u32, data: *const u8, size: usize, name: *const c_char, n: u32,
        options: *const u32, values: *mut usize,
    );
    cuLinkAddFile_v2(
        state: Ptr, kind: u32, name: *const c_char, n: u32, options: *const u32, values: *mut usize,
    );
    cuLinkComplete(state: Ptr, image: *mut *const u8, size: *mut usize);
    cuLinkCreate_v2(n: u32, options: *const u32, values: *mut usize, state: *mut Ptr);
    cuLinkDestroy(state: Ptr);
    cuMemAllocHost_v2(address: *mut Ptr, size: usize);
    cuMemCreate(handle: *mut u64, size: usize, prop: *const CUmemAllocationProp, flags: u64);
    cuMemExportToShareableHandle(file: *mut i32, handle: u64, kind: u32, flags: u64);
    cuMemFreeHost(address: Ptr);
    cuMemGetAddressRange_v2(base: *mut u64, size: *mut usize, p: u64);
    cuMemHostAlloc(pointer: *mut Ptr, size: usize, flags: u32);
    cuMemHostGetDevicePointer_v2(dptr: *mut u64, pointer: Ptr, flags: u32);
    cuMemHostRegister_v2(memory: Ptr, size: usize, flags: u32);
    cuMemHostUnregister(memory: Ptr);
    cuMemPoolGetAttribute(pool: Ptr, attribute: u32, value: Ptr);
    cuMemRelease(handle: u64);
    cuMemcpy2D_v2(copy: *const CUDA_MEMCPY2D);
    cuMemcpyHtoD_v2(to: u64, from: *const u8, size: usize);
    cuMemsetD32Async(to: u64, value: u32, n: usize, stream: Ptr);
    cuMemsetD32_v2(to: u64, value: u32, n: usize);
    cuModuleGetFunctionCount(count: *mut u32, module: Ptr);
    cuModuleGetGlobal_v2(address: *mut u64, size: *mut usize, module: Ptr, name: *const c_char);
    cuModuleLoad(module: *mut Ptr, name: *const c_char);
    cuModuleLoadData(module: *mut Ptr, image: *const u8);
    cuModuleLoadDataEx(m: *mut Ptr, image: *const u8, n: u32, options: *const u32, values: *mut usize);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(n: *mut i32, f: Ptr, threads: i32, shared: usize);
    cuPointerGetAttribute(data: Ptr, attribute: u32, address: u64);
    cuStreamCreate(stream: *mut Ptr, flags: u32);
    cuStreamWriteValue64_v2(stream: Ptr, address: u64, value: u64, flags: u32);
    cuSurfObjectCreate(surface: *mut u64, resource: *const CUDA_RESOURCE_DESC);
    cuSurfObjectDestroy(surface: u64);
    cuSurfObjectGetResourceDesc(resource: *mut CUDA_RESOURCE_DESC, surface: u64);
    cuTexObjectDestroy(texture: u64);
    cuTexObjectGetResourceDesc(resource: *mut CUDA_RESOURCE_DESC, texture: u64);
    cuTexObjectGetTextureDesc(state: *mut CUDA_TEXTURE_DESC, texture: u64);
    cuTexRefCreate(texref: *mut Ptr);
    cuTexRefDestroy(reference: Ptr);
    cuTexRefSetAddress2D_v2(reference: Ptr, what: *const CUDA_ARRAY_DESCRIPTOR, address: u64, pitch: usize);
    cuTexRefSetAddress2D_v3(reference: Ptr, what: *const CUDA_ARRAY_DESCRIPTOR, address: u64, pitch: usize);
}
