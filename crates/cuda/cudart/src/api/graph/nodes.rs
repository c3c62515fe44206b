//! Functions that add nodes to graphs.

use super::params::{kernel, memcpy, of_symbol, to_symbol, translated, with_results};
use crate::call::{check, runtime_api};
use crate::driver::{self, CUevent, CUgraph, CUgraphNode};
use crate::state;
use crate::types::{Direction, cudaMemcpy3DParms, line};
use std::ffi::c_void;
use texunit_cuda_abi::args::{Answer, In, InOut, Out, Raw};
use texunit_cuda_abi::{
    CUDA_EXT_SEM_NODE_PARAMS, CUDA_HOST_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS_v1, CUgraphEdgeData,
    CUgraphNodeParams,
};

/// Arguments common to all of these functions: the out-pointer for the node, the graph, and the
/// dependencies.
#[derive(Clone, Copy)]
struct NewNode<'a> {
    node: Out<'a, CUgraphNode>,
    graph: CUgraph,
    before: In<'a, CUgraphNode>,
    count: usize,
}

/// Defines functions that add a node of one kind: given are the parameters after the dependencies,
/// and a body that is given the common arguments as [`NewNode`].
macro_rules! adds {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) |$new:ident| $body:block)*) => {
        runtime_api! {$(
            $(#[$doc])*
            fn $name(
                pGraphNode: Out<CUgraphNode>,
                graph: CUgraph,
                pDependencies: In<CUgraphNode>,
                numDependencies: usize,
                $($arg: $type),*
            ) {
                state::context()?;
                let $new = NewNode { node: pGraphNode, graph, before: pDependencies, count: numDependencies };
                $body
            }
        )*}
    };
}

/// Calls a driver function that adds a node.
macro_rules! add {
    ($function:ident, $new:ident $(, $arg:expr)*) => {{
        let NewNode { node, graph, before, count } = $new;
        // SAFETY: the caller passes the number of dependencies, and valid pointers in the
        // parameters.
        check(unsafe { driver::$function(node.as_ptr(), graph, before.as_ptr(), count $(, $arg)*) })
    }};
}

adds! {
    /// Adds a kernel node, named by its host stub or a handle.
    fn cudaGraphAddKernelNode(pNodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>) |new| {
        let params = kernel(&pNodeParams.get()?)?;
        add!(cuGraphAddKernelNode_v2, new, &raw const params)
    }

    /// Adds a memcpy node for a 3D region.
    fn cudaGraphAddMemcpyNode(pCopyParams: In<cudaMemcpy3DParms>) |new| {
        let copy = memcpy(&pCopyParams.get()?)?;
        add_copy(new, &copy)
    }

    /// Adds a memcpy node for bytes.
    fn cudaGraphAddMemcpyNode1D(dst: u64, src: u64, count: usize, kind: u32) |new| {
        let direction = Direction::of(kind)?;
        add_copy(new, &line((dst, direction.destination()), (src, direction.source()), count))
    }

    /// Adds a memcpy node for a copy into a variable.
    fn cudaGraphAddMemcpyNodeToSymbol(symbol: *const c_void, src: u64, count: usize, offset: usize, kind: u32) |new| {
        let copy = to_symbol(symbol, src, count, offset, kind)?;
        add_copy(new, &copy)
    }

    /// Adds a memcpy node for a copy out of a variable.
    fn cudaGraphAddMemcpyNodeFromSymbol(dst: u64, symbol: *const c_void, count: usize, offset: usize, kind: u32) |new| {
        let copy = of_symbol(dst, symbol, count, offset, kind)?;
        add_copy(new, &copy)
    }

    /// Adds a memset node.
    fn cudaGraphAddMemsetNode(pMemsetParams: In<CUDA_MEMSET_NODE_PARAMS_v1>) |new| {
        add!(cuGraphAddMemsetNode, new, pMemsetParams.as_ptr(), 0)
    }

    /// Adds a host function node.
    fn cudaGraphAddHostNode(pNodeParams: In<CUDA_HOST_NODE_PARAMS_v1>) |new| {
        add!(cuGraphAddHostNode, new, pNodeParams.as_ptr())
    }

    /// Adds a child graph node with a clone of a graph.
    fn cudaGraphAddChildGraphNode(childGraph: CUgraph) |new| {
        add!(cuGraphAddChildGraphNode, new, childGraph)
    }

    /// Adds an empty node.
    fn cudaGraphAddEmptyNode() |new| {
        add!(cuGraphAddEmptyNode, new)
    }

    /// Adds an event record node.
    fn cudaGraphAddEventRecordNode(event: CUevent) |new| {
        add!(cuGraphAddEventRecordNode, new, event)
    }

    /// Adds an event wait node.
    fn cudaGraphAddEventWaitNode(event: CUevent) |new| {
        add!(cuGraphAddEventWaitNode, new, event)
    }

    /// Refused: external semaphores do not exist here.
    fn cudaGraphAddExternalSemaphoresSignalNode(nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>) |new| {
        add!(cuGraphAddExternalSemaphoresSignalNode, new, nodeParams.as_ptr())
    }

    /// Refused: external semaphores do not exist here.
    fn cudaGraphAddExternalSemaphoresWaitNode(nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>) |new| {
        add!(cuGraphAddExternalSemaphoresWaitNode, new, nodeParams.as_ptr())
    }

    /// Adds a memory allocation node.
    fn cudaGraphAddMemAllocNode(nodeParams: InOut<CUDA_MEM_ALLOC_NODE_PARAMS>) |new| {
        add!(cuGraphAddMemAllocNode, new, nodeParams.as_ptr())
    }

    /// Adds a memory free node.
    fn cudaGraphAddMemFreeNode(dptr: Raw) |new| {
        add!(cuGraphAddMemFreeNode, new, dptr.address())
    }
}

fn add_copy(new: NewNode<'_>, copy: &CUDA_MEMCPY3D) -> Answer {
    add!(cuGraphAddMemcpyNode, new, std::ptr::from_ref(copy), 0)
}

/// Adds a node of any kind, with edge data.
fn add_any(
    new: NewNode<'_>,
    data: In<'_, CUgraphEdgeData>,
    params: InOut<'_, CUgraphNodeParams>,
) -> Answer {
    state::context()?;
    let given = params.get()?;
    let mut of_driver = translated(&given)?;
    let NewNode { node, graph, before, count } = new;
    // SAFETY: the caller passes the number of dependencies, and valid pointers in the parameters.
    check(unsafe {
        driver::cuGraphAddNode_v2(
            node.as_ptr(),
            graph,
            before.as_ptr(),
            data.as_ptr(),
            count,
            &raw mut of_driver,
        )
    })?;
    params.out().set(with_results(&given, &of_driver))
}

#[cfg(not(feature = "cuda-12"))]
runtime_api! {
    /// Adds a node of any kind.
    fn cudaGraphAddNode(
        pGraphNode: Out<CUgraphNode>,
        graph: CUgraph,
        pDependencies: In<CUgraphNode>,
        dependencyData: In<CUgraphEdgeData>,
        numDependencies: usize,
        nodeParams: InOut<CUgraphNodeParams>,
    ) {
        let new = NewNode { node: pGraphNode, graph, before: pDependencies, count: numDependencies };
        add_any(new, dependencyData, nodeParams)
    }
}

#[cfg(feature = "cuda-12")]
runtime_api! {
    /// Adds a node of any kind.
    fn cudaGraphAddNode(
        pGraphNode: Out<CUgraphNode>,
        graph: CUgraph,
        pDependencies: In<CUgraphNode>,
        numDependencies: usize,
        nodeParams: InOut<CUgraphNodeParams>,
    ) {
        let new = NewNode { node: pGraphNode, graph, before: pDependencies, count: numDependencies };
        add_any(new, In::null(), nodeParams)
    }

    /// Adds a node of any kind, with edge data.
    fn cudaGraphAddNode_v2(
        pGraphNode: Out<CUgraphNode>,
        graph: CUgraph,
        pDependencies: In<CUgraphNode>,
        dependencyData: In<CUgraphEdgeData>,
        numDependencies: usize,
        nodeParams: InOut<CUgraphNodeParams>,
    ) {
        let new = NewNode { node: pGraphNode, graph, before: pDependencies, count: numDependencies };
        add_any(new, dependencyData, nodeParams)
    }
}
