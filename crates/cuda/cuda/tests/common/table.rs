//! The calls whose error codes are tested, by category.

use super::world::*;
use crate::common::Ptr;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUresult,
};

/// A call with valid arguments.
pub(crate) struct Row {
    pub(crate) family: &'static str,
    pub(crate) name: &'static str,
    #[allow(dead_code, reason = "not every test asks")]
    pub(crate) needs: Needs,
    pub(crate) call: fn(&World) -> CUresult,
}

/// Precondition of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// A usable context: the code is `CUDA_ERROR_INVALID_CONTEXT` without one,
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED` with a destroyed one, and the fault's code after a fault.
    Context,
    /// A context, possibly with a fault: the call is about the context itself.
    AnyContext,
    /// No current context: that of its stream or event must be usable.
    Owner,
    /// No current context, but if there is one it must be usable. Codes for a destroyed context are
    /// not documented: NVIDIA's driver looks up the address first.
    ContextIfAny,
    /// Only `cuInit`.
    Init,
}

macro_rules! rows {
    ($($family:literal { $($needs:ident $function:ident($($arg:expr),*) where |$w:ident|;)* })*) => {
        /// All rows of the table of calls.
        pub(crate) const ROWS: &[Row] = &[$($(Row {
            family: $family,
            name: stringify!($function),
            needs: Needs::$needs,
            // SAFETY: pointers are null, or of temporary values that live until the call returns.
            call: |$w| unsafe { $function($($arg),*) },
        },)*)*];
    };
}

/// Memory for a result.
fn to<T: Default>() -> *mut T {
    Box::leak(Box::<T>::default())
}

/// Memory for a handle.
fn handle() -> *mut Ptr {
    to::<usize>().cast()
}

fn bytes() -> *mut u8 {
    to::<[u8; 32]>().cast()
}

fn flat() -> *const CUDA_ARRAY_DESCRIPTOR {
    let flat = CUDA_ARRAY_DESCRIPTOR { width: 8, height: 8, format: 0x20, num_channels: 1 };
    Box::leak(Box::new(flat))
}

fn resource(w: &World) -> *const CUDA_RESOURCE_DESC {
    Box::leak(Box::new(of_array(w.array)))
}

unsafe extern "C" fn nothing(_: Ptr) {}

rows! {
    "device" {
        Init cuDeviceGetCount(to()) where |_w|;
        Init cuDeviceGet(to(), 0) where |_w|;
        Init cuDeviceGetName(bytes(), 32, 0) where |_w|;
        Init cuDeviceTotalMem_v2(to(), 0) where |_w|;
        Init cuDeviceGetAttribute(to(), 1, 0) where |_w|;
        Init cuDevicePrimaryCtxGetState(0, to(), to()) where |_w|;
        Init cuDevicePrimaryCtxSetFlags_v2(0, 0) where |_w|;
    }
    "context" {
        Init cuCtxGetCurrent(handle()) where |_w|;
        AnyContext cuCtxGetDevice(to()) where |_w|;
        AnyContext cuCtxGetFlags(to()) where |_w|;
        AnyContext cuCtxGetId(null_mut(), to()) where |_w|;
        AnyContext cuCtxGetApiVersion(null_mut(), to()) where |_w|;
        Context cuCtxSynchronize() where |_w|;
        Context cuCtxSetLimit(0, 2048) where |_w|;
        Context cuCtxGetLimit(to(), 0) where |_w|;
        Context cuCtxSetCacheConfig(1) where |_w|;
        Context cuCtxGetCacheConfig(to()) where |_w|;
        Context cuCtxGetStreamPriorityRange(to(), to()) where |_w|;
    }
    "memory" {
        Context cuMemAlloc_v2(to(), 64) where |_w|;
        Context cuMemAllocPitch_v2(to(), to(), 64, 4, 4) where |_w|;
        Context cuMemAllocHost_v2(handle(), 64) where |_w|;
        Context cuMemAllocManaged(to(), 64, 1) where |_w|;
        Context cuMemAllocAsync(to(), 64, null_mut()) where |_w|;
        Context cuMemGetInfo_v2(to(), to()) where |_w|;
        Context cuMemGetAddressRange_v2(to(), to(), w.memory) where |w|;
        Context cuMemcpy(w.memory, w.memory + 64, 8) where |w|;
        Context cuMemcpyHtoD_v2(w.memory, bytes(), 8) where |w|;
        Context cuMemcpyDtoH_v2(bytes(), w.memory, 8) where |w|;
        Context cuMemcpyDtoD_v2(w.memory, w.memory + 64, 8) where |w|;
        Context cuMemcpyDtoHAsync_v2(bytes(), w.memory, 8, null_mut()) where |w|;
        Context cuMemsetD8_v2(w.memory, 1, 8) where |w|;
        Context cuMemsetD32Async(w.memory, 1, 8, null_mut()) where |w|;
        ContextIfAny cuMemFree_v2(w.memory) where |w|;
    }
    "arrays" {
        Context cuArrayCreate_v2(handle(), flat()) where |_w|;
        Context cuArray3DCreate_v2(handle(), &raw const ARRAY) where |_w|;
        Context cuArrayGetDescriptor_v2(to::<CUDA_ARRAY_DESCRIPTOR>(), w.array) where |w|;
        Context cuArray3DGetDescriptor_v2(to::<CUDA_ARRAY3D_DESCRIPTOR>(), w.array) where |w|;
        Context cuMipmappedArrayCreate(handle(), &raw const ARRAY, 2) where |_w|;
        Context cuMipmappedArrayGetLevel(handle(), w.mipmapped, 1) where |w|;
        Context cuMemcpyAtoH_v2(bytes(), w.array, 0, 8) where |w|;
        Context cuMemcpyHtoA_v2(w.array, 0, bytes(), 8) where |w|;
    }
    "textures" {
        Context cuTexObjectCreate(to(), resource(w), to::<CUDA_TEXTURE_DESC>(), null()) where |w|;
        Context cuTexObjectGetResourceDesc(to(), w.texture) where |w|;
        Context cuTexObjectGetTextureDesc(to(), w.texture) where |w|;
        Context cuSurfObjectCreate(to(), resource(w)) where |w|;
        Context cuSurfObjectGetResourceDesc(to(), w.surface) where |w|;
    }
    "modules" {
        Context cuModuleLoadData(handle(), PTX.as_ptr().cast()) where |_w|;
        Context cuModuleGetFunction(handle(), w.module, c"good".as_ptr()) where |w|;
        Context cuModuleGetGlobal_v2(to(), to(), w.module, c"word".as_ptr()) where |w|;
        Context cuOccupancyMaxActiveBlocksPerMultiprocessor(to(), w.function, 32, 0) where |w|;
        Context cuLaunchKernel(
            w.function, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut()
        ) where |w|;
        Context cuLaunchKernel(
            w.kernel, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut()
        ) where |w|;
        Context cuLaunchCooperativeKernel(
            w.function, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut()
        ) where |w|;
        Context cuKernelGetFunction(handle(), w.kernel) where |w|;
        Context cuModuleUnload(w.module) where |w|;
    }
    "streams" {
        Context cuStreamCreate(handle(), 0) where |_w|;
        Context cuStreamSynchronize(null_mut()) where |_w|;
        Owner cuStreamSynchronize(w.stream) where |w|;
        Owner cuStreamQuery(w.stream) where |w|;
        Owner cuStreamWaitEvent(w.stream, w.event, 0) where |w|;
        Owner cuStreamGetCtx(w.stream, handle()) where |w|;
        Owner cuStreamIsCapturing(w.stream, to()) where |w|;
        Owner cuLaunchHostFunc(w.stream, Some(nothing), null_mut()) where |w|;
        Context cuStreamDestroy_v2(w.stream) where |w|;
    }
    "events" {
        Context cuEventCreate(handle(), 0) where |_w|;
        Owner cuEventQuery(w.event) where |w|;
        Owner cuEventSynchronize(w.event) where |w|;
        Owner cuEventRecord(w.event, w.stream) where |w|;
        Owner cuEventDestroy_v2(w.event) where |w|;
    }
}
