//! Methods of structures: the parameters of graph nodes, resources of green contexts, and the
//! attributes of launches.
//!
//! The parameters of a node of any kind ([`CUgraphNodeParams`]) contain a union in the header. Here
//! the union is an array of words, which [`CUgraphNodeParams::get`] and [`CUgraphNodeParams::set`]
//! access as the structure of a kind.

use crate::args::{Elements, In};
use crate::*;

/// The parameters of one kind of node.
///
/// # Safety
/// Every bit pattern is a valid value of the type, and its size is at most that of
/// [`CUgraphNodeParams::words`].
pub unsafe trait NodeParams: Copy {}

macro_rules! in_union {
    ($($type:ty)*) => {
        // SAFETY: the structure has only plain numbers, so that every bit pattern is valid, and the
        // assertion checks its size.
        $(unsafe impl NodeParams for $type {}
        const _: () = assert!(size_of::<$type>() <= 232 && align_of::<$type>() <= 8);)*
    };
}
in_union! {
    CUDA_KERNEL_NODE_PARAMS CUDA_MEMSET_NODE_PARAMS CUDA_HOST_NODE_PARAMS CUDA_CHILD_GRAPH_NODE_PARAMS
    CUDA_EVENT_RECORD_NODE_PARAMS CUDA_EVENT_WAIT_NODE_PARAMS CUDA_EXT_SEM_NODE_PARAMS CUDA_MEM_ALLOC_NODE_PARAMS
    CUDA_MEM_FREE_NODE_PARAMS CUDA_BATCH_MEM_OP_NODE_PARAMS CUDA_CONDITIONAL_NODE_PARAMS CUDA_MEMCPY_NODE_PARAMS
    CUDA_MEMCPY_BATCH_NODE_PARAMS
}

impl CUgraphNodeParams {
    /// Makes the parameters of a node from its kind and the structure of that kind.
    pub fn new<T: NodeParams>(kind: u32, params: T) -> Self {
        let mut new = Self { kind, ..Self::default() };
        new.set(params);
        new
    }

    /// The parameters as the structure of a kind.
    pub fn get<T: NodeParams>(&self) -> T {
        // SAFETY: by the contract of `NodeParams`, `words` is at least as large as `T`, and every
        // bit pattern is a valid `T`.
        unsafe { self.words.as_ptr().cast::<T>().read_unaligned() }
    }

    /// Writes the parameters as the structure of a kind.
    pub fn set<T: NodeParams>(&mut self, params: T) {
        // SAFETY: by the contract of `NodeParams`, `words` is at least as large as `T`.
        unsafe { self.words.as_mut_ptr().cast::<T>().write_unaligned(params) }
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

impl CUlaunchConfig {
    /// The attributes of the launch, as an array that checks for null and its length.
    ///
    /// # Safety
    /// `attrs` is null or points to an array of `numAttrs` attributes, for the lifetime.
    pub unsafe fn attributes<'a>(&self) -> Elements<'a, CUlaunchAttribute> {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { In::of(self.attrs).elements(self.numAttrs as usize) }
    }
}
