//! Streams (driver API, "Stream Management"). Work is done in the calling thread before a call returns,
//! so nothing is ever pending. Memory operations of streams (wait for a value, write a value) are not
//! provided, as the device's attributes say.

use crate::args::{Answer, In, Out};
use crate::call::driver_api;
use crate::context::{self, Context};
use crate::handle::Handle;
use crate::memory::pool;
use crate::stream::{self, Event, GREATEST_PRIORITY, Stream};
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::{Mutex, PoisonError};
use texunit_cuda_abi::{CUdevice, CUresult};

/// `CUstreamCallback`
type StreamCallback = Option<unsafe extern "C" fn(Handle<Stream>, CUresult, *mut c_void)>;
/// `CUhostFn`
type HostFunction = Option<unsafe extern "C" fn(*mut c_void)>;

/// `CU_STREAM_NON_BLOCKING`, the only flag there is.
const NON_BLOCKING: c_uint = 1;
/// `CU_STREAM_CAPTURE_STATUS_NONE`
const NOT_CAPTURING: c_uint = 0;

thread_local! {
    /// `CUstreamCaptureMode` of the thread: global.
    static CAPTURE_MODE: Cell<c_uint> = const { Cell::new(0) };
}

driver_api! {
    /// Makes a stream.
    fn cuStreamCreate(stream: Out<Handle<Stream>>, flags: c_uint) {
        create(stream, flags, 0)
    }

    /// Makes a stream with a priority; numbers that are too low or too high are the nearest there are.
    fn cuStreamCreateWithPriority(stream: Out<Handle<Stream>>, flags: c_uint, priority: c_int) {
        create(stream, flags, priority.clamp(GREATEST_PRIORITY, 0))
    }

    /// Ends a stream.
    fn cuStreamDestroy | cuStreamDestroy_v2(stream: Handle<Stream>) {
        destroy(stream)
    }

    /// All work of a stream is done when it was asked for; the fault of its context is answered.
    fn cuStreamSynchronize(stream: Handle<Stream>) {
        pool::synchronized(stream::on(stream)?.gpu.ordinal);
        Ok(())
    }

    /// As `cuStreamSynchronize`: never `CUDA_ERROR_NOT_READY`.
    fn cuStreamQuery(stream: Handle<Stream>) {
        stream::on(stream).map(|_| ())
    }

    /// Waits for an event, which has happened.
    fn cuStreamWaitEvent(stream: Handle<Stream>, event: Handle<Event>, flags: c_uint) {
        if flags > 1 {
            return Err(CUresult::INVALID_VALUE.because("?"));
        }
        stream::on(stream)?;
        event.get().map(|_| ())
    }

    /// Calls a function of the host when the stream's work is done: now.
    fn cuStreamAddCallback(
        stream: Handle<Stream>,
        callback: StreamCallback,
        data: *mut c_void,
        flags: c_uint,
    ) {
        let callback = callback.filter(|_| flags == 0).ok_or(CUresult::INVALID_VALUE.because("?"))?;
        let status = match stream::on(stream) {
            Ok(_) => CUresult::SUCCESS,
            Err(refusal) if refusal.code == CUresult::INVALID_HANDLE => return Err(refusal),
            Err(refusal) => refusal.code,
        };
        // SAFETY: the caller's function, called as the driver would.
        unsafe { callback(stream, status, data) };
        Ok(())
    }

    /// Calls a function of the host when the stream's work is done: now.
    fn cuLaunchHostFunc(stream: Handle<Stream>, function: HostFunction, data: *mut c_void) {
        let function = function.ok_or(CUresult::INVALID_VALUE.because("?"))?;
        stream::on(stream)?;
        // SAFETY: the caller's function, called as the driver would.
        unsafe { function(data) };
        Ok(())
    }

    /// The context of a stream.
    fn cuStreamGetCtx(stream: Handle<Stream>, context: Out<Handle<Context>>) {
        context.set(stream::on(stream)?.handle)
    }

    /// The context of a stream; there are no green contexts.
    fn cuStreamGetCtx_v2(
        stream: Handle<Stream>,
        context: Out<Handle<Context>>,
        green: Out<usize>,
    ) {
        context.set(stream::on(stream)?.handle)?;
        green.set_if(0);
        Ok(())
    }

    /// The device of a stream.
    fn cuStreamGetDevice(stream: Handle<Stream>, device: Out<CUdevice>) {
        device.set(stream::on(stream)?.gpu.ordinal)
    }

    /// The flags that a stream was made with.
    fn cuStreamGetFlags(stream: Handle<Stream>, flags: Out<c_uint>) {
        flags.set(stream::find(stream)?.map_or(0, |stream| stream.flags))
    }

    /// A number that no other stream has.
    fn cuStreamGetId(stream: Handle<Stream>, id: Out<c_ulonglong>) {
        let context = stream::on(stream)?;
        let default = stream::find(stream)?.is_none();
        // A default stream is one of its context.
        id.set(stream.number() as u64 + if default { context.handle.number() as u64 } else { 0 })
    }

    /// The priority that a stream was made with.
    fn cuStreamGetPriority(stream: Handle<Stream>, priority: Out<c_int>) {
        priority.set(stream::find(stream)?.map_or(0, |stream| stream.priority))
    }

    /// An attribute that was set, or zeros.
    fn cuStreamGetAttribute(stream: Handle<Stream>, attribute: c_uint, value: Out<[u64; 8]>) {
        let found = stream::find(stream)?.and_then(|stream| {
            let attributes = stream.attributes.lock().unwrap_or_else(PoisonError::into_inner);
            attributes.get(&attribute).copied()
        });
        value.set(found.unwrap_or_default())
    }

    /// Sets an attribute: all are hints about speed.
    fn cuStreamSetAttribute(stream: Handle<Stream>, attribute: c_uint, value: In<[u64; 8]>) {
        let value = value.get()?;
        if let Some(stream) = stream::find(stream)? {
            let mut attributes = stream.attributes.lock().unwrap_or_else(PoisonError::into_inner);
            // There are about twenty; garbage is not kept.
            if attribute > 64 {
                return Err(CUresult::INVALID_VALUE.because("?"));
            }
            attributes.insert(attribute, value);
        }
        Ok(())
    }

    /// Sets all attributes as another stream has them.
    fn cuStreamCopyAttributes(to: Handle<Stream>, from: Handle<Stream>) {
        let (to, from) = (stream::find(to)?, stream::find(from)?);
        let copied = from.map(|stream| {
            stream.attributes.lock().unwrap_or_else(PoisonError::into_inner).clone()
        });
        if let Some(to) = to {
            *to.attributes.lock().unwrap_or_else(PoisonError::into_inner) =
                copied.unwrap_or_default();
        }
        Ok(())
    }

    /// No stream is being captured into a graph.
    fn cuStreamIsCapturing(stream: Handle<Stream>, status: Out<c_uint>) {
        stream::on(stream)?;
        status.set(NOT_CAPTURING)
    }

    /// No stream is being captured into a graph.
    fn cuStreamGetCaptureInfo(stream: Handle<Stream>, status: Out<c_uint>, id: Out<u64>) {
        stream::on(stream)?;
        id.set_if(0);
        status.set(NOT_CAPTURING)
    }

    /// No stream is being captured into a graph.
    fn cuStreamGetCaptureInfo_v2(
        stream: Handle<Stream>,
        status: Out<c_uint>,
        id: Out<u64>,
        _graph: *mut c_void,
        _dependencies: *mut c_void,
        _number: *mut c_void,
    ) {
        stream::on(stream)?;
        id.set_if(0);
        status.set(NOT_CAPTURING)
    }

    /// No stream is being captured into a graph.
    fn cuStreamGetCaptureInfo_v3(
        stream: Handle<Stream>,
        status: Out<c_uint>,
        id: Out<u64>,
        _graph: *mut c_void,
        _dependencies: *mut c_void,
        _edges: *mut c_void,
        _number: *mut c_void,
    ) {
        stream::on(stream)?;
        id.set_if(0);
        status.set(NOT_CAPTURING)
    }

    /// Exchanges the thread's mode of capturing, which has no effect.
    fn cuThreadExchangeStreamCaptureMode(mode: Out<c_uint>) {
        let new = mode.check().and_then(|()| mode.get())?;
        if new > 2 {
            return Err(CUresult::INVALID_VALUE.because("?"));
        }
        mode.set(CAPTURE_MODE.replace(new))
    }
}

fn create(out: Out<Handle<Stream>>, flags: c_uint, priority: c_int) -> Answer {
    out.check()?;
    let context = context::current()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(CUresult::INVALID_VALUE.because("?"));
    }
    let attributes = Mutex::default();
    let stream = Stream { context: context.handle, flags, priority, attributes };
    out.set(context.keep(stream)?)
}

fn destroy(stream: Handle<Stream>) -> Answer {
    context::current()?;
    stream.take().map(|_| ())
}
