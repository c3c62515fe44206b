//! Streams (runtime API, "Stream Management"), except for capture, which is in `graph`.

use crate::call::{check, forward, runtime_api};
use crate::driver::{self, CUevent, CUstream, CUstreamCallback, ask};
use crate::state;
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use texunit_cuda_abi::CUdevice;
use texunit_cuda_abi::args::{Answer, In, Out};

runtime_api! {
    /// Creates a stream.
    fn cudaStreamCreate(pStream: Out<CUstream>) {
        create(pStream, 0, 0)
    }

    /// Creates a stream with flags.
    fn cudaStreamCreateWithFlags(pStream: Out<CUstream>, flags: c_uint) {
        create(pStream, flags, 0)
    }

    /// Creates a stream with flags and a priority.
    fn cudaStreamCreateWithPriority(pStream: Out<CUstream>, flags: c_uint, priority: c_int) {
        create(pStream, flags, priority)
    }

    /// The flags of a stream.
    fn cudaStreamGetFlags(hStream: CUstream, flags: Out<c_uint>) {
        state::context()?;
        // SAFETY: the out-pointer is to a local variable.
        flags.set(ask(|flags| unsafe { driver::cuStreamGetFlags(hStream, flags) })?)
    }

    /// The priority of a stream.
    fn cudaStreamGetPriority(hStream: CUstream, priority: Out<c_int>) {
        state::context()?;
        // SAFETY: the out-pointer is to a local variable.
        priority.set(ask(|priority| unsafe { driver::cuStreamGetPriority(hStream, priority) })?)
    }

    /// A unique number of a stream.
    fn cudaStreamGetId(hStream: CUstream, streamId: Out<c_ulonglong>) {
        state::context()?;
        // SAFETY: the out-pointer is to a local variable.
        streamId.set(ask(|streamId| unsafe { driver::cuStreamGetId(hStream, streamId) })?)
    }

    /// The device of a stream.
    fn cudaStreamGetDevice(hStream: CUstream, device: Out<CUdevice>) {
        state::context()?;
        // SAFETY: the out-pointer is to a local variable.
        device.set(ask(|device| unsafe { driver::cuStreamGetDevice(hStream, device) })?)
    }

    /// An attribute of a stream.
    fn cudaStreamGetAttribute(stream: CUstream, attribute: c_uint, value: Out<[u64; 8]>) {
        state::context()?;
        // SAFETY: the out-pointer is to a local variable.
        let found = ask(|value| unsafe { driver::cuStreamGetAttribute(stream, attribute, value) });
        value.set(found?)
    }

    /// Sets an attribute of a stream.
    fn cudaStreamSetAttribute(stream: CUstream, attribute: c_uint, value: In<[u64; 8]>) {
        state::context()?;
        let value = value.get()?;
        // SAFETY: the out-pointer is to a local variable.
        check(unsafe { driver::cuStreamSetAttribute(stream, attribute, &raw const value) })
    }
}

forward! {
    /// Destroys a stream.
    fn cudaStreamDestroy(stream: CUstream) = cuStreamDestroy_v2;
    /// Waits until the work of a stream is done.
    fn cudaStreamSynchronize(stream: CUstream) = cuStreamSynchronize;
    /// Whether the work of a stream is done.
    fn cudaStreamQuery(stream: CUstream) = cuStreamQuery;
    /// Makes the following work of a stream wait for an event.
    fn cudaStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint) = cuStreamWaitEvent;
    /// Calls a host function with the stream's status when the preceding work is done.
    unsafe fn cudaStreamAddCallback(
        stream: CUstream, callback: CUstreamCallback, userData: *mut c_void, flags: c_uint,
    ) = cuStreamAddCallback;
    /// Copies all attributes from one stream to another.
    fn cudaStreamCopyAttributes(dst: CUstream, src: CUstream) = cuStreamCopyAttributes;
}

fn create(stream: Out<CUstream>, flags: c_uint, priority: c_int) -> Answer {
    stream.check()?;
    state::context()?;
    // SAFETY: the out-pointer is to a local variable.
    let made = ask(|made| unsafe { driver::cuStreamCreateWithPriority(made, flags, priority) })?;
    stream.set(made)
}
