//! The observer of a module's launches.

use crate::data::Coverage;
use crate::maker;
use crate::recorder::Recorder;
use crate::table::Table;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use texunit_simt::Fault;
use texunit_simt::observe::{Events, LaunchInfo, Listing, Observer, Probe};

/// What has been covered of a module: the observer of all its launches.
#[derive(Debug)]
pub struct Module {
    table: Table,
    counts: Mutex<Vec<u64>>,
    recorder: Option<Arc<Recorder>>,
}

impl Module {
    /// Of a module whose PTX is in this file, which is named where there is no `.loc`.
    pub fn new(listing: Listing<'_>, ptx: &Path) -> Self {
        Self::of(maker::table(listing, &ptx.to_string_lossy()), None)
    }

    pub(crate) fn of(table: Table, recorder: Option<Arc<Recorder>>) -> Self {
        let counts = Mutex::new(vec![0; table.counters]);
        Self { table, counts, recorder }
    }

    /// What has been counted up to now.
    pub fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::default();
        self.add_to(&mut coverage);
        coverage
    }

    pub(crate) fn add_to(&self, coverage: &mut Coverage) {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.table.add_to(&counts, coverage);
    }

    /// Forgets what has been counted.
    pub(crate) fn clear(&self) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).fill(0);
    }

    /// Lines, functions and branches that it has.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
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
            recorder.write_at_times(fault.is_some());
        }
    }
}

/// The counts of a worker go where all are.
struct Counts<'a> {
    of: &'a Module,
}

impl Probe for Counts<'_> {
    fn counted(&mut self, counts: &[u64]) {
        let mut all = self.of.counts.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter_mut().zip(counts).for_each(|(sum, n)| *sum = sum.wrapping_add(*n));
        drop(all);
        if let Some(recorder) = &self.of.recorder {
            recorder.write_at_times(false);
        }
    }
}
