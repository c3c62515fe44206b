//! The signatures of the driver's functions, shared by `texunit-cuda`, which defines the functions,
//! `texunit-cudart`, which calls them, and `texunit-gpu`, which looks them up in a driver.
//!
//! [`driver_functions!`](crate::driver_functions) passes the list to a macro. The definitions are
//! compared with it at compile time ([`Signature`]).

use crate::args::{In, InOut, Out, Raw, Text};
use crate::{
    CU_DEV_SM_RESOURCE_GROUP_PARAMS, CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES,
    CUDA_ARRAY3D_DESCRIPTOR, CUDA_EXT_SEM_NODE_PARAMS, CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    CUDA_GRAPH_INSTANTIATE_PARAMS, CUDA_HOST_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS_v1, CUDA_LAUNCH_PARAMS, CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY2D,
    CUDA_MEMCPY3D, CUDA_MEMCPY3D_BATCH_OP, CUDA_MEMSET_NODE_PARAMS_v1, CUDA_RESOURCE_DESC,
    CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUdevResource, CUgraphEdgeData,
    CUgraphExecUpdateResultInfo, CUgraphNodeParams, CUipcHandle, CUlaunchConfig, CUmemAccessDesc,
    CUmemLocation, CUmemPoolProps, CUmemcpyAttributes, CUresult, CUuuid,
};
use std::ffi::{c_char, c_void};

/// Handle of a context (`CUcontext`).
pub type CUcontext = usize;
/// Handle of a green context (`CUgreenCtx`).
pub type CUgreenCtx = usize;
/// Handle of a descriptor of resources (`CUdevResourceDesc`).
pub type CUdevResourceDesc = usize;
/// Handle of a module (`CUmodule`).
pub type CUmodule = usize;
/// Handle of a library (`CUlibrary`).
pub type CUlibrary = usize;
/// Handle of a kernel of a library (`CUkernel`).
pub type CUkernel = usize;
/// Handle of a kernel in a context (`CUfunction`). A [`CUkernel`] is accepted as well.
pub type CUfunction = usize;
/// Handle of a stream (`CUstream`).
pub type CUstream = usize;
/// Handle of an event (`CUevent`).
pub type CUevent = usize;
/// Handle of an array (`CUarray`).
pub type CUarray = usize;
/// Handle of a mipmapped array (`CUmipmappedArray`).
pub type CUmipmappedArray = usize;
/// Handle of imported memory (`CUexternalMemory`).
pub type CUexternalMemory = usize;
/// Handle of a memory pool (`CUmemoryPool`).
pub type CUmemoryPool = usize;
/// A callback that a stream calls (`CUhostFn`).
pub type CUhostFn = Option<unsafe extern "C" fn(*mut c_void)>;
/// A callback for log messages about errors (`CUlogsCallback`).
pub type CUlogsCallback = Option<unsafe extern "C" fn(*mut c_void, u32, *mut c_char, usize)>;
/// A callback for asynchronous notifications of a device (`CUasyncCallback`).
pub type CUasyncCallback = Option<unsafe extern "C" fn(*mut c_void, *mut c_void, usize)>;
/// A callback for changed parameters of a recaptured graph (`CUgraphRecaptureCallback`).
pub type CUgraphRecaptureCallback = Option<
    unsafe extern "C" fn(
        *mut c_void,
        usize,
        *const CUgraphNodeParams,
        *const CUgraphNodeParams,
        u32,
    ) -> CUresult,
>;
/// A callback that a stream calls with its status (`CUstreamCallback`).
pub type CUstreamCallback = Option<unsafe extern "C" fn(CUstream, CUresult, *mut c_void)>;

/// Passes the signatures of the driver's functions to a macro, as `$with! { safe { fn ...; } unsafe
/// { fn ...; } }`, in the types of `cuda.h`. Handles, option values and lists that end with a
/// number are plain numbers, and `const` is omitted for untyped memory. All functions return a
/// [`CUresult`].
///
/// Functions under `safe` can be called by Rust code that passes pointers valid for one value each,
/// as they check everything else. Functions under `unsafe` take a host address as a number or
/// within a structure, or memory whose length follows from other data, or change who may use or
/// free host memory.
#[macro_export]
macro_rules! driver_functions {
    ($($with:ident)::+) => {
        $($with)::+! {
        safe {
            // Initialisation, devices, contexts.
            fn cuInit(flags: c_uint);
            fn cuCtxSetCurrent(context: CUcontext);
            fn cuCtxSynchronize();
            fn cuCtxSetLimit(limit: c_uint, value: usize);
            fn cuCtxSetCacheConfig(config: c_uint);
            fn cuCtxSetSharedMemConfig(config: c_uint);
            fn cuCtxResetPersistingL2Cache();
            fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
            fn cuCtxDisablePeerAccess(peer: CUcontext);
            fn cuDevicePrimaryCtxReset_v2(device: CUdevice);
            fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint);
            fn cuCtxSynchronize_v2(context: CUcontext);
            fn cuCtxGetDevice_v2(device: *mut CUdevice, context: CUcontext);
            fn cuCtxGetId(context: CUcontext, id: *mut c_ulonglong);
            fn cuCtxPushCurrent_v2(context: CUcontext);
            fn cuCtxPopCurrent_v2(context: *mut CUcontext);
            fn cuCtxRecordEvent(context: CUcontext, event: CUevent);
            fn cuCtxWaitEvent(context: CUcontext, event: CUevent);
            // Green contexts.
            fn cuDeviceGetDevResource(device: CUdevice, resource: *mut CUdevResource, kind: c_uint);
            fn cuCtxGetDevResource(context: CUcontext, resource: *mut CUdevResource, kind: c_uint);
            fn cuStreamGetDevResource(stream: CUstream, resource: *mut CUdevResource, kind: c_uint);
            fn cuGreenCtxCreate(context: *mut CUgreenCtx, descriptor: CUdevResourceDesc, device: CUdevice, flags: c_uint);
            fn cuGreenCtxDestroy(context: CUgreenCtx);
            fn cuCtxFromGreenCtx(context: *mut CUcontext, green: CUgreenCtx);
            fn cuGreenCtxGetId(context: CUgreenCtx, id: *mut c_ulonglong);
            fn cuGreenCtxStreamCreate(stream: *mut CUstream, context: CUgreenCtx, flags: c_uint, priority: c_int);
            fn cuProfilerStart();
            fn cuProfilerStop();
            // Libraries, kernels, functions, launches, occupancy.
            fn cuLibraryUnload(library: CUlibrary);
            fn cuKernelSetAttribute(attribute: c_uint, value: c_int, kernel: CUkernel, device: CUdevice);
            fn cuFuncSetAttribute(function: CUfunction, attribute: c_uint, value: c_int);
            fn cuFuncSetCacheConfig(function: CUfunction, config: c_uint);
            fn cuFuncSetSharedMemConfig(function: CUfunction, config: c_uint);
            // Streams and events.
            fn cuStreamDestroy_v2(stream: CUstream);
            fn cuStreamSynchronize(stream: CUstream);
            fn cuStreamQuery(stream: CUstream);
            fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
            fn cuStreamCopyAttributes(to: CUstream, from: CUstream);
            fn cuEventDestroy_v2(event: CUevent);
            fn cuEventRecordWithFlags(event: CUevent, stream: CUstream, flags: c_uint);
            fn cuEventQuery(event: CUevent);
            fn cuEventSynchronize(event: CUevent);
            // Graphs.
            fn cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
            fn cuGraphDestroy(graph: CUgraph);
            fn cuGraphClone(clone: *mut CUgraph, graph: CUgraph);
            fn cuGraphNodeFindInClone(node: *mut CUgraphNode, original: CUgraphNode, clone: CUgraph);
            fn cuGraphGetId(graph: CUgraph, id: *mut c_uint);
            fn cuGraphExecGetId(exec: CUgraphExec, id: *mut c_uint);
            fn cuGraphNodeGetType(node: CUgraphNode, kind: *mut c_uint);
            fn cuGraphNodeGetContainingGraph(node: CUgraphNode, graph: *mut CUgraph);
            fn cuGraphNodeGetLocalId(node: CUgraphNode, id: *mut c_uint);
            fn cuGraphNodeGetToolsId(node: CUgraphNode, id: *mut c_ulonglong);
            fn cuGraphDestroyNode(node: CUgraphNode);
            fn cuUserObjectRetain(object: CUuserObject, count: c_uint);
            fn cuUserObjectRelease(object: CUuserObject, count: c_uint);
            fn cuGraphRetainUserObject(graph: CUgraph, object: CUuserObject, count: c_uint, flags: c_uint);
            fn cuGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: c_uint);
            fn cuGraphConditionalHandleCreate(
                handle: *mut CUgraphConditionalHandle,
                graph: CUgraph,
                context: CUcontext,
                default: c_uint,
                flags: c_uint,
            );
            fn cuDeviceGraphMemTrim(device: CUdevice);
            // Graph nodes.
            fn cuGraphChildGraphNodeGetGraph(node: CUgraphNode, graph: *mut CUgraph);
            fn cuGraphEventRecordNodeGetEvent(node: CUgraphNode, event: *mut CUevent);
            fn cuGraphEventWaitNodeGetEvent(node: CUgraphNode, event: *mut CUevent);
            fn cuGraphEventRecordNodeSetEvent(node: CUgraphNode, event: CUevent);
            fn cuGraphEventWaitNodeSetEvent(node: CUgraphNode, event: CUevent);
            fn cuGraphKernelNodeGetParams_v2(node: CUgraphNode, params: *mut CUDA_KERNEL_NODE_PARAMS);
            fn cuGraphMemcpyNodeGetParams(node: CUgraphNode, params: *mut CUDA_MEMCPY3D);
            fn cuGraphMemsetNodeGetParams(node: CUgraphNode, params: *mut CUDA_MEMSET_NODE_PARAMS_v1);
            fn cuGraphHostNodeGetParams(node: CUgraphNode, params: *mut CUDA_HOST_NODE_PARAMS_v1);
            fn cuGraphMemAllocNodeGetParams(node: CUgraphNode, params: *mut CUDA_MEM_ALLOC_NODE_PARAMS);
            fn cuGraphMemFreeNodeGetParams(node: CUgraphNode, address: *mut CUdeviceptr);
            fn cuGraphExternalSemaphoresSignalNodeGetParams(node: CUgraphNode, params: *mut CUDA_EXT_SEM_NODE_PARAMS);
            fn cuGraphExternalSemaphoresWaitNodeGetParams(node: CUgraphNode, params: *mut CUDA_EXT_SEM_NODE_PARAMS);
            fn cuGraphNodeGetParams(node: CUgraphNode, params: *mut CUgraphNodeParams);
            fn cuGraphKernelNodeGetAttribute(node: CUgraphNode, attribute: c_uint, value: *mut [u32; 16]);
            fn cuGraphKernelNodeSetAttribute(node: CUgraphNode, attribute: c_uint, value: *const [u32; 16]);
            fn cuGraphKernelNodeCopyAttributes(to: CUgraphNode, from: CUgraphNode);
            fn cuGraphMemsetNodeSetParams(node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS_v1);
            // Executable graphs.
            fn cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
            fn cuGraphInstantiateWithParams(
                exec: *mut CUgraphExec,
                graph: CUgraph,
                params: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
            );
            fn cuGraphExecDestroy(exec: CUgraphExec);
            fn cuGraphExecGetFlags(exec: CUgraphExec, flags: *mut c_ulonglong);
            fn cuGraphUpload(exec: CUgraphExec, stream: CUstream);
            fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream);
            fn cuGraphExecUpdate_v2(
                exec: CUgraphExec,
                graph: CUgraph,
                info: *mut CUgraphExecUpdateResultInfo,
            );
            fn cuGraphExecMemsetNodeSetParams(
                exec: CUgraphExec,
                node: CUgraphNode,
                params: *const CUDA_MEMSET_NODE_PARAMS_v1,
                context: CUcontext,
            );
            fn cuGraphExecEventRecordNodeSetEvent(exec: CUgraphExec, node: CUgraphNode, event: CUevent);
            fn cuGraphExecEventWaitNodeSetEvent(exec: CUgraphExec, node: CUgraphNode, event: CUevent);
            fn cuGraphExecChildGraphNodeSetParams(exec: CUgraphExec, node: CUgraphNode, child: CUgraph);
            fn cuGraphNodeSetEnabled(exec: CUgraphExec, node: CUgraphNode, is_enabled: c_uint);
            fn cuGraphNodeGetEnabled(exec: CUgraphExec, node: CUgraphNode, is_enabled: *mut c_uint);
            // Stream capture.
            fn cuStreamIsCapturing(stream: CUstream, status: *mut c_uint);
            fn cuStreamBeginCapture_v2(stream: CUstream, mode: c_uint);
            fn cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph);
            fn cuLogsUnregisterCallback(callback: usize);
            fn cuLogsCurrent(iterator: *mut c_uint, flags: c_uint);
            fn cuDeviceUnregisterAsyncNotification(device: CUdevice, callback: usize);
            fn cuStreamGetCaptureInfo_v3(
                stream: CUstream,
                status: *mut c_uint,
                id: *mut u64,
                graph: *mut CUgraph,
                nodes: *mut *const usize,
                data: *mut *const CUgraphEdgeData,
                count: *mut usize,
            );
            fn cuStreamGetCaptureInfo_v2(
                stream: CUstream,
                status: *mut c_uint,
                id: *mut u64,
                graph: *mut CUgraph,
                nodes: *mut *const usize,
                count: *mut usize,
            );
            // Limits of linear textures, by channel format.
            fn cuDeviceGetTexture1DLinearMaxWidth(
                width: *mut usize,
                format: u32,
                channels: u32,
                device: CUdevice,
            );
            // Arrays.
            fn cuArray3DCreate_v2(array: *mut CUarray, from: *const CUDA_ARRAY3D_DESCRIPTOR);
            fn cuArray3DGetDescriptor_v2(to: *mut CUDA_ARRAY3D_DESCRIPTOR, array: CUarray);
            fn cuArrayDestroy(array: CUarray);
            fn cuArrayGetPlane(plane: *mut CUarray, array: CUarray, index: c_uint);
            fn cuArrayGetSparseProperties(to: *mut CUDA_ARRAY_SPARSE_PROPERTIES, array: CUarray);
            fn cuArrayGetMemoryRequirements(
                to: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
                array: CUarray,
                device: CUdevice,
            );
            // Texture objects.
            fn cuTexObjectCreate(
                object: *mut CUtexObject,
                resource: *const CUDA_RESOURCE_DESC,
                texture: *const CUDA_TEXTURE_DESC,
                view: *const CUDA_RESOURCE_VIEW_DESC,
            );
            fn cuTexObjectDestroy(object: CUtexObject);
            fn cuTexObjectGetResourceDesc(to: *mut CUDA_RESOURCE_DESC, object: CUtexObject);
            fn cuTexObjectGetTextureDesc(to: *mut CUDA_TEXTURE_DESC, object: CUtexObject);
            fn cuTexObjectGetResourceViewDesc(to: *mut CUDA_RESOURCE_VIEW_DESC, object: CUtexObject);
            // Memory of streams and pools.
            fn cuMemAllocAsync(address: *mut CUdeviceptr, size: usize, stream: CUstream);
            fn cuMemAllocFromPoolAsync(
                address: *mut CUdeviceptr,
                size: usize,
                pool: CUmemoryPool,
                stream: CUstream,
            );
            fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);
            fn cuMemPoolCreate(pool: *mut CUmemoryPool, props: *const CUmemPoolProps);
            fn cuMemPoolDestroy(pool: CUmemoryPool);
            // External memory.
            fn cuImportExternalMemory(
                memory: *mut CUexternalMemory,
                desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
            );
            fn cuExternalMemoryGetMappedBuffer(
                address: *mut CUdeviceptr,
                memory: CUexternalMemory,
                desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
            );
            fn cuExternalMemoryGetMappedMipmappedArray(
                mipmap: *mut CUmipmappedArray,
                memory: CUexternalMemory,
                desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
            );
            fn cuDestroyExternalMemory(memory: CUexternalMemory);
            // Interprocess communication.
            fn cuIpcGetMemHandle(handle: *mut [u8; 64], address: CUdeviceptr);
            fn cuIpcOpenMemHandle_v2(address: *mut CUdeviceptr, handle: CUipcHandle, flags: c_uint);
            fn cuIpcCloseMemHandle(address: CUdeviceptr);
            fn cuIpcGetEventHandle(handle: *mut [u8; 64], event: CUevent);
            fn cuIpcOpenEventHandle(event: *mut CUevent, handle: CUipcHandle);
            fn cuMemPoolExportPointer(data: *mut [u8; 64], address: CUdeviceptr);
            fn cuMemPoolImportPointer(address: *mut CUdeviceptr, pool: CUmemoryPool, data: *const [u8; 64]);
            fn cuMemPoolTrimTo(pool: CUmemoryPool, keep: usize);
            fn cuMemPoolGetAccess(flags: *mut c_uint, pool: CUmemoryPool, location: *const CUmemLocation);
            fn cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, device: CUdevice);
            fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, device: CUdevice);
            fn cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool);
            fn cuMemGetDefaultMemPool(pool: *mut CUmemoryPool, location: *const CUmemLocation, kind: c_uint);
            fn cuMemGetMemPool(pool: *mut CUmemoryPool, location: *const CUmemLocation, kind: c_uint);
            fn cuMemSetMemPool(location: *const CUmemLocation, kind: c_uint, pool: CUmemoryPool);
            // Host memory.
            fn cuMemHostAlloc(address: *mut u64, size: usize, flags: c_uint);
            fn cuMemHostGetDevicePointer_v2(address: *mut CUdeviceptr, pointer: *mut c_void, flags: c_uint);
            fn cuMemHostGetFlags(flags: *mut c_uint, pointer: *mut c_void);
            // Surface objects.
            fn cuSurfObjectCreate(object: *mut CUsurfObject, resource: *const CUDA_RESOURCE_DESC);
            fn cuSurfObjectDestroy(object: CUsurfObject);
            fn cuSurfObjectGetResourceDesc(to: *mut CUDA_RESOURCE_DESC, object: CUsurfObject);
            // Mipmapped arrays.
            fn cuMipmappedArrayCreate(
                mipmap: *mut CUmipmappedArray,
                from: *const CUDA_ARRAY3D_DESCRIPTOR,
                levels: c_uint,
            );
            fn cuMipmappedArrayGetLevel(array: *mut CUarray, mipmap: CUmipmappedArray, level: c_uint);
            fn cuMipmappedArrayDestroy(mipmap: CUmipmappedArray);
            fn cuMipmappedArrayGetSparseProperties(
                to: *mut CUDA_ARRAY_SPARSE_PROPERTIES,
                mipmap: CUmipmappedArray,
            );
            fn cuMipmappedArrayGetMemoryRequirements(
                to: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
                mipmap: CUmipmappedArray,
                device: CUdevice,
            );
            // Advice about managed memory, and its attributes.
            fn cuMemAdvise_v2(address: CUdeviceptr, count: usize, advice: c_uint, location: CUmemLocation);
            fn cuMemPrefetchAsync_v2(
                address: CUdeviceptr,
                count: usize,
                location: CUmemLocation,
                flags: c_uint,
                stream: CUstream,
            );
            fn cuStreamAttachMemAsync(stream: CUstream, address: CUdeviceptr, length: usize, flags: c_uint);
            fn cuMemAdvise(address: CUdeviceptr, count: usize, advice: c_uint, device: c_int);
            fn cuMemPrefetchAsync(address: CUdeviceptr, count: usize, device: c_int, stream: CUstream);
            // Memory.
            fn cuMemAlloc_v2(address: *mut CUdeviceptr, size: usize);
            fn cuMemAllocPitch_v2(
                address: *mut CUdeviceptr,
                pitch: *mut usize,
                width: usize,
                height: usize,
                element: c_uint,
            );
            fn cuMemAllocManaged(address: *mut CUdeviceptr, size: usize, flags: c_uint);
            fn cuMemFree_v2(address: CUdeviceptr);
            fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
            // Fills of memory.
            fn cuMemsetD8_v2(address: CUdeviceptr, value: c_uchar, count: usize);
            fn cuMemsetD8Async(address: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream);
            fn cuMemsetD2D8_v2(
                address: CUdeviceptr,
                pitch: usize,
                value: c_uchar,
                width: usize,
                height: usize,
            );
            fn cuMemsetD2D8Async(
                address: CUdeviceptr,
                pitch: usize,
                value: c_uchar,
                width: usize,
                height: usize,
                stream: CUstream,
            );
            // Copies of bytes and rows.
            fn cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, count: usize);
            fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, count: usize, stream: CUstream);
            fn cuMemcpyPeer(
                to: CUdeviceptr,
                to_context: CUcontext,
                from: CUdeviceptr,
                from_context: CUcontext,
                count: usize,
            );
            fn cuMemcpyPeerAsync(
                to: CUdeviceptr,
                to_context: CUcontext,
                from: CUdeviceptr,
                from_context: CUcontext,
                count: usize,
                stream: CUstream,
            );
        }
        unsafe {
            // Green contexts.
            fn cuDevSmResourceSplitByCount(
                result: *mut CUdevResource,
                groups: *mut c_uint,
                input: *const CUdevResource,
                remainder: *mut CUdevResource,
                flags: c_uint,
                least: c_uint,
            );
            fn cuDevSmResourceSplit(
                result: *mut CUdevResource,
                groups: c_uint,
                input: *const CUdevResource,
                remainder: *mut CUdevResource,
                flags: c_uint,
                params: *mut CU_DEV_SM_RESOURCE_GROUP_PARAMS,
            );
            fn cuDevResourceGenerateDesc(
                descriptor: *mut CUdevResourceDesc,
                resources: *const CUdevResource,
                count: c_uint,
            );
            // Initialisation, devices, contexts.
            fn cuDriverGetVersion(version: *mut c_int);
            fn cuDeviceGetCount(count: *mut c_int);
            fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
            fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
            fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: CUdevice);
            fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice);
            fn cuDeviceGetPCIBusId(id: *mut c_char, len: c_int, device: CUdevice);
            fn cuDeviceGetByPCIBusId(device: *mut CUdevice, id: *const c_char);
            fn cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
            fn cuDeviceGetP2PAttribute(
                value: *mut c_int,
                attribute: c_uint,
                source: CUdevice,
                destination: CUdevice,
            );
            fn cuCtxGetCurrent(context: *mut CUcontext);
            fn cuCtxGetDevice(device: *mut CUdevice);
            fn cuCtxGetLimit(value: *mut usize, limit: c_uint);
            fn cuCtxGetCacheConfig(config: *mut c_uint);
            fn cuCtxGetSharedMemConfig(config: *mut c_uint);
            fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
            fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
            fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: *mut c_uint, active: *mut c_int);
            fn cuGetProcAddress_v2(
                symbol: *const c_char,
                function: *mut *mut c_void,
                version: c_int,
                flags: u64,
                status: *mut c_uint,
            );
            fn cuGetExportTable(table: *mut *const c_void, id: *const CUuuid);
            // Libraries, kernels, functions, launches, occupancy.
            fn cuLibraryLoadData(
                library: *mut CUlibrary,
                code: *mut c_void,
                jit_options: *const c_uint,
                jit_values: *mut usize,
                jit_count: c_uint,
                options: *const c_uint,
                values: *mut c_void,
                count: c_uint,
            );
            fn cuLibraryLoadFromFile(
                library: *mut CUlibrary,
                file: *const c_char,
                jit_options: *const c_uint,
                jit_values: *mut usize,
                jit_count: c_uint,
                options: *const c_uint,
                values: *mut c_void,
                count: c_uint,
            );
            fn cuLibraryGetKernel(kernel: *mut CUkernel, library: CUlibrary, name: *const c_char);
            fn cuLibraryGetGlobal(
                address: *mut CUdeviceptr,
                bytes: *mut usize,
                library: CUlibrary,
                name: *const c_char,
            );
            fn cuLibraryGetManaged(
                address: *mut CUdeviceptr,
                bytes: *mut usize,
                library: CUlibrary,
                name: *const c_char,
            );
            fn cuLibraryGetUnifiedFunction(
                function: *mut *mut c_void,
                library: CUlibrary,
                name: *const c_char,
            );
            fn cuLibraryGetKernelCount(count: *mut c_uint, library: CUlibrary);
            fn cuLibraryEnumerateKernels(kernels: *mut CUkernel, count: c_uint, library: CUlibrary);
            fn cuKernelGetFunction(function: *mut CUfunction, kernel: CUkernel);
            fn cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: CUfunction);
            fn cuFuncGetName(name: *mut *const c_char, function: CUfunction);
            fn cuFuncGetParamInfo(function: CUfunction, index: usize, offset: *mut usize, size: *mut usize);
            fn cuFuncGetParamCount(function: CUfunction, count: *mut usize);
            fn cuLaunchKernelEx(
                config: *const CUlaunchConfig,
                function: CUfunction,
                each: *const *mut c_void,
                extra: *const u64,
            );
            fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                blocks: *mut c_int,
                function: CUfunction,
                threads: c_int,
                shared: usize,
                flags: c_uint,
            );
            fn cuOccupancyAvailableDynamicSMemPerBlock(
                bytes: *mut usize,
                function: CUfunction,
                blocks: c_int,
                threads: c_int,
            );
            fn cuOccupancyMaxPotentialClusterSize(
                size: *mut c_int,
                function: CUfunction,
                config: *const CUlaunchConfig,
            );
            fn cuOccupancyMaxActiveClusters(
                clusters: *mut c_int,
                function: CUfunction,
                config: *const CUlaunchConfig,
            );
            // Streams and events.
            fn cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
            fn cuStreamAddCallback(
                stream: CUstream,
                callback: CUstreamCallback,
                data: *mut c_void,
                flags: c_uint,
            );
            fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void);
            fn cuLaunchHostFunc_v2(stream: CUstream, function: CUhostFn, data: *mut c_void, mode: c_uint);
            fn cuLaunchCooperativeKernelMultiDevice(
                list: *const CUDA_LAUNCH_PARAMS,
                count: c_uint,
                flags: c_uint,
            );
            fn cuStreamBeginRecaptureToGraph(
                stream: CUstream,
                mode: c_uint,
                graph: CUgraph,
                callback: CUgraphRecaptureCallback,
                data: *mut c_void,
            );
            fn cuDeviceGetHostAtomicCapabilities(
                capabilities: *mut c_uint,
                operations: *const c_uint,
                count: c_uint,
                device: CUdevice,
            );
            fn cuDeviceGetP2PAtomicCapabilities(
                capabilities: *mut c_uint,
                operations: *const c_uint,
                count: c_uint,
                source: CUdevice,
                destination: CUdevice,
            );
            fn cuDeviceRegisterAsyncNotification(
                device: CUdevice,
                function: CUasyncCallback,
                data: *mut c_void,
                callback: *mut usize,
            );
            fn cuLogsRegisterCallback(function: CUlogsCallback, data: *mut c_void, callback: *mut usize);
            fn cuLogsDumpToFile(iterator: *mut c_uint, path: *const c_char, flags: c_uint);
            fn cuLogsDumpToMemory(iterator: *mut c_uint, buffer: *mut c_void, size: *mut usize, flags: c_uint);
            fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
            fn cuStreamGetDevice(stream: CUstream, device: *mut CUdevice);
            fn cuStreamGetFlags(stream: CUstream, flags: *mut c_uint);
            fn cuStreamGetId(stream: CUstream, id: *mut c_ulonglong);
            fn cuStreamGetPriority(stream: CUstream, priority: *mut c_int);
            fn cuStreamGetAttribute(stream: CUstream, attribute: c_uint, value: *mut [u64; 8]);
            fn cuStreamSetAttribute(stream: CUstream, attribute: c_uint, value: *const [u64; 8]);
            fn cuThreadExchangeStreamCaptureMode(mode: *mut c_uint);
            fn cuEventCreate(event: *mut CUevent, flags: c_uint);
            fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: CUevent, end: CUevent);
            // Copies in batches, and with attributes.
            fn cuMemcpyBatchAsync(
                to: *const CUdeviceptr,
                from: *const CUdeviceptr,
                sizes: *const usize,
                count: usize,
                attributes: *const CUmemcpyAttributes,
                indices: *const usize,
                groups: usize,
                failed: *mut usize,
                stream: CUstream,
            );
            fn cuMemcpy3DBatchAsync(
                count: usize,
                list: *const CUDA_MEMCPY3D_BATCH_OP,
                failed: *mut usize,
                flags: c_ulonglong,
                stream: CUstream,
            );
            fn cuMemcpyBatchAsync_v2(
                to: *const CUdeviceptr,
                from: *const CUdeviceptr,
                sizes: *const usize,
                count: usize,
                attributes: *const CUmemcpyAttributes,
                indices: *const usize,
                groups: usize,
                stream: CUstream,
            );
            fn cuMemcpy3DBatchAsync_v2(
                count: usize,
                list: *const CUDA_MEMCPY3D_BATCH_OP,
                flags: c_ulonglong,
                stream: CUstream,
            );
            fn cuMemcpyWithAttributesAsync(
                to: CUdeviceptr,
                from: CUdeviceptr,
                size: usize,
                attribute: *const CUmemcpyAttributes,
                stream: CUstream,
            );
            fn cuMemcpy3DWithAttributesAsync(
                copy: *const CUDA_MEMCPY3D_BATCH_OP,
                flags: c_ulonglong,
                stream: CUstream,
            );
            // Copies between devices.
            fn cuMemcpy3DPeer(copy: *const CUDA_MEMCPY3D);
            fn cuMemcpy3DPeerAsync(copy: *const CUDA_MEMCPY3D, stream: CUstream);
            // Copies of two- and three-dimensional boxes.
            fn cuMemcpy3D_v2(copy: *const CUDA_MEMCPY3D);
            fn cuMemcpy3DAsync_v2(copy: *const CUDA_MEMCPY3D, stream: CUstream);
            // Attributes of pointers.
            fn cuPointerGetAttributes(
                count: c_uint,
                attributes: *const c_uint,
                data: *const *mut c_void,
                address: u64,
            );
            // Copies of bytes and rows.
            fn cuMemcpy(to: CUdeviceptr, from: CUdeviceptr, count: usize);
            fn cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, count: usize, stream: CUstream);
            fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *mut c_void, count: usize);
            fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *mut c_void, count: usize, stream: CUstream);
            fn cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, count: usize);
            fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, count: usize, stream: CUstream);
            fn cuMemcpy2DUnaligned_v2(copy: *const CUDA_MEMCPY2D);
            fn cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, stream: CUstream);
            // Memory of streams and pools.
            fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: c_uint, value: *mut c_void);
            fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: c_uint, value: *mut c_void);
            fn cuMemPoolExportToShareableHandle(
                handle: *mut c_void,
                pool: CUmemoryPool,
                kind: c_uint,
                flags: u64,
            );
            fn cuMemPoolImportFromShareableHandle(
                pool: *mut CUmemoryPool,
                handle: *mut c_void,
                kind: c_uint,
                flags: u64,
            );
            fn cuMemPoolSetAccess(pool: CUmemoryPool, map: *const CUmemAccessDesc, count: usize);
            // Memory of the host.
            fn cuMemFreeHost(pointer: *mut c_void);
            fn cuMemHostRegister_v2(pointer: *mut c_void, size: usize, flags: c_uint);
            fn cuMemHostUnregister(pointer: *mut c_void);
            // Advice about managed memory, and its attributes.
            fn cuMemRangeGetAttribute(
                data: *mut c_void,
                size: usize,
                attribute: c_uint,
                address: CUdeviceptr,
                count: usize,
            );
            fn cuMemRangeGetAttributes(
                data: *const *mut c_void,
                sizes: *const usize,
                attributes: *const c_uint,
                number: usize,
                address: CUdeviceptr,
                count: usize,
            );
            fn cuMemDiscardBatchAsync(
                addresses: *const CUdeviceptr,
                sizes: *const usize,
                count: usize,
                flags: c_ulonglong,
                stream: CUstream,
            );
            fn cuMemPrefetchBatchAsync(
                addresses: *const CUdeviceptr,
                sizes: *const usize,
                count: usize,
                locations: *const CUmemLocation,
                indices: *const usize,
                groups: usize,
                flags: c_ulonglong,
                stream: CUstream,
            );
            fn cuMemDiscardAndPrefetchBatchAsync(
                addresses: *const CUdeviceptr,
                sizes: *const usize,
                count: usize,
                locations: *const CUmemLocation,
                indices: *const usize,
                groups: usize,
                flags: c_ulonglong,
                stream: CUstream,
            );
            // Graphs.
            fn cuGraphAddKernelNode_v2(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                params: *const CUDA_KERNEL_NODE_PARAMS,
            );
            fn cuGraphAddMemcpyNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                copy: *const CUDA_MEMCPY3D,
                context: CUcontext,
            );
            fn cuGraphAddMemsetNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                params: *const CUDA_MEMSET_NODE_PARAMS_v1,
                context: CUcontext,
            );
            fn cuGraphAddHostNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                params: *const CUDA_HOST_NODE_PARAMS_v1,
            );
            fn cuGraphAddChildGraphNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                child: CUgraph,
            );
            fn cuGraphAddEmptyNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
            );
            fn cuGraphAddEventRecordNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                event: CUevent,
            );
            fn cuGraphAddEventWaitNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                event: CUevent,
            );
            fn cuGraphAddExternalSemaphoresSignalNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                params: *const CUDA_EXT_SEM_NODE_PARAMS,
            );
            fn cuGraphAddExternalSemaphoresWaitNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                params: *const CUDA_EXT_SEM_NODE_PARAMS,
            );
            fn cuGraphAddMemAllocNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                params: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
            );
            fn cuGraphAddMemFreeNode(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                count: usize,
                address: CUdeviceptr,
            );
            fn cuGraphAddNode_v2(
                node: *mut CUgraphNode,
                graph: CUgraph,
                before: *const CUgraphNode,
                data: *const CUgraphEdgeData,
                count: usize,
                params: *mut CUgraphNodeParams,
            );
            fn cuGraphNodeSetParams(node: CUgraphNode, params: *const CUgraphNodeParams);
            fn cuGraphExecNodeSetParams(
                exec: CUgraphExec,
                node: CUgraphNode,
                params: *const CUgraphNodeParams,
            );
            fn cuGraphKernelNodeSetParams_v2(node: CUgraphNode, params: *const CUDA_KERNEL_NODE_PARAMS);
            fn cuGraphMemcpyNodeSetParams(node: CUgraphNode, params: *const CUDA_MEMCPY3D);
            fn cuGraphHostNodeSetParams(node: CUgraphNode, params: *const CUDA_HOST_NODE_PARAMS_v1);
            fn cuGraphExternalSemaphoresSignalNodeSetParams(node: CUgraphNode, params: *const CUDA_EXT_SEM_NODE_PARAMS);
            fn cuGraphExternalSemaphoresWaitNodeSetParams(node: CUgraphNode, params: *const CUDA_EXT_SEM_NODE_PARAMS);
            fn cuGraphExecKernelNodeSetParams_v2(
                exec: CUgraphExec,
                node: CUgraphNode,
                params: *const CUDA_KERNEL_NODE_PARAMS,
            );
            fn cuGraphExecMemcpyNodeSetParams(
                exec: CUgraphExec,
                node: CUgraphNode,
                params: *const CUDA_MEMCPY3D,
                context: CUcontext,
            );
            fn cuGraphExecHostNodeSetParams(
                exec: CUgraphExec,
                node: CUgraphNode,
                params: *const CUDA_HOST_NODE_PARAMS_v1,
            );
            fn cuGraphExecExternalSemaphoresSignalNodeSetParams(
                exec: CUgraphExec,
                node: CUgraphNode,
                params: *const CUDA_EXT_SEM_NODE_PARAMS,
            );
            fn cuGraphExecExternalSemaphoresWaitNodeSetParams(
                exec: CUgraphExec,
                node: CUgraphNode,
                params: *const CUDA_EXT_SEM_NODE_PARAMS,
            );
            fn cuGraphGetNodes(graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize);
            fn cuGraphGetRootNodes(graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize);
            fn cuGraphGetEdges(
                graph: CUgraph,
                from: *mut CUgraphNode,
                to: *mut CUgraphNode,
                count: *mut usize,
            );
            fn cuGraphGetEdges_v2(
                graph: CUgraph,
                from: *mut CUgraphNode,
                to: *mut CUgraphNode,
                data: *mut CUgraphEdgeData,
                count: *mut usize,
            );
            fn cuGraphNodeGetDependencies(node: CUgraphNode, nodes: *mut CUgraphNode, count: *mut usize);
            fn cuGraphNodeGetDependencies_v2(
                node: CUgraphNode,
                nodes: *mut CUgraphNode,
                data: *mut CUgraphEdgeData,
                count: *mut usize,
            );
            fn cuGraphNodeGetDependentNodes(node: CUgraphNode, nodes: *mut CUgraphNode, count: *mut usize);
            fn cuGraphNodeGetDependentNodes_v2(
                node: CUgraphNode,
                nodes: *mut CUgraphNode,
                data: *mut CUgraphEdgeData,
                count: *mut usize,
            );
            fn cuGraphAddDependencies(
                graph: CUgraph,
                from: *const CUgraphNode,
                to: *const CUgraphNode,
                count: usize,
            );
            fn cuGraphAddDependencies_v2(
                graph: CUgraph,
                from: *const CUgraphNode,
                to: *const CUgraphNode,
                data: *const CUgraphEdgeData,
                count: usize,
            );
            fn cuGraphRemoveDependencies(
                graph: CUgraph,
                from: *const CUgraphNode,
                to: *const CUgraphNode,
                count: usize,
            );
            fn cuGraphRemoveDependencies_v2(
                graph: CUgraph,
                from: *const CUgraphNode,
                to: *const CUgraphNode,
                data: *const CUgraphEdgeData,
                count: usize,
            );
            fn cuGraphDebugDotPrint(graph: CUgraph, path: *const c_char, flags: c_uint);
            fn cuUserObjectCreate(
                object: *mut CUuserObject,
                pointer: *mut c_void,
                destroy: CUhostFn,
                references: c_uint,
                flags: c_uint,
            );
            fn cuDeviceGetGraphMemAttribute(device: CUdevice, attribute: c_uint, value: *mut c_void);
            fn cuDeviceSetGraphMemAttribute(device: CUdevice, attribute: c_uint, value: *mut c_void);
            fn cuStreamBeginCaptureToGraph(
                stream: CUstream,
                graph: CUgraph,
                before: *const CUgraphNode,
                data: *const CUgraphEdgeData,
                count: usize,
                mode: c_uint,
            );
            fn cuStreamUpdateCaptureDependencies_v2(
                stream: CUstream,
                before: *const CUgraphNode,
                data: *const CUgraphEdgeData,
                count: usize,
                flags: c_uint,
            );
            // Functions for the comparison with a real GPU: devices, names of errors, modules, and
            // launches whose parameters are an array of pointers.
            fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
            fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
            fn cuGetErrorName(error: CUresult, text: *mut *const c_char);
            fn cuGetErrorString(error: CUresult, text: *mut *const c_char);
            fn cuModuleLoadDataEx(
                module: *mut CUmodule,
                image: *mut c_void,
                count: c_uint,
                options: *const c_uint,
                values: *mut usize,
            );
            fn cuModuleUnload(module: CUmodule);
            fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
            fn cuLaunchKernel(
                function: CUfunction,
                grid_x: c_uint,
                grid_y: c_uint,
                grid_z: c_uint,
                block_x: c_uint,
                block_y: c_uint,
                block_z: c_uint,
                shared: c_uint,
                stream: CUstream,
                arguments: *const *mut c_void,
                extra: *const u64,
            );
        }
        }
    };
}

macro_rules! signatures {
    ($($safety:ident { $(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)* })*) => {
        /// For each listed function, a function pointer type of the same name, as the header
        /// declares the function.
        #[allow(non_camel_case_types, missing_docs)]
        pub mod signature {
            use super::*;
            use std::ffi::{c_int, c_uchar, c_uint, c_ulonglong};
            use $crate::*;

            $($(pub type $name = unsafe extern "C" fn($($type),*) -> CUresult;)*)*
        }
    };
}
driver_functions!(signatures);

/// The C type of a parameter: a definition's type may carry more information than the header's.
///
/// # Safety
/// The type is passed as its C type is, and any value that a caller may pass by the function's
/// contract is a valid value of it.
pub unsafe trait Parameter {
    /// The parameter's type in the list of [`driver_functions!`](crate::driver_functions), which is
    /// the header's type.
    type C;
}

macro_rules! as_they_are {
    ($($type:ty)*) => {
        // SAFETY: `C` is the type itself, so the type is passed as its C type is and has the same
        // valid values.
        $(unsafe impl Parameter for $type {
            type C = Self;
        })*
    };
}
as_they_are! {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC CUDA_EXTERNAL_MEMORY_HANDLE_DESC CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC CUdevResource CU_DEV_SM_RESOURCE_GROUP_PARAMS c_char u8 i32 u32 u64 usize f32 CUresult CUuuid CUhostFn CUlogsCallback CUasyncCallback CUgraphRecaptureCallback CUDA_LAUNCH_PARAMS CUipcHandle CUmemLocation CUmemAccessDesc CUmemPoolProps
    CUmemcpyAttributes CUlaunchConfig CUDA_ARRAY3D_DESCRIPTOR CUDA_ARRAY_MEMORY_REQUIREMENTS
    CUDA_ARRAY_SPARSE_PROPERTIES CUDA_MEMCPY2D CUDA_MEMCPY3D CUDA_MEMCPY3D_BATCH_OP CUDA_RESOURCE_DESC
    CUDA_RESOURCE_VIEW_DESC CUDA_TEXTURE_DESC CUDA_KERNEL_NODE_PARAMS CUDA_KERNEL_NODE_PARAMS_v1
    CUDA_MEMSET_NODE_PARAMS_v1 CUDA_HOST_NODE_PARAMS_v1 CUDA_EXT_SEM_NODE_PARAMS CUDA_MEM_ALLOC_NODE_PARAMS
    CUgraphNodeParams CUgraphEdgeData CUDA_GRAPH_INSTANTIATE_PARAMS CUgraphExecUpdateResultInfo
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl<T: Parameter> Parameter for Out<'_, T> {
    type C = *mut T::C;
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl<T: Parameter> Parameter for InOut<'_, T> {
    type C = *mut T::C;
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl<T: Parameter> Parameter for In<'_, T> {
    type C = *const T::C;
}

// SAFETY: arrays are passed by pointer only, and each element is passed as its C type is.
unsafe impl<T: Parameter, const N: usize> Parameter for [T; N] {
    type C = [T::C; N];
}

// Lets a definition's callback have its own type for the stream parameter. SAFETY: the types of the
// stream parameters are passed alike, so that functions with them are called alike.
unsafe impl<S: Parameter<C = CUstream>> Parameter
    for Option<unsafe extern "C" fn(S, CUresult, *mut c_void)>
{
    type C = CUstreamCallback;
}

// A function of any type, as a look-up by name returns it. SAFETY: a value of either type is null
// or the address of a function, and both are passed as pointers.
unsafe impl Parameter for Option<unsafe extern "C" fn() -> CUresult> {
    type C = *mut c_void;
}

// SAFETY: `C` is the type itself, a raw pointer, for which any address is a valid value.
unsafe impl<T> Parameter for *mut T {
    type C = Self;
}

// SAFETY: `C` is the type itself, a raw pointer, for which any address is a valid value.
unsafe impl<T> Parameter for *const T {
    type C = Self;
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl Parameter for Raw<'_> {
    type C = *mut c_void;
}

// SAFETY: the type is `repr(transparent)` over its C type.
unsafe impl Parameter for Text<'_> {
    type C = *const c_char;
}

/// Maps the type of a definition's function to the C function type with the header's parameter
/// types, so that both can be compared at compile time.
pub trait Signature {
    /// The C function type, as in [`signature`].
    type C;
}

macro_rules! of_parameters {
    // The macro implements the trait for functions of each number of parameters, by recursion over
    // the list of type names.
    (@ [$($done:ident)*] $next:ident $($more:ident)*) => {
        of_parameters!(@ [$($done)*]);
        of_parameters!(@ [$($done)* $next] $($more)*);
    };
    (@ [$($type:ident)*]) => {
        impl<$($type: Parameter),*> Signature for unsafe extern "C" fn($($type),*) -> CUresult {
            type C = unsafe extern "C" fn($($type::C),*) -> CUresult;
        }
    };
}
of_parameters!(@ [] A B D E F G H I J K L);
