//! Memory and events of other processes (driver API, "Memory Management": `cuIpc*`), and external
//! memory ("External Resource Interoperability").

use crate::api::*;
use crate::memory::ipc as memory;
use crate::{context, external, ipc};

driver_api! {
    /// A handle with which another process can open an allocation of `cuMemAlloc`.
    fn cuIpcGetMemHandle(pHandle, dptr) {
        context::current()?;
        pHandle.check()?;
        deferred::wait_for_all();
        pHandle.set(memory::handle(dptr)?)
    }

    /// Maps another process's memory into this process.
    fn cuIpcOpenMemHandle | cuIpcOpenMemHandle_v2(pdptr, handle, Flags) {
        let context = context::current()?;
        pdptr.check()?;
        ensure!(
            Flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS,
            "Flags {Flags} is not CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS (1)"
        );
        pdptr.set(memory::open(&context, &handle.0)?)
    }

    /// Closes one opening of another process's memory.
    fn cuIpcCloseMemHandle(dptr) {
        context::current()?;
        deferred::wait_for_all();
        memory::close(dptr)
    }

    /// A handle with which another process can open an event created for that
    /// (`CU_EVENT_INTERPROCESS`).
    fn cuIpcGetEventHandle(pHandle, event) {
        context::current()?;
        pHandle.check()?;
        let event = event.get()?;
        let shared = event.shared.as_ref().ok_or(CUresult::INVALID_HANDLE.because(
            "event was made without CU_EVENT_INTERPROCESS (4) and CU_EVENT_DISABLE_TIMING (2)",
        ))?;
        pHandle.set(shared.handle())
    }

    /// Opens an event of another process, which does not support timing.
    fn cuIpcOpenEventHandle(phEvent, handle) {
        let context = context::current()?;
        phEvent.check()?;
        let event = Event::of_processes(context.handle, ipc::SharedEvent::open(&handle.0)?);
        let handle = context.register(event)?;
        crate::check_log::created(handle.number());
        phEvent.set(handle)
    }

    /// Imports memory of `cuMemCreate` by a file descriptor that was exported of it.
    fn cuImportExternalMemory(extMem_out, memHandleDesc) {
        let context = current()?;
        extMem_out.give(|| external::import(&context, &memHandleDesc.get()?))
    }

    /// Maps a range of imported memory as linear memory, which `cuMemFree` frees.
    fn cuExternalMemoryGetMappedBuffer(devPtr, extMem, bufferDesc) {
        let context = current()?;
        devPtr.give(|| external::buffer(&context, extMem, &bufferDesc.get()?))
    }

    /// Maps imported memory as a mipmapped array, which `cuMipmappedArrayDestroy` destroys.
    fn cuExternalMemoryGetMappedMipmappedArray(mipmap, extMem, mipmapDesc) {
        let context = current()?;
        mipmap.give(|| external::mipmapped(&context, extMem, &mipmapDesc.get()?))
    }

    /// Destroys imported memory. Its mappings stay.
    fn cuDestroyExternalMemory(extMem) {
        current()?;
        deferred::wait_for_all();
        extMem.take().map(|_| ())
    }
}
