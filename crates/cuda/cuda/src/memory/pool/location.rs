//! Where the memory of a pool is.

use super::*;

/// Kind of memory in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PoolLocation {
    /// The pool has memory of a device.
    Device(CUdevice),
    /// The pool has memory of the host.
    Host,
    /// The pool has managed memory.
    Managed,
}

/// The location of a pool, given an allocation type and a `CUmemLocation`. The host has one NUMA
/// node.
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
        _ => Err(invalid!(
            "type {kind} and location type {}, id {} go together for no pool: pinned memory (1) is of a device or \
             the host, managed memory (2) of these or of no place",
            location.kind,
            location.id
        )),
    }
}
