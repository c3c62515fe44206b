//! The observer of one launch: sums its workers' counters and adds them to the module's profile.

use crate::probe::{Totals, Worker, lock};
use crate::recorder::Module;
use crate::table::Table;
use std::sync::{Arc, Mutex};
use texunit_simt::Fault;
use texunit_simt::observe::{Events, LaunchInfo, Observer, Probe};

/// The observer of a launch of one of a [`Module`]'s kernels.
#[derive(Debug)]
pub struct Launch {
    module: Arc<Module>,
    totals: Mutex<Totals>,
    table: Mutex<Option<Arc<Table>>>,
}

impl Launch {
    /// The observer of a launch of this module's kernel.
    pub fn new(module: Arc<Module>) -> Self {
        Self { module, totals: Mutex::default(), table: Mutex::default() }
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
        Box::new(Worker::new(&self.totals, launch.listing.len()))
    }

    fn launch_begins(&self, launch: &LaunchInfo<'_>) {
        *lock(&self.table) = Some(self.module.table(launch));
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        let mut totals = std::mem::take(&mut *lock(&self.totals));
        let Some(table) = lock(&self.table).take() else { return };
        totals.take_costs(&table.costs);
        let mut counts = table.counted(&totals.counters);
        totals.put(|op, add| {
            if let Some(counts) = table.entry(op).and_then(|entry| counts.get_mut(entry)) {
                add(counts);
            }
        });
        self.module.launched(launch, &table, counts, fault.is_some());
    }
}
