//! Declarations of the functions that several tests call, as in a C program: those of the list of
//! `texunit_cuda_abi`, and others, or with other types.

#![allow(dead_code)]

use super::Ptr;
use std::ffi::c_char;
use texunit_cuda_abi::CUlaunchConfig;

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
        CUgraphNode CUgreenCtx CUkernel CUlibrary CUlinkState CUmemoryPool CUmipmappedArray CUmodule
        CUstream CUsurfref CUtexref CUuserObject
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
    cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32);
    cuGetProcAddress_v2(name: *const c_char, f: *mut Ptr, version: i32, flags: u64, why: *mut u32);
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
    cuMemAllocHost_v2(address: *mut Ptr, size: usize);
    cuMemExportToShareableHandle(file: *mut i32, handle: u64, kind: u32, flags: u64);
    cuMemFreeHost(address: Ptr);
    cuMemHostAlloc(pointer: *mut Ptr, size: usize, flags: u32);
    cuMemHostGetDevicePointer_v2(dptr: *mut u64, pointer: Ptr, flags: u32);
    cuMemHostRegister_v2(memory: Ptr, size: usize, flags: u32);
    cuMemHostUnregister(memory: Ptr);
    cuMemPoolGetAttribute(pool: Ptr, attribute: u32, value: Ptr);
    cuMemcpyHtoD_v2(to: u64, from: *const u8, size: usize);
    cuModuleLoadData(module: *mut Ptr, image: *const u8);
    cuModuleLoadDataEx(m: *mut Ptr, image: *const u8, n: u32, options: *const u32, values: *mut usize);
    cuPointerGetAttribute(data: Ptr, attribute: u32, address: u64);
}
