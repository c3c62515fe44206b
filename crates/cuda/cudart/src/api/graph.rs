//! Graphs (runtime API, "Graph Management"). The driver does all the work, with the same
//! structures; only kernels, which the runtime names by host stubs, and copies are translated.

mod capture;
mod edges;
mod exec;
mod nodes;
mod params;
#[cfg(not(feature = "cuda-12"))]
mod recapture;

use crate::call::{check, forward, runtime_api};
use crate::driver::{self, CUgraph, CUgraphNode, CUhostFn, CUuserObject};
use crate::state::{self, check_device};
use std::ffi::{c_uint, c_ulonglong, c_void};
use texunit_cuda_abi::CUdevice;
use texunit_cuda_abi::args::{InOut, Out, Raw, Text};

forward! {
    /// Creates a graph.
    fn cudaGraphCreate(pGraph: Out<CUgraph>, flags: c_uint) = cuGraphCreate;
    /// Destroys a graph.
    fn cudaGraphDestroy(graph: CUgraph) = cuGraphDestroy;
    /// Clones a graph.
    fn cudaGraphClone(pGraphClone: Out<CUgraph>, originalGraph: CUgraph) = cuGraphClone;
    /// The node of a clone that corresponds to a node of the original.
    fn cudaGraphNodeFindInClone(pNode: Out<CUgraphNode>, originalNode: CUgraphNode, clonedGraph: CUgraph) = cuGraphNodeFindInClone;
    /// The type of a node.
    fn cudaGraphNodeGetType(node: CUgraphNode, pType: Out<c_uint>) = cuGraphNodeGetType;
    /// Removes a node from its graph.
    fn cudaGraphDestroyNode(node: CUgraphNode) = cuGraphDestroyNode;
    /// Adds references to a user object.
    fn cudaUserObjectRetain(object: CUuserObject, count: c_uint) = cuUserObjectRetain;
    /// Releases references to a user object.
    fn cudaUserObjectRelease(object: CUuserObject, count: c_uint) = cuUserObjectRelease;
    /// Makes a graph keep a user object alive.
    fn cudaGraphRetainUserObject(graph: CUgraph, object: CUuserObject, count: c_uint, flags: c_uint) = cuGraphRetainUserObject;
    /// Releases a graph's references to a user object.
    fn cudaGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: c_uint) = cuGraphReleaseUserObject;
}

#[cfg(not(feature = "cuda-12"))]
forward! {
    /// A unique number of a graph.
    fn cudaGraphGetId(hGraph: CUgraph, graphID: Out<c_uint>) = cuGraphGetId;
    /// A unique number of an executable graph.
    fn cudaGraphExecGetId(hGraphExec: usize, graphID: Out<c_uint>) = cuGraphExecGetId;
    /// The graph that contains a node.
    fn cudaGraphNodeGetContainingGraph(hNode: CUgraphNode, phGraph: Out<CUgraph>) = cuGraphNodeGetContainingGraph;
    /// The number of a node within its graph.
    fn cudaGraphNodeGetLocalId(hNode: CUgraphNode, nodeId: Out<c_uint>) = cuGraphNodeGetLocalId;
    /// A unique number of a node.
    fn cudaGraphNodeGetToolsId(hNode: CUgraphNode, toolsNodeId: Out<c_ulonglong>) = cuGraphNodeGetToolsId;
}

runtime_api! {
    /// Creates a conditional handle: a value that kernels set and conditional nodes test.
    fn cudaGraphConditionalHandleCreate(
        pHandle_out: Out<c_ulonglong>,
        graph: CUgraph,
        defaultLaunchValue: c_uint,
        flags: c_uint,
    ) {
        state::context()?;
        check(driver::cuGraphConditionalHandleCreate(pHandle_out, graph, 0_usize, defaultLaunchValue, flags))
    }

    /// A statistic of the memory that graphs use on a device.
    fn cudaDeviceGetGraphMemAttribute(device: CUdevice, attr: c_uint, value: Raw) {
        check_device(device)?;
        // SAFETY: the caller's buffer holds 64 bits, the size of all attributes.
        check(unsafe { driver::cuDeviceGetGraphMemAttribute(device, attr, value.as_ptr()) })
    }

    /// Resets a high-water mark of graph memory.
    fn cudaDeviceSetGraphMemAttribute(device: CUdevice, attr: c_uint, value: Raw) {
        check_device(device)?;
        // SAFETY: the caller's value has 64 bits, the size of all attributes.
        check(unsafe { driver::cuDeviceSetGraphMemAttribute(device, attr, value.as_ptr()) })
    }

    /// Frees unused memory that graphs cache on a device.
    fn cudaDeviceGraphMemTrim(device: CUdevice) {
        check_device(device)?;
        check(driver::cuDeviceGraphMemTrim(device))
    }
}

forward! {
    /// Writes a graph as text for Graphviz.
    unsafe fn cudaGraphDebugDotPrint(graph: CUgraph, path: Text, flags: c_uint)
        = cuGraphDebugDotPrint;
    /// Creates a user object, whose lifetime graphs can extend.
    unsafe fn cudaUserObjectCreate(
        object_out: Out<CUuserObject>, ptr: *mut c_void, destroy: CUhostFn, initialRefcount: c_uint,
        flags: c_uint,
    ) = cuUserObjectCreate;
    /// The nodes of a graph in order of creation.
    unsafe fn cudaGraphGetNodes(graph: CUgraph, nodes: Out<CUgraphNode>, numNodes: InOut<usize>)
        = cuGraphGetNodes;
    /// The nodes without dependencies.
    unsafe fn cudaGraphGetRootNodes(
        graph: CUgraph, pRootNodes: Out<CUgraphNode>, pNumRootNodes: InOut<usize>,
    ) = cuGraphGetRootNodes;
}

#[cfg(not(feature = "cuda-12"))]
forward! {
    /// Creates a conditional handle for a context: a value that kernels set and conditional nodes
    /// test.
    fn cudaGraphConditionalHandleCreate_v2(
        pHandle_out: Out<c_ulonglong>, graph: CUgraph, ctx: usize, defaultLaunchValue: c_uint,
        flags: c_uint,
    ) = cuGraphConditionalHandleCreate;
}
