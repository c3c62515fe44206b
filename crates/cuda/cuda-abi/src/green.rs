//! Structures of green contexts (`cuda.h` and `driver_types.h` of CUDA 13.1 and later; those of
//! 12.4 to 13.0 have the same size).

use crate::{CU_DEV_RESOURCE_TYPE_SM, CUdevResource, CUdevSmResource};

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
