//! The observer of a launch of some CTAs: records the bytes that it reads, writes and reduces.

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

/// An operation that a range of CTAs cannot perform, with its instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The instruction; `None` if the launch as a whole is refused.
    pub span: Option<Span>,
    /// What the refused instruction does, for a message.
    pub message: String,
    /// Why the operation is refused.
    pub help: &'static str,
    /// Whether the operation is an access outside every recorded object. Observers run before the
    /// access, which may also be a fault that explains more.
    pub is_stray: bool,
}

/// Properties of the module's operations.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// For each operation, the position of its instruction in the PTX.
    pub(crate) spans: Vec<Span>,
    /// For each operation that is an atomic, its reduction, or `None` if it is not a reduction.
    pub(crate) folds: BTreeMap<u32, Option<Fold>>,
}

/// Records the accesses of one launch to the objects of its device.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) objects: Objects,
    /// The shadows of the objects that were accessed.
    pub(crate) shadows: Vec<OnceLock<Shadow>>,
    pub(crate) known: OnceLock<Operations>,
    /// The byte ranges of fetched textures (object number, begin, end), with the first operation
    /// that fetched from each.
    fetched: Mutex<BTreeMap<(u32, u64, u64), u32>>,
    refused: Mutex<Vec<Refused>>,
    stop: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Maximum number of refused operations that are reported.
const MAX_REFUSED: usize = 16;
const HELP_FLEETING: &str = "it has another value on every machine and in every run";
const HELP_CLUSTER: &str = "all CTAs of a cluster run at the same time, on one machine";
const HELP_GRID: &str = "all CTAs of a cooperative launch run at the same time, on one machine";

impl Recorder {
    /// A recorder for a launch on a device with these objects.
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

    /// The flag for `LaunchOptions::cancel`, which stops the launch when an operation is refused.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// The refused operations, because of which the launch has no sets; empty if it has sets.
    pub fn refused(&self) -> Vec<Refused> {
        let mut all = lock(&self.refused).clone();
        all.sort_by_key(|refused| refused.span);
        all.dedup();
        all
    }

    /// The byte ranges of fetched textures, with an operation that fetched from each.
    pub(crate) fn fetched(&self) -> Vec<((u32, u64, u64), u32)> {
        lock(&self.fetched).iter().map(|(what, op)| (*what, *op)).collect()
    }

    fn shadow_to_mark(&self, object: u32) -> &Shadow {
        let size = self.objects.list()[object as usize].size();
        self.shadows[object as usize].get_or_init(|| Shadow::new(size))
    }

    /// Records why the launch is refused, and stops it.
    fn refuse(&self, op: Option<u32>, message: String, help: &'static str) {
        self.keep(op, message, help, false);
        self.stop.store(true, Relaxed);
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
        let known = Operations {
            spans: (0..listing.len()).map(|op| listing.span(op)).collect(),
            folds: (0..listing.len()).filter_map(fold).collect(),
        };
        // A recorder serves only one launch, because a second one has other operations.
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
