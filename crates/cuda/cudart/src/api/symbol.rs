//! Variables of the program (runtime API, "Memory Management").

use super::copy::{Order, line};
use crate::call::runtime_api;
use crate::registry;
use crate::state::context;
use crate::types::{Direction, Stream};
use std::ffi::c_void;
use texunit_cuda_abi::args::{Answer, Out};
use texunit_cuda_abi::{CUdeviceptr, CUresult};

runtime_api! {
    /// The address of a variable, whose host counterpart is given.
    fn cudaGetSymbolAddress(devPtr: Out<CUdeviceptr>, symbol: *const c_void) {
        context()?;
        devPtr.check()?;
        devPtr.set(registry::symbol(symbol)?.0)
    }

    /// The size of a variable.
    fn cudaGetSymbolSize(size: Out<usize>, symbol: *const c_void) {
        context()?;
        size.check()?;
        size.set(registry::symbol(symbol)?.1)
    }

    /// Copies bytes into a variable.
    fn cudaMemcpyToSymbol(
        symbol: *const c_void,
        src: u64,
        count: usize,
        offset: usize,
        kind: u32,
    ) {
        to_symbol((symbol, offset), src, count, kind, Order::Wait)
    }

    /// As without `Async`.
    fn cudaMemcpyToSymbolAsync(
        symbol: *const c_void,
        src: u64,
        count: usize,
        offset: usize,
        kind: u32,
        stream: Stream,
    ) {
        to_symbol((symbol, offset), src, count, kind, Order::Stream(stream))
    }

    /// Copies bytes out of a variable.
    fn cudaMemcpyFromSymbol(
        dst: u64,
        symbol: *const c_void,
        count: usize,
        offset: usize,
        kind: u32,
    ) {
        from_symbol(dst, (symbol, offset), count, kind, Order::Wait)
    }

    /// As without `Async`.
    fn cudaMemcpyFromSymbolAsync(
        dst: u64,
        symbol: *const c_void,
        count: usize,
        offset: usize,
        kind: u32,
        stream: Stream,
    ) {
        from_symbol(dst, (symbol, offset), count, kind, Order::Stream(stream))
    }
}

/// A variable, and bytes before the first in it.
type Place = (*const c_void, usize);

fn to_symbol(to: Place, from: u64, count: usize, kind: u32, order: Order) -> Answer {
    context()?;
    if count == 0 {
        return Ok(());
    }
    let address = inside(to, count)?;
    Direction::of(kind)?.writes_device()?;
    line(address, from, count, kind, order)
}

fn from_symbol(to: u64, from: Place, count: usize, kind: u32, order: Order) -> Answer {
    context()?;
    if count == 0 {
        return Ok(());
    }
    let address = inside(from, count)?;
    Direction::of(kind)?.reads_device()?;
    line(to, address, count, kind, order)
}

/// The address of bytes of a variable, which has so many.
fn inside((symbol, offset): Place, count: usize) -> Answer<CUdeviceptr> {
    let (address, size) = registry::symbol(symbol)?;
    if offset.checked_add(count).is_none_or(|end| end > size) {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "count {count} from offset {offset} on passes the end of the variable, which has {size} bytes"
        )));
    }
    Ok(address + offset as u64)
}
