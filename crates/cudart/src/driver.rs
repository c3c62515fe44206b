//! The functions of the driver API that the runtime calls, in `libcuda.so.1`, with which it is linked.
//!
//! Functions of memory, arrays, textures and surfaces stand where they are used.

use crate::call::check;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};
use texunit_cuda_abi::args::{Answer, In, Raw};
use texunit_cuda_abi::{CUdevice, CUdeviceptr, CUlaunchConfig, CUresult, CUuuid};

/// Handle of a context.
pub(crate) type CUcontext = usize;
/// Handle of a library.
pub(crate) type CUlibrary = usize;
/// Handle of a kernel of a library.
pub(crate) type CUkernel = usize;
/// Handle of a kernel in a context. A [`CUkernel`] can be given in its place.
pub(crate) type CUfunction = usize;
/// Handle of a stream.
pub(crate) type CUstream = usize;
/// Handle of an event.
pub(crate) type CUevent = usize;
/// `CUhostFn`
pub(crate) type HostFunction = Option<unsafe extern "C" fn(*mut c_void)>;
/// `CUstreamCallback`
pub(crate) type StreamCallback = Option<unsafe extern "C" fn(CUstream, CUresult, *mut c_void)>;

// Initialisation, devices, contexts.
unsafe extern "C" {
    pub(crate) safe fn cuInit(flags: c_uint) -> CUresult;
    pub(crate) fn cuDriverGetVersion(version: *mut c_int) -> CUresult;
    pub(crate) fn cuDeviceGetCount(count: *mut c_int) -> CUresult;
    pub(crate) fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice) -> CUresult;
    pub(crate) fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice) -> CUresult;
    pub(crate) fn cuDeviceGetAttribute(
        value: *mut c_int,
        attribute: c_int,
        device: CUdevice,
    ) -> CUresult;
    pub(crate) fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice) -> CUresult;
    pub(crate) fn cuDeviceGetPCIBusId(id: *mut c_char, len: c_int, device: CUdevice) -> CUresult;
    pub(crate) fn cuDeviceGetByPCIBusId(device: *mut CUdevice, id: *const c_char) -> CUresult;
    pub(crate) fn cuDeviceCanAccessPeer(
        can: *mut c_int,
        device: CUdevice,
        peer: CUdevice,
    ) -> CUresult;
    pub(crate) fn cuDeviceGetP2PAttribute(
        value: *mut c_int,
        attribute: c_uint,
        source: CUdevice,
        destination: CUdevice,
    ) -> CUresult;
    pub(crate) safe fn cuCtxSetCurrent(context: CUcontext) -> CUresult;
    pub(crate) fn cuCtxGetCurrent(context: *mut CUcontext) -> CUresult;
    pub(crate) fn cuCtxGetDevice(device: *mut CUdevice) -> CUresult;
    pub(crate) safe fn cuCtxSynchronize() -> CUresult;
    pub(crate) safe fn cuCtxSetLimit(limit: c_uint, value: usize) -> CUresult;
    pub(crate) fn cuCtxGetLimit(value: *mut usize, limit: c_uint) -> CUresult;
    pub(crate) fn cuCtxGetCacheConfig(config: *mut c_uint) -> CUresult;
    pub(crate) safe fn cuCtxSetCacheConfig(config: c_uint) -> CUresult;
    pub(crate) fn cuCtxGetSharedMemConfig(config: *mut c_uint) -> CUresult;
    pub(crate) safe fn cuCtxSetSharedMemConfig(config: c_uint) -> CUresult;
    pub(crate) fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> CUresult;
    pub(crate) safe fn cuCtxResetPersistingL2Cache() -> CUresult;
    pub(crate) safe fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint) -> CUresult;
    pub(crate) safe fn cuCtxDisablePeerAccess(peer: CUcontext) -> CUresult;
    pub(crate) fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice) -> CUresult;
    pub(crate) safe fn cuDevicePrimaryCtxReset_v2(device: CUdevice) -> CUresult;
    pub(crate) safe fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint) -> CUresult;
    pub(crate) fn cuDevicePrimaryCtxGetState(
        device: CUdevice,
        flags: *mut c_uint,
        active: *mut c_int,
    ) -> CUresult;
    pub(crate) safe fn cuProfilerStart() -> CUresult;
    pub(crate) safe fn cuProfilerStop() -> CUresult;
    pub(crate) fn cuGetProcAddress_v2(
        symbol: *const c_char,
        function: *mut *mut c_void,
        version: c_int,
        flags: u64,
        status: *mut c_uint,
    ) -> CUresult;
    pub(crate) fn cuGetExportTable(table: *mut *const c_void, id: *const CUuuid) -> CUresult;
}

// Libraries, kernels, functions, launches, occupancy.
unsafe extern "C" {
    pub(crate) fn cuLibraryLoadData(
        library: *mut CUlibrary,
        code: *const c_void,
        jit_options: *const c_uint,
        jit_values: *const *mut c_void,
        jit_count: c_uint,
        options: *const c_uint,
        values: *const *mut c_void,
        count: c_uint,
    ) -> CUresult;
    pub(crate) fn cuLibraryLoadFromFile(
        library: *mut CUlibrary,
        file: *const c_char,
        jit_options: *const c_uint,
        jit_values: *const *mut c_void,
        jit_count: c_uint,
        options: *const c_uint,
        values: *const *mut c_void,
        count: c_uint,
    ) -> CUresult;
    pub(crate) safe fn cuLibraryUnload(library: CUlibrary) -> CUresult;
    pub(crate) fn cuLibraryGetKernel(
        kernel: *mut CUkernel,
        library: CUlibrary,
        name: *const c_char,
    ) -> CUresult;
    pub(crate) fn cuLibraryGetGlobal(
        address: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const c_char,
    ) -> CUresult;
    pub(crate) fn cuLibraryGetManaged(
        address: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const c_char,
    ) -> CUresult;
    pub(crate) fn cuLibraryGetUnifiedFunction(
        function: *mut *mut c_void,
        library: CUlibrary,
        name: *const c_char,
    ) -> CUresult;
    pub(crate) fn cuLibraryGetKernelCount(count: *mut c_uint, library: CUlibrary) -> CUresult;
    pub(crate) fn cuLibraryEnumerateKernels(
        kernels: *mut CUkernel,
        count: c_uint,
        library: CUlibrary,
    ) -> CUresult;
    pub(crate) fn cuKernelGetFunction(function: *mut CUfunction, kernel: CUkernel) -> CUresult;
    pub(crate) safe fn cuKernelSetAttribute(
        attribute: c_uint,
        value: c_int,
        kernel: CUkernel,
        device: CUdevice,
    ) -> CUresult;
    pub(crate) fn cuFuncGetAttribute(
        value: *mut c_int,
        attribute: c_uint,
        function: CUfunction,
    ) -> CUresult;
    pub(crate) safe fn cuFuncSetAttribute(
        function: CUfunction,
        attribute: c_uint,
        value: c_int,
    ) -> CUresult;
    pub(crate) safe fn cuFuncSetCacheConfig(function: CUfunction, config: c_uint) -> CUresult;
    pub(crate) safe fn cuFuncSetSharedMemConfig(function: CUfunction, config: c_uint) -> CUresult;
    pub(crate) fn cuFuncGetName(name: *mut *const c_char, function: CUfunction) -> CUresult;
    pub(crate) fn cuFuncGetParamInfo(
        function: CUfunction,
        index: usize,
        offset: *mut usize,
        size: *mut usize,
    ) -> CUresult;
    #[cfg(not(feature = "cuda-12"))]
    pub(crate) fn cuFuncGetParamCount(function: CUfunction, count: *mut usize) -> CUresult;
    pub(crate) fn cuLaunchKernelEx(
        config: *const CUlaunchConfig,
        function: CUfunction,
        each: In<Raw>,
        extra: *const *mut c_void,
    ) -> CUresult;
    pub(crate) fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int,
        function: CUfunction,
        threads: c_int,
        shared: usize,
        flags: c_uint,
    ) -> CUresult;
    pub(crate) fn cuOccupancyAvailableDynamicSMemPerBlock(
        bytes: *mut usize,
        function: CUfunction,
        blocks: c_int,
        threads: c_int,
    ) -> CUresult;
    pub(crate) fn cuOccupancyMaxPotentialClusterSize(
        size: *mut c_int,
        function: CUfunction,
        config: *const CUlaunchConfig,
    ) -> CUresult;
    pub(crate) fn cuOccupancyMaxActiveClusters(
        clusters: *mut c_int,
        function: CUfunction,
        config: *const CUlaunchConfig,
    ) -> CUresult;
}

// Streams and events.
unsafe extern "C" {
    pub(crate) fn cuStreamCreateWithPriority(
        stream: *mut CUstream,
        flags: c_uint,
        priority: c_int,
    ) -> CUresult;
    pub(crate) safe fn cuStreamDestroy_v2(stream: CUstream) -> CUresult;
    pub(crate) safe fn cuStreamSynchronize(stream: CUstream) -> CUresult;
    pub(crate) safe fn cuStreamQuery(stream: CUstream) -> CUresult;
    pub(crate) safe fn cuStreamWaitEvent(
        stream: CUstream,
        event: CUevent,
        flags: c_uint,
    ) -> CUresult;
    pub(crate) fn cuStreamAddCallback(
        stream: CUstream,
        callback: StreamCallback,
        data: *mut c_void,
        flags: c_uint,
    ) -> CUresult;
    pub(crate) fn cuLaunchHostFunc(
        stream: CUstream,
        function: HostFunction,
        data: *mut c_void,
    ) -> CUresult;
    pub(crate) fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) -> CUresult;
    pub(crate) fn cuStreamGetDevice(stream: CUstream, device: *mut CUdevice) -> CUresult;
    pub(crate) fn cuStreamGetFlags(stream: CUstream, flags: *mut c_uint) -> CUresult;
    pub(crate) fn cuStreamGetId(stream: CUstream, id: *mut c_ulonglong) -> CUresult;
    pub(crate) fn cuStreamGetPriority(stream: CUstream, priority: *mut c_int) -> CUresult;
    pub(crate) fn cuStreamGetAttribute(
        stream: CUstream,
        attribute: c_uint,
        value: *mut [u64; 8],
    ) -> CUresult;
    pub(crate) fn cuStreamSetAttribute(
        stream: CUstream,
        attribute: c_uint,
        value: *const [u64; 8],
    ) -> CUresult;
    pub(crate) safe fn cuStreamCopyAttributes(to: CUstream, from: CUstream) -> CUresult;
    pub(crate) fn cuStreamIsCapturing(stream: CUstream, status: *mut c_uint) -> CUresult;
    pub(crate) fn cuThreadExchangeStreamCaptureMode(mode: *mut c_uint) -> CUresult;
    pub(crate) fn cuEventCreate(event: *mut CUevent, flags: c_uint) -> CUresult;
    pub(crate) safe fn cuEventDestroy_v2(event: CUevent) -> CUresult;
    pub(crate) safe fn cuEventRecordWithFlags(
        event: CUevent,
        stream: CUstream,
        flags: c_uint,
    ) -> CUresult;
    pub(crate) safe fn cuEventQuery(event: CUevent) -> CUresult;
    pub(crate) safe fn cuEventSynchronize(event: CUevent) -> CUresult;
    pub(crate) fn cuEventElapsedTime_v2(
        milliseconds: *mut f32,
        start: CUevent,
        end: CUevent,
    ) -> CUresult;
}

/// The one result of a function of the driver, which it writes through a pointer.
pub(crate) fn ask<T: Default>(function: impl FnOnce(*mut T) -> CUresult) -> Answer<T> {
    let mut value = T::default();
    check(function(&raw mut value))?;
    Ok(value)
}
