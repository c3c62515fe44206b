//! Graphs (runtime API, "Graph Management"): everything is done by the driver, whose structures the runtime's are, but for
//! kernels, which are host functions here, and copies.

mod capture;
mod edges;
mod exec;
mod nodes;
mod params;
#[cfg(not(feature = "cuda-12"))]
mod recapture;

use crate::call::{check, runtime_api};
use crate::driver::{self, CUgraph, CUgraphNode, CUhostFn, CUuserObject};
use crate::state::{self, check_device};
use std::ffi::{c_uint, c_ulonglong, c_void};
use texunit_cuda_abi::CUdevice;
use texunit_cuda_abi::args::{InOut, Out, Raw, Text};

/// Functions that are those of the driver with another name: `fn cudaGraphDestroy(graph: CUgraph) = cuGraphDestroy;`.
macro_rules! forward {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) = $driver:ident;)*) => {
        $crate::call::runtime_api! {$(
            $(#[$doc])*
            fn $name($($arg: $type),*) {
                $crate::state::context()?;
                $crate::call::check($crate::driver::$driver($($arg),*))
            }
        )*}
    };
}
use forward;

forward! {
    /// Makes a graph.
    fn cudaGraphCreate(pGraph: Out<CUgraph>, flags: c_uint) = cuGraphCreate;
    /// Ends a graph.
    fn cudaGraphDestroy(graph: CUgraph) = cuGraphDestroy;
    /// Makes a copy of a graph.
    fn cudaGraphClone(pGraphClone: Out<CUgraph>, originalGraph: CUgraph) = cuGraphClone;
    /// The node of a clone for one of the original.
    fn cudaGraphNodeFindInClone(pNode: Out<CUgraphNode>, originalNode: CUgraphNode, clonedGraph: CUgraph) = cuGraphNodeFindInClone;
    /// The kind of a node.
    fn cudaGraphNodeGetType(node: CUgraphNode, pType: Out<c_uint>) = cuGraphNodeGetType;
    /// Destroys a node.
    fn cudaGraphDestroyNode(node: CUgraphNode) = cuGraphDestroyNode;
    /// More references to an object.
    fn cudaUserObjectRetain(object: CUuserObject, count: c_uint) = cuUserObjectRetain;
    /// Fewer references to an object.
    fn cudaUserObjectRelease(object: CUuserObject, count: c_uint) = cuUserObjectRelease;
    /// A graph keeps an object alive.
    fn cudaGraphRetainUserObject(graph: CUgraph, object: CUuserObject, count: c_uint, flags: c_uint) = cuGraphRetainUserObject;
    /// A graph gives up references to an object.
    fn cudaGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: c_uint) = cuGraphReleaseUserObject;
}

#[cfg(not(feature = "cuda-12"))]
forward! {
    /// A number that no other graph has.
    fn cudaGraphGetId(hGraph: CUgraph, graphID: Out<c_uint>) = cuGraphGetId;
    /// A number that nothing else that was instantiated has.
    fn cudaGraphExecGetId(hGraphExec: usize, graphID: Out<c_uint>) = cuGraphExecGetId;
    /// The graph of a node.
    fn cudaGraphNodeGetContainingGraph(hNode: CUgraphNode, phGraph: Out<CUgraph>) = cuGraphNodeGetContainingGraph;
    /// The number of a node in its graph.
    fn cudaGraphNodeGetLocalId(hNode: CUgraphNode, nodeId: Out<c_uint>) = cuGraphNodeGetLocalId;
    /// A number that no other node has.
    fn cudaGraphNodeGetToolsId(hNode: CUgraphNode, toolsNodeId: Out<c_ulonglong>) = cuGraphNodeGetToolsId;
}

runtime_api! {
    /// Writes a graph as text for Graphviz.
    fn cudaGraphDebugDotPrint(graph: CUgraph, path: Text, flags: c_uint) {
        state::context()?;
        // SAFETY: the caller's text.
        check(unsafe { driver::cuGraphDebugDotPrint(graph, path.as_ptr(), flags) })
    }

    /// Makes an object that graphs can keep alive.
    fn cudaUserObjectCreate(
        object_out: Out<CUuserObject>,
        ptr: *mut c_void,
        destroy: CUhostFn,
        initialRefcount: c_uint,
        flags: c_uint,
    ) {
        state::context()?;
        // SAFETY: the callback and its argument come from the caller, which allows this call.
        check(unsafe { driver::cuUserObjectCreate(object_out.as_ptr(), ptr, destroy, initialRefcount, flags) })
    }

    /// Makes a value that kernels set, and that conditional nodes look at.
    fn cudaGraphConditionalHandleCreate(
        pHandle_out: Out<c_ulonglong>,
        graph: CUgraph,
        defaultLaunchValue: c_uint,
        flags: c_uint,
    ) {
        state::context()?;
        check(driver::cuGraphConditionalHandleCreate(pHandle_out, graph, 0_usize, defaultLaunchValue, flags))
    }

    /// What is known of the memory of graphs on a device.
    fn cudaDeviceGetGraphMemAttribute(device: CUdevice, attr: c_uint, value: Raw) {
        check_device(device)?;
        // SAFETY: there is room for 64 bits, as all attributes are.
        check(unsafe { driver::cuDeviceGetGraphMemAttribute(device, attr, value.as_ptr()) })
    }

    /// Resets a mark.
    fn cudaDeviceSetGraphMemAttribute(device: CUdevice, attr: c_uint, value: Raw) {
        check_device(device)?;
        // SAFETY: there are 64 bits, as all attributes are.
        check(unsafe { driver::cuDeviceSetGraphMemAttribute(device, attr, value.as_ptr()) })
    }

    /// Gives back what graphs keep of a device's memory.
    fn cudaDeviceGraphMemTrim(device: CUdevice) {
        check_device(device)?;
        check(driver::cuDeviceGraphMemTrim(device))
    }

    /// The nodes, in the order in which they were made.
    fn cudaGraphGetNodes(graph: CUgraph, nodes: Out<CUgraphNode>, numNodes: InOut<usize>) {
        state::context()?;
        // SAFETY: the caller passes the capacity of its buffer.
        check(unsafe { driver::cuGraphGetNodes(graph, nodes.as_ptr(), numNodes.as_ptr()) })
    }

    /// The nodes that come behind none.
    fn cudaGraphGetRootNodes(graph: CUgraph, pRootNodes: Out<CUgraphNode>, pNumRootNodes: InOut<usize>) {
        state::context()?;
        // SAFETY: the caller passes the capacity of its buffer.
        check(unsafe { driver::cuGraphGetRootNodes(graph, pRootNodes.as_ptr(), pNumRootNodes.as_ptr()) })
    }
}

#[cfg(not(feature = "cuda-12"))]
runtime_api! {
    /// Makes a value that kernels of a context set, and that conditional nodes look at.
    fn cudaGraphConditionalHandleCreate_v2(
        pHandle_out: Out<c_ulonglong>,
        graph: CUgraph,
        ctx: usize,
        defaultLaunchValue: c_uint,
        flags: c_uint,
    ) {
        state::context()?;
        check(driver::cuGraphConditionalHandleCreate(pHandle_out, graph, ctx, defaultLaunchValue, flags))
    }
}
