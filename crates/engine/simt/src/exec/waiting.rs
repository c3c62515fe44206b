//! Launches that wait: all CTAs that could run wait in loops (`idle`).
//!
//! If other agents can change the polled memory, the launch asks [`crate::ExternalWriters`] after
//! each iteration of all workers, and continues once the memory has changed. Otherwise the launch
//! ends with a deadlock fault that names the loops.

use super::Shared;
use super::context::{Context, Launch};
use super::cta::place_in_words;
use super::resident::Resident;
use super::warp::Warp;
use crate::fault::FaultKind;
use crate::lower::Program;
use crate::stats::Fault;
use crate::waiting::{ExternalWriters, Verdict, WaitingLoop};
use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use texunit_forms::{Count, sort_by_key};

/// Number of further iterations of the waiting loops of all CTAs after which a launch counts as
/// waiting. In the first one, the CTAs of other workers already see the last store of a worker that
/// has begun to wait.
const SURE: u64 = 2;
/// Number of polls by a worker without a pause, and the maximum pause between later polls.
const AT_ONCE: u64 = 64;
const PAUSE: Duration = Duration::from_micros(500);
/// Maximum number of waiting loops that the message of a deadlock names.
const MAX_LOOPS: usize = 4;

/// State of a worker of the launch.
#[derive(Debug)]
enum Worker {
    Busy,
    /// All CTAs of the worker wait.
    Idle {
        polls: u64,
        loops: Vec<WaitingLoop>,
    },
    Done,
}

/// States of the workers of a launch.
#[derive(Debug, Default)]
struct Workers {
    workers: Vec<Worker>,
    /// Maximum number of polls of a worker when the external writers first answered that the
    /// launch ends. Because a worker may not have polled since the last store before that answer,
    /// the launch ends when the answer is given again after `SURE` further polls of all workers.
    ends_at: Option<u64>,
    /// The fault that ended the launch.
    fault: Option<FaultKind>,
}

impl Workers {
    /// Number of polls of each worker that has CTAs left.
    fn polls(&self) -> impl Iterator<Item = u64> {
        self.workers.iter().filter_map(|worker| match worker {
            Worker::Busy => Some(0),
            Worker::Idle { polls, .. } => Some(*polls),
            Worker::Done => None,
        })
    }

    /// Discards the idle workers' polls so far, because they may have preceded the last store of
    /// a worker that is no longer busy.
    fn poll_again(&mut self) {
        self.ends_at = None;
        for worker in &mut self.workers {
            if let Worker::Idle { polls, .. } = worker {
                *polls = 0;
            }
        }
    }
}

/// States of the workers of a launch. The workers update them from their threads.
#[derive(Debug)]
pub(super) struct Waits {
    state: Mutex<Workers>,
}

impl Waits {
    pub(super) fn new(workers: usize) -> Self {
        let workers = (0..workers).map(|_| Worker::Busy).collect();
        Self { state: Mutex::new(Workers { workers, ..Workers::default() }) }
    }

    fn state(&self) -> MutexGuard<'_, Workers> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called when all CTAs of a worker have polled once more. Returns the fault if the launch
    /// ends.
    pub(super) fn idle(
        &self,
        (worker, program): (usize, &Program),
        loops: impl FnOnce() -> Vec<WaitingLoop>,
        external_writers: Option<&dyn ExternalWriters>,
        is_over: impl FnOnce() -> bool,
    ) -> Option<FaultKind> {
        let mut state = self.state();
        if let Some(fault) = &state.fault {
            return Some(fault.clone());
        }
        let own = match state.workers.get_mut(worker)? {
            Worker::Idle { polls, .. } => {
                *polls += 1;
                *polls
            }
            busy => {
                *busy = Worker::Idle { polls: 0, loops: loops() };
                state.poll_again();
                0
            }
        };
        let polls = state.polls().min().unwrap_or(0);
        if polls >= SURE {
            let all = state.workers.iter().flat_map(|worker| match worker {
                Worker::Idle { loops, .. } => &loops[..],
                _ => &[],
            });
            let mut all: Vec<WaitingLoop> = all.cloned().collect();
            // The loops are sorted, because the message must not depend on which worker executes
            // which CTA.
            sort_by_key(&mut all, |&WaitingLoop { cta: [x, y, z], .. }| [z, y, x]);
            drop(state);
            if is_over() {
                return Some(FaultKind::Cancelled);
            }
            let nobody = || Verdict::End("nobody else is there who could change it".to_owned());
            if let Verdict::End(why) =
                external_writers.map_or_else(nobody, |writers| writers.wait(polls, &all))
            {
                let mut state = self.state();
                let last = state.polls().max().unwrap_or(0);
                if polls >= *state.ends_at.get_or_insert(last) + SURE {
                    let waiting = format!("{}; {why}", described(program, &all));
                    let fault = FaultKind::Deadlock { waiting };
                    return Some(state.fault.get_or_insert(fault).clone());
                }
            }
        } else {
            drop(state);
        }
        match own {
            0..AT_ONCE => std::thread::yield_now(),
            _ => std::thread::sleep(PAUSE.min(Duration::from_micros(own))),
        }
        None
    }

    /// Called when a CTA of a waiting worker has left its waiting loop.
    pub(super) fn go_on(&self, worker: usize, external_writers: Option<&dyn ExternalWriters>) {
        let mut state = self.state();
        let Some(own) = state.workers.get_mut(worker) else { return };
        let was_idle = matches!(own, Worker::Idle { .. });
        *own = Worker::Busy;
        state.ends_at = None;
        drop(state);
        if was_idle && let Some(writers) = external_writers {
            writers.resumed();
        }
    }

    /// Called when a worker has no CTAs left.
    pub(super) fn done(&self, worker: usize) {
        let mut state = self.state();
        if let Some(own) = state.workers.get_mut(worker) {
            *own = Worker::Done;
        }
        state.poll_again();
    }
}

/// The name of a file without its folder. The diagnostic shows the full path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Description of waiting loops and of the memory that they poll.
fn described(program: &Program, loops: &[WaitingLoop]) -> String {
    let mut text = String::new();
    let mut told: Vec<&WaitingLoop> = Vec::new();
    for waiting in loops {
        let is_same =
            |other: &&WaitingLoop| (other.span, &other.polls) == (waiting.span, &waiting.polls);
        if told.len() < MAX_LOOPS && !told.iter().any(is_same) {
            told.push(waiting);
        }
    }
    for waiting in &told {
        let place = place_in_words(program, waiting.span, file_name);
        let [x, y, z] = waiting.cta;
        let sep = if text.is_empty() { "" } else { "; " };
        // The result is ignored, because writing to a string cannot fail.
        let _ = write!(
            text,
            "{sep}{} of CTA ({x}, {y}, {z}) {} in a loop at {place}",
            Count(waiting.threads, "thread"),
            if waiting.threads == 1 { "waits" } else { "wait" }
        );
        for (i, look) in waiting.polls.iter().enumerate() {
            let words = if i == 0 { " for a change of " } else { ", " };
            let _ = write!(text, "{words}{} at {:#x}", Count(look.size, "byte"), look.address);
            if let Some(value) = look.value {
                let s = if look.size == 1 { "s" } else { "" };
                let _ = write!(text, ", which hold{s} {value:#x}");
            }
            if let Some(object) = &look.object {
                let _ = write!(text, " in {object}");
            }
        }
    }
    let more = loops.len().saturating_sub(told.len());
    if more > 0 && told.len() == MAX_LOOPS {
        let _ = write!(text, "; and {}", Count(more, "other CTA"));
    }
    text
}

impl Context<'_> {
    /// The fault of a CTA that waits although no other agent can change memory.
    pub(super) fn waits_alone(&self, warps: &[Warp], why: &str) -> Box<Fault> {
        let loops: Vec<WaitingLoop> = self.waiting_loop(warps).into_iter().collect();
        let waiting = format!("{}; {why}", described(self.launch.program, &loops));
        self.waits_in_vain(warps, FaultKind::Deadlock { waiting })
    }
}

impl Shared {
    /// Called when the CTAs of a worker have polled once more. Returns whether that has ended the
    /// launch.
    pub(super) fn end_if_in_vain(
        &self,
        (launch, worker): (&Launch<'_>, usize),
        ctas: &mut [&mut Resident<'_>],
    ) -> bool {
        let is_faulted = || self.faulted.load(Relaxed) != u64::MAX;
        let loops = || {
            let loops = ctas.iter().filter_map(|cta| cta.context.waiting_loop(&cta.warps));
            loops.collect()
        };
        let of = (worker, launch.program);
        let Some(kind) = self.waits.idle(of, loops, launch.config.external_writers, is_faulted)
        else {
            return false;
        };
        // The fault is that of the lowest CTA, unless a CTA that it waited for has a fault already.
        let lowest = ctas.iter().map(|cta| cta.index).min();
        for Resident { index, context, warps, .. } in ctas.iter_mut().map(|cta| &mut **cta) {
            let is_lower = *index < self.faulted.load(Relaxed);
            let is_told = Some(*index) == lowest && is_lower && kind != FaultKind::Cancelled;
            if is_told {
                let fault = context.waits_in_vain(warps, kind.clone());
                self.end_of_cta(*index, Err(fault), context);
            } else {
                self.leave_cta(*index, context);
            }
        }
        true
    }
}
