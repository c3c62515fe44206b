//! Which streams are captured, and what their next operation depends on. The graphs of captures are
//! in [`crate::graph::capture`].
//!
//! A capture has streams, each with the nodes that its next operation depends on. An event recorded
//! in one of them stands for these nodes, and a stream that waits for the event joins the capture.
//! Errors return the driver's codes, and most of them invalidate the capture, which then remains
//! until it is ended.

mod calls;
mod lifetime;

use crate::context::Context;
use crate::prelude::*;
use std::thread::ThreadId;
use texunit_cuda_abi::stream_capture_mode::{GLOBAL, RELAXED};

pub(crate) use calls::{called, context_used, event_used, exchange_mode};
pub(crate) use lifetime::{
    Ended, begin, check_begin, context_ended, end, is_to_graph, stream_ended,
};

/// A capture that has begun and not ended.
#[derive(Debug)]
pub(crate) struct Capture {
    origin: Queue,
    context: Handle<Context>,
    mode: u32,
    thread: ThreadId,
    is_invalid: bool,
    /// Dependencies of streams that were destroyed after joining the capture.
    left: Vec<Link>,
    pub(crate) graph: CapturedGraph,
}

#[derive(Debug)]
pub(crate) struct CapturedGraph {
    /// Handle of the graph.
    pub(crate) graph: usize,
    /// Whether the capture has created the graph; otherwise the program has passed it.
    pub(crate) is_own: bool,
    /// State of a recapture into the nodes of an existing graph.
    pub(crate) recapture: Option<Recapture>,
}

/// The type of callbacks of a recapture (`CUgraphRecaptureCallback`).
pub(crate) type Callback = unsafe extern "C" fn(
    *mut c_void,
    usize,
    *const CUgraphNodeParams,
    *const CUgraphNodeParams,
    u32,
) -> CUresult;

/// Progress of a recapture.
#[derive(Debug)]
pub(crate) struct Recapture {
    /// The nodes in order of creation.
    pub(crate) nodes: Vec<usize>,
    pub(crate) done: usize,
    pub(crate) told: Option<(Callback, usize)>,
}

/// The next node of a recapture, if there is one, and the callback for changes.
pub(crate) type NextNode = (Option<usize>, Option<(Callback, usize)>);

/// One end of an edge, as stored with a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    /// The node at the other end.
    pub(crate) node: usize,
    pub(crate) data: CUgraphEdgeData,
}

impl Link {
    /// An edge without data.
    pub(crate) fn plain(node: usize) -> Self {
        Self { node, data: CUgraphEdgeData::default() }
    }
}

/// A captured stream.
#[derive(Debug, Default)]
struct Tail {
    capture: u64,
    links: Vec<Link>,
    /// Arrays to which the program has pointers.
    nodes: Box<[usize]>,
    data: Box<[CUgraphEdgeData]>,
}

#[derive(Debug, Default)]
struct All {
    last: u64,
    captures: HashMap<u64, Capture>,
    streams: HashMap<Queue, Tail>,
    /// Events that were last recorded in a capture, with the capture and the nodes that they stand
    /// for.
    events: HashMap<usize, (u64, Vec<Link>)>,
}

static ALL: LazyLock<Mutex<All>> = LazyLock::new(Mutex::default);
/// Number of captures and their events; while it is 0, nothing needs to be looked up.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn with<T>(work: impl FnOnce(&mut All) -> T) -> T {
    let mut all = lock(&ALL);
    let answer = work(&mut all);
    COUNT.store(all.captures.len() + all.events.len(), Relaxed);
    answer
}

/// Whether a capture or one of its events exists.
fn is_any() -> bool {
    COUNT.load(Relaxed) > 0
}

/// Calls a function if streams are being captured; returns `none` without a capture.
fn if_any<T>(none: T, work: impl FnOnce(&mut All) -> T) -> T {
    if is_any() { with(work) } else { none }
}

/// State of a captured stream.
pub(crate) struct Info {
    pub(crate) is_invalid: bool,
    pub(crate) id: u64,
    /// Handle of the graph.
    pub(crate) graph: usize,
    /// Arrays of the dependencies and of their edge data.
    pub(crate) nodes: *const usize,
    pub(crate) data: *const CUgraphEdgeData,
    pub(crate) count: usize,
    /// Whether an edge has data other than the default.
    pub(crate) has_data: bool,
}

impl All {
    fn invalidate(&mut self, capture: u64) {
        if let Some(capture) = self.captures.get_mut(&capture) {
            capture.is_invalid = true;
        }
    }

    /// Captures with a blocking stream of a context, for which the legacy stream would wait.
    fn blocking(&self, context: Handle<Context>) -> Vec<u64> {
        let of = |(queue, tail): (&Queue, &Tail)| {
            let is_blocking = queue.own.is_some_and(|(_, is_blocking)| is_blocking);
            let capture = self.captures.get(&tail.capture)?;
            (is_blocking && capture.context == context).then_some(tail.capture)
        };
        self.streams.iter().filter_map(of).collect()
    }
}

fn implicit() -> Refusal {
    CUresult::STREAM_CAPTURE_IMPLICIT.because(
        "the legacy default stream would wait for a blocking stream that is being captured: use another stream, or make \
         the captured one with CU_STREAM_NON_BLOCKING",
    )
}

/// The capture of a stream; `None` if it is not captured. Use of a context's legacy stream during
/// the capture of a blocking stream is refused and invalidates the capture.
pub(crate) fn of(context: &Context, queue: Queue) -> Answer<Option<CapturedStream>> {
    if_any(Ok(None), |all| {
        if queue.is_default() {
            let waiting = all.blocking(context.handle);
            waiting.iter().for_each(|&capture| all.invalidate(capture));
            return if waiting.is_empty() { Ok(None) } else { Err(implicit()) };
        }
        Ok(all.streams.get(&queue).map(|tail| CapturedStream { capture: tail.capture, queue }))
    })
}

/// State of a stream's capture, for queries, which do not invalidate a capture.
pub(crate) fn info(context: &Context, queue: Queue) -> Answer<Option<Info>> {
    if_any(Ok(None), |all| {
        if queue.is_default() {
            let is_free = all.blocking(context.handle).is_empty();
            return if is_free { Ok(None) } else { Err(implicit()) };
        }
        let Some(tail) = all.streams.get_mut(&queue) else { return Ok(None) };
        let Some(capture) = all.captures.get(&tail.capture) else { return Ok(None) };
        tail.nodes = tail.links.iter().map(|link| link.node).collect();
        tail.data = tail.links.iter().map(|link| link.data).collect();
        Ok(Some(Info {
            is_invalid: capture.is_invalid,
            id: tail.capture,
            graph: capture.graph.graph,
            nodes: tail.nodes.as_ptr(),
            data: tail.data.as_ptr(),
            count: tail.links.len(),
            has_data: tail.data.iter().any(|data| *data != CUgraphEdgeData::default()),
        }))
    })
}

/// The refusal of a call in an invalidated capture.
pub(crate) fn invalidated() -> Refusal {
    CUresult::STREAM_CAPTURE_INVALIDATED
        .because("an earlier call was forbidden while the stream is captured, and has invalidated the capture")
}

pub(crate) fn join(links: &mut Vec<Link>, more: &[Link]) {
    for link in more {
        if !links.iter().any(|own| own.node == link.node) {
            links.push(*link);
        }
    }
}

/// Records that an event was recorded outside of captures, or destroyed.
pub(crate) fn recorded_outside(event: usize) {
    if is_any() {
        with(|all| all.events.remove(&event));
    }
}

/// Makes a stream wait for an event, and returns whether a capture has handled the wait.
pub(crate) fn waits(place: Option<CapturedStream>, queue: Queue, event: usize) -> Answer<bool> {
    if_any(Ok(false), |all| {
        let recorded = all.events.get(&event).cloned();
        let Some((of, links)) = recorded else {
            let Some(place) = place else { return Ok(false) };
            all.invalidate(place.capture);
            bail!(
                CUresult::STREAM_CAPTURE_ISOLATION,
                "hEvent was not recorded in the capture of the stream: captured work cannot wait for work outside; \
                 the capture is invalidated"
            );
        };
        if !all.captures.contains_key(&of) {
            place.iter().for_each(|place| all.invalidate(place.capture));
            bail!(
                CUresult::CAPTURED_EVENT,
                "hEvent was last recorded in a capture, which has ended: it is not an event of real work"
            );
        }
        match place {
            Some(place) if place.capture != of => {
                all.invalidate(place.capture);
                all.invalidate(of);
                Err(CUresult::STREAM_CAPTURE_MERGE.because(
                    "hEvent was recorded in another capture than that of the stream: both are invalidated",
                ))
            }
            None if queue.is_default() => {
                all.invalidate(of);
                Err(implicit())
            }
            _ if all.captures.get(&of).is_some_and(|capture| capture.is_invalid) => {
                Err(invalidated())
            }
            None => {
                all.streams.insert(queue, Tail { capture: of, links, ..Tail::default() });
                Ok(true)
            }
            Some(place) => {
                if let Some(tail) = all.streams.get_mut(&place.queue) {
                    join(&mut tail.links, &links);
                }
                Ok(true)
            }
        }
    })
}

/// A captured stream and its capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapturedStream {
    /// Number of the capture.
    pub(crate) capture: u64,
    queue: Queue,
}

impl CapturedStream {
    /// Refusal of a call that is not allowed in a captured stream, which invalidates the capture.
    pub(crate) fn forbidden(self) -> Refusal {
        self.invalidate();
        CUresult::STREAM_CAPTURE_UNSUPPORTED.because(
            "the stream is being captured, and this call cannot be captured; the capture is invalidated",
        )
    }

    pub(crate) fn invalidate(self) {
        with(|all| all.invalidate(self.capture));
    }

    /// Handle of the graph, and the dependencies of the stream's next operation; the refusal of an
    /// invalidated capture.
    pub(crate) fn graph_and_links(self) -> Answer<(usize, Vec<Link>)> {
        with(|all| match (all.captures.get(&self.capture), all.streams.get(&self.queue)) {
            (Some(capture), Some(tail)) if !capture.is_invalid => {
                Ok((capture.graph.graph, tail.links.clone()))
            }
            _ => Err(invalidated()),
        })
    }

    /// Takes the next node of a recapture; `None` if the capture is none.
    pub(crate) fn next_node(self) -> Option<NextNode> {
        with(|all| {
            let recapture = all.captures.get_mut(&self.capture)?.graph.recapture.as_mut()?;
            let node = recapture.nodes.get(recapture.done).copied();
            recapture.done += usize::from(node.is_some());
            Some((node, recapture.told))
        })
    }

    /// Sets the dependencies of the stream's next operation.
    pub(crate) fn set_links(self, links: Vec<Link>) {
        with(|all| {
            if let Some(tail) = all.streams.get_mut(&self.queue) {
                tail.links = links;
            }
        });
    }

    /// Records an event, which stands for the stream's current dependencies.
    pub(crate) fn record(self, event: usize) -> Answer {
        let (_, links) = self.graph_and_links()?;
        with(|all| all.events.insert(event, (self.capture, links)));
        Ok(())
    }
}
