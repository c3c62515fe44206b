//! The observer of a module's launches, which adds up the counts of the launches.

use crate::data::Coverage;
use crate::ledger::Ledger;
use crate::maker;
use crate::table::Table;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use texunit_simt::Fault;
use texunit_simt::observe::{Events, LaunchInfo, Listing, Observer, Probe};

/// Minimum interval between two writes of the counts during a launch.
pub(crate) const AT_LEAST: Duration = Duration::from_secs(1);

/// Collects the coverage of all modules of a process. Each [`Module`] calls it when a launch
/// begins, when a launch has counted, and when the module is unloaded.
pub(crate) trait Collector: Debug + Send + Sync {
    /// A launch begins.
    fn begins(&self);
    /// A launch has added to the module's counts. The launch has ended, or is running and its
    /// counts are due to be written (`is_due`); `now` forces a write.
    fn has_counted(&self, module: &Module, is_due: bool, now: bool);
    /// A module is unloaded.
    fn unloaded(&self, module: &Module);
}

/// The coverage of a loaded module, and the observer of its launches.
#[derive(Debug)]
pub struct Module {
    table: Table,
    counted: Mutex<Counted>,
    recorder: Option<Arc<dyn Collector>>,
    /// ID of the process whose thread is writing the ledger, or 0. A forked process can tell by it
    /// that the writing thread is its parent's and does not exist here.
    writer: AtomicU32,
}

/// The counts of a module, and the ledger file that has them.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    counts: Vec<u64>,
    /// Range of the module's counters that have changed since they were written to the ledger file.
    changed: Range<usize>,
    /// The module's number in the process, for the name of the ledger file.
    number: u64,
    /// Hash of the table, which modules with the same table share.
    pub(crate) key: u64,
    ledger: Option<Ledger>,
    /// Whether the run was told to expect a ledger file ([`texunit_evidence::note`]).
    is_announced: bool,
    written: Option<Instant>,
}

impl Counted {
    /// The counts of a module that no launch has executed.
    pub(crate) fn new(counters: usize, number: u64, key: u64) -> Self {
        Self { counts: vec![0; counters], number, key, ..Self::default() }
    }

    fn add(&mut self, counts: &[u64]) {
        let all = self.counts.iter_mut().zip(counts).enumerate().filter(|(_, (_, n))| **n != 0);
        for (i, (sum, n)) in all {
            *sum = sum.wrapping_add(*n);
            self.changed = match self.changed.is_empty() {
                true => i..i + 1,
                false => self.changed.start.min(i)..self.changed.end.max(i + 1),
            };
        }
    }
}

impl Module {
    /// The observer of a module; `ptx` names its PTX file, for code without `.loc`.
    pub fn new(listing: Listing<'_>, ptx: &Path) -> Self {
        let table = maker::table(listing, &ptx.to_string_lossy());
        let counted = Counted::new(table.counters, 0, 0);
        Self::of(table, counted, None)
    }

    pub(crate) fn of(table: Table, counted: Counted, recorder: Option<Arc<dyn Collector>>) -> Self {
        let writer = AtomicU32::new(0);
        Self { table, counted: Mutex::new(counted), recorder, writer }
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The coverage of the module's launches until now.
    pub fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::default();
        self.add_to(&mut coverage);
        coverage
    }

    pub(crate) fn add_to(&self, coverage: &mut Coverage) {
        let counts = self.counted().counts.clone();
        self.table.add_to(&counts, coverage);
    }

    /// Clears the counts in a forked process, since they are its parent's.
    pub(crate) fn clear(&self) {
        let mut counted = self.counted();
        *counted = Counted::new(counted.counts.len(), counted.number, counted.key);
    }

    /// Total number of lines, functions and branches of the module.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Takes the counts and the ledger out of the module, when it is unloaded.
    pub(crate) fn take(&self) -> Counted {
        std::mem::take(&mut self.counted())
    }

    /// Writes changed counts into the module's ledger file. Returns `false` if another thread is
    /// writing, which then writes these counts, too.
    pub(crate) fn write_through(&self, folder: &Path) -> io::Result<bool> {
        let own = std::process::id();
        // The writing thread checks again afterwards, since other threads leave their changes to
        // it.
        while self.has_changed() {
            let writer = self.writer.load(Acquire);
            if writer == own || self.writer.compare_exchange(writer, own, AcqRel, Acquire).is_err()
            {
                return Ok(false);
            }
            let written = self.put(folder);
            self.writer.store(0, Release);
            written?;
        }
        Ok(self.writer.load(Acquire) != own)
    }

    fn has_changed(&self) -> bool {
        let counted = self.counted();
        counted.ledger.is_none() || !counted.changed.is_empty()
    }

    /// Writes changed counts, in the thread that has become the writer.
    fn put(&self, folder: &Path) -> io::Result<()> {
        let mut counted = self.counted();
        counted.written = Some(Instant::now());
        let changed = std::mem::take(&mut counted.changed);
        let whole = 0..counted.counts.len();
        let range = if counted.ledger.is_some() { changed.clone() } else { whole };
        let (counts, number) = (counted.counts[range].to_vec(), counted.number);
        if !std::mem::replace(&mut counted.is_announced, true) {
            texunit_evidence::note(folder, texunit_evidence::EventKind::Coverage);
        }
        // The mutex of the counts is unlocked during disk writes; only the writing thread accesses
        // the ledger file.
        let ledger = counted.ledger.take();
        drop(counted);
        let ledger = match ledger {
            Some(ledger) => ledger.put(changed.start, &counts).map(|()| ledger),
            None => Ledger::create(folder, number, &self.table, &counts),
        };
        // After a write error a new ledger file with all counts is created.
        ledger.map(|ledger| self.counted().ledger = Some(ledger))
    }

    /// Whether a running launch's counts should be written now.
    fn is_due(&self) -> bool {
        self.counted().written.is_none_or(|written| written.elapsed() >= AT_LEAST)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(recorder) = self.recorder.take() {
            recorder.unloaded(self);
        }
    }
}

impl Observer for Module {
    fn wants(&self) -> Events {
        Events::COUNTS
    }

    fn probe<'a>(&'a self, _: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(self)
    }

    fn launch_begins(&self, _: &LaunchInfo<'_>) {
        if let Some(recorder) = &self.recorder {
            recorder.begins();
        }
    }

    fn launch_ends(&self, _: &LaunchInfo<'_>, fault: Option<&Fault>) {
        if let Some(recorder) = &self.recorder {
            // The counts are written, because the process often ends after a fault.
            recorder.has_counted(self, true, fault.is_some());
        }
    }
}

/// Adds the counts of a worker thread to the counts of the module.
impl Probe for &Module {
    fn counted(&mut self, counts: &[u64]) {
        Module::counted(self).add(counts);
        if let Some(recorder) = &self.recorder {
            recorder.has_counted(self, self.is_due(), false);
        }
    }
}
