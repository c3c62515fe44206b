//! Structures of graphs and of stream capture.
//!
//! The parameters of a node of any kind ([`CUgraphNodeParams`]) contain a union in the header. Here
//! the union is an array of words, which [`CUgraphNodeParams::get`] and [`CUgraphNodeParams::set`]
//! access as the structure of a kind.

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
    /// Makes the parameters of a node of this kind from the kind's own structure.
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
