//! Interprocess communication: memory and events of other processes (runtime API, "Device
//! Management": `cudaIpc*`).

use crate::call::{check, runtime_api};
use crate::driver::{self, CUevent};
use crate::state::context;
use std::ffi::c_uint;
use texunit_cuda_abi::args::Out;
use texunit_cuda_abi::{CUdeviceptr, CUipcHandle};

runtime_api! {
    /// A handle with which another process can open an allocation.
    fn cudaIpcGetMemHandle(handle: Out<[u8; 64]>, devPtr: CUdeviceptr) {
        context()?;
        check(driver::cuIpcGetMemHandle(handle, devPtr))
    }

    /// Maps another process's memory into this process.
    fn cudaIpcOpenMemHandle(devPtr: Out<CUdeviceptr>, handle: CUipcHandle, flags: c_uint) {
        context()?;
        check(driver::cuIpcOpenMemHandle_v2(devPtr, handle, flags))
    }

    /// Closes an IPC memory handle. The memory is unmapped when each `cudaIpcOpenMemHandle` of it has been closed.
    fn cudaIpcCloseMemHandle(devPtr: CUdeviceptr) {
        context()?;
        check(driver::cuIpcCloseMemHandle(devPtr))
    }

    /// A handle with which another process can open an event created for that.
    fn cudaIpcGetEventHandle(handle: Out<[u8; 64]>, event: CUevent) {
        context()?;
        check(driver::cuIpcGetEventHandle(handle, event))
    }

    /// Opens an event of another process, which does not support timing.
    fn cudaIpcOpenEventHandle(event: Out<CUevent>, handle: CUipcHandle) {
        context()?;
        check(driver::cuIpcOpenEventHandle(event, handle))
    }
}
