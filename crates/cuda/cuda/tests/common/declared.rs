//! Declarations of the functions that several tests call, as in a C program.

#![allow(dead_code)]

use super::Ptr;
use std::ffi::c_char;
use texunit_cuda_abi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D,
    CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUlaunchConfig, CUmemAllocationProp, CUmemPoolProps,
};

functions! {
    cuArray3DCreate_v2(array: *mut Ptr, descriptor: *const CUDA_ARRAY3D_DESCRIPTOR);
    cuArray3DGetDescriptor_v2(descriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, array: Ptr);
    cuArrayCreate_v2(array: *mut Ptr, descriptor: *const CUDA_ARRAY_DESCRIPTOR);
    cuArrayDestroy(array: Ptr);
    cuArrayGetDescriptor_v2(descriptor: *mut CUDA_ARRAY_DESCRIPTOR, array: Ptr);
    cuCtxGetCurrent(context: *mut Ptr);
    cuCtxGetDevice(device: *mut i32);
    cuCtxGetLimit(value: *mut usize, limit: u32);
    cuCtxPopCurrent_v2(context: *mut Ptr);
    cuCtxSetLimit(limit: u32, value: usize);
    cuCtxSynchronize();
    cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32);
    cuDeviceGetCount(count: *mut i32);
    cuDeviceGetDefaultMemPool(pool: *mut Ptr, device: i32);
    cuDevicePrimaryCtxRelease_v2(device: i32);
    cuDevicePrimaryCtxReset_v2(device: i32);
    cuDevicePrimaryCtxRetain(context: *mut Ptr, device: i32);
    cuDeviceSetMemPool(device: i32, pool: Ptr);
    cuEventCreate(event: *mut Ptr, flags: u32);
    cuEventDestroy_v2(event: Ptr);
    cuEventQuery(event: Ptr);
    cuEventRecord(event: Ptr, stream: Ptr);
    cuEventSynchronize(event: Ptr);
    cuFuncGetAttribute(value: *mut i32, attribute: u32, function: Ptr);
    cuFuncGetModule(module: *mut Ptr, function: Ptr);
    cuFuncGetName(name: *mut *const c_char, function: Ptr);
    cuFuncSetAttribute(function: Ptr, attribute: u32, value: i32);
    cuGetProcAddress_v2(name: *const c_char, f: *mut Ptr, version: i32, flags: u64, why: *mut u32);
    cuGraphAddEmptyNode(n: *mut Ptr, g: Ptr, d: *const Ptr, c: usize);
    cuGraphCreate(graph: *mut Ptr, flags: u32);
    cuGraphInstantiateWithFlags(exec: *mut Ptr, graph: Ptr, flags: u64);
    cuGraphLaunch(exec: Ptr, stream: Ptr);
    cuInit(flags: u32);
    cuKernelGetAttribute(value: *mut i32, attribute: u32, kernel: Ptr, device: i32);
    cuKernelGetFunction(function: *mut Ptr, kernel: Ptr);
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
    cuLibraryGetKernel(kernel: *mut Ptr, library: Ptr, name: *const c_char);
    cuLibraryLoadData(
        library: *mut Ptr, code: *const u8, jit: *const u32, values: *mut usize, n: u32,
        options: *const u32, more: *const Ptr, m: u32,
    );
    cuLibraryUnload(library: Ptr);
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
    cuMemAdvise(ptr: u64, count: usize, advice: u32, device: i32);
    cuMemAllocAsync(p: *mut u64, size: usize, stream: Ptr);
    cuMemAllocFromPoolAsync(p: *mut u64, bytes: usize, pool: Ptr, stream: Ptr);
    cuMemAllocHost_v2(address: *mut Ptr, size: usize);
    cuMemAllocManaged(p: *mut u64, size: usize, flags: u32);
    cuMemAllocPitch_v2(a: *mut u64, pitch: *mut usize, width: usize, height: usize, element: u32);
    cuMemAlloc_v2(p: *mut u64, size: usize);
    cuMemCreate(handle: *mut u64, size: usize, prop: *const CUmemAllocationProp, flags: u64);
    cuMemExportToShareableHandle(file: *mut i32, handle: u64, kind: u32, flags: u64);
    cuMemFreeAsync(p: u64, stream: Ptr);
    cuMemFreeHost(address: Ptr);
    cuMemFree_v2(p: u64);
    cuMemGetAddressRange_v2(base: *mut u64, size: *mut usize, p: u64);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemHostAlloc(pointer: *mut Ptr, size: usize, flags: u32);
    cuMemHostGetDevicePointer_v2(dptr: *mut u64, pointer: Ptr, flags: u32);
    cuMemHostRegister_v2(memory: Ptr, size: usize, flags: u32);
    cuMemHostUnregister(memory: Ptr);
    cuMemPoolCreate(pool: *mut Ptr, props: *const CUmemPoolProps);
    cuMemPoolDestroy(pool: Ptr);
    cuMemPoolGetAttribute(pool: Ptr, attribute: u32, value: Ptr);
    cuMemPoolTrimTo(pool: Ptr, keep: usize);
    cuMemRelease(handle: u64);
    cuMemcpy(to: u64, from: u64, size: usize);
    cuMemcpy2D_v2(copy: *const CUDA_MEMCPY2D);
    cuMemcpy3D_v2(copy: *const CUDA_MEMCPY3D);
    cuMemcpyAsync(to: u64, from: u64, size: usize, stream: Ptr);
    cuMemcpyDtoD_v2(to: u64, from: u64, size: usize);
    cuMemcpyDtoH_v2(to: *mut u8, from: u64, size: usize);
    cuMemcpyHtoD_v2(to: u64, from: *const u8, size: usize);
    cuMemsetD32Async(to: u64, value: u32, n: usize, stream: Ptr);
    cuMemsetD32_v2(to: u64, value: u32, n: usize);
    cuMemsetD8_v2(to: u64, value: u8, n: usize);
    cuMipmappedArrayCreate(m: *mut Ptr, descriptor: *const CUDA_ARRAY3D_DESCRIPTOR, levels: u32);
    cuMipmappedArrayDestroy(array: Ptr);
    cuMipmappedArrayGetLevel(level: *mut Ptr, array: Ptr, number: u32);
    cuModuleGetFunction(function: *mut Ptr, module: Ptr, name: *const c_char);
    cuModuleGetFunctionCount(count: *mut u32, module: Ptr);
    cuModuleGetGlobal_v2(address: *mut u64, size: *mut usize, module: Ptr, name: *const c_char);
    cuModuleLoad(module: *mut Ptr, name: *const c_char);
    cuModuleLoadData(module: *mut Ptr, image: *const u8);
    cuModuleLoadDataEx(m: *mut Ptr, image: *const u8, n: u32, options: *const u32, values: *mut usize);
    cuModuleUnload(module: Ptr);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(n: *mut i32, f: Ptr, threads: i32, shared: usize);
    cuPointerGetAttribute(data: Ptr, attribute: u32, address: u64);
    cuStreamBeginCapture_v2(stream: Ptr, mode: u32);
    cuStreamCreate(stream: *mut Ptr, flags: u32);
    cuStreamDestroy_v2(stream: Ptr);
    cuStreamEndCapture(stream: Ptr, graph: *mut Ptr);
    cuStreamGetCtx(stream: Ptr, context: *mut Ptr);
    cuStreamQuery(stream: Ptr);
    cuStreamSynchronize(stream: Ptr);
    cuStreamWaitEvent(stream: Ptr, event: Ptr, flags: u32);
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
