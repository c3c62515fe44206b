//! Values in memory that streams write and wait for (driver API, "Stream Memory Operations").

use crate::api::*;
use crate::memory_ops::BatchOp;
use crate::prelude::stream_mem_op::*;

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
