//! Virtual memory management (driver API, section of this name): address reservations, physical
//! memory of devices or the host, mappings and access rights. Memory is exported as file
//! descriptors.

use crate::api::*;
use crate::memory::virtual_memory::{self as space, GRANULARITY, Mapping, Physical, Place};

driver_api! {
    /// Reserves an address range: the requested one if it is free and reservable, or else another.
    fn cuMemAddressReserve(ptr, size, alignment, addr, flags) {
        ptr.check()?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        ensure!(
            size != 0 && size.is_multiple_of(PAGE) && addr.is_multiple_of(PAGE as u64),
            "size {size} and addr {addr:#x} are not multiples of {PAGE}, the size of a page of the host, size at \
             least one"
        );
        ensure!(
            alignment == 0 || alignment.is_power_of_two(),
            "alignment {alignment} is not a power of two or 0"
        );
        ptr.set(space::reserve(size as u64, alignment as u64, addr)?)
    }

    /// Frees a reserved range, in which nothing may be mapped.
    fn cuMemAddressFree(ptr, size) {
        space::free(ptr, size as u64)
    }

    /// Creates physical memory of a device or the host, for mappings or
    /// (`CU_MEM_CREATE_USAGE_TILE_POOL`) for tiles of sparse arrays.
    fn cuMemCreate(handle, size, prop, flags) {
        handle.check()?;
        let mut prop = prop.get()?;
        check(&prop)?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        let size = size as u64;
        ensure!(
            size != 0 && size.is_multiple_of(GRANULARITY),
            "size {size} is not a multiple of {GRANULARITY}, at least that many bytes \
             (cuMemGetAllocationGranularity)"
        );
        // Compression is only a request; the properties of the memory report that it was not
        // granted.
        prop.compression_type = 0;
        handle.set(Physical::create(size, prop)?)
    }

    /// Releases a handle of physical memory. The memory remains while it is mapped, and mapped
    /// tiles stay mapped.
    fn cuMemRelease(handle) {
        Physical::release(handle)
    }

    /// Maps memory, from its first byte on, into a reserved range, initially without access rights.
    fn cuMemMap(ptr, size, offset, handle, flags) {
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        let memory = Physical::of(handle)?;
        ensure!(offset == 0, "offset {offset} is not 0: memory is mapped from its first byte on");
        ensure!(
            !memory.is_for_tiles(),
            "handle is memory for tiles of sparse arrays (CU_MEM_CREATE_USAGE_TILE_POOL), which \
             cuMemMapArrayAsync maps"
        );
        space::map(ptr, size as u64, &memory)
    }

    /// Unmaps whole mappings. The addresses stay reserved.
    fn cuMemUnmap(ptr, size) {
        space::unmap(ptr, size as u64)
    }

    /// Sets the access rights of devices and the host to whole mappings.
    fn cuMemSetAccess(ptr, size, desc[count], count) {
        ensure!(count != 0, "count is 0: at least one access is given");
        let one = |i| -> Answer<(Place, u32)> {
            let CUmemAccessDesc { location, flags } = desc.at(i)?;
            ensure!(
                matches!(flags, 0 | 1 | 3),
                "flags {flags} of desc[{i}] is not CU_MEM_ACCESS_FLAGS_PROT_NONE (0), _READ (1) or _READWRITE (3)"
            );
            let who = who(location).map_err(|refusal| refusal.within(|| format!("desc[{i}]"), &[]))?;
            Ok((who, flags))
        };
        let access = (0..count).map(one).collect::<Answer<Vec<_>>>()?;
        space::set_access(ptr, size as u64, &access)
    }

    /// The access rights of a device, or of the host, to a mapped address.
    fn cuMemGetAccess(flags, location, ptr) {
        flags.check()?;
        let who = who(location.get()?)?;
        let access = mapped(ptr)?.access.get(&who).copied();
        flags.set(access.unwrap_or(CU_MEM_ACCESS_FLAGS_PROT_NONE).into())
    }

    /// Returns the handle of the memory mapped at an address, which is retained.
    fn cuMemRetainAllocationHandle(handle, addr) {
        handle.give(|| Ok(mapped(addr.address())?.memory.retain()))
    }

    /// The properties with which memory was created.
    fn cuMemGetAllocationPropertiesFromHandle(prop, handle) {
        prop.give(|| Ok(Physical::of(handle)?.prop))
    }

    /// The granularity of sizes and addresses, 2 MiB.
    fn cuMemGetAllocationGranularity(granularity, prop, option) {
        granularity.check()?;
        check(&prop.get()?)?;
        ensure!(
            option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED,
            "option {option} is not CU_MEM_ALLOC_GRANULARITY_MINIMUM (0) or _RECOMMENDED (1)"
        );
        granularity.set(GRANULARITY as usize)
    }

    /// Exports memory as a file descriptor, which the caller closes.
    fn cuMemExportToShareableHandle(shareableHandle, handle, handleType, flags) {
        shareableHandle.check()?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        is_file(handleType)?;
        let number = Physical::of(handle)?.export()?;
        // SAFETY: the caller's buffer holds an `int`, the type of a file descriptor.
        unsafe { shareableHandle.room(4) }.write(0, &number.to_ne_bytes())
    }

    /// Imports memory from a file descriptor, which stays open.
    fn cuMemImportFromShareableHandle(handle, osHandle, shHandleType) {
        handle.check()?;
        is_file(shHandleType)?;
        // The file descriptor is passed in place of a pointer.
        let number = i32::try_from(osHandle.address()).map_err(|_| {
            invalid!("osHandle {:#x} is not the number of a file", osHandle.address())
        })?;
        handle.set(Physical::import(number)?)
    }
}

/// Page size of the host in bytes.
const PAGE: usize = 4096;

fn mapped(address: u64) -> Answer<Mapping> {
    space::find(address).ok_or_else(|| {
        let words = space::reason(address);
        invalid!(
            "address {address:#x} {}",
            words.as_deref().unwrap_or("is not one where cuMemMap has mapped memory")
        )
    })
}

/// Checks a handle type: `CUDA_ERROR_NOT_SUPPORTED` for anything but file descriptors.
pub(super) fn is_file(handle_type: u32) -> Answer {
    match handle_type {
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR => Ok(()),
        CU_MEM_HANDLE_TYPE_NONE => Err(invalid!(
            "handleType 0 (CU_MEM_HANDLE_TYPE_NONE) is not something that stands for memory"
        )),
        other => Err(CUresult::NOT_SUPPORTED.because(format!(
            "handleType {other} is not CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR (1): texunit has no handles of Windows \
             and no fabric"
        ))),
    }
}

/// Checks the properties of memory. The host has one NUMA node here.
fn check(prop: &CUmemAllocationProp) -> Answer {
    let CUmemLocation { kind, id } = prop.location;
    ensure!(
        prop.kind == CU_MEM_ALLOCATION_TYPE_PINNED,
        "type {} of prop is not CU_MEM_ALLOCATION_TYPE_PINNED (1)",
        prop.kind
    );
    match kind {
        CU_MEM_LOCATION_TYPE_DEVICE => _ = state::gpu(id)?,
        CU_MEM_LOCATION_TYPE_HOST if prop.requested_handle_types != CU_MEM_HANDLE_TYPE_NONE => {
            bail!(
                "requestedHandleTypes {} is not 0: memory of location.type CU_MEM_LOCATION_TYPE_HOST is not exported",
                prop.requested_handle_types
            )
        }
        CU_MEM_LOCATION_TYPE_HOST => {}
        CU_MEM_LOCATION_TYPE_HOST_NUMA if id == 0 => {}
        _ => bail!(
            "location.type {kind}, id {id} of prop is not a place: a device (1), the host (2), or its only NUMA \
                 node (3, 0)"
        ),
    }
    let usage = prop.usage & !CU_MEM_CREATE_USAGE_TILE_POOL;
    ensure!(
        usage == 0 && prop.win32_handle_meta_data == 0,
        "usage {:#x} or win32HandleMetaData of prop has what texunit does not know",
        prop.usage
    );
    ensure!(
        prop.usage == 0 || space::place(prop).is_some(),
        "memory for tiles is memory of a device"
    );
    match prop.requested_handle_types {
        CU_MEM_HANDLE_TYPE_NONE => Ok(()),
        other => is_file(other),
    }
}

/// The device or host whose access rights a location selects.
fn who(location: CUmemLocation) -> Answer<Place> {
    match location.kind {
        CU_MEM_LOCATION_TYPE_DEVICE => Ok(Some(state::gpu(location.id)?.ordinal)),
        CU_MEM_LOCATION_TYPE_HOST
        | CU_MEM_LOCATION_TYPE_HOST_NUMA
        | CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok(None),
        other => Err(invalid!("location.type {other} is not a device (1) or the host (2 to 4)")),
    }
}
