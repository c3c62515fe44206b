//! Stream capture: calls on a stream become nodes of a graph instead of being executed.
//!
//! [`Order::capturable`](crate::deferred::Order::capturable) tells whether a stream is captured,
//! and by which capture: functions that submit work call it, and pass the operation to
//! [`capture::CapturedStream::add`] during a capture. All other functions on a stream call
//! [`Order::of`](crate::deferred::Order::of), which refuses a captured stream, so that a call
//! without support for capture is refused and not executed by mistake. [`crate::capture`] keeps
//! which streams are captured.
//!
//! A recapture (`cuStreamBeginRecaptureToGraph`) is one into the nodes of an existing graph: each
//! operation replaces that of the next node, in order of creation. Topology, node types, and
//! allocated or freed memory must be the same; other parameters may change, after a callback of the
//! program has been told.

mod captured_stream;

use super::*;
use crate::capture::{self, Callback, CapturedGraph, Ended, NextNode, Recapture};
use crate::copy::{self, CopyParams};
use crate::current_call::in_program;
use crate::deferred::Order;
use crate::fill;

pub(crate) use crate::capture::is_to_graph;

/// Starts capturing a stream into a new graph or, after some of its nodes, into an existing one.
pub(crate) fn begin(
    context: &Context,
    queue: Queue,
    mode: u32,
    to: Option<(Handle<Graph>, Vec<Link>)>,
    recapture: Option<Recapture>,
) -> Answer {
    capture::check_begin(queue, mode)?;
    let (graph, links) = match to {
        None => (None, Vec::new()),
        Some((graph, links)) => {
            let graph = graph.get()?;
            graph.check_before(&graph.state(), &Op::Empty, &links)?;
            (Some(graph), links)
        }
    };
    capture::begin(context, queue, mode, links, || {
        let is_own = graph.is_none();
        let graph = graph.unwrap_or_else(|| Graph::create(false)).handle.number();
        CapturedGraph { graph, is_own, recapture }
    })
}

/// Ends a capture and returns the graph.
pub(crate) fn end(queue: Queue) -> Answer<Handle<Graph>> {
    let mut ended = capture::end(queue)?;
    let handle = Handle::<Graph>::of(ended.graph.graph);
    let incomplete = || ended.graph.recapture.as_ref().and_then(|all| check_complete(all).err());
    let wrong = ended.wrong.take().or_else(incomplete);
    let wrong = wrong.or_else(|| unjoined(handle, &ended).then(|| {
        CUresult::STREAM_CAPTURE_UNJOINED.because(
            "another stream has joined the capture, and the first one does not come behind all of its work \
             (cuEventRecord there, cuStreamWaitEvent here)",
        )
    }));
    match wrong {
        None => Ok(handle),
        Some(refusal) => {
            discard([ended.graph]);
            Err(refusal)
        }
    }
}

/// Whether other streams have work that the origin stream of a capture does not depend on.
fn unjoined(graph: Handle<Graph>, ended: &Ended) -> bool {
    let Some(graph) = Graph::registry().find(graph) else { return false };
    let mut open: Vec<usize> = ended.of_origin.iter().map(|link| link.node).collect();
    let (mut seen, state) = (BTreeSet::new(), graph.state());
    while let Some(node) = open.pop() {
        if seen.insert(node) {
            let before = state.nodes.get(&node).map(|node| &node.before);
            open.extend(before.into_iter().flatten().map(|link| link.node));
        }
    }
    ended.of_others.iter().any(|link| !seen.contains(&link.node))
}

/// Handles the destruction of a stream: a capture that began in it is over.
pub(crate) fn stream_ended(queue: Queue) {
    discard(capture::stream_ended(queue));
}

/// Ends the captures of a context's streams.
pub(crate) fn release_context(context: &Context) {
    discard(capture::context_ended(context));
}

/// Destroys the graphs that were created for captures.
fn discard(graphs: impl IntoIterator<Item = CapturedGraph>) {
    for captured in graphs.into_iter().filter(|captured| captured.is_own) {
        super::end(Handle::of(captured.graph));
    }
}

/// Copies a region in a stream ([`copy::copy`]), or adds the copy to the captured graph.
///
/// # Safety
/// The arguments satisfy the safety contract of [`copy::copy`].
pub(crate) unsafe fn copy(params: &CopyParams, order: &Order) -> Answer {
    let Some(place) = order.capture else {
        // SAFETY: the caller upholds this function's safety contract.
        return unsafe { copy::copy(params, order) };
    };
    place.check()?;
    // SAFETY: the caller upholds this function's safety contract.
    match unsafe { params.for_graph()? } {
        None => Ok(()),
        Some(copy) => {
            place.add(Op::Memcpy(Arc::new(CopyOp { copy, context: order.context.handle })))
        }
    }
}

/// Sets rows in a stream ([`fill::fill`]), or adds the memory set to the captured graph.
pub(crate) fn fill(set: &CUDA_MEMSET_NODE_PARAMS, order: &Order) -> Answer<bool> {
    let Some(place) = order.capture else { return fill::fill(set, order) };
    place.check()?;
    if set.width != 0 && set.height != 0 {
        place.add(params::memset(set)?)?;
    }
    Ok(false)
}

fn failed(reason: String) -> Refusal {
    CUresult::GRAPH_RECAPTURE_FAILURE.because(format!("{reason}: the recapture has ended"))
}

/// A recapture of all nodes of a graph, which releases its user objects.
pub(crate) fn recapture(graph: &Graph, told: Option<(Callback, usize)>) -> Recapture {
    let (nodes, users) = {
        let mut state = graph.state();
        (state.nodes.keys().copied().collect(), std::mem::take(&mut state.users))
    };
    users.into_iter().for_each(|(object, count)| user::release(object, count));
    Recapture { nodes, done: 0, told }
}

/// Checks that all nodes have been recaptured.
fn check_complete(recapture: &Recapture) -> Answer {
    match recapture.nodes.len() - recapture.done {
        0 => Ok(()),
        left => Err(failed(format!("{left} of the nodes of the graph were not captured again"))),
    }
}

/// The node that an operation replaces.
fn recaptured_node(
    graph: &Graph,
    (node, told): NextNode,
    op: Op,
    links: &[Link],
) -> Answer<Handle<Node>> {
    let node = node.ok_or_else(|| failed("the graph has no more nodes".to_owned()))?;
    let node = Handle::<Node>::of(node);
    let (old, before, id) =
        with_node(node, |node| (node.op.clone(), node.before.clone(), node.id))?;
    let wrong = |what: &str| failed(format!("node {id} of graph {} {what}", graph.id));
    let sorted = |links: &[Link]| {
        let mut links: Vec<Link> = links.to_vec();
        links.sort_by_key(|link| link.node);
        links
    };
    if sorted(&before) != sorted(links) {
        return Err(wrong("comes behind other nodes than what is captured"));
    }
    if old.kind() != op.kind() {
        let (there, here) = (old.kind_name(), op.kind_name());
        return Err(wrong(&format!("is a {there} node, and a {here} is captured")));
    }
    match (&old, &op) {
        // An allocation keeps its address.
        (Op::MemAlloc(old), Op::MemAlloc(new)) if old.is_like(new) => return Ok(node),
        (Op::MemFree(old), Op::MemFree(new)) if old == new => return Ok(node),
        (Op::MemAlloc(_) | Op::MemFree(_), _) => return Err(wrong("is of other memory")),
        (old, new) if is_same(old, new) => return Ok(node),
        _ => {}
    }
    if let Some((function, data)) = told {
        let status = u32::from(update::check(&old, &op).is_err());
        let (original, new) = (params::of(&old), params::of(&op));
        let data = std::ptr::with_exposed_provenance_mut(data);
        // SAFETY: the program's callback is called with the driver's arguments; the structures are
        // valid during the call.
        let answer = in_program(|| unsafe {
            function(data, node.number(), &raw const original, &raw const new, status)
        });
        if answer != CUresult::SUCCESS {
            return Err(wrong("changes, which the function of the program refuses"));
        }
    }
    op.inner().for_each(|graph| _ = graph.owner.set(node));
    with_node(node, |data| data.op = op)?;
    old.graphs().into_iter().for_each(super::end);
    Ok(node)
}

/// Whether two operations are equal.
fn is_same(old: &Op, new: &Op) -> bool {
    match (old, new) {
        (Op::Kernel(old), Op::Kernel(new)) => old.is_same(new),
        (Op::Memcpy(old), Op::Memcpy(new)) => old == new,
        (Op::Batch(old), Op::Batch(new)) => old.is_same(new),
        (Op::Work(..) | Op::Child(_) | Op::Conditional(_), _) => false,
        (old, new) => params::of(old).words == params::of(new).words,
    }
}
