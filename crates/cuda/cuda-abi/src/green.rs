//! Structures of green contexts (`cuda.h` and `driver_types.h` of CUDA 13.1 and later; those of
//! 12.4 to 13.0 have the same size).

use crate::{CU_DEV_RESOURCE_TYPE_INVALID, CU_DEV_RESOURCE_TYPE_SM};

/// `CUdevResource`: some multiprocessors of a device, or its work queues.
///
/// `internal` is private to the driver: a program may copy, but not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct CUdevResource {
    /// One of `CU_DEV_RESOURCE_TYPE_*`, which determines the meaning of `value`.
    pub r#type: u32,
    /// The driver's own data; programs may copy them, but not change them.
    pub internal: [u32; 23],
    /// Words of the union: a [`CUdevSmResource`], or a `CUdevWorkqueueConfigResource` (device,
    /// limit, scope).
    pub value: [u32; 10],
    /// Address of the next resource, if the resources form a list.
    pub nextResource: u64,
}

/// A set of multiprocessors (`CUdevSmResource`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct CUdevSmResource {
    /// Number of multiprocessors.
    pub smCount: u32,
    /// Minimum number of multiprocessors of a part into which the resource is split.
    pub minSmPartitionSize: u32,
    /// Number of multiprocessors that can hold the CTAs of a cluster; the size of a part is a
    /// multiple of it.
    pub smCoscheduledAlignment: u32,
    /// Flags of the part (`CUdevSmResourceGroup_flags`).
    pub flags: u32,
    /// Locality domain, if the flags ask for one.
    pub localityDomainId: u32,
}

/// `CU_DEV_SM_RESOURCE_GROUP_PARAMS`: a part requested by `cuDevSmResourceSplit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct CU_DEV_SM_RESOURCE_GROUP_PARAMS {
    /// Number of multiprocessors; 0 for all that are available, which the call writes here.
    pub smCount: u32,
    /// Number of multiprocessors that can hold the CTAs of a cluster; 0 for the device's own.
    pub coscheduledSmCount: u32,
    /// Multiprocessors that hold the CTAs of a cluster where possible.
    pub preferredCoscheduledSmCount: u32,
    /// Flags of the part (`CUdevSmResourceGroup_flags`).
    pub flags: u32,
    /// Locality domain, if the flags ask for one.
    pub localityDomainId: u32,
    /// Reserved; zeros.
    pub reserved: [u32; 11],
}

impl Default for CUdevResource {
    fn default() -> Self {
        Self {
            r#type: CU_DEV_RESOURCE_TYPE_INVALID,
            internal: [0; 23],
            value: [0; 10],
            nextResource: 0,
        }
    }
}

impl CUdevResource {
    /// Makes a resource of multiprocessors with the driver's own data.
    pub fn of_sms(sm: CUdevSmResource, internal: [u32; 23]) -> Self {
        let mut value = [0; 10];
        value[..5].copy_from_slice(&[
            sm.smCount,
            sm.minSmPartitionSize,
            sm.smCoscheduledAlignment,
            sm.flags,
            sm.localityDomainId,
        ]);
        Self { r#type: CU_DEV_RESOURCE_TYPE_SM, internal, value, nextResource: 0 }
    }

    /// The multiprocessors; `None` for a resource of another type.
    pub fn sms(&self) -> Option<CUdevSmResource> {
        let [count, least, alignment, flags, domain, ..] = self.value;
        (self.r#type == CU_DEV_RESOURCE_TYPE_SM).then_some(CUdevSmResource {
            smCount: count,
            minSmPartitionSize: least,
            smCoscheduledAlignment: alignment,
            flags,
            localityDomainId: domain,
        })
    }
}
