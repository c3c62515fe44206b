//! The table of allocations, by address.
//!
//! Device memory has addresses that the device assigns. Host memory, whether allocated here,
//! registered or managed, has the same address for the program and all devices (unified
//! addressing), and kernels of every device access it in place.
//!
//! Module variables are not in the table, but registered with the device
//! ([`texunit_device::Device::linear`]).

pub(crate) mod advice;
mod allocation;
pub(crate) mod endpoint;
pub(crate) mod ipc;
pub(crate) mod pool;
mod reasons;
#[cfg(test)]
mod tests;
pub(crate) mod virtual_memory;

use crate::context::Context;
use crate::prelude::*;
use crate::state::{self, Gpu};
use allocation::Storage;
pub(crate) use allocation::{Allocation, AllocationKind, EXTERNAL_BUFFER, GRAPH_NODE};
pub(crate) use reasons::{no_room, not_inside};
use std::sync::RwLock;
use texunit_device::{Block, Buffer, Device, Linear, Reserved};

/// Maximum size in bytes of host memory. Untouched pages cost nothing, so that the system would
/// refuse too late or never.
const MAX_HOST: usize = 1 << 40;

static TABLE: RwLock<BTreeMap<u64, Arc<Allocation>>> = RwLock::new(BTreeMap::new());

/// Allocates memory of the context's device.
pub(crate) fn allocate(context: &Context, size: usize) -> Answer<u64> {
    allocate_as(context, &context.gpu, size, AllocationKind::Device)
}

/// Allocates memory of a device with a given origin.
pub(crate) fn allocate_as(
    context: &Context,
    gpu: &Arc<Gpu>,
    size: usize,
    kind: AllocationKind,
) -> Answer<u64> {
    ensure!(size != 0, "bytesize is 0: an allocation has at least one byte");
    let size = size as u64;
    let buffer = with_room(gpu, || match &kind {
        AllocationKind::Pool(share) => share.buffer(&gpu.device),
        kind => {
            let made = gpu.device.alloc(size, kind.made_by());
            made.map_err(|error| no_room(&gpu.device, size, error))
        }
    })?;
    let base = buffer.address();
    let allocation = Allocation::new(context, gpu, kind, (base, size), Storage::Device { buffer });
    if let AllocationKind::Pool(share) = &allocation.kind {
        // Access rights are those of the pool, not those of peer contexts.
        gpu.device.memory().exclude_from_peers(base);
        for device in share.pool.peers() {
            allocation.show(state::gpu(device)?, true);
        }
    }
    register(context, allocation)
}

/// Allocates graph memory of a device at an address that was reserved before.
pub(crate) fn allocate_at(
    context: &Context,
    gpu: &Arc<Gpu>,
    (address, size): (u64, u64),
    name: &str,
) -> Answer {
    let buffer = with_room(gpu, || {
        gpu.device.alloc_at_freed(address, size, name).ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because(format!(
                "the device has no memory left for {} of a graph",
                Count(size, "byte")
            ))
        })
    })?;
    take_in(context, gpu, (address, size), buffer, AllocationKind::Graph).map(|_| ())
}

/// Registers existing memory as an allocation of a device and returns its address.
pub(crate) fn take_in(
    context: &Context,
    gpu: &Arc<Gpu>,
    place: (u64, u64),
    buffer: Buffer,
    kind: AllocationKind,
) -> Answer<u64> {
    register(context, Allocation::new(context, gpu, kind, place, Storage::Device { buffer }))
}

/// Allocates device memory by `make`. If the device is full, its pools free unused memory and
/// `make` is repeated.
pub(crate) fn with_room<T>(gpu: &Gpu, make: impl Fn() -> Answer<T>) -> Answer<T> {
    with_room_if(gpu, |refusal: &Refusal| refusal.code == CUresult::OUT_OF_MEMORY, make)
}

/// As [`with_room`], with `is_full` to recognise the error.
pub(crate) fn with_room_if<T, E>(
    gpu: &Gpu,
    is_full: impl Fn(&E) -> bool,
    make: impl Fn() -> Result<T, E>,
) -> Result<T, E> {
    match make() {
        Err(error) if is_full(&error) => {
            crate::deferred::wait_for_all();
            pool::give_back(gpu.ordinal);
            make()
        }
        made => made,
    }
}

/// Allocates host memory that all devices can access, with a given origin.
pub(crate) fn allocate_host(context: &Context, size: usize, kind: AllocationKind) -> Answer<u64> {
    ensure!(size != 0, "bytesize is 0: an allocation has at least one byte");
    let block = host_block(size, kind.made_by())?;
    map_host(context, Arc::new(block), kind)
}

/// A block of host memory that is not in the table.
pub(crate) fn host_block(size: usize, name: &str) -> Answer<Block> {
    ensure!(
        size <= MAX_HOST,
        CUresult::OUT_OF_MEMORY,
        "bytesize {size} is more host memory than the system could have"
    );
    Block::page_aligned(size, name).ok_or_else(|| {
        CUresult::OUT_OF_MEMORY.because(format!(
            "the system does not have {} of host memory left",
            Count(size, "byte")
        ))
    })
}

/// Registers a block of host memory as an allocation, and maps it into all devices.
///
/// `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED` if a part of it is registered already.
pub(crate) fn map_host(context: &Context, block: Arc<Block>, kind: AllocationKind) -> Answer<u64> {
    let (base, size) = (block.host_address(), block.size() as u64);
    let gpus = state::gpus()?;
    for (i, gpu) in gpus.iter().enumerate() {
        if gpu.device.memory().attach(block.host_address(), &block).is_err() {
            for earlier in &gpus[..i] {
                earlier.device.memory().free(base);
            }
            bail!(
                CUresult::HOST_MEMORY_ALREADY_REGISTERED,
                "{} of host memory from {base:#x} on: a part of them is registered or allocated already",
                Count(size, "byte")
            );
        }
    }
    let storage = Storage::Host { block };
    register(context, Allocation::new(context, &context.gpu, kind, (base, size), storage))
}

/// The bytes at an address, if they are in one allocation or variable known to the device.
pub(crate) fn linear(gpu: &Gpu, address: u64, len: u64) -> Option<Linear> {
    let linear = gpu.device.linear(address, len);
    tell_unmapped(&gpu.device);
    linear.ok()
}

/// Reports registered memory that a device has found to be unmapped.
pub(crate) fn tell_unmapped(device: &Device) {
    for gone in device.memory().take_unmapped() {
        say(format_args!(
            "{gone}; until it is registered again, copies of it are refused, and a kernel that uses it faults"
        ));
    }
}

/// Adds an allocation to the table and returns its address.
fn register(context: &Context, allocation: Allocation) -> Answer<u64> {
    let (base, id) = (allocation.base, allocation.id);
    crate::allocation_trace::allocated(id);
    let is_block = matches!(allocation.kind, AllocationKind::Device);
    crate::allocation_trace::pools::allocated(id, is_block);
    write_lock(&TABLE).insert(base, Arc::new(allocation));
    // The allocation is identified by its number, as its address may have been reused meanwhile.
    context.check_not_ended(|| release(|allocation| allocation.id == id))?;
    Ok(base)
}

/// The allocations for which `wanted` holds.
pub(crate) fn all(wanted: impl Fn(&Allocation) -> bool) -> Vec<Arc<Allocation>> {
    let table = read_lock(&TABLE);
    table.values().filter(|allocation| wanted(allocation)).cloned().collect()
}

/// The allocation that contains an address.
pub(crate) fn find(address: u64) -> Option<Arc<Allocation>> {
    let table = read_lock(&TABLE);
    let (_, allocation) = table.range(..=address).next_back()?;
    allocation.holds(address, 1).then(|| Arc::clone(allocation))
}

/// Frees the allocation that begins at an address, if it is of the right kind. `name` is the
/// parameter.
///
/// `CUDA_ERROR_INVALID_VALUE` if the address is unknown, freed, or inside an allocation, or if
/// another function frees the memory.
pub(crate) fn free(
    name: &str,
    address: u64,
    right: impl FnOnce(&AllocationKind) -> bool,
) -> Answer {
    take(name, address, right).map(|freed| freed.end())
}

/// Removes the allocation that begins at an address, with the checks of [`free`]; the caller ends
/// it by [`Allocation::end`].
pub(crate) fn take(
    name: &str,
    address: u64,
    right: impl FnOnce(&AllocationKind) -> bool,
) -> Answer<Arc<Allocation>> {
    let mut table = write_lock(&TABLE);
    let is_right = table.get(&address).is_some_and(|allocation| right(&allocation.kind));
    let freed = if is_right { table.remove(&address) } else { None };
    drop(table);
    freed.ok_or_else(|| CUresult::INVALID_VALUE.because(reasons::not_freed(name, address)))
}

/// Whether copies of the memory at an address are always synchronous.
pub(crate) fn is_sync(address: u64) -> bool {
    find(address).is_some_and(|allocation| allocation.sync.load(Ordering::Relaxed))
}

/// Whether an address is in the address range of a device, allocated or not.
pub(crate) fn is_device_address(address: u64) -> Answer<bool> {
    let gives_out = state::gpus()?.iter().any(|gpu| gpu.device.memory().owns(address));
    Ok(gives_out || Reserved::holds(address))
}

/// Whether an address is in an allocation, or in the address range of a device.
pub(crate) fn is_known(address: u64) -> Answer<bool> {
    Ok(is_device_address(address)? || find(address).is_some())
}

/// Whether any byte of a nonempty range is in an allocation, or in the address range of a device.
pub(crate) fn touches(address: u64, len: u64) -> Answer<bool> {
    let last = address.saturating_add(len - 1);
    let reaches = |(_, a): (&u64, &Arc<Allocation>)| a.base.saturating_add(a.size) > address;
    let in_table = read_lock(&TABLE).range(..=last).next_back().is_some_and(reaches);
    Ok(in_table || is_device_address(address)? || is_device_address(last)?)
}

/// Frees the allocations of a context.
pub(crate) fn release_context(context: &Context) {
    release(|allocation| allocation.context == context.handle);
    pool::synchronized(context.gpu.ordinal);
}

/// Frees all allocations for which `gone` returns true.
pub(crate) fn release(mut gone: impl FnMut(&Allocation) -> bool) {
    let freed: Vec<_> =
        write_lock(&TABLE).extract_if(.., |_, allocation| gone(allocation)).collect();
    freed.iter().for_each(|(_, allocation)| allocation.end());
}
