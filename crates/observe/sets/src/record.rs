//! The observer of a range: what it reads, writes and reduces.

mod probe;

use crate::fold::Fold;
use crate::object::Objects;
use crate::shadow::Shadow;
use probe::Worker;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use texunit_simt::observe::{Events, LaunchInfo, Observer, Probe};
use texunit_syntax::Span;

/// What a range of CTAs cannot do, and where it does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The instruction, if it is one.
    pub span: Option<Span>,
    /// What it does.
    pub message: String,
    /// Why that is refused.
    pub help: &'static str,
    /// Whether it is an access to nothing that is recorded. Observers are told of an access before it is made: a fault may
    /// come next, and says more.
    pub is_stray: bool,
}

/// Operations that have been looked at.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The instruction of each operation.
    pub(crate) spans: Vec<Span>,
    /// What atomics fold to, if they do.
    pub(crate) folds: BTreeMap<u32, Option<Fold>>,
}

/// Records what a launch of some CTAs does to the objects of its device. It serves one launch.
#[derive(Debug)]
pub struct Recorder {
    objects: Objects,
    shadows: Vec<OnceLock<Shadow>>,
    known: OnceLock<Known>,
    /// What was fetched from: object, bytes, and an operation that did.
    fetched: Mutex<BTreeMap<(u32, u64, u64), u32>>,
    refused: Mutex<Vec<Refused>>,
    stop: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Most refusals that are kept.
const MAX_REFUSED: usize = 16;
const HELP_FLEETING: &str = "it has another value on every machine and in every run";
const HELP_CLUSTER: &str = "all CTAs of a cluster run at the same time, on one machine";
const HELP_GRID: &str = "all CTAs of a cooperative launch run at the same time, on one machine";

impl Recorder {
    /// For a launch that will find these objects.
    pub fn new(objects: Objects) -> Self {
        let shadows = objects.list().iter().map(|_| OnceLock::new()).collect();
        Self {
            objects,
            shadows,
            known: OnceLock::new(),
            fetched: Mutex::default(),
            refused: Mutex::default(),
            stop: AtomicBool::new(false),
        }
    }

    /// What the launch cannot go on for, once it has found that: for `LaunchOptions::cancel`.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Why there are no sets of the launch; none: there are.
    pub fn refused(&self) -> Vec<Refused> {
        let mut all = lock(&self.refused).clone();
        all.sort_by_key(|refused| refused.span);
        all.dedup();
        all
    }

    pub(crate) fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The pages of an object, if it has any.
    pub(crate) fn shadow(&self, object: u32) -> Option<&Shadow> {
        self.shadows[object as usize].get()
    }

    pub(crate) fn known(&self) -> Option<&Known> {
        self.known.get()
    }

    /// What was fetched from, with the operation.
    pub(crate) fn fetched(&self) -> Vec<((u32, u64, u64), u32)> {
        lock(&self.fetched).iter().map(|(what, op)| (*what, *op)).collect()
    }

    fn shadow_to_mark(&self, object: u32) -> &Shadow {
        let size = self.objects.list()[object as usize].size();
        self.shadows[object as usize].get_or_init(|| Shadow::new(size))
    }

    /// Ends the launch.
    fn refuse(&self, op: Option<u32>, message: String, help: &'static str) {
        self.keep(op, message, help, false);
        self.stop.store(true, Relaxed);
    }

    /// An access to nothing that is recorded, which ends the launch if it is no fault by itself.
    fn stray(&self, op: u32, message: String, help: &'static str, is_fault: bool) {
        self.keep(Some(op), message, help, true);
        if !is_fault {
            self.stop.store(true, Relaxed);
        }
    }

    fn keep(&self, op: Option<u32>, message: String, help: &'static str, is_stray: bool) {
        let span = op.and_then(|op| self.known.get()?.spans.get(op as usize).copied());
        let mut all = lock(&self.refused);
        if all.len() < MAX_REFUSED {
            all.push(Refused { span, message, help, is_stray });
        }
    }
}

impl Observer for Recorder {
    fn wants(&self) -> Events {
        Events::ACCESSES | Events::HEAP | Events::FETCHES | Events::ANSWERS
    }

    fn launch_begins(&self, launch: &LaunchInfo<'_>) {
        let listing = launch.listing;
        let fold = |op| Some((op, Fold::of_atomic(listing.atomic(op)?)));
        let known = Known {
            spans: (0..listing.len()).map(|op| listing.span(op)).collect(),
            folds: (0..listing.len()).filter_map(fold).collect(),
        };
        // One launch; a second one would have other operations.
        if self.known.set(known).is_err() {
            self.refuse(None, "a recorder serves one launch".to_owned(), "");
        }
        for (op, name) in listing.nondeterministic_inputs() {
            self.refuse(Some(op), format!("the kernel can read %{name}"), HELP_FLEETING);
        }
        if launch.config.cooperative {
            self.refuse(None, "the launch is cooperative".to_owned(), HELP_GRID);
        }
        if launch.config.cluster.is_some() {
            self.refuse(None, "the launch has clusters".to_owned(), HELP_CLUSTER);
        }
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Worker::new(self, launch))
    }
}
