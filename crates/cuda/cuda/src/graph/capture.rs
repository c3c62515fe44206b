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
mod submit;

use super::Graph;
use super::op::Op;
use crate::capture::{self, Ended, Link, invalidated};
use crate::context::Context;
use crate::prelude::*;

pub(crate) use recapture::Recapture;
pub(crate) use submit::{copy, copy_bytes, fill};

/// The graph of a capture.
#[derive(Debug)]
struct CapturedGraph {
    graph: Arc<Graph>,
    /// Whether the graph was created for the capture, and not passed by the program.
    is_own: bool,
    /// State of a recapture into the nodes of an existing graph.
    recapture: Option<Recapture>,
}

/// The graphs of all captures, by number.
static GRAPHS: Mutex<BTreeMap<u64, CapturedGraph>> = Mutex::new(BTreeMap::new());

fn graphs() -> MutexGuard<'static, BTreeMap<u64, CapturedGraph>> {
    lock(&GRAPHS)
}

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
    // The lock is held until the capture has its graph.
    let mut graphs = graphs();
    let number = capture::begin(context, queue, mode, links)?;
    let is_own = graph.is_none();
    let graph = graph.unwrap_or_else(|| Graph::create(false));
    graphs.insert(number, CapturedGraph { graph, is_own, recapture });
    Ok(())
}

/// The graph of a capture.
pub(crate) fn graph_of(capture: u64) -> Answer<Arc<Graph>> {
    let graph = graphs().get(&capture).map(|captured| Arc::clone(&captured.graph));
    graph.ok_or_else(invalidated)
}

/// Whether a stream is captured to a graph that existed before.
pub(crate) fn is_to_graph(queue: Queue) -> bool {
    capture::number_of(queue)
        .is_some_and(|capture| graphs().get(&capture).is_some_and(|captured| !captured.is_own))
}

/// Ends a capture and returns the graph.
pub(crate) fn end(queue: Queue) -> Answer<Handle<Graph>> {
    let mut ended = capture::end(queue)?;
    let captured = graphs().remove(&ended.capture).ok_or_else(invalidated)?;
    let incomplete = || captured.recapture.as_ref().and_then(|recapture| recapture.check().err());
    let wrong = ended.wrong.take().or_else(incomplete);
    let wrong = wrong.or_else(|| unjoined(&captured.graph, &ended).then(|| {
        CUresult::STREAM_CAPTURE_UNJOINED.because(
            "another stream has joined the capture, and the first one does not come behind all of its work \
             (cuEventRecord there, cuStreamWaitEvent here)",
        )
    }));
    match wrong {
        None => Ok(captured.graph.handle),
        Some(refusal) => {
            captured.discard();
            Err(refusal)
        }
    }
}

impl CapturedGraph {
    /// Destroys the graph, if it was created for the capture.
    fn discard(self) {
        if self.is_own {
            super::end(self.graph.handle);
        }
    }
}

/// Whether other streams have work that the origin stream of a capture does not depend on.
fn unjoined(graph: &Graph, ended: &Ended) -> bool {
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

fn discard(captures: impl IntoIterator<Item = u64>) {
    for capture in captures {
        let captured = graphs().remove(&capture);
        captured.into_iter().for_each(CapturedGraph::discard);
    }
}
