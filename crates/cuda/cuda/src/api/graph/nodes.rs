//! Nodes of graphs: adding and removing them, their dependencies and numbers.

use super::{give_links, links};
use crate::args::{Answer, In, InOut, Out};
use crate::call::driver_api;
use crate::context::Context;
use crate::graph::op::Op;
use crate::graph::{self, Graph, Link, Node, memory, params};
use crate::handle::Handle;
use crate::memory_ops::BatchOp;
use crate::stream::Event;
use std::ffi::{c_uint, c_ulonglong};
use std::sync::Arc;
use texunit_cuda_abi::{
    CUDA_BATCH_MEM_OP_NODE_PARAMS, CUDA_EXT_SEM_NODE_PARAMS, CUDA_HOST_NODE_PARAMS,
    CUDA_HOST_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v1,
    CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS_v1,
    CUdeviceptr, CUgraphEdgeData, CUgraphNodeParams, CUresult, graph_node_type,
};

/// Defines functions that add a node of one kind: given are the parameters after the dependencies,
/// and the operation that they describe.
macro_rules! adds {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*) $op:block)*) => {
        driver_api! {$(
            $(#[$doc])*
            fn $name(
                phGraphNode: Out<Handle<Node>>,
                hGraph: Handle<Graph>,
                dependencies: In<Handle<Node>>,
                numDependencies: usize,
                $($arg: $type),*
            ) {
                // SAFETY: the caller passes the length of its array.
                let before = || unsafe { links(dependencies, In::null(), numDependencies) };
                add(phGraphNode, hGraph, before, |_| $op)
            }
        )*}
    };
}

adds! {
    /// Adds a kernel node for a function (version 1).
    fn cuGraphAddKernelNode(nodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>) {
        // SAFETY: the arguments are valid as the driver API requires.
        unsafe { params::kernel(&of_v1(&nodeParams.get()?)) }
    }

    /// Adds a kernel node for a function or a library's kernel.
    fn cuGraphAddKernelNode_v2(nodeParams: In<CUDA_KERNEL_NODE_PARAMS>) {
        // SAFETY: the arguments are valid as the driver API requires.
        unsafe { params::kernel(&nodeParams.get()?) }
    }

    /// Adds a memcpy node.
    fn cuGraphAddMemcpyNode(copyParams: In<CUDA_MEMCPY3D>, ctx: Handle<Context>) {
        params::memcpy(&copyParams.get()?, ctx.number())
    }

    /// Adds a memset node.
    fn cuGraphAddMemsetNode(memsetParams: In<CUDA_MEMSET_NODE_PARAMS_v1>, ctx: Handle<Context>) {
        params::memset(&memset_of_v1(&memsetParams.get()?, ctx.number()))
    }

    /// Adds a host function node.
    fn cuGraphAddHostNode(nodeParams: In<CUDA_HOST_NODE_PARAMS_v1>) {
        params::host(&host_of_v1(&nodeParams.get()?))
    }

    /// Adds a child graph node with a clone of a graph.
    fn cuGraphAddChildGraphNode(childGraph: Handle<Graph>) {
        params::child(childGraph)
    }

    /// Adds an empty node.
    fn cuGraphAddEmptyNode() {
        Ok(Op::Empty)
    }

    /// Adds an event record node.
    fn cuGraphAddEventRecordNode(event: Handle<Event>) {
        Ok(Op::RecordEvent(params::event(event.number())?))
    }

    /// Adds an event wait node.
    fn cuGraphAddEventWaitNode(event: Handle<Event>) {
        Ok(Op::WaitEvent(params::event(event.number())?))
    }

    /// Refused: external semaphores do not exist here.
    fn cuGraphAddExternalSemaphoresSignalNode(nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>) {
        params::no_semaphores(&nodeParams.get()?)
    }

    /// Refused: external semaphores do not exist here.
    fn cuGraphAddExternalSemaphoresWaitNode(nodeParams: In<CUDA_EXT_SEM_NODE_PARAMS>) {
        params::no_semaphores(&nodeParams.get()?)
    }

    /// Adds a batch memory operation node.
    fn cuGraphAddBatchMemOpNode(nodeParams: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>) {
        // SAFETY: the array is valid as the driver API requires.
        let op = unsafe { BatchOp::new(&nodeParams.get()?)? };
        Ok(Op::Batch(Arc::new(op)))
    }

    /// Adds a memory allocation node. Its address is assigned immediately; the memory is allocated
    /// when the node runs.
    fn cuGraphAddMemAllocNode(nodeParams: InOut<CUDA_MEM_ALLOC_NODE_PARAMS>) {
        let mut given = nodeParams.get()?;
        // SAFETY: the array is valid as the driver API requires.
        let op = unsafe { memory::AllocOp::new(&mut given)? };
        nodeParams.out().set(given)?;
        Ok(Op::MemAlloc(Arc::new(op)))
    }

    /// Adds a memory free node.
    fn cuGraphAddMemFreeNode(dptr: CUdeviceptr) {
        memory::free_op(dptr)
    }
}

driver_api! {
    /// Adds a node of any kind.
    fn cuGraphAddNode(
        phGraphNode: Out<Handle<Node>>,
        hGraph: Handle<Graph>,
        dependencies: In<Handle<Node>>,
        numDependencies: usize,
        nodeParams: InOut<CUgraphNodeParams>,
    ) {
        // SAFETY: the caller passes the length of its array.
        let before = || unsafe { links(dependencies, In::null(), numDependencies) };
        // SAFETY: pointers in the structure are valid as the driver API requires.
        add(phGraphNode, hGraph, before, |graph| unsafe { any(nodeParams, graph) })
    }

    /// Adds a node of any kind, with edge data.
    fn cuGraphAddNode_v2 | cuGraphAddNode_v3(
        phGraphNode: Out<Handle<Node>>,
        hGraph: Handle<Graph>,
        dependencies: In<Handle<Node>>,
        dependencyData: In<CUgraphEdgeData>,
        numDependencies: usize,
        nodeParams: InOut<CUgraphNodeParams>,
    ) {
        // SAFETY: the caller passes the length of its array.
        let before = || unsafe { links(dependencies, dependencyData, numDependencies) };
        // SAFETY: pointers in the structure are valid as the driver API requires.
        add(phGraphNode, hGraph, before, |graph| unsafe { any(nodeParams, graph) })
    }

    /// Removes a node and its edges.
    fn cuGraphDestroyNode(hNode: Handle<Node>) {
        let node = hNode.get()?;
        node.graph.get()?.remove(hNode)
    }

    /// The type of a node.
    fn cuGraphNodeGetType(hNode: Handle<Node>, type_: Out<c_uint>) {
        type_.set(graph::op_of(hNode)?.kind())
    }

    /// The graph that contains a node.
    fn cuGraphNodeGetContainingGraph(hNode: Handle<Node>, phGraph: Out<Handle<Graph>>) {
        phGraph.set(hNode.get()?.graph)
    }

    /// The number of a node within its graph.
    fn cuGraphNodeGetLocalId(hNode: Handle<Node>, nodeId: Out<c_uint>) {
        nodeId.set(graph::with_node(hNode, |node| Ok(node.id))?)
    }

    /// A unique number of a node.
    fn cuGraphNodeGetToolsId(hNode: Handle<Node>, toolsNodeId: Out<c_ulonglong>) {
        hNode.get()?;
        toolsNodeId.set(hNode.number() as u64)
    }

    /// The nodes that a node depends on. `CUDA_ERROR_LOSSY_QUERY` if an edge has data, which this
    /// version cannot return.
    fn cuGraphNodeGetDependencies(hNode: Handle<Node>, dependencies: Out<Handle<Node>>, numDependencies: InOut<usize>) {
        // SAFETY: the caller passes the capacity of its buffer.
        unsafe { neighbours(hNode, true, dependencies, None, numDependencies) }
    }

    /// The nodes that a node depends on, with edge data.
    fn cuGraphNodeGetDependencies_v2(
        hNode: Handle<Node>,
        dependencies: Out<Handle<Node>>,
        edgeData: Out<CUgraphEdgeData>,
        numDependencies: InOut<usize>,
    ) {
        // SAFETY: the caller passes the capacity of its buffer.
        unsafe { neighbours(hNode, true, dependencies, Some(edgeData), numDependencies) }
    }

    /// The nodes that depend on a node. `CUDA_ERROR_LOSSY_QUERY` if an edge has data, which this
    /// version cannot return.
    fn cuGraphNodeGetDependentNodes(hNode: Handle<Node>, dependentNodes: Out<Handle<Node>>, numDependentNodes: InOut<usize>) {
        // SAFETY: the caller passes the capacity of its buffer.
        unsafe { neighbours(hNode, false, dependentNodes, None, numDependentNodes) }
    }

    /// The nodes that depend on a node, with edge data.
    fn cuGraphNodeGetDependentNodes_v2(
        hNode: Handle<Node>,
        dependentNodes: Out<Handle<Node>>,
        edgeData: Out<CUgraphEdgeData>,
        numDependentNodes: InOut<usize>,
    ) {
        // SAFETY: the caller passes the capacity of its buffer.
        unsafe { neighbours(hNode, false, dependentNodes, Some(edgeData), numDependentNodes) }
    }
}

/// Converts kernel parameters of version 1.
pub(super) fn of_v1(given: &CUDA_KERNEL_NODE_PARAMS_v1) -> CUDA_KERNEL_NODE_PARAMS {
    let &CUDA_KERNEL_NODE_PARAMS_v1 { func, grid, block, sharedMemBytes, kernelParams, extra } =
        given;
    CUDA_KERNEL_NODE_PARAMS {
        func,
        grid,
        block,
        sharedMemBytes,
        kernelParams,
        extra,
        kern: 0,
        ctx: 0,
    }
}

/// Converts memset parameters of version 1.
pub(super) fn memset_of_v1(
    given: &CUDA_MEMSET_NODE_PARAMS_v1,
    ctx: usize,
) -> CUDA_MEMSET_NODE_PARAMS {
    let &CUDA_MEMSET_NODE_PARAMS_v1 { dst, pitch, value, elementSize, width, height } = given;
    CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height, ctx }
}

/// Converts host function parameters of version 1.
pub(super) fn host_of_v1(given: &CUDA_HOST_NODE_PARAMS_v1) -> CUDA_HOST_NODE_PARAMS {
    let &CUDA_HOST_NODE_PARAMS_v1 { function, userData } = given;
    CUDA_HOST_NODE_PARAMS { function, userData, ..CUDA_HOST_NODE_PARAMS::default() }
}

/// Adds a node with its dependencies and returns its handle.
fn add(
    out: Out<'_, Handle<Node>>,
    graph: Handle<Graph>,
    before: impl FnOnce() -> Answer<Vec<Link>>,
    op: impl FnOnce(&Graph) -> Answer<Op>,
) -> Answer {
    out.check()?;
    let graph = graph.get()?;
    let op = op(&graph)?;
    let inside = op.graphs();
    let added = before().and_then(|before| graph.add(op, &before));
    if added.is_err() {
        // Inner graphs created for the refused node are destroyed; a graph that was to be moved
        // stays with the program.
        let is_new = |inner: &Handle<Graph>| inner.get().is_ok_and(|inner| inner.is_inner);
        inside.into_iter().filter(is_new).for_each(graph::end);
    }
    out.set(added?)
}

/// The operation of parameters of any kind; results are written back into the parameters.
///
/// # Safety
/// The arguments satisfy the safety contract of [`params::any`].
unsafe fn any(given: InOut<'_, CUgraphNodeParams>, graph: &Graph) -> Answer<Op> {
    let mut params = given.get()?;
    // SAFETY: the caller upholds this function's safety contract.
    let op = unsafe { params::any(&mut params, graph)? };
    if matches!(params.kind, graph_node_type::MEM_ALLOC | graph_node_type::CONDITIONAL) {
        given.out().set(params)?;
    }
    Ok(op)
}

/// # Safety
/// Each array is null or has a capacity of `count` elements.
unsafe fn neighbours(
    node: Handle<Node>,
    are_before: bool,
    out: Out<'_, Handle<Node>>,
    data: Option<Out<'_, CUgraphEdgeData>>,
    count: InOut<'_, usize>,
) -> Answer {
    let links = graph::with_node(node, |node| {
        Ok(if are_before { node.before.clone() } else { node.after.clone() })
    })?;
    let nodes: Vec<Handle<Node>> = links.iter().map(|link| Handle::of(link.node)).collect();
    let all: Vec<CUgraphEdgeData> = links.iter().map(|link| link.data).collect();
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { give_links(&[(&nodes, out)], &all, data, count) }
}

/// Refusal of a node of another kind than the function's.
pub(super) fn not_of_kind(op: &Op, wanted: &str) -> texunit_cuda_abi::Refusal {
    CUresult::INVALID_VALUE
        .because(format!("hNode is a {} node, and not a {wanted} node", op.kind_name()))
}
