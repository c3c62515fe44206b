//! The observer of one launch: sums its workers' counters and adds them to the module's profile.

use crate::module::Module;
use crate::probe::{Totals, Worker};
use crate::table::Table;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use texunit_simt::Fault;
use texunit_simt::observe::{Events, LaunchInfo, Observer, Probe};

/// The observer of a launch of one of a [`Module`]'s kernels.
#[derive(Debug)]
pub struct Launch {
    module: Arc<Module>,
    sums: Mutex<Sums>,
}

/// The sums of the workers' counts.
#[derive(Debug, Default)]
struct Sums {
    counters: Vec<u64>,
    totals: Totals,
    table: Option<Arc<Table>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Launch {
    /// The observer of a launch of this module's kernel.
    pub fn new(module: Arc<Module>) -> Self {
        Self { module, sums: Mutex::default() }
    }

    /// Adds a worker's counters.
    pub(crate) fn counted(&self, counters: &[u64]) {
        let sums = &mut lock(&self.sums).counters;
        sums.resize(sums.len().max(counters.len()), 0);
        sums.iter_mut().zip(counters).for_each(|(sum, n)| *sum = sum.wrapping_add(*n));
    }

    pub(crate) fn totals(&self, change: impl FnOnce(&mut Totals)) {
        change(&mut lock(&self.sums).totals);
    }
}

impl Observer for Launch {
    fn wants(&self) -> Events {
        Events::COUNTS
            | Events::ISSUES
            | Events::COSTS
            | Events::ACCESSES
            | Events::CONSTANTS
            | Events::FETCHES
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Worker::new(self, launch.listing.len()))
    }

    fn launch_begins(&self, launch: &LaunchInfo<'_>) {
        lock(&self.sums).table = Some(self.module.table(launch));
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        let Sums { counters, mut totals, table } = std::mem::take(&mut *lock(&self.sums));
        let Some(table) = table else { return };
        totals.take_costs(&table.costs, &counters);
        let mut counts = table.counted(&counters);
        totals.put(|op, add| {
            if let Some(counts) = table.entry(op).and_then(|entry| counts.get_mut(entry)) {
                add(counts);
            }
        });
        self.module.launched(launch, &table, counts, fault.is_some());
    }
}
