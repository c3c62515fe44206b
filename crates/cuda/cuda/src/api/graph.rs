//! Graphs (driver API, "Graph Management"): creation, edges, user objects, and memory statistics.

mod capture;
mod exec;
mod kinds;
mod nodes;
mod params;

use crate::api::*;
use crate::context;
use crate::graph::condition::Condition;
use crate::graph::{self, Graph, Link, Node, NodeData, dot, memory, user};

driver_api! {
    /// Creates a graph.
    fn cuGraphCreate(phGraph, flags) {
        phGraph.check()?;
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        let graph = Graph::create(false).handle;
        crate::check_log::created(graph.number());
        phGraph.set(graph)
    }

    /// Destroys a graph. Executable graphs instantiated from it remain.
    fn cuGraphDestroy(hGraph) {
        graph::destroy(hGraph)
    }

    /// Clones a graph and its child graphs.
    fn cuGraphClone(phGraphClone, originalGraph) {
        phGraphClone.check()?;
        let graph = originalGraph.get()?.copy(false)?.handle;
        crate::check_log::created(graph.number());
        phGraphClone.set(graph)
    }

    /// The node of a clone that corresponds to a node of the original.
    fn cuGraphNodeFindInClone(phNode, hOriginalNode, hClonedGraph) {
        phNode.check()?;
        phNode.set(hClonedGraph.get()?.find_in_clone(hOriginalNode).ok_or_else(|| invalid!(
            "hClonedGraph has no node that is a copy of hOriginalNode {hOriginalNode:?}"
        ))?)
    }

    /// A unique number of a graph.
    fn cuGraphGetId(hGraph, graphId) {
        graphId.set(hGraph.get()?.id)
    }

    /// The nodes of a graph in order of creation.
    fn cuGraphGetNodes(hGraph, nodes, numNodes) {
        // SAFETY: the caller passes the capacity of its buffer.
        unsafe { give_nodes(hGraph, |_| true, nodes, numNodes) }
    }

    /// The nodes without dependencies.
    fn cuGraphGetRootNodes(hGraph, rootNodes, numRootNodes) {
        // SAFETY: the caller passes the capacity of its buffer.
        unsafe { give_nodes(hGraph, |node| node.before.is_empty(), rootNodes, numRootNodes) }
    }

    /// The edges of a graph with their data. `CUDA_ERROR_LOSSY_QUERY` if an edge has data, and the
    /// version cannot return it.
    fn [cuGraphGetEdges] cuGraphGetEdges_v2(hGraph, from, to, [edgeData = Out::null()], numEdges) {
        let edges = hGraph.get()?.edges();
        let sources: Vec<Handle<Node>> = edges.iter().map(|(from, _)| Handle::of(*from)).collect();
        let targets: Vec<Handle<Node>> = edges.iter().map(|(_, link)| Handle::of(link.node)).collect();
        let all: Vec<CUgraphEdgeData> = edges.iter().map(|(_, link)| link.data).collect();
        // SAFETY: the caller passes the capacity of its buffers.
        unsafe { give_links(&[(&sources, from), (&targets, to)], &all, edgeData, numEdges) }
    }

    /// Adds edges with data.
    fn [cuGraphAddDependencies] cuGraphAddDependencies_v2(
        hGraph, from[numDependencies], to[numDependencies],
        [edgeData[numDependencies] = Elements::null()], numDependencies,
    ) {
        hGraph.get()?.add_edges(&pairs(from, to, edgeData)?)
    }

    /// Removes edges with this data.
    fn [cuGraphRemoveDependencies] cuGraphRemoveDependencies_v2(
        hGraph, from[numDependencies], to[numDependencies],
        [edgeData[numDependencies] = Elements::null()], numDependencies,
    ) {
        hGraph.get()?.remove_edges(&pairs(from, to, edgeData)?)
    }

    /// Writes a graph as text for Graphviz.
    fn cuGraphDebugDotPrint(hGraph, path, flags) {
        let text = dot::text(&*hGraph.get()?, flags);
        let path = path.get().map_err(|refusal| refusal.named("path"))?;
        std::fs::write(&path, text).map_err(|error| {
            CUresult::OPERATING_SYSTEM.because(format!("{path:?} cannot be written: {error}"))
        })
    }

    /// Creates a user object, whose lifetime graphs can extend.
    fn cuUserObjectCreate(object_out, ptr, destroy, initialRefcount, flags) {
        object_out.give(|| user::create(ptr, destroy, initialRefcount, flags))
    }

    /// Adds references of the caller to a user object.
    fn cuUserObjectRetain(object, count) {
        object.get()?;
        user::check(count)?;
        user::retain(object.number(), count);
        Ok(())
    }

    /// Releases references of the caller; the last release destroys the object.
    fn cuUserObjectRelease(object, count) {
        user::release_checked(object, count)
    }

    /// Makes a graph keep a user object alive, with new references or (flag 1) by taking over the
    /// caller's.
    fn cuGraphRetainUserObject(graph, object, count, flags) {
        let graph = graph.get()?;
        object.get()?;
        user::check(count)?;
        ensure!(flags <= 1, "flags {flags:#x} is not 0 or CU_GRAPH_USER_OBJECT_MOVE (1)");
        if flags == 0 {
            user::retain(object.number(), count);
        }
        let mut state = graph.state();
        let own = state.users.entry(object.number()).or_default();
        *own = own.saturating_add(count);
        Ok(())
    }

    /// Releases a graph's references to a user object.
    fn cuGraphReleaseUserObject(graph, object, count) {
        let graph = graph.get()?;
        object.get()?;
        user::check(count)?;
        {
            let mut state = graph.state();
            let own = state.users.get_mut(&object.number()).filter(|own| **own >= count).ok_or_else(|| {
                invalid!("the graph has no {count} references to the object")
            })?;
            *own -= count;
            state.users.retain(|_, own| *own > 0);
        }
        user::release(object.number(), count);
        Ok(())
    }

    /// Creates a conditional handle: a value that kernels set and conditional nodes test.
    fn cuGraphConditionalHandleCreate(pHandle_out, hGraph, ctx, defaultLaunchValue, flags) {
        pHandle_out.check()?;
        let graph = hGraph.get()?;
        let context = context::context_or_current(ctx.number())?;
        pHandle_out.set(Condition::create(&graph, context, defaultLaunchValue, flags)?.handle())
    }

    /// A 64-bit statistic of the memory that graphs use on a device.
    fn cuDeviceGetGraphMemAttribute(device, attr, value) {
        state::gpu(device)?;
        let found = memory::attribute(device, attr)?;
        // SAFETY: the caller's buffer holds a `cuuint64_t`, the type of all attributes.
        unsafe { value.room(8) }.write(0, &found.to_ne_bytes())
    }

    /// Resets a high-water mark of graph memory.
    fn cuDeviceSetGraphMemAttribute(device, attr, value) {
        state::gpu(device)?;
        // SAFETY: the caller passes a `cuuint64_t`, the type of all attributes.
        let bytes = unsafe { value.bytes(8) }.array(0)?;
        memory::reset(device, attr, u64::from_ne_bytes(bytes))
    }

    /// Frees unused memory that graphs cache on a device.
    fn cuDeviceGraphMemTrim(device) {
        state::gpu(device)?;
        memory::trim(device);
        Ok(())
    }
}

/// Fills an array, unless it is null, with values and `none` behind them.
///
/// # Safety
/// The array is null or has a capacity of `room` elements.
unsafe fn fill<T: Copy>(out: Out<'_, T>, room: usize, values: &[T], none: T) -> Answer {
    if out.is_null() {
        return Ok(());
    }
    let padded = values.iter().copied().chain(std::iter::repeat(none));
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { out.elements(room) }.set_all(padded.take(room))
}

/// Nodes, and the array in which to return them.
type NodeList<'a> = (&'a [Handle<Node>], Out<'a, Handle<Node>>);

/// Returns lists of the same length: only this if the arrays are null, else as many nodes as fit.
///
/// # Safety
/// Each array is null or has a capacity of `count` elements.
unsafe fn give_all(lists: &[NodeList<'_>], total: usize, count: InOut<'_, usize>) -> Answer {
    let room = count.get()?;
    if lists.iter().all(|(_, out)| out.is_null()) {
        return count.out().set(total);
    }
    for &(nodes, out) in lists {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { fill(out, room, nodes, Handle::NULL)? };
    }
    count.out().set(total.min(room))
}

/// Returns the nodes of a graph for which `wanted` holds.
///
/// # Safety
/// The arguments satisfy the safety contract of [`give_all`].
unsafe fn give_nodes(
    graph: Handle<Graph>,
    wanted: impl Fn(&NodeData) -> bool,
    out: Out<'_, Handle<Node>>,
    count: InOut<'_, usize>,
) -> Answer {
    let graph = graph.get()?;
    let all = graph
        .state()
        .nodes
        .iter()
        .filter(|(_, node)| wanted(node))
        .map(|(&number, _)| Handle::of(number))
        .collect::<Vec<_>>();
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { give_all(&[(&all, out)], all.len(), count) }
}

/// Returns the dependencies of a node, or the edges of a graph, with their data.
///
/// # Safety
/// The arguments satisfy the safety contract of [`give_all`].
unsafe fn give_links(
    lists: &[NodeList<'_>],
    data: &[CUgraphEdgeData],
    to: Out<'_, CUgraphEdgeData>,
    count: InOut<'_, usize>,
) -> Answer {
    let is_plain = data.iter().all(|data| *data == CUgraphEdgeData::default());
    let wants_nodes = lists.iter().any(|(_, out)| !out.is_null());
    ensure!(
        is_plain || !wants_nodes || !to.is_null(),
        CUresult::LOSSY_QUERY,
        "an edge has ports or a type, which a call without edgeData cannot return"
    );
    // SAFETY: the caller upholds this function's safety contract.
    unsafe {
        if !to.is_null() {
            fill(to, count.get()?, data, CUgraphEdgeData::default())?;
        }
        give_all(lists, data.len(), count)
    }
}

/// Reads the caller's arrays of edges.
fn pairs(
    from: Elements<'_, Handle<Node>>,
    to: Elements<'_, Handle<Node>>,
    data: Elements<'_, CUgraphEdgeData>,
) -> Answer<Vec<(usize, usize, CUgraphEdgeData)>> {
    let (from, links) = (from.to_vec()?, links(to, data)?);
    Ok(from.iter().zip(links).map(|(from, link)| (from.number(), link.node, link.data)).collect())
}

/// Reads the caller's arrays of dependencies.
fn links(
    nodes: Elements<'_, Handle<Node>>,
    data: Elements<'_, CUgraphEdgeData>,
) -> Answer<Vec<Link>> {
    let link = |i: usize| {
        let data = if data.is_null() { CUgraphEdgeData::default() } else { data.at(i)? };
        Ok(Link { node: nodes.at(i)?.number(), data })
    };
    (0..nodes.len()).map(link).collect()
}
