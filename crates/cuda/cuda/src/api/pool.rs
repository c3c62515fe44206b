//! Memory pools (driver API, "Stream Ordered Memory Allocator"). Streams run synchronously, so that
//! memory is allocated or freed when the call returns.

use crate::api::*;
use crate::memory::pool::{self, Pool, PoolLocation};
use crate::memory::{self, AllocationKind};
use crate::{context, graph};

driver_api! {
    /// Allocates from the current pool of the stream's device, in stream order.
    fn cuMemAllocAsync(dptr, bytesize, hStream) {
        dptr.check()?;
        let order = Order::capturable(hStream)?;
        let device = order.context.gpu.ordinal;
        if let Some(place) = order.capture {
            return dptr.set(place.allocate(device, bytesize)?);
        }
        let pool = pool::current_of(PoolLocation::Device(device)).get()?;
        dptr.set(allocate(&pool, bytesize, &order)?)
    }

    /// Allocates from a pool, in stream order.
    fn cuMemAllocFromPoolAsync(dptr, bytesize, pool, hStream) {
        dptr.check()?;
        let order = Order::capturable(hStream)?;
        let pool = pool.get()?;
        match (order.capture, pool.place) {
            (None, _) => dptr.set(allocate(&pool, bytesize, &order)?),
            (Some(place), PoolLocation::Device(device)) => dptr.set(place.allocate(device, bytesize)?),
            (Some(place), _) => Err(place.forbidden()),
        }
    }

    /// Frees memory of a pool, or of `cuMemAlloc`, in stream order.
    fn cuMemFreeAsync(dptr, hStream) {
        let order = Order::capturable(hStream)?;
        if let Some(place) = order.capture {
            return place.add(graph::params::free(dptr)?);
        }
        let right = |kind: &AllocationKind| matches!(kind, AllocationKind::Device | AllocationKind::Graph | AllocationKind::Pool(_) | AllocationKind::Managed);
        let freed = memory::take("dptr", dptr, right)?;
        let position = deferred::position(&order);
        deferred::submit(&order, move |_| {
            checks::freed(&position, (freed.base, freed.size), freed.id);
            freed.end();
            Ok(())
        })
    }

    /// Frees unused memory of a pool in steps of 32 MiB, until it holds at most `minBytesToKeep`
    /// bytes.
    fn cuMemPoolTrimTo(pool, minBytesToKeep) {
        pool.get()?.trim(minBytesToKeep as u64);
        Ok(())
    }

    /// Creates a pool of device or host memory. Pools of device memory can be exported as file
    /// descriptors.
    fn cuMemPoolCreate(pool, poolProps) {
        pool.give(|| create(&poolProps.get()?))
    }

    /// Destroys a pool. Its allocations remain until they are freed.
    fn cuMemPoolDestroy(pool) {
        Pool::destroy(pool)
    }

    /// Sets an attribute of a pool: early reuse of memory (always on), the release threshold, or
    /// the reset of a high-water mark.
    fn cuMemPoolSetAttribute(pool, attr, value) {
        let pool = pool.get()?;
        let mut state = pool.state();
        match attr {
            1..=3 => {
                // SAFETY: the type of these attributes is `int`.
                let bytes = unsafe { value.bytes(4) }.array(0)?;
                state.reuse[attr as usize - 1] = i32::from_ne_bytes(bytes);
            }
            4 | 6 | 8 => {
                // SAFETY: the type of these attributes is `cuuint64_t`.
                let bytes = unsafe { value.bytes(8) }.array(0)?;
                match (attr, u64::from_ne_bytes(bytes)) {
                    (4, threshold) => state.threshold = threshold,
                    (6, 0) => state.most_reserved = state.reserved,
                    (8, 0) => state.most = state.used,
                    (_, other) => bail!(
                        "value {other} of attr {attr} is not 0: a high-water mark can be reset, and nothing else"
                    ),
                }
            }
            _ => bail!("attr {attr} is not a CUmemPool_attribute that can be set: those are 1 to 4, 6 and 8"),
        }
        Ok(())
    }

    /// An attribute or statistic of a pool.
    fn cuMemPoolGetAttribute(pool, attr, value) {
        let pool = pool.get()?;
        let state = pool.state();
        let kind = match pool.place {
            PoolLocation::Managed => CU_MEM_ALLOCATION_TYPE_MANAGED,
            _ => CU_MEM_ALLOCATION_TYPE_PINNED,
        };
        // SAFETY: the buffer holds an `int`, the type of these attributes.
        let short = |number: i32| unsafe { value.room(4) }.write(0, &number.to_ne_bytes());
        // SAFETY: the buffer holds a `cuuint64_t`, the type of these attributes.
        let long = |number: u64| unsafe { value.room(8) }.write(0, &number.to_ne_bytes());
        match attr {
            1..=3 => short(state.reuse[attr as usize - 1]),
            4 => long(state.threshold),
            5 => long(state.reserved),
            7 => long(state.used),
            6 => long(state.most_reserved),
            8 => long(state.most),
            9 => short(kind as i32),
            10 => short(match pool.shared {
                Some(_) => CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR as i32,
                None => CU_MEM_HANDLE_TYPE_NONE as i32,
            }),
            11 => short(pool.location.id),
            12 => short(pool.location.kind as i32),
            13 => long(pool.max_size),
            14 => short(0),
            15 => short(-1),
            _ => Err(invalid!("attr {attr} is not a CUmemPool_attribute: those are 1 to 15")),
        }
    }

    /// Sets the access rights of devices to a pool's memory.
    fn cuMemPoolSetAccess(pool, map[count], count) {
        let pool = pool.get()?;
        for i in 0..count {
            let CUmemAccessDesc { location, flags } = map.at(i)?;
            ensure!(
                location.kind == CU_MEM_LOCATION_TYPE_DEVICE,
                "location.type {} of map[{i}] is not CU_MEM_LOCATION_TYPE_DEVICE (1): access is that of devices",
                location.kind
            );
            pool.set_access(location.id, flags)?;
        }
        Ok(())
    }

    /// The access rights of a device, or of the host, to a pool's memory.
    fn cuMemPoolGetAccess(flags, memPool, location) {
        let (pool, location) = (memPool.get()?, location.get()?);
        match location.kind {
            CU_MEM_LOCATION_TYPE_DEVICE => {
                state::gpu(location.id)?;
                flags.set(pool.access(location.id))
            }
            CU_MEM_LOCATION_TYPE_HOST if !matches!(pool.place, PoolLocation::Device(_)) => {
                flags.set(CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            }
            CU_MEM_LOCATION_TYPE_HOST => flags.set(0),
            _ => Err(invalid!(
                "location.type {} is not a device (1) or the host (2)",
                location.kind
            )),
        }
    }

    /// Exports a pool as a file descriptor, which the caller closes.
    fn cuMemPoolExportToShareableHandle(handle_out, pool, handleType, flags) {
        handle_out.check()?;
        check_shared(handleType, flags)?;
        let pool = pool.get()?;
        let number = pool.shared.as_ref().filter(|shared| !shared.is_imported).ok_or(CUresult::INVALID_VALUE.because(
            "pool was not made with handleTypes CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR (1), or is one of another process",
        ))?.export()?;
        // SAFETY: the caller's buffer holds an `int`, the type of a file descriptor.
        unsafe { handle_out.room(4) }.write(0, &number.to_ne_bytes())
    }

    /// Imports a pool from a file descriptor, which stays open. Nothing can be allocated from an
    /// imported pool.
    fn cuMemPoolImportFromShareableHandle(pool_out, handle, handleType, flags) {
        pool_out.check()?;
        check_shared(handleType, flags)?;
        // The file descriptor is passed in place of a pointer.
        let number = i32::try_from(handle.address()).map_err(|_| {
            invalid!("handle {:#x} is not the number of a file", handle.address())
        })?;
        let pool = Pool::import(number)?;
        crate::check_log::created(pool.number());
        pool_out.set(pool)
    }

    /// Exports data with which another process can import an allocation of the pool.
    fn cuMemPoolExportPointer(shareData_out, ptr) {
        shareData_out.check()?;
        let found = memory::find(ptr).filter(|found| found.base == ptr);
        let data = found.as_ref().and_then(|found| match &found.kind {
            AllocationKind::Pool(share) => Some(share.pool.shared.as_ref()?.data(ptr, found.size)),
            _ => None,
        });
        shareData_out.set(data.ok_or_else(|| invalid!(
            "ptr {ptr:#x} is not where an allocation begins of a pool that was made to be shared"
        ))?)
    }

    /// Imports an allocation of another process's pool into this process, where it is freed like
    /// other memory.
    fn cuMemPoolImportPointer(ptr_out, pool, shareData) {
        let context = context::current()?;
        ptr_out.give(|| pool.get()?.import_pointer(&context, &shareData.get()?))
    }

    /// The default pool of a device.
    fn cuDeviceGetDefaultMemPool(pool_out, dev) {
        state::gpu(dev)?;
        pool_out.set(pool::default_of(PoolLocation::Device(dev)))
    }

    /// The current pool of a device, from which `cuMemAllocAsync` allocates.
    fn cuDeviceGetMemPool(pool, dev) {
        state::gpu(dev)?;
        pool.set(pool::current_of(PoolLocation::Device(dev)))
    }

    /// Sets the current pool of a device.
    fn cuDeviceSetMemPool(dev, pool) {
        state::gpu(dev)?;
        pool::set_current(PoolLocation::Device(dev), pool)
    }

    /// The default pool of a location.
    fn cuMemGetDefaultMemPool(pool_out, location, type_) {
        pool_out.set(pool::default_of(pool::place(type_, location.get()?)?))
    }

    /// The current pool of a location.
    fn cuMemGetMemPool(pool, location, type_) {
        pool.set(pool::current_of(pool::place(type_, location.get()?)?))
    }

    /// Sets the current pool of a location.
    fn cuMemSetMemPool(location, type_, pool) {
        pool::set_current(pool::place(type_, location.get()?)?, pool)
    }
}

/// Allocates in stream order: the memory exists immediately, but for the checks only after
/// preceding work of the stream.
fn allocate(pool: &Arc<Pool>, size: usize, order: &Order) -> Answer<u64> {
    let address = pool.allocate(&order.context, size)?;
    if crate::check_log::race().is_some()
        && let Some(made) = memory::find(address)
    {
        let position = QueuePosition::submitted(order.queue);
        checks::allocated(&position, (address, size as u64), made.id);
    }
    Ok(address)
}

/// Checks that a pool is exported or imported as a file descriptor, without flags.
fn check_shared(handle_type: u32, flags: u64) -> Answer {
    ensure!(flags == 0, "flags {flags:#x} is not 0");
    super::virtual_memory::is_file(handle_type)
}

fn create(props: &CUmemPoolProps) -> Answer<Handle<Pool>> {
    let place = pool::place(props.alloc_type, props.location)?;
    ensure!(
        (props.win32_security_attributes, props.reserved0, props.reserved) == (0, [0; 5], [0; 6]),
        "win32SecurityAttributes and reserved of poolProps are not all 0"
    );
    ensure!(
        place != PoolLocation::Managed || props.max_size == 0,
        "maxSize {} is not 0: pools of managed memory have no limit",
        props.max_size
    );
    let max_size = props.max_size as u64;
    let pool = match (props.handle_types, place) {
        (CU_MEM_HANDLE_TYPE_NONE, _) => Pool::create(place, props.location, max_size, None),
        (kind, PoolLocation::Device(device)) => {
            check_shared(kind, 0)?;
            Pool::create_shared(device, max_size)?
        }
        (kind, _) => bail!(
            CUresult::NOT_SUPPORTED,
            "handleTypes {kind} is not CU_MEM_HANDLE_TYPE_NONE (0): of pools, those of devices are shared with other \
                 processes"
        ),
    };
    crate::check_log::created(pool.number());
    Ok(pool)
}
