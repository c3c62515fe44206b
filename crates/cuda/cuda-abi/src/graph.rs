//! Structures of graphs and of stream capture.
//!
//! The parameters of a node of any kind ([`CUgraphNodeParams`]) contain a union in the header. Here
//! the union is an array of words, which [`CUgraphNodeParams::get`] and [`CUgraphNodeParams::set`]
//! access as the structure of a kind.

use crate::{CUDA_MEMCPY3D, CUcontext, CUdeviceptr, CUevent, CUfunction, CUkernel, CUmemPoolProps};

/// Handle of a graph.
pub type CUgraph = usize;
/// Handle of a node of a graph.
pub type CUgraphNode = usize;
/// Handle of an executable graph.
pub type CUgraphExec = usize;
/// Handle of a user object, which graphs keep alive.
pub type CUuserObject = usize;
/// Handle of a conditional node's condition.
pub type CUgraphConditionalHandle = u64;

macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(C)]
        pub struct $name {
            $(pub $field: $type,)*
        }
    )*};
}

structures! {
    /// Parameters of a kernel node, version 1.
    CUDA_KERNEL_NODE_PARAMS_v1 {
        func: CUfunction, grid: [u32; 3], block: [u32; 3], sharedMemBytes: u32, kernelParams: u64, extra: u64,
    }
    /// Parameters of a kernel node (`CUDA_KERNEL_NODE_PARAMS_v2`, `_v3`).
    CUDA_KERNEL_NODE_PARAMS {
        func: CUfunction, grid: [u32; 3], block: [u32; 3], sharedMemBytes: u32, kernelParams: u64, extra: u64,
        kern: CUkernel, ctx: CUcontext,
    }
    /// Parameters of a memset node, version 1.
    CUDA_MEMSET_NODE_PARAMS_v1 {
        dst: CUdeviceptr, pitch: usize, value: u32, elementSize: u32, width: usize, height: usize,
    }
    /// Parameters of a memset node.
    CUDA_MEMSET_NODE_PARAMS {
        dst: CUdeviceptr, pitch: usize, value: u32, elementSize: u32, width: usize, height: usize, ctx: CUcontext,
    }
    /// Parameters of a host function node, version 1.
    CUDA_HOST_NODE_PARAMS_v1 { function: usize, userData: u64 }
    /// Parameters of a host function node.
    CUDA_HOST_NODE_PARAMS { function: usize, userData: u64, syncMode: u32, ctx: CUcontext }
    /// Parameters of a child graph node.
    CUDA_CHILD_GRAPH_NODE_PARAMS { graph: CUgraph, ownership: i32 }
    /// Parameters of an event record node.
    CUDA_EVENT_RECORD_NODE_PARAMS { event: CUevent, ctx: CUcontext }
    /// Parameters of an event wait node.
    CUDA_EVENT_WAIT_NODE_PARAMS { event: CUevent }
    /// Parameters of an external semaphore node; those of signal and wait nodes have the same
    /// layout.
    CUDA_EXT_SEM_NODE_PARAMS { extSemArray: u64, paramsArray: u64, numExtSems: u32 }
    /// Parameters of a memory allocation node.
    CUDA_MEM_ALLOC_NODE_PARAMS {
        poolProps: CUmemPoolProps, accessDescs: u64, accessDescCount: usize, bytesize: usize, dptr: CUdeviceptr,
    }
    /// Parameters of a memory free node.
    CUDA_MEM_FREE_NODE_PARAMS { dptr: CUdeviceptr }
    /// Parameters of a node of stream memory operations (waits and writes).
    CUDA_BATCH_MEM_OP_NODE_PARAMS { ctx: CUcontext, count: u32, paramArray: u64, flags: u32 }
    /// Parameters of a conditional node.
    CUDA_CONDITIONAL_NODE_PARAMS {
        handle: CUgraphConditionalHandle, kind: u32, size: u32, phGraph_out: u64, ctx: CUcontext,
    }
    /// Parameters of a memcpy node.
    CUDA_MEMCPY_NODE_PARAMS { flags: i32, reserved: i32, copyCtx: CUcontext, copyParams: CUDA_MEMCPY3D }
    /// Ports and type of an edge (`CUgraphEdgeData`).
    CUgraphEdgeData { from_port: u8, to_port: u8, kind: u8, reserved: [u8; 5] }
    /// Parameters and result of the instantiation of a graph as an executable graph.
    CUDA_GRAPH_INSTANTIATE_PARAMS { flags: u64, hUploadStream: usize, hErrNode_out: CUgraphNode, result_out: u32 }
    /// Result of an update of an executable graph.
    CUgraphExecUpdateResultInfo { result: u32, errorNode: CUgraphNode, errorFromNode: CUgraphNode }
    /// Parameters of a node of several memory copies.
    CUDA_MEMCPY_BATCH_NODE_PARAMS {
        count: usize, dsts: u64, srcs: u64, sizes: u64, attrs: u64, attrsIdxs: u64, numAttrs: usize, ctx: CUcontext,
    }
    /// A stream memory operation (`CUstreamBatchMemOpParams`, a union), as words.
    CUstreamBatchMemOpParams { words: [u64; 6] }
    /// Parameters of a node of any kind.
    CUgraphNodeParams { kind: u32, reserved0: [i32; 3], words: [u64; 29], reserved2: i64 }
}

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
