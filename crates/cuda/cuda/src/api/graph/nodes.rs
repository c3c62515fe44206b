//! Nodes of graphs: adding and removing them, their dependencies and numbers.

use super::{give_links, links};
use crate::api::*;
use crate::graph::{self, Graph, Link, Node, memory, params};

/// Defines functions that add a node of one kind: given are the parameters after the dependencies,
/// and the operation that they describe.
macro_rules! adds {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident),*) $op:block)*) => {
        driver_api! {$(
            $(#[$doc])*
            fn $name(phGraphNode, hGraph, dependencies[numDependencies], numDependencies, $($arg),*) {
                let before = || links(dependencies, Elements::null());
                add(phGraphNode, hGraph, before, |_| $op)
            }
        )*}
    };
}

adds! {
    /// Adds a child graph node with a clone of a graph.
    fn cuGraphAddChildGraphNode(childGraph) {
        params::child(childGraph)
    }

    /// Adds an empty node.
    fn cuGraphAddEmptyNode() {
        Ok(Op::Empty)
    }

    /// Adds a memory allocation node. Its address is assigned immediately; the memory is allocated
    /// when the node runs.
    fn cuGraphAddMemAllocNode(nodeParams) {
        let mut given = nodeParams.get()?;
        // SAFETY: the array is valid as the driver API requires.
        let op = unsafe { memory::AllocOp::new(&mut given)? };
        nodeParams.out().set(given)?;
        Ok(Op::MemAlloc(Arc::new(op)))
    }

    /// Adds a memory free node.
    fn cuGraphAddMemFreeNode(dptr) {
        params::free(dptr)
    }
}

driver_api! {
    /// Adds a node of any kind, with edge data.
    fn [cuGraphAddNode] cuGraphAddNode_v2 | cuGraphAddNode_v3(
        phGraphNode, hGraph, dependencies[numDependencies],
        [dependencyData[numDependencies] = Elements::null()], numDependencies,
        nodeParams,
    ) {
        let before = || links(dependencies, dependencyData);
        add(phGraphNode, hGraph, before, |graph| {
            let mut params = nodeParams.get()?;
            // SAFETY: pointers in the structure are valid as the driver API requires.
            let op = unsafe { params::any(&mut params, graph)? };
            if matches!(params.kind, graph_node_type::MEM_ALLOC | graph_node_type::CONDITIONAL) {
                nodeParams.out().set(params)?;
            }
            Ok(op)
        })
    }

    /// Removes a node and its edges.
    fn cuGraphDestroyNode(hNode) {
        hNode.get()?.graph.get()?.remove(hNode)
    }

    /// The type of a node.
    fn cuGraphNodeGetType(hNode, type_) {
        type_.set(graph::op_of(hNode)?.kind())
    }

    /// The graph that contains a node.
    fn cuGraphNodeGetContainingGraph(hNode, phGraph) {
        phGraph.set(hNode.get()?.graph)
    }

    /// The number of a node within its graph.
    fn cuGraphNodeGetLocalId(hNode, nodeId) {
        nodeId.set(graph::with_node(hNode, |node| node.id)?)
    }

    /// A unique number of a node.
    fn cuGraphNodeGetToolsId(hNode, toolsNodeId) {
        hNode.get()?;
        toolsNodeId.set(hNode.number() as u64)
    }

    /// The nodes that a node depends on, with edge data. `CUDA_ERROR_LOSSY_QUERY` if an edge has
    /// data, and the version cannot return it.
    fn [cuGraphNodeGetDependencies] cuGraphNodeGetDependencies_v2(
        hNode, dependencies, [edgeData = Out::null()], numDependencies,
    ) {
        let links = graph::with_node(hNode, |node| node.before.clone())?;
        // SAFETY: the caller passes the capacity of its buffer.
        unsafe { neighbours(&links, dependencies, edgeData, numDependencies) }
    }

    /// The nodes that depend on a node, with edge data. `CUDA_ERROR_LOSSY_QUERY` if an edge has
    /// data, and the version cannot return it.
    fn [cuGraphNodeGetDependentNodes] cuGraphNodeGetDependentNodes_v2(
        hNode, dependentNodes, [edgeData = Out::null()], numDependentNodes,
    ) {
        let links = graph::with_node(hNode, |node| node.after.clone())?;
        // SAFETY: the caller passes the capacity of its buffer.
        unsafe { neighbours(&links, dependentNodes, edgeData, numDependentNodes) }
    }
}

/// Adds a node with its dependencies and returns its handle.
pub(super) fn add(
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

/// # Safety
/// Each array is null or has a capacity of `count` elements.
unsafe fn neighbours(
    links: &[Link],
    out: Out<'_, Handle<Node>>,
    data: Out<'_, CUgraphEdgeData>,
    count: InOut<'_, usize>,
) -> Answer {
    let nodes: Vec<Handle<Node>> = links.iter().map(|link| Handle::of(link.node)).collect();
    let all: Vec<CUgraphEdgeData> = links.iter().map(|link| link.data).collect();
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { give_links(&[(&nodes, out)], &all, data, count) }
}

/// Refusal of a node of another kind than the function's.
pub(super) fn not_of_kind(op: &Op, wanted: &str) -> texunit_cuda_abi::Refusal {
    invalid!("hNode is a {} node, and not a {wanted} node", op.kind_name())
}
