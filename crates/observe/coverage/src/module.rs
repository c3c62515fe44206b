//! The observer of a module's launches.

use crate::data::Coverage;
use crate::ledger::Ledger;
use crate::maker;
use crate::recorder::{AT_LEAST, Recorder};
use crate::table::Table;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use texunit_simt::Fault;
use texunit_simt::observe::{Events, LaunchInfo, Listing, Observer, Probe};

/// What has been covered of a module: the observer of all its launches.
#[derive(Debug)]
pub struct Module {
    table: Table,
    counted: Mutex<Counted>,
    recorder: Option<Arc<Recorder>>,
    /// The process of which a thread writes the ledger; 0: none does. One that was forked off knows so that a thread of
    /// its parent's was at it, which it does not have.
    writer: AtomicU32,
}

/// What has been counted, and where it is written.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    counts: Vec<u64>,
    /// Counters that differ from those in the ledger.
    changed: Range<usize>,
    /// Its number in the process.
    number: u64,
    /// A hash of the table, which modules of one table share.
    pub(crate) key: u64,
    ledger: Option<Ledger>,
    /// Whether the run was told that there will be one.
    is_announced: bool,
    written: Option<Instant>,
}

impl Counted {
    /// Nothing, yet, of a number of counters.
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
    /// Of a module whose PTX is in this file, which is named where there is no `.loc`.
    pub fn new(listing: Listing<'_>, ptx: &Path) -> Self {
        let table = maker::table(listing, &ptx.to_string_lossy());
        let counted = Counted::new(table.counters, 0, 0);
        Self::of(table, counted, None)
    }

    pub(crate) fn of(table: Table, counted: Counted, recorder: Option<Arc<Recorder>>) -> Self {
        let writer = AtomicU32::new(0);
        Self { table, counted: Mutex::new(counted), recorder, writer }
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has been counted up to now.
    pub fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::default();
        self.add_to(&mut coverage);
        coverage
    }

    pub(crate) fn add_to(&self, coverage: &mut Coverage) {
        let counts = self.counted().counts.clone();
        self.table.add_to(&counts, coverage);
    }

    /// Forgets what has been counted: it is the parent's.
    pub(crate) fn clear(&self) {
        let mut counted = self.counted();
        *counted = Counted::new(counted.counts.len(), counted.number, counted.key);
    }

    /// Lines, functions and branches that it has.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// What is left of it when it is loaded no longer.
    pub(crate) fn take(&self) -> Counted {
        std::mem::take(&mut self.counted())
    }

    /// Writes what has changed into the ledger. `false`: another thread is at it, and writes that, too.
    pub(crate) fn write_through(&self, folder: &Path) -> io::Result<bool> {
        let own = std::process::id();
        // Whoever is done looks again: what others have changed meanwhile they have not written.
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

    /// Writes what has changed, for the thread that is the writer.
    fn put(&self, folder: &Path) -> io::Result<()> {
        let mut counted = self.counted();
        counted.written = Some(Instant::now());
        let changed = std::mem::take(&mut counted.changed);
        let whole = 0..counted.counts.len();
        let range = if counted.ledger.is_some() { changed.clone() } else { whole };
        let (counts, number) = (counted.counts[range].to_vec(), counted.number);
        if !std::mem::replace(&mut counted.is_announced, true) {
            texunit_evidence::note(folder, texunit_evidence::Told::Coverage);
        }
        // The counts are not held while a disk is waited for: nobody else touches the ledger.
        let ledger = counted.ledger.take();
        drop(counted);
        let (ledger, written) = match ledger {
            Some(ledger) => {
                let written = ledger.put(changed.start, &counts);
                (Some(ledger), written)
            }
            None => match Ledger::create(folder, number, &self.table, &counts) {
                Ok(ledger) => (Some(ledger), Ok(())),
                Err(error) => (None, Err(error)),
            },
        };
        let mut counted = self.counted();
        // Whatever is wrong with the file, another one is made with all counts.
        counted.ledger = if written.is_ok() { ledger } else { None };
        written
    }

    /// Whether a launch that goes on is to be written.
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
        Box::new(Counts { of: self })
    }

    fn launch_begins(&self, _: &LaunchInfo<'_>) {
        if let Some(recorder) = &self.recorder {
            recorder.begins();
        }
    }

    fn launch_ends(&self, _: &LaunchInfo<'_>, fault: Option<&Fault>) {
        if let Some(recorder) = &self.recorder {
            // What follows a fault is often the end of the process.
            recorder.has_counted(self, true, fault.is_some());
        }
    }
}

/// The counts of a worker go where all are.
struct Counts<'a> {
    of: &'a Module,
}

impl Probe for Counts<'_> {
    fn counted(&mut self, counts: &[u64]) {
        self.of.counted().add(counts);
        if let Some(recorder) = &self.of.recorder {
            recorder.has_counted(self.of, self.of.is_due(), false);
        }
    }
}
