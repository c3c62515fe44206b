//! Stream capture: calls on a stream become nodes of a graph instead of being executed.
//!
//! [`Order::capturable`](crate::deferred::Order::capturable) tells whether a stream is captured,
//! and by which capture: functions that submit work call it, and pass the operation to
//! [`capture::CapturedStream::add`] during a capture. All other functions on a stream call
//! [`Order::of`](crate::deferred::Order::of), which refuses a captured stream, so that a call
//! without support for capture is refused and not executed by mistake. [`crate::capture`] keeps
//! which streams are captured.

mod captured_stream;
mod recapture;

use super::*;
use crate::capture::{self, CapturedGraph, Ended, Recapture};
use crate::copy::{self, CopyEnd};
use crate::deferred::Order;
use crate::fill;
use crate::memory::endpoint::Side;

pub(crate) use crate::capture::is_to_graph;
pub(crate) use recapture::recapture;

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
    let incomplete = || ended.graph.recapture.as_ref().and_then(|all| recapture::check(all).err());
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
pub(crate) fn copy(to: &CopyEnd<'_>, from: &CopyEnd<'_>, size: [u64; 3], order: &Order) -> Answer {
    let Some(place) = order.capture else { return copy::copy(to, from, size, order) };
    place.check()?;
    if size.contains(&0) {
        return Ok(());
    }
    for (end, side) in [(from, Side::Src), (to, Side::Dst)] {
        if !end.comes_later()? {
            end.find(side, size)?;
        }
    }
    let [width_in_bytes, height, depth] = size.map(|n| n as usize);
    let (src, dst) = (from.side()?, to.side()?);
    let copy = CUDA_MEMCPY3D { src, dst, width_in_bytes, height, depth };
    place.add(Op::Memcpy(Arc::new(CopyOp { copy, context: order.context.handle })))
}

/// Copies contiguous bytes.
pub(crate) fn copy_bytes(to: CopyEnd<'_>, from: CopyEnd<'_>, len: usize, order: &Order) -> Answer {
    copy(&to, &from, [len as u64, 1, 1], order)
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
