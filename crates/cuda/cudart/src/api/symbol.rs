//! Variables of the program, named by their host counterparts (runtime API, "Memory Management").

use super::copy::{in_order, line};
use crate::api::*;

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
