//! The findings of this process and the race detector, which modules below the checks use, too.

use crate::allocation_trace;
use crate::exit::Owner;
use crate::prelude::*;
use crate::settings::{CheckSettings, settings};
use texunit_checks::race::{Memory, Submitted, Work};
use texunit_checks::{Check, Log, Options, Pattern, Suppressions};

/// The process that owns the findings.
pub(crate) static OWNER: Owner = Owner::none();

/// The log of this process's findings; created when a check is enabled or something is found
/// without one.
static LOG: OnceLock<Log> = OnceLock::new();

/// The log of this process's findings, if a check is enabled.
pub(crate) fn log() -> Option<&'static Log> {
    settings().checks.as_ref().map(|_| own_log())
}

/// The log of this process's findings, which is created if it does not exist.
pub(crate) fn own_log() -> &'static Log {
    let make = || {
        let wanted = settings().checks.clone().unwrap_or_default();
        let mut suppressions = Suppressions::default();
        for file in &wanted.suppressions {
            match Suppressions::read(file) {
                Ok(more) => suppressions.extend(more),
                Err(error) => say(format_args!(
                    "TEXUNIT_SUPPRESSIONS: {}: {error}; nothing of it is suppressed",
                    file.display()
                )),
            }
        }
        let kernels = wanted.kernel.iter().map(|name| Pattern::new(name)).collect();
        let CheckSettings { checks, init, max_findings, .. } = wanted;
        OWNER.take();
        let fail_on = settings().fail_on;
        Log::new(Options { checks, init, max_findings, fail_on, kernels, suppressions })
    };
    let log = LOG.get_or_init(make);
    if OWNER.take() {
        // Findings recorded before a fork belong to the parent process.
        log.clear();
    }
    log
}

/// The log, if it has been created.
pub(crate) fn created_log() -> Option<&'static Log> {
    LOG.get()
}

/// Position of work for the race detector: its stream, and for deferred work its submission in the
/// stream.
#[derive(Clone, Debug)]
pub(crate) struct QueuePosition {
    pub(crate) queue: Queue,
    pub(crate) submitted: Option<Submitted>,
}

impl QueuePosition {
    /// Position of work that is done now.
    pub(crate) fn now(queue: Queue) -> Self {
        Self { queue, submitted: None }
    }

    /// The work at this position.
    pub(crate) fn work(&self) -> Work<'_> {
        (self.queue, self.submitted.as_ref())
    }

    /// Whether the work was deferred.
    pub(crate) fn is_late(&self) -> bool {
        self.submitted.is_some()
    }

    /// Position of work that is submitted now and done later.
    pub(crate) fn submitted(queue: Queue) -> Self {
        Self { queue, submitted: race().map(|race| race.streams().submit(queue)) }
    }
}

/// A queue for a part of a work, such as a step of a graph or a child grid. Its number is above all
/// stream handles and below the numbers of per-thread default streams.
pub(crate) fn fresh_queue() -> Queue {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 62);
    Queue::new(NEXT.fetch_add(1, Relaxed), false)
}

/// The event after the work of a queue, which has the queue's number.
pub(crate) fn event_of(queue: Queue) -> u64 {
    queue.own.map_or(0, |(id, _)| id)
}

/// The race detector, which orders launches and the host; `None` if races are not checked.
pub(crate) fn race() -> Option<&'static Memory> {
    log()?.race()
}

/// Calls `work` with the state of the race detector, if the detector is on.
pub(crate) fn with_race(work: impl FnOnce(&Memory)) {
    if let Some(race) = race() {
        work(race);
    }
}

/// The log of this process's findings, if leaks are checked.
pub(crate) fn of_leaks() -> Option<&'static Log> {
    // The settings are checked before the log, which is not created for a program without checks.
    let has = settings().checks.as_ref().is_some_and(|wanted| wanted.has(Check::Leak));
    if has { log() } else { None }
}

/// Records the creation of an object with this handle, for a report if it is not destroyed.
pub(crate) fn created(number: usize) {
    if of_leaks().is_some() {
        allocation_trace::allocated(number as u64);
    }
}

/// Records that an allocation has been freed, in a stream or by the host.
pub(crate) fn forgotten(number: u64) {
    with_race(|race| race.pool_freed(number));
}
