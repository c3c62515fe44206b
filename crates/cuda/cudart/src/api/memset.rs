//! Memory sets (runtime API, "Memory Management"). Only the low byte of the value is used.

use super::copy::{Order, in_order};
use crate::api::*;

in_order! {
    /// Sets bytes.
    fn cudaMemset, cudaMemsetAsync(devPtr, value, count) |order| {
        line(devPtr, value, count, order)
    }

    /// Sets rows of pitched memory.
    fn cudaMemset2D, cudaMemset2DAsync(devPtr, pitch, value, width, height) |order| {
        rows((devPtr, pitch), value, [width, height], order)
    }

    /// Sets slices of pitched memory.
    fn cudaMemset3D, cudaMemset3DAsync(pitchedDevPtr, value, extent) |order| {
        slices(pitchedDevPtr, value, extent, order)
    }
}

fn line(address: CUdeviceptr, value: c_int, count: usize, order: Order) -> Answer {
    context()?;
    if count == 0 {
        return Ok(());
    }
    check(match order {
        Order::Wait => driver::cuMemsetD8_v2(address, value as u8, count),
        Order::Stream(stream) => driver::cuMemsetD8Async(address, value as u8, count, stream),
    })
}

fn rows(
    (address, pitch): (CUdeviceptr, usize),
    value: c_int,
    [width, height]: [usize; 2],
    order: Order,
) -> Answer {
    context()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let value = value as u8;
    check(match order {
        Order::Wait => driver::cuMemsetD2D8_v2(address, pitch, value, width, height),
        Order::Stream(stream) => {
            driver::cuMemsetD2D8Async(address, pitch, value, width, height, stream)
        }
    })
}

/// Sets slices; if they are contiguous, all at once.
fn slices(to: cudaPitchedPtr, value: c_int, extent: cudaExtent, order: Order) -> Answer {
    context()?;
    let cudaExtent { width, height, depth } = extent;
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    ensure!(
        height <= to.ysize,
        "height {height} of the extent is more than ysize {} of pitchedDevPtr, the rows of a slice",
        to.ysize
    );
    if height == to.ysize || depth == 1 {
        let all = height.checked_mul(depth).ok_or_else(|| {
            invalid!(
                "the extent of {} x {depth} slices is more than 64 bits count",
                Count(height, "row")
            )
        })?;
        return rows((to.ptr, to.pitch), value, [width, all], order);
    }
    let slice = (to.pitch as u64).checked_mul(to.ysize as u64).ok_or_else(|| {
        invalid!(
            "pitchedDevPtr has slices of {} of {}, more than 64 bits count",
            Count(to.ysize, "row"),
            Count(to.pitch, "byte")
        )
    })?;
    for z in 0..depth as u64 {
        let offset = z.checked_mul(slice).and_then(|offset| offset.checked_add(to.ptr));
        let address = offset.ok_or_else(|| {
            invalid!("slice {z} of pitchedDevPtr passes the end of the addresses")
        })?;
        rows((address, to.pitch), value, [width, height], order)?;
    }
    Ok(())
}
