//! Memory pools (driver API, "Stream Ordered Memory Allocator"). Streams do their work at once, so that
//! an allocation is there, or gone, when the call returns.

use crate::args::{Answer, In, Out, Raw};
use crate::call::driver_api;
use crate::graph;
use crate::handle::Handle;
use crate::late::{self, Order};
use crate::memory::pool::{self, Pool, PoolLocation};
use crate::memory::{self, AllocationKind};
use crate::state;
use crate::stream::Stream;
use std::ffi::c_uint;
use texunit_cuda_abi::{
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ALLOCATION_TYPE_MANAGED,
    CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_HANDLE_TYPE_NONE, CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_INVALID,
    CUdevice, CUdeviceptr, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUresult,
};

driver_api! {
    /// Allocates from the current pool of the stream's device.
    fn cuMemAllocAsync(dptr: Out<CUdeviceptr>, bytesize: usize, hStream: Handle<Stream>) {
        dptr.check()?;
        let Order { context, capture, .. } = Order::capturable(hStream)?;
        if let Some(place) = capture {
            return dptr.set(place.allocate(context.gpu.ordinal, bytesize)?);
        }
        let pool = pool::current_of(PoolLocation::Device(context.gpu.ordinal)).get()?;
        dptr.set(pool.allocate(&context, bytesize)?)
    }

    /// Allocates from a pool.
    fn cuMemAllocFromPoolAsync(
        dptr: Out<CUdeviceptr>,
        bytesize: usize,
        pool: Handle<Pool>,
        hStream: Handle<Stream>,
    ) {
        dptr.check()?;
        let Order { context, capture, .. } = Order::capturable(hStream)?;
        let pool = pool.get()?;
        match (capture, pool.place) {
            (None, _) => dptr.set(pool.allocate(&context, bytesize)?),
            (Some(place), PoolLocation::Device(device)) => dptr.set(place.allocate(device, bytesize)?),
            (Some(place), _) => Err(place.forbidden()),
        }
    }

    /// Frees memory of a pool, or of `cuMemAlloc`.
    fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: Handle<Stream>) {
        let order = Order::capturable(hStream)?;
        if let Some(place) = order.capture {
            return place.add(graph::memory::free_op(dptr)?);
        }
        let right = |kind: &AllocationKind| matches!(kind, AllocationKind::Device | AllocationKind::Graph | AllocationKind::Pool(_) | AllocationKind::Managed);
        let freed = memory::take("dptr", dptr, right)?;
        late::submit(&order, move |_| {
            freed.end();
            Ok(())
        })
    }

    /// Gives back memory that the pool holds and does not use, in steps of 32 MiB, until it holds no more than
    /// so many bytes.
    fn cuMemPoolTrimTo(pool: Handle<Pool>, minBytesToKeep: usize) {
        state::gpus()?;
        pool.get()?.trim(minBytesToKeep as u64);
        Ok(())
    }

    /// Makes a pool of memory of a device or the host. It cannot be exported.
    fn cuMemPoolCreate(pool: Out<Handle<Pool>>, poolProps: In<CUmemPoolProps>) {
        state::gpus()?;
        pool.check()?;
        pool.set(create(&poolProps.get()?)?)
    }

    /// Ends a pool. Its allocations stay until they are freed.
    fn cuMemPoolDestroy(pool: Handle<Pool>) {
        state::gpus()?;
        Pool::destroy(pool)
    }

    /// Sets whether memory is used again early (which it always is), how much is kept when the program waits
    /// for work, or resets a high-water mark.
    fn cuMemPoolSetAttribute(pool: Handle<Pool>, attr: c_uint, value: Raw) {
        state::gpus()?;
        // SAFETY: there is a value of the attribute's type.
        unsafe { set_attribute(&*pool.get()?, attr, value) }
    }

    /// A setting or count of a pool.
    fn cuMemPoolGetAttribute(pool: Handle<Pool>, attr: c_uint, value: Raw) {
        state::gpus()?;
        // SAFETY: there is room for a value of the attribute's type.
        unsafe { get_attribute(&*pool.get()?, attr, value) }
    }

    /// Remembers the access of devices to a pool; all reach what they are given.
    fn cuMemPoolSetAccess(pool: Handle<Pool>, map: In<CUmemAccessDesc>, count: usize) {
        state::gpus()?;
        let pool = pool.get()?;
        // SAFETY: the caller says that there are so many.
        let map = unsafe { map.elements(count) };
        for i in 0..count {
            let CUmemAccessDesc { location, flags } = map.at(i)?;
            if location.kind != CU_MEM_LOCATION_TYPE_DEVICE {
                return Err(CUresult::INVALID_VALUE.because(format!(
                    "location.type {} of map[{i}] is not CU_MEM_LOCATION_TYPE_DEVICE (1): access is that of devices",
                    location.kind
                )));
            }
            pool.set_access(location.id, flags)?;
        }
        Ok(())
    }

    /// The access of a device, or of the host, to a pool.
    fn cuMemPoolGetAccess(flags: Out<c_uint>, memPool: Handle<Pool>, location: In<CUmemLocation>) {
        state::gpus()?;
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
            _ => Err(CUresult::INVALID_VALUE.because(format!(
                "location.type {} is not a device (1) or the host (2)",
                location.kind
            ))),
        }
    }

    /// The pool that a device always has.
    fn cuDeviceGetDefaultMemPool(pool_out: Out<Handle<Pool>>, dev: CUdevice) {
        state::gpu(dev)?;
        pool_out.set(pool::default_of(PoolLocation::Device(dev)))
    }

    /// The pool that `cuMemAllocAsync` takes from.
    fn cuDeviceGetMemPool(pool: Out<Handle<Pool>>, dev: CUdevice) {
        state::gpu(dev)?;
        pool.set(pool::current_of(PoolLocation::Device(dev)))
    }

    /// Sets the pool that `cuMemAllocAsync` takes from.
    fn cuDeviceSetMemPool(dev: CUdevice, pool: Handle<Pool>) {
        state::gpu(dev)?;
        pool::set_current(PoolLocation::Device(dev), pool)
    }

    /// The pool that a place always has.
    fn cuMemGetDefaultMemPool(
        pool_out: Out<Handle<Pool>>,
        location: In<CUmemLocation>,
        type_: c_uint,
    ) {
        state::gpus()?;
        pool_out.set(pool::default_of(place(type_, location.get()?)?))
    }

    /// The current pool of a place.
    fn cuMemGetMemPool(pool: Out<Handle<Pool>>, location: In<CUmemLocation>, type_: c_uint) {
        state::gpus()?;
        pool.set(pool::current_of(place(type_, location.get()?)?))
    }

    /// Sets the current pool of a place.
    fn cuMemSetMemPool(location: In<CUmemLocation>, type_: c_uint, pool: Handle<Pool>) {
        state::gpus()?;
        pool::set_current(place(type_, location.get()?)?, pool)
    }
}

/// What memory of a type at a location is. The host has one NUMA node.
pub(crate) fn place(kind: u32, location: CUmemLocation) -> Answer<PoolLocation> {
    let host = location.kind == CU_MEM_LOCATION_TYPE_HOST
        || (location.kind == CU_MEM_LOCATION_TYPE_HOST_NUMA && location.id == 0);
    let device = location.kind == CU_MEM_LOCATION_TYPE_DEVICE;
    if device {
        state::gpu(location.id)?;
    }
    match kind {
        CU_MEM_ALLOCATION_TYPE_PINNED if device => Ok(PoolLocation::Device(location.id)),
        CU_MEM_ALLOCATION_TYPE_PINNED if host => Ok(PoolLocation::Host),
        CU_MEM_ALLOCATION_TYPE_MANAGED
            if device || host || location.kind == CU_MEM_LOCATION_TYPE_INVALID =>
        {
            Ok(PoolLocation::Managed)
        }
        _ => Err(CUresult::INVALID_VALUE.because(format!(
            "type {kind} and location type {}, id {} go together for no pool: pinned memory (1) is of a device or \
             the host, managed memory (2) of these or of no place",
            location.kind, location.id
        ))),
    }
}

fn create(props: &CUmemPoolProps) -> Answer<Handle<Pool>> {
    let place = place(props.alloc_type, props.location)?;
    if props.win32_security_attributes != 0 || props.reserved.iter().any(|&byte| byte != 0) {
        return Err(CUresult::INVALID_VALUE
            .because("win32SecurityAttributes and reserved of poolProps are not all 0"));
    }
    if props.handle_types != CU_MEM_HANDLE_TYPE_NONE {
        return Err(CUresult::NOT_SUPPORTED.because(format!(
            "handleTypes {} is not CU_MEM_HANDLE_TYPE_NONE (0): texunit's pools are not shared with other processes",
            props.handle_types
        )));
    }
    if place == PoolLocation::Managed && props.max_size != 0 {
        return Err(CUresult::INVALID_VALUE.because(format!(
            "maxSize {} is not 0: pools of managed memory have no limit",
            props.max_size
        )));
    }
    let pool = Pool::create(place, props.location, props.max_size as u64);
    crate::checks::made(pool.number());
    Ok(pool)
}

/// # Safety
/// There is a value of the attribute's type (the header: `int` or `cuuint64_t`).
unsafe fn set_attribute(pool: &Pool, attribute: u32, value: Raw<'_>) -> Answer {
    let mut state = pool.state();
    match attribute {
        1..=3 => {
            // SAFETY: these attributes are `int`.
            let bytes = unsafe { value.bytes(4) }.array(0)?;
            state.reuse[attribute as usize - 1] = i32::from_ne_bytes(bytes);
        }
        4 | 6 | 8 => {
            // SAFETY: these attributes are `cuuint64_t`.
            let bytes = unsafe { value.bytes(8) }.array(0)?;
            match (attribute, u64::from_ne_bytes(bytes)) {
                (4, threshold) => state.threshold = threshold,
                (6, 0) => state.most_reserved = state.reserved,
                (8, 0) => state.most = state.used,
                (_, other) => {
                    return Err(CUresult::INVALID_VALUE.because(format!(
                        "value {other} of attr {attribute} is not 0: a high-water mark can be reset, and nothing else"
                    )));
                }
            }
        }
        _ => {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "attr {attribute} is not a CUmemPool_attribute that can be set: those are 1 to 4, 6 and 8"
            )));
        }
    }
    Ok(())
}

/// # Safety
/// There is room for a value of the attribute's type (the header: `int` or `cuuint64_t`).
unsafe fn get_attribute(pool: &Pool, attribute: u32, value: Raw<'_>) -> Answer {
    let state = pool.state();
    let kind = match pool.place {
        PoolLocation::Managed => CU_MEM_ALLOCATION_TYPE_MANAGED,
        _ => CU_MEM_ALLOCATION_TYPE_PINNED,
    };
    // SAFETY: there is room for an `int`, as the attribute is one.
    let short = |number: i32| unsafe { value.room(4) }.write(0, &number.to_ne_bytes());
    // SAFETY: there is room for a `cuuint64_t`, as the attribute is one.
    let long = |number: u64| unsafe { value.room(8) }.write(0, &number.to_ne_bytes());
    match attribute {
        1..=3 => short(state.reuse[attribute as usize - 1]),
        4 => long(state.threshold),
        5 => long(state.reserved),
        7 => long(state.used),
        6 => long(state.most_reserved),
        8 => long(state.most),
        9 => short(kind as i32),
        10 => short(CU_MEM_HANDLE_TYPE_NONE as i32),
        11 => short(pool.location.id),
        12 => short(pool.location.kind as i32),
        13 => long(pool.max_size),
        14 => short(0),
        15 => short(-1),
        _ => Err(CUresult::INVALID_VALUE
            .because(format!("attr {attribute} is not a CUmemPool_attribute: those are 1 to 15"))),
    }
}
