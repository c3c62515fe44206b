//! Reasons for refusing memory that a call cannot use.

use super::{find, is_device_address, touches};
use crate::prelude::*;
use texunit_device::{Device, Error};

/// The reason when a device is out of memory.
pub(crate) fn no_room(device: &Device, size: u64, error: Error) -> Refusal {
    let limit = device.memory().limit();
    let left = limit.saturating_sub(device.memory().used());
    let refusal = refusal(error);
    match refusal.code {
        CUresult::OUT_OF_MEMORY if size > left => refusal.code.because(format!(
            "bytesize {size} is more than {left}, what is left of the device's {} of memory",
            Count(limit, "byte")
        )),
        _ => refusal,
    }
}

/// The reason why a range is not one piece of device-accessible memory.
pub(crate) fn not_inside(name: &str, address: u64, len: u64) -> String {
    match find(address) {
        None if address == 0 => format!("{name} is null"),
        None if crate::memory::virtual_memory::is_reserved(address) => format!(
            "{name} {address:#x}, {}: it {}",
            Count(len, "byte"),
            crate::memory::virtual_memory::reason(address).unwrap_or_default()
        ),
        Some(found) => format!(
            "{name} {address:#x}: {} pass the end of the allocation, in which {} are left (number {}: {} of {} \
             from {:#x} on)",
            Count(len, "byte"),
            (found.base + found.size).saturating_sub(address),
            found.id,
            Count(found.size, "byte"),
            found.words(),
            found.base,
        ),
        None if is_device_address(address).unwrap_or(false) => format!(
            "{name} {address:#x} is not in an allocation: the memory was freed, or never allocated, or it is a variable of \
             fewer than {}",
            Count(len, "byte")
        ),
        None if touches(address, len).unwrap_or(false) => format!(
            "{name} {address:#x}: {} begin before an allocation or registered memory, and reach into it",
            Count(len, "byte")
        ),
        None => format!(
            "{name} {address:#x} is ordinary memory of the program, which a device cannot reach: it was neither allocated by \
             CUDA nor registered (cuMemHostRegister, cudaHostRegister)"
        ),
    }
}

/// The reason why a function cannot free an address.
pub(super) fn not_freed(name: &str, address: u64) -> String {
    match find(address) {
        None if address == 0 => format!("{name} is null"),
        None if is_device_address(address).unwrap_or(false) => {
            format!("{name} {address:#x} is not allocated: it was freed before, or never allocated")
        }
        None => format!("{name} {address:#x} is not memory that was allocated or registered"),
        Some(found) if found.base == address => format!(
            "{name} {address:#x} is {}, which is released by {}",
            found.words(),
            found.kind.freed_by()
        ),
        Some(found) => format!(
            "{name} {address:#x} is {} past the start of its allocation, {:#x} (number {}, {})",
            Count(address - found.base, "byte"),
            found.base,
            found.id,
            Count(found.size, "byte")
        ),
    }
}
