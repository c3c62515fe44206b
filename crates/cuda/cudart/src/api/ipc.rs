//! Interprocess communication: memory and events of other processes (runtime API, "Device
//! Management": `cudaIpc*`).

use crate::call::forward;
use crate::driver::CUevent;
use std::ffi::c_uint;
use texunit_cuda_abi::args::Out;
use texunit_cuda_abi::{CUdeviceptr, CUipcHandle};

forward! {
    /// A handle with which another process can open an allocation.
    fn cudaIpcGetMemHandle(handle: Out<[u8; 64]>, devPtr: CUdeviceptr) = cuIpcGetMemHandle;
    /// Maps another process's memory into this process.
    fn cudaIpcOpenMemHandle(devPtr: Out<CUdeviceptr>, handle: CUipcHandle, flags: c_uint)
        = cuIpcOpenMemHandle_v2;
    /// Closes an IPC memory handle. The memory is unmapped when each `cudaIpcOpenMemHandle` of it
    /// has been closed.
    fn cudaIpcCloseMemHandle(devPtr: CUdeviceptr) = cuIpcCloseMemHandle;
    /// A handle with which another process can open an event created for that.
    fn cudaIpcGetEventHandle(handle: Out<[u8; 64]>, event: CUevent) = cuIpcGetEventHandle;
    /// Opens an event of another process, which does not support timing.
    fn cudaIpcOpenEventHandle(event: Out<CUevent>, handle: CUipcHandle) = cuIpcOpenEventHandle;
}
