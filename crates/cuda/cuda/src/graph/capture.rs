//! Stream capture: calls on a stream become nodes of a graph instead of being executed.
//!
//! [`Order::capturable`](crate::deferred::Order::capturable) tells whether a stream is captured,
//! and by which capture: functions that submit work call it, and pass the operation to
//! [`CapturedStream::add`] during a capture. All other functions on a stream call
//! [`Order::of`](crate::deferred::Order::of), which refuses a captured stream, so that a call
//! without support for capture is refused and not executed by mistake.
//!
//! A capture has streams, each with the nodes that its next operation depends on. An event recorded
//! in one of them stands for these nodes, and a stream that waits for the event joins the capture.
//! Errors return the driver's codes, and most of them invalidate the capture, which then remains
//! until it is ended.

mod calls;
mod captured_stream;
mod recapture;

use super::op::Op;
use super::{Graph, Link};
use crate::args::Answer;
use crate::context::Context;
use crate::handle::Handle;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use texunit_checks::race::Queue;
use texunit_cuda_abi::{CUgraphEdgeData, CUresult, Refusal, ensure};

pub(crate) use calls::{called, context_used, event_used, exchange_mode};
pub(crate) use captured_stream::CapturedStream;
pub(crate) use recapture::Recapture;

/// Numbers of the capture modes (`CU_STREAM_CAPTURE_MODE_*`).
const GLOBAL: u32 = 0;
const RELAXED: u32 = 2;

/// A capture that has begun and not ended.
#[derive(Debug)]
struct Capture {
    graph: Arc<Graph>,
    /// Whether the graph was created for the capture, and not passed by the program.
    is_own: bool,
    origin: Queue,
    context: Handle<Context>,
    mode: u32,
    thread: ThreadId,
    is_invalid: bool,
    /// Dependencies of streams that were destroyed after joining the capture.
    left: Vec<Link>,
    /// State of a recapture into the nodes of an existing graph.
    recapture: Option<Recapture>,
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

static ALL: Mutex<Option<All>> = Mutex::new(None);
/// Number of captures and their events; while it is 0, nothing needs to be looked up.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn with<T>(work: impl FnOnce(&mut All) -> T) -> T {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    let answer = work(all);
    COUNT.store(all.captures.len() + all.events.len(), Relaxed);
    answer
}

/// Whether a capture or one of its events exists.
fn is_any() -> bool {
    COUNT.load(Relaxed) > 0
}

/// State of a captured stream.
pub(crate) struct Info {
    pub(crate) is_invalid: bool,
    pub(crate) id: u64,
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
            let is_blocking = queue.own().is_some_and(|(_, is_blocking)| is_blocking);
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
    if !is_any() {
        return Ok(None);
    }
    with(|all| {
        if queue.own().is_none() {
            let waiting = all.blocking(context.handle);
            waiting.iter().for_each(|&capture| all.invalidate(capture));
            return if waiting.is_empty() { Ok(None) } else { Err(implicit()) };
        }
        Ok(all.streams.get(&queue).map(|tail| CapturedStream { capture: tail.capture, queue }))
    })
}

/// State of a stream's capture, for queries, which do not invalidate a capture.
pub(crate) fn info(context: &Context, queue: Queue) -> Answer<Option<Info>> {
    if !is_any() {
        return Ok(None);
    }
    with(|all| {
        if queue.own().is_none() {
            return if all.blocking(context.handle).is_empty() {
                Ok(None)
            } else {
                Err(implicit())
            };
        }
        let Some(tail) = all.streams.get_mut(&queue) else { return Ok(None) };
        let Some(capture) = all.captures.get(&tail.capture) else { return Ok(None) };
        tail.nodes = tail.links.iter().map(|link| link.node).collect();
        tail.data = tail.links.iter().map(|link| link.data).collect();
        Ok(Some(Info {
            is_invalid: capture.is_invalid,
            id: tail.capture,
            graph: capture.graph.handle.number(),
            nodes: tail.nodes.as_ptr(),
            data: tail.data.as_ptr(),
            count: tail.links.len(),
            has_data: tail.data.iter().any(|data| *data != CUgraphEdgeData::default()),
        }))
    })
}

fn invalidated() -> Refusal {
    CUresult::STREAM_CAPTURE_INVALIDATED
        .because("an earlier call was forbidden while the stream is captured, and has invalidated the capture")
}

fn join(links: &mut Vec<Link>, more: &[Link]) {
    for link in more {
        if !links.iter().any(|own| own.node == link.node) {
            links.push(*link);
        }
    }
}

/// Records that an event was recorded outside of captures.
pub(crate) fn recorded_outside(event: usize) {
    if is_any() {
        with(|all| all.events.remove(&event));
    }
}

/// Makes a stream wait for an event, and returns whether a capture has handled the wait.
pub(crate) fn waits(place: Option<CapturedStream>, queue: Queue, event: usize) -> Answer<bool> {
    if !is_any() {
        return Ok(false);
    }
    with(|all| {
        let recorded = all.events.get(&event).cloned();
        let Some((of, links)) = recorded else {
            let Some(place) = place else { return Ok(false) };
            all.invalidate(place.capture);
            return Err(CUresult::STREAM_CAPTURE_ISOLATION.because(
                "hEvent was not recorded in the capture of the stream: captured work cannot wait for work outside; \
                 the capture is invalidated",
            ));
        };
        if !all.captures.contains_key(&of) {
            place.iter().for_each(|place| all.invalidate(place.capture));
            return Err(CUresult::CAPTURED_EVENT
                .because("hEvent was last recorded in a capture, which has ended: it is not an event of real work"));
        }
        match place {
            Some(place) if place.capture != of => {
                all.invalidate(place.capture);
                all.invalidate(of);
                Err(CUresult::STREAM_CAPTURE_MERGE.because(
                    "hEvent was recorded in another capture than that of the stream: both are invalidated",
                ))
            }
            None if queue.own().is_none() => {
                all.invalidate(of);
                Err(implicit())
            }
            None if all.captures.get(&of).is_some_and(|capture| capture.is_invalid) => {
                Err(invalidated())
            }
            None => {
                all.streams.insert(queue, Tail { capture: of, links, ..Tail::default() });
                Ok(true)
            }
            Some(place) => {
                if all.captures.get(&of).is_some_and(|capture| capture.is_invalid) {
                    return Err(invalidated());
                }
                if let Some(tail) = all.streams.get_mut(&place.queue) {
                    join(&mut tail.links, &links);
                }
                Ok(true)
            }
        }
    })
}

/// Starts capturing a stream into a new graph or, after some of its nodes, into an existing one.
pub(crate) fn begin(
    context: &Context,
    queue: Queue,
    mode: u32,
    to: Option<(Handle<Graph>, Vec<Link>)>,
    recapture: Option<Recapture>,
) -> Answer {
    ensure!(
        mode <= RELAXED,
        "mode {mode} is not a CUstreamCaptureMode: 0 (global), 1 (thread local), 2 (relaxed)"
    );
    ensure!(
        queue.own().is_some(),
        CUresult::STREAM_CAPTURE_UNSUPPORTED,
        "hStream is the legacy default stream, which cannot be captured"
    );
    let (graph, is_own, links) = match to {
        None => (None, true, Vec::new()),
        Some((graph, links)) => {
            let graph = graph.get()?;
            graph.check_before(&graph.state(), &Op::Empty, &links)?;
            (Some(graph), false, links)
        }
    };
    with(|all| {
        ensure!(
            !all.streams.contains_key(&queue),
            CUresult::ILLEGAL_STATE,
            "hStream is being captured already"
        );
        all.last += 1;
        let capture = all.last;
        all.captures.insert(
            capture,
            Capture {
                graph: graph.unwrap_or_else(|| Graph::create(false)),
                is_own,
                origin: queue,
                context: context.handle,
                mode,
                thread: std::thread::current().id(),
                is_invalid: false,
                left: Vec::new(),
                recapture,
            },
        );
        all.streams.insert(queue, Tail { capture, links, ..Tail::default() });
        Ok(())
    })
}

/// Whether a stream is captured to a graph that existed before.
pub(crate) fn is_to_graph(queue: Queue) -> bool {
    with(|all| {
        let capture = all.streams.get(&queue).and_then(|tail| all.captures.get(&tail.capture));
        capture.is_some_and(|capture| !capture.is_own)
    })
}

/// Ends a capture and returns the graph.
pub(crate) fn end(queue: Queue) -> Answer<Handle<Graph>> {
    let (capture, tails, wrong) = with(|all| {
        let id = all.streams.get(&queue).map(|tail| tail.capture);
        let Some((id, capture)) = id.and_then(|id| Some((id, all.captures.get(&id)?))) else {
            return Err(CUresult::ILLEGAL_STATE.because("hStream is not being captured"));
        };
        ensure!(
            capture.mode == RELAXED || capture.thread == std::thread::current().id(),
            CUresult::STREAM_CAPTURE_WRONG_THREAD,
            "the capture was begun by another thread, and not with CU_STREAM_CAPTURE_MODE_RELAXED"
        );
        if capture.origin != queue {
            all.invalidate(id);
            return Err(CUresult::STREAM_CAPTURE_UNMATCHED.because(
                "the capture was begun in another stream, in which it has to end; it is invalidated",
            ));
        }
        let wrong = capture.is_invalid.then(invalidated);
        let Some(capture) = all.captures.remove(&id) else { return Err(invalidated()) };
        let tails: Vec<(Queue, Tail)> =
            all.streams.extract_if(|_, tail| tail.capture == id).collect();
        Ok((capture, tails, wrong))
    })?;
    let incomplete = || capture.recapture.as_ref().and_then(|recapture| recapture.check().err());
    let wrong = wrong.or_else(incomplete).or_else(|| unjoined(&capture, &tails).then(|| {
        CUresult::STREAM_CAPTURE_UNJOINED.because(
            "another stream has joined the capture, and the first one does not come behind all of its work \
             (cuEventRecord there, cuStreamWaitEvent here)",
        )
    }));
    match wrong {
        None => Ok(capture.graph.handle),
        Some(refusal) => {
            if capture.is_own {
                super::end(capture.graph.handle);
            }
            Err(refusal)
        }
    }
}

/// Whether a captured stream has work that the origin stream does not depend on.
fn unjoined(capture: &Capture, tails: &[(Queue, Tail)]) -> bool {
    let of_origin = tails.iter().filter(|(queue, _)| *queue == capture.origin);
    let mut open: Vec<usize> =
        of_origin.flat_map(|(_, tail)| tail.links.iter().map(|link| link.node)).collect();
    let (mut seen, state) = (BTreeSet::new(), capture.graph.state());
    while let Some(node) = open.pop() {
        if seen.insert(node) {
            let before = state.nodes.get(&node).map(|node| &node.before);
            open.extend(before.into_iter().flatten().map(|link| link.node));
        }
    }
    let mut others = tails.iter().flat_map(|(_, tail)| &tail.links).chain(&capture.left);
    others.any(|link| !seen.contains(&link.node))
}

/// Handles the destruction of a stream. A capture that began in it is over; another one that it had
/// joined continues, and must still join its work.
pub(crate) fn stream_ended(queue: Queue) {
    if !is_any() {
        return;
    }
    let ended = with(|all| {
        let Tail { capture: id, links, .. } = all.streams.remove(&queue)?;
        let capture = all.captures.get_mut(&id)?;
        if capture.origin != queue {
            join(&mut capture.left, &links);
            return None;
        }
        all.streams.retain(|_, tail| tail.capture != id);
        all.captures.remove(&id)
    });
    if let Some(Capture { graph, is_own: true, .. }) = ended {
        super::end(graph.handle);
    }
}

/// Handles the destruction of an event.
pub(crate) fn event_ended(event: usize) {
    recorded_outside(event);
}

/// Ends the captures of a context's streams.
pub(crate) fn release_context(context: &Context) {
    if !is_any() {
        return;
    }
    let ended: Vec<Capture> = with(|all| {
        let ended: Vec<(u64, Capture)> =
            all.captures.extract_if(|_, capture| capture.context == context.handle).collect();
        all.streams.retain(|_, tail| ended.iter().all(|(id, _)| tail.capture != *id));
        ended.into_iter().map(|(_, capture)| capture).collect()
    });
    for capture in ended.into_iter().filter(|capture| capture.is_own) {
        super::end(capture.graph.handle);
    }
}
