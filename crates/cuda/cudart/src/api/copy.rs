//! Copies of bytes and of 2D regions in memory, and of variables of the program, which are named by
//! their host counterparts (runtime API, "Memory Management").

use crate::api::*;

/// Defines pairs of functions: a synchronous one, and an asynchronous one for a stream. The body is
/// given the order as an [`Order`].
macro_rules! in_order {
    ($($(#[$doc:meta])*
    fn $now:ident, $in_stream:ident($($arg:ident),* $(,)?) |$order:ident| $body:block)*) => {
        $crate::call::runtime_api! {$(
            $(#[$doc])*
            fn $now($($arg),*) {
                let $order = $crate::api::copy::Order::Wait;
                $body
            }

            $(#[$doc])*
            /// As the synchronous function, in stream order.
            fn $in_stream($($arg,)* stream) {
                let $order = $crate::api::copy::Order::Stream(stream);
                $body
            }
        )*}
    };
}
pub(super) use in_order;

/// When a copy is done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// Before the call returns.
    Wait,
    /// In the order of a stream.
    Stream(Stream),
}

in_order! {
    /// Copies bytes.
    fn cudaMemcpy, cudaMemcpyAsync(dst, src, count, kind) |order| {
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { line(dst, src, count, kind, order) }
    }

    /// Copies bytes between devices.
    fn cudaMemcpyPeer, cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, count) |order| {
        peer((dst, dstDevice), (src, srcDevice), count, order)
    }

    /// Copies rows with pitches.
    fn cudaMemcpy2D, cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind) |order| {
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { rows((dst, dpitch), (src, spitch), [width, height], kind, order) }
    }
}

/// Copies bytes between memory of any kind.
///
/// # Safety
/// Host ranges hold `count` bytes; those that are written are not referenced elsewhere.
pub(super) unsafe fn line(to: u64, from: u64, count: usize, kind: u32, order: Order) -> Answer {
    context()?;
    if count == 0 {
        return Ok(());
    }
    let direction = Direction::of(kind)?;
    let host = |address: u64| std::ptr::with_exposed_provenance_mut::<c_void>(address as usize);
    // SAFETY: the caller upholds the same contract as for the driver's function.
    check(unsafe {
        match (direction, order) {
            (Direction::HostToHost, _) => {
                // A host-to-host copy is a 3D copy of one row; the pitch is 0, as pitches have a
                // maximum.
                return copy_rows((to, 0), (from, 0), [count, 1], direction, order);
            }
            (Direction::HostToDevice, Order::Wait) => {
                driver::cuMemcpyHtoD_v2(to, host(from), count)
            }
            (Direction::HostToDevice, Order::Stream(stream)) => {
                driver::cuMemcpyHtoDAsync_v2(to, host(from), count, stream)
            }
            (Direction::DeviceToHost, Order::Wait) => {
                driver::cuMemcpyDtoH_v2(host(to), from, count)
            }
            (Direction::DeviceToHost, Order::Stream(stream)) => {
                driver::cuMemcpyDtoHAsync_v2(host(to), from, count, stream)
            }
            (Direction::DeviceToDevice, Order::Wait) => driver::cuMemcpyDtoD_v2(to, from, count),
            (Direction::DeviceToDevice, Order::Stream(stream)) => {
                driver::cuMemcpyDtoDAsync_v2(to, from, count, stream)
            }
            (Direction::Default, Order::Wait) => driver::cuMemcpy(to, from, count),
            (Direction::Default, Order::Stream(stream)) => {
                driver::cuMemcpyAsync(to, from, count, stream)
            }
        }
    })
}

/// The context that owns a device's memory.
pub(super) fn context_of(device: CUdevice) -> Answer<CUcontext> {
    check_device(device)?;
    primary(device)
}

fn peer(
    (to, to_device): (CUdeviceptr, CUdevice),
    (from, from_device): (CUdeviceptr, CUdevice),
    count: usize,
    order: Order,
) -> Answer {
    context()?;
    if count == 0 {
        return Ok(());
    }
    let (to_context, from_context) = (context_of(to_device)?, context_of(from_device)?);
    check(match order {
        Order::Wait => driver::cuMemcpyPeer(to, to_context, from, from_context, count),
        Order::Stream(s) => driver::cuMemcpyPeerAsync(to, to_context, from, from_context, count, s),
    })
}

/// Copies rows. A row must not be longer than its pitch, unless there is only one.
///
/// # Safety
/// As for [`line`], for all rows.
unsafe fn rows(
    to: (u64, usize),
    from: (u64, usize),
    [width, height]: [usize; 2],
    kind: u32,
    order: Order,
) -> Answer {
    context()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    if height > 1 && (width > to.1 || width > from.1) {
        bail!(
            INVALID_PITCH_VALUE,
            "width {width} is more than {}",
            if width > to.1 { format!("dpitch {}", to.1) } else { format!("spitch {}", from.1) }
        );
    }
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { copy_rows(to, from, [width, height], Direction::of(kind)?, order) }
}

/// # Safety
/// As for [`line`], for all rows.
unsafe fn copy_rows(
    to: (u64, usize),
    from: (u64, usize),
    [width, height]: [usize; 2],
    direction: Direction,
    order: Order,
) -> Answer {
    let copy = CUDA_MEMCPY2D {
        src: side(direction.source(), from),
        dst: side(direction.destination(), to),
        width_in_bytes: width,
        height,
    };
    // SAFETY: the caller upholds the same contract as for the driver's function.
    check(unsafe {
        match order {
            Order::Wait => driver::cuMemcpy2DUnaligned_v2(&raw const copy),
            Order::Stream(stream) => driver::cuMemcpy2DAsync_v2(&raw const copy, stream),
        }
    })
}

fn side(kind: u32, (address, pitch): (u64, usize)) -> CopySide2D {
    let [host, device] = if kind == CU_MEMORYTYPE_HOST { [address, 0] } else { [0, address] };
    CopySide2D { memory_type: kind, host, device, pitch, ..CopySide2D::default() }
}

runtime_api! {
    /// The device address of a variable.
    fn cudaGetSymbolAddress(devPtr, symbol) {
        context()?;
        devPtr.give(|| Ok(registry::symbol(symbol)?.0))
    }

    /// The size of a variable.
    fn cudaGetSymbolSize(size, symbol) {
        context()?;
        size.give(|| Ok(registry::symbol(symbol)?.1))
    }
}

in_order! {
    /// Copies bytes into a variable.
    fn cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind) |order| {
        context()?;
        if count == 0 {
            return Ok(());
        }
        let address = inside(symbol, offset, count)?;
        Direction::of(kind)?.writes_device()?;
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { line(address, src, count, kind, order) }
    }

    /// Copies bytes out of a variable.
    fn cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind) |order| {
        context()?;
        if count == 0 {
            return Ok(());
        }
        let address = inside(symbol, offset, count)?;
        Direction::of(kind)?.reads_device()?;
        // SAFETY: the program's memory is valid as the runtime API requires.
        unsafe { line(dst, address, count, kind, order) }
    }
}

/// The device address of a byte range in a variable, which is checked against its size.
pub(super) fn inside(symbol: *const c_void, offset: usize, count: usize) -> Answer<CUdeviceptr> {
    let (address, size) = registry::symbol(symbol)?;
    ensure!(
        offset.checked_add(count).is_some_and(|end| end <= size),
        "count {count} from offset {offset} on passes the end of the variable, which has {}",
        Count(size, "byte")
    );
    Ok(address + offset as u64)
}
