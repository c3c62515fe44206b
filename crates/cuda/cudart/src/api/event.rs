//! Events (runtime API, "Event Management").

use crate::call::{check, forward, runtime_api};
use crate::driver::{self, CUevent, CUstream, ask};
use crate::state;
use std::ffi::c_uint;
use texunit_cuda_abi::args::{Answer, Out};

runtime_api! {
    /// Creates an event.
    fn cudaEventCreate(event: Out<CUevent>) {
        create(event, 0)
    }

    /// Creates an event with flags.
    fn cudaEventCreateWithFlags(event: Out<CUevent>, flags: c_uint) {
        create(event, flags)
    }

    /// Records an event in a stream.
    fn cudaEventRecord(event: CUevent, stream: CUstream) {
        state::context()?;
        check(driver::cuEventRecordWithFlags(event, stream, 0))
    }

    /// Elapsed time between two events in milliseconds.
    fn cudaEventElapsedTime(ms: Out<f32>, start: CUevent, end: CUevent) {
        elapsed(ms, start, end)
    }
}

forward! {
    /// Destroys an event.
    fn cudaEventDestroy(event: CUevent) = cuEventDestroy_v2;
    /// Records an event in a stream, with flags.
    fn cudaEventRecordWithFlags(event: CUevent, stream: CUstream, flags: c_uint)
        = cuEventRecordWithFlags;
    /// Whether an event has completed.
    fn cudaEventQuery(event: CUevent) = cuEventQuery;
    /// Waits for an event.
    fn cudaEventSynchronize(event: CUevent) = cuEventSynchronize;
}

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// Elapsed time between two events in milliseconds.
    fn cudaEventElapsedTime_v2(ms: Out<f32>, start: CUevent, end: CUevent) {
        elapsed(ms, start, end)
    }
}

fn create(event: Out<CUevent>, flags: c_uint) -> Answer {
    event.check()?;
    state::context()?;
    // SAFETY: the out-pointer is to a local variable.
    event.set(ask(|made| unsafe { driver::cuEventCreate(made, flags) })?)
}

fn elapsed(milliseconds: Out<f32>, start: CUevent, end: CUevent) -> Answer {
    milliseconds.check()?;
    state::context()?;
    // SAFETY: the out-pointer is to a local variable.
    milliseconds.set(ask(|ms| unsafe { driver::cuEventElapsedTime_v2(ms, start, end) })?)
}
