//! Streams (driver API, "Stream Management"), values in memory that they write and wait for
//! ("Stream Memory Operations"), and work of texunit's libraries in them. Work is usually done in
//! the calling thread before a call returns, so that nothing is pending. Deferred work
//! ([`crate::deferred`]) is done when the program waits for it.

use crate::api::*;
use crate::call::answer;
use crate::memory::pool;
use crate::memory_ops::BatchOp;
use crate::prelude::stream_mem_op::*;
use crate::stream::{self, GREATEST_PRIORITY};
use crate::work::{LibraryWork, Task};
use crate::{capture, context, graph, green};
use texunit_cuda_abi::work::{Forget, Region, Run, Str};

driver_api! {
    /// Creates a stream.
    fn cuStreamCreate(phStream, Flags) {
        create(phStream, Flags, 0)
    }

    /// Creates a stream with a priority, which is clamped to the valid range.
    fn cuStreamCreateWithPriority(phStream, flags, priority) {
        create(phStream, flags, priority.clamp(GREATEST_PRIORITY, 0))
    }

    /// Destroys a stream.
    fn cuStreamDestroy | cuStreamDestroy_v2(hStream) {
        context::current()?;
        let queue = stream::queue(hStream);
        hStream.take()?;
        graph::capture::stream_ended(queue);
        crate::check_log::with_race(|race| race.streams().end_stream(queue));
        Ok(())
    }

    /// Waits for all work of a stream, which is already done or done now (`late`), and returns the
    /// fault of its context.
    fn cuStreamSynchronize(hStream) {
        pool::synchronized(synchronized(hStream)?.gpu.ordinal);
        Ok(())
    }

    /// Like `cuStreamSynchronize`; never returns `CUDA_ERROR_NOT_READY`.
    fn cuStreamQuery(hStream) {
        deferred::check_stream(&Order::of(hStream)?)?;
        synchronized(hStream).map(|_| ())
    }

    /// Makes the following work of a stream wait for an event.
    fn cuStreamWaitEvent(hStream, hEvent, Flags) {
        ensure!(
            Flags <= 1,
            "Flags {Flags:#x} is not CU_EVENT_WAIT_DEFAULT (0) or CU_EVENT_WAIT_EXTERNAL (1)"
        );
        let order = Order::capturable(hStream)?;
        let event = hEvent.get()?;
        match (Flags, order.capture) {
            (CU_EVENT_WAIT_EXTERNAL, Some(place)) => return place.add(Op::WaitEvent(hEvent)),
            (CU_EVENT_WAIT_EXTERNAL, None) => bail!(
                "Flags are CU_EVENT_WAIT_EXTERNAL (1), which is for streams that are captured"
            ),
            (_, place) if capture::waits(place, order.queue, hEvent.number())? => return Ok(()),
            _ => {}
        }
        crate::check_log::with_race(|race| race.streams().wait(hEvent.number() as u64, Some(order.queue)));
        deferred::stream_waits(&order, hEvent.number());
        match &event.shared {
            None => Ok(()),
            // Work of another process is waited for when the stream reaches this point.
            Some(_) => deferred::submit(&order, move |works| {
                works?;
                event.wait_for_others();
                Ok(())
            }),
        }
    }

    /// Calls a host function with the stream's status when the preceding work is done: immediately,
    /// or with `--schedule` later.
    fn cuStreamAddCallback(hStream, callback, userData, flags) {
        let callback = callback.ok_or(CUresult::INVALID_VALUE.because("callback is null"))?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        let call = move |works: Answer| {
            let status = works.map_or_else(|refusal| refusal.code, |()| CUresult::SUCCESS);
            // SAFETY: the caller's callback is called with the arguments that the driver would
            // pass.
            let function = || unsafe { callback(hStream.number(), status, userData) };
            checks::host_function(stream::queue(hStream), function);
            Ok(())
        };
        match Order::of(hStream) {
            Ok(order) => deferred::submit(&order, call),
            Err(refusal) if refusal.code == CUresult::INVALID_HANDLE => Err(refusal),
            Err(refusal) => call(Err(refusal)),
        }
    }

    /// Calls a host function when the preceding work of a stream is done: immediately, or with
    /// `--schedule` later. The mode of waiting for it (blocking 0, spinning 1) has no effect.
    fn [cuLaunchHostFunc] cuLaunchHostFunc_v2(hStream, function, userData, [syncMode = 0]) {
        let function = function.ok_or(CUresult::INVALID_VALUE.because("fn is null"))?;
        let order = Order::capturable(hStream)?;
        let params = CUDA_HOST_NODE_PARAMS {
            function: function as usize,
            userData: userData.expose_provenance() as u64,
            syncMode,
            ..Default::default()
        };
        let op = graph::params::host(&params)?;
        if let Some(place) = order.capture {
            return place.add(op);
        }
        let queue = order.queue;
        deferred::submit(&order, move |works| {
            works?;
            // SAFETY: the caller's callback is called with the arguments that the driver would
            // pass.
            checks::host_function(queue, || unsafe { function(userData) });
            Ok(())
        })
    }

    /// The context of a stream.
    fn cuStreamGetCtx(hStream, pctx) {
        let (context, green) = (stream::on(hStream)?, stream::green_context(hStream)?);
        pctx.set(if green.is_null() { context.handle } else { green.get()?.alias })
    }

    /// The context of a stream, and its green context.
    fn cuStreamGetCtx_v2(hStream, pCtx, pGreenCtx) {
        let (context, green) = (stream::on(hStream)?, stream::green_context(hStream)?);
        ensure!(
            !stream::is_per_thread(hStream) || green.is_null(),
            CUresult::INVALID_HANDLE,
            "hStream is CU_STREAM_PER_THREAD, and a green context is current"
        );
        pCtx.set(context.handle)?;
        pGreenCtx.set_if(green);
        Ok(())
    }

    /// The device of a stream.
    fn cuStreamGetDevice(hStream, device) {
        device.set(stream::on(hStream)?.gpu.ordinal)
    }

    /// The flags of a stream.
    fn cuStreamGetFlags(hStream, flags) {
        flags.set(stream::find(hStream)?.map_or(0, |hStream| hStream.flags))
    }

    /// A unique number of a stream.
    fn cuStreamGetId(hStream, streamId) {
        let context = stream::on(hStream)?;
        let default = stream::find(hStream)?.is_none();
        // A default stream is numbered within its context.
        streamId.set(hStream.number() as u64 + if default { context.handle.number() as u64 } else { 0 })
    }

    /// The priority of a stream.
    fn cuStreamGetPriority(hStream, priority) {
        priority.set(stream::find(hStream)?.map_or(0, |hStream| hStream.priority))
    }

    /// An attribute of a stream; zeros if it was not set.
    fn cuStreamGetAttribute(stream, attribute, value) {
        let found = stream::find(stream)?.and_then(|stream| lock(&stream.attributes).get(&attribute).copied());
        value.set(found.unwrap_or_default())
    }

    /// Sets an attribute of a stream. All attributes are hints about speed.
    fn cuStreamSetAttribute(stream, attribute, value) {
        let value = value.get()?;
        if let Some(stream) = stream::find(stream)? {
            let mut attributes = lock(&stream.attributes);
            // About twenty attributes are defined; higher numbers are refused, so that the table
            // stays small.
            ensure!(attribute <= 64, "attr {attribute} is not a CUstreamAttrID");
            attributes.insert(attribute, value);
        }
        Ok(())
    }

    /// Copies all attributes from one stream to another.
    fn cuStreamCopyAttributes(dst, src) {
        let (dst, src) = (stream::find(dst)?, stream::find(src)?);
        let copied = src.map(|stream| lock(&stream.attributes).clone());
        if let Some(dst) = dst {
            *lock(&dst.attributes) = copied.unwrap_or_default();
        }
        Ok(())
    }
}

/// Makes the host wait for a stream and returns its context.
fn synchronized(stream: Handle<Stream>) -> Answer<Arc<Context>> {
    let order = Order::of(stream)?;
    deferred::wait_for_stream(&order);
    order.context.check()?;
    checks::waited(|race| race.streams().synchronize(order.queue));
    Ok(order.context)
}

fn create(out: Out<Handle<Stream>>, flags: c_uint, priority: c_int) -> Answer {
    out.check()?;
    let context = context::current()?;
    ensure!(
        flags & !CU_STREAM_NON_BLOCKING == 0,
        "Flags {flags:#x} is not CU_STREAM_DEFAULT (0) or CU_STREAM_NON_BLOCKING (1)"
    );
    out.set(Stream::create(&context, green::find(context::current_handle()), flags, priority)?)
}

driver_api! {
    /// Makes the following work of a stream wait for a 32-bit value.
    fn cuStreamWaitValue32 | cuStreamWaitValue32_v2(stream, addr, value, flags) {
        one(stream, WAIT_32, (addr, value.into()), flags)
    }

    /// Makes the following work of a stream wait for a 64-bit value.
    fn cuStreamWaitValue64 | cuStreamWaitValue64_v2(stream, addr, value, flags) {
        one(stream, WAIT_64, (addr, value), flags)
    }

    /// Writes a 32-bit value after the preceding work of a stream.
    fn cuStreamWriteValue32 | cuStreamWriteValue32_v2(stream, addr, value, flags) {
        one(stream, WRITE_32, (addr, value.into()), flags)
    }

    /// Writes a 64-bit value after the preceding work of a stream.
    fn cuStreamWriteValue64 | cuStreamWriteValue64_v2(stream, addr, value, flags) {
        one(stream, WRITE_64, (addr, value), flags)
    }

    /// Executes several waits and writes in order.
    fn cuStreamBatchMemOp | cuStreamBatchMemOp_v2(stream, count, paramArray, flags) {
        let order = Order::capturable(stream)?;
        paramArray.check()?;
        // SAFETY: the caller passes the length of its array.
        unsafe { batch(&order, count, paramArray.as_ptr(), flags) }
    }
}

fn one(stream: Handle<Stream>, kind: u32, (address, value): (u64, u64), flags: c_uint) -> Answer {
    let order = Order::capturable(stream)?;
    let words = [kind.into(), address, value, flags.into(), 0, 0];
    let operation = CUstreamBatchMemOpParams { words };
    // SAFETY: the pointer is to one operation.
    unsafe { batch(&order, 1, &raw const operation, 0) }
}

/// # Safety
/// The array has `count` operations.
unsafe fn batch(
    order: &Order,
    count: c_uint,
    operations: *const CUstreamBatchMemOpParams,
    flags: c_uint,
) -> Answer {
    let params = CUDA_BATCH_MEM_OP_NODE_PARAMS {
        ctx: order.context.handle.number(),
        count,
        paramArray: operations.expose_provenance() as u64,
        flags,
    };
    // SAFETY: the caller upholds this function's safety contract.
    let op = unsafe { BatchOp::new(&params)? };
    match order.capture {
        None => op.submit(order),
        Some(place) => place.add(Op::Batch(Arc::new(op))),
    }
}

/// Maximum number of regions.
const MAX_REGIONS: usize = 1 << 20;
/// Submits a library's work to a stream.
///
/// # Safety
/// The arguments are as `texunit_cuda_abi::work::Submit` requires.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)]
pub unsafe extern "C" fn texunit_work_2(
    stream: Handle<Stream>,
    name: Str,
    regions: *const Region,
    count: usize,
    together: u64,
    run: Run,
    forget: Forget,
    data: *mut c_void,
) -> CUresult {
    let given = LibraryWork { data, run, forget };
    let submit = || {
        ensure!(count <= MAX_REGIONS, "a work of {}", Count(count, "region"));
        // SAFETY: the caller's text and regions are valid.
        let (function, regions) = unsafe {
            let regions = match count {
                0 => Vec::new(),
                _ => std::slice::from_raw_parts(regions, count).to_vec(),
            };
            (name.text(), regions)
        };
        let (task, order) =
            (Arc::new(Task { function, regions, together, given }), Order::capturable(stream)?);
        match order.capture {
            None => task.submit(&order),
            Some(place) => place.add(Op::Work(task, order.context.handle)),
        }
    };
    answer("texunit_work_2", submit, &texunit_cuda_abi::arguments!(stream, count))
}
