//! Begin and end of captures.

use super::*;

/// Checks the mode and the stream of a capture that is to begin.
pub(crate) fn check_begin(queue: Queue, mode: u32) -> Answer {
    ensure!(
        mode <= RELAXED,
        "mode {mode} is not a CUstreamCaptureMode: 0 (global), 1 (thread local), 2 (relaxed)"
    );
    ensure!(
        !queue.is_default(),
        CUresult::STREAM_CAPTURE_UNSUPPORTED,
        "hStream is the legacy default stream, which cannot be captured"
    );
    Ok(())
}

/// Starts capturing a stream into a graph after some of its nodes.
pub(crate) fn begin(
    context: &Context,
    queue: Queue,
    mode: u32,
    links: Vec<Link>,
    graph: impl FnOnce() -> CapturedGraph,
) -> Answer {
    with(|all| {
        ensure!(
            !all.streams.contains_key(&queue),
            CUresult::ILLEGAL_STATE,
            "hStream is being captured already"
        );
        all.last += 1;
        let new = Capture {
            origin: queue,
            context: context.handle,
            mode,
            thread: std::thread::current().id(),
            is_invalid: false,
            left: Vec::new(),
            graph: graph(),
        };
        all.captures.insert(all.last, new);
        all.streams.insert(queue, Tail { capture: all.last, links, ..Tail::default() });
        Ok(())
    })
}

/// Whether a stream is captured to a graph that existed before.
pub(crate) fn is_to_graph(queue: Queue) -> bool {
    with(|all| {
        let capture = all.streams.get(&queue).and_then(|tail| all.captures.get(&tail.capture));
        capture.is_some_and(|capture| !capture.graph.is_own)
    })
}

/// A capture that has ended.
pub(crate) struct Ended {
    pub(crate) graph: CapturedGraph,
    /// Why the capture fails, if it was invalidated.
    pub(crate) wrong: Option<Refusal>,
    /// The last dependencies of the stream in which the capture began, and of all others.
    pub(crate) of_origin: Vec<Link>,
    pub(crate) of_others: Vec<Link>,
}

/// Ends the capture that began in a stream.
pub(crate) fn end(queue: Queue) -> Answer<Ended> {
    with(|all| {
        let id = all.streams.get(&queue).map(|tail| tail.capture);
        let Some((id, capture)) = id.and_then(|id| Some((id, all.captures.get(&id)?))) else {
            bail!(CUresult::ILLEGAL_STATE, "hStream is not being captured");
        };
        ensure!(
            capture.mode == RELAXED || capture.thread == std::thread::current().id(),
            CUresult::STREAM_CAPTURE_WRONG_THREAD,
            "the capture was begun by another thread, and not with CU_STREAM_CAPTURE_MODE_RELAXED"
        );
        if capture.origin != queue {
            all.invalidate(id);
            bail!(
                CUresult::STREAM_CAPTURE_UNMATCHED,
                "the capture was begun in another stream, in which it has to end; it is invalidated"
            );
        }
        let wrong = capture.is_invalid.then(invalidated);
        let Capture { left, graph, .. } = all.captures.remove(&id).ok_or_else(invalidated)?;
        let (mut of_origin, mut of_others) = (Vec::new(), left);
        for (own, tail) in all.streams.extract_if(|_, tail| tail.capture == id) {
            if own == queue { &mut of_origin } else { &mut of_others }.extend(tail.links);
        }
        Ok(Ended { graph, wrong, of_origin, of_others })
    })
}

/// Handles the destruction of a stream, and returns the graph of the capture that began in it,
/// which is over. Another capture that it had joined continues, and must still join its work.
pub(crate) fn stream_ended(queue: Queue) -> Option<CapturedGraph> {
    if_any(None, |all| {
        let Tail { capture: id, links, .. } = all.streams.remove(&queue)?;
        let capture = all.captures.get_mut(&id)?;
        if capture.origin != queue {
            join(&mut capture.left, &links);
            return None;
        }
        all.streams.retain(|_, tail| tail.capture != id);
        all.captures.remove(&id).map(|capture| capture.graph)
    })
}

/// Ends the captures of a context's streams, and returns their graphs.
pub(crate) fn context_ended(context: &Context) -> Vec<CapturedGraph> {
    if_any(Vec::new(), |all| {
        let of = |_: &u64, capture: &mut Capture| capture.context == context.handle;
        let ended = all.captures.extract_if(of).map(|(_, capture)| capture.graph).collect();
        all.streams.retain(|_, tail| all.captures.contains_key(&tail.capture));
        ended
    })
}
