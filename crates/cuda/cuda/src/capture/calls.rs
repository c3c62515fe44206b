//! Calls that are forbidden during a capture, by function name.
//!
//! Whether a thread may make a potentially unsafe call while a stream is captured depends on the
//! mode of the capture and on that of the thread (`cuThreadExchangeStreamCaptureMode`).

use super::*;
use std::cell::Cell;

thread_local! {
    /// Capture interaction mode of the thread (`CUstreamCaptureMode`), initially global.
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

/// Potentially unsafe functions, which wait for work or free memory: a driver forbids them where
/// they could invalidate a capture.
const UNSAFE: &str = include_str!("../../data/unsafe-in-captures.txt");

/// Functions that wait for all work of a context: forbidden in any mode while one of its streams is
/// captured.
const WAITING: &[&str] = &["cuCtxSynchronize", "cuCtxSynchronize_v2"];

/// Exchanges the capture interaction mode of the thread.
pub(crate) fn exchange_mode(new: u32) -> u32 {
    MODE.replace(new)
}

/// Whether a copy or memory set is synchronous, so that it waits for the legacy stream.
fn is_synchronous(name: &str) -> bool {
    (name.starts_with("cuMemcpy") || name.starts_with("cuMemset")) && !name.contains("Async")
}

/// Checks whether a driver function may be called. If not, the captures that it could affect are
/// invalidated.
pub(crate) fn called(name: &str) -> Answer {
    let waits = WAITING.contains(&name);
    if !is_any() || !waits && !UNSAFE.lines().any(|known| known == name) && !is_synchronous(name) {
        return Ok(());
    }
    let me = std::thread::current().id();
    let mode = MODE.get();
    with(|all| {
        let is_harmed = |capture: &Capture| match capture.thread == me {
            _ if waits => true,
            _ if mode == RELAXED => false,
            false if mode == GLOBAL => capture.mode == GLOBAL,
            is_own => is_own && capture.mode != RELAXED,
        };
        let harmed = all.captures.iter().filter(|(_, capture)| is_harmed(capture));
        let harmed: Vec<u64> = harmed.map(|(&id, _)| id).collect();
        if harmed.is_empty() { Ok(()) } else { Err(harm(all, name, &harmed)) }
    })
}

fn harm(all: &mut All, name: &str, harmed: &[u64]) -> Refusal {
    // A synchronous copy uses the legacy stream, which waits for blocking streams.
    let implicit = is_synchronous(name)
        && harmed.iter().any(|&id| {
            let context = all.captures.get(&id).map(|capture| capture.context);
            context.is_some_and(|context| all.blocking(context).contains(&id))
        });
    harmed.iter().for_each(|&id| all.invalidate(id));
    if implicit {
        return super::implicit();
    }
    CUresult::STREAM_CAPTURE_UNSUPPORTED.because(
        "a stream is being captured, and this call may wait for work or take memory away, which its capture mode \
         forbids (cuThreadExchangeStreamCaptureMode); the capture is invalidated",
    )
}

/// Checks the use of an event that may have been recorded in a capture.
pub(crate) fn event_used(event: usize) -> Answer {
    if_any(Ok(()), |all| match all.events.get(&event).map(|(capture, _)| *capture) {
        None => Ok(()),
        Some(capture) => {
            all.invalidate(capture);
            Err(CUresult::CAPTURED_EVENT.because(
                "hEvent was last recorded in a stream that was captured: it has no work of its own to wait for",
            ))
        }
    })
}

/// Checks a call that affects all streams of a context, which invalidates their captures.
pub(crate) fn context_used(context: &Context) -> Answer {
    if_any(Ok(()), |all| {
        let of = |capture: &&mut Capture| capture.context == context.handle;
        let mut captures = all.captures.values_mut().filter(of).peekable();
        if captures.peek().is_none() {
            return Ok(());
        }
        captures.for_each(|capture| capture.is_invalid = true);
        Err(CUresult::STREAM_CAPTURE_UNSUPPORTED.because(
            "a stream of the context is being captured, and this call concerns all of them; the capture is invalidated",
        ))
    })
}
