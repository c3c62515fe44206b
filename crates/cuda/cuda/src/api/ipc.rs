//! Interprocess communication: memory and events of other processes (driver API, "Memory
//! Management": `cuIpc*`).

use crate::api::*;
use crate::context;
use crate::ipc;
use crate::memory::ipc as memory;

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
        let shared = ipc::event::SharedEvent::open(&handle.0)?;
        let event = Event::of_processes(context.handle, shared);
        let handle = context.register(event)?;
        crate::check_log::created(handle.number());
        phEvent.set(handle)
    }
}
