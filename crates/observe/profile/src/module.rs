//! The profile of a loaded module, which its launches add to.

use crate::counts::Counts;
use crate::data::{Kernel, LaunchCounts, MAX_LAUNCHES, Profile};
use crate::lines::OverLaunches;
use crate::table::Table;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use texunit_simt::observe::LaunchInfo;

/// The collector of all modules of a process, which a module tells about its launches and its end.
pub(crate) trait Collector: Debug + Send + Sync {
    /// A launch begins.
    fn begins(&self);
    /// The number of the next launch.
    fn number(&self) -> u64;
    /// A launch has ended; `now` forces a write, after a fault with which the process may end.
    fn has_counted(&self, now: bool);
    /// Adds the counts of an unloaded module.
    fn unloaded(&self, profile: &Profile);
}

/// The profile of a loaded module.
#[derive(Debug)]
pub struct Module {
    /// The name of its PTX file, and a hash of its text.
    ptx: String,
    hash: u64,
    counted: Mutex<Counted>,
    recorder: Option<Arc<dyn Collector>>,
}

#[derive(Debug, Default)]
struct Counted {
    /// The instruction tables of kernels, by kernel name.
    tables: HashMap<String, Arc<Table>>,
    profile: Profile,
    launches: u64,
}

impl Module {
    /// A module whose PTX is in a file of this name.
    pub fn new(text: &str, ptx: PathBuf) -> Arc<Self> {
        Arc::new(Self::of(text, ptx, None))
    }

    pub(crate) fn of(text: &str, ptx: PathBuf, recorder: Option<Arc<dyn Collector>>) -> Self {
        let mut hash = DefaultHasher::new();
        hash.write(text.as_bytes());
        let ptx = ptx.to_string_lossy().into_owned();
        Self { ptx, hash: hash.finish(), counted: Mutex::default(), recorder }
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The profile until now.
    pub fn profile(&self) -> Profile {
        self.counted().profile.clone()
    }

    pub(crate) fn add_to(&self, profile: &mut Profile) {
        profile.add(&self.counted().profile);
    }

    /// Clears the counts in a forked process, since they are its parent's.
    pub(crate) fn clear(&self) {
        let mut counted = self.counted();
        (counted.profile, counted.launches) = (Profile::default(), 0);
    }

    /// The table of a kernel's code.
    pub(crate) fn table(&self, launch: &LaunchInfo<'_>) -> Arc<Table> {
        if let Some(recorder) = &self.recorder {
            recorder.begins();
        }
        let known = self.counted().tables.get(launch.kernel).cloned();
        // If other functions were lowered since, operation numbers have changed.
        let known = known.filter(|table| table.operations == launch.listing.len());
        known.unwrap_or_else(|| {
            let table = Arc::new(Table::of(launch.listing, &self.ptx));
            let kept = Arc::clone(&table);
            self.counted().tables.insert(launch.kernel.to_owned(), kept);
            table
        })
    }

    /// Adds the counts of a launch that has ended.
    pub(crate) fn launched(
        &self,
        launch: &LaunchInfo<'_>,
        table: &Table,
        counts: Vec<Counts>,
        has_fault: bool,
    ) {
        let mut counted = self.counted();
        counted.launches += 1;
        let number = match &self.recorder {
            Some(recorder) => recorder.number(),
            None => counted.launches,
        };
        let key = (launch.kernel.to_owned(), self.hash);
        let kernel = counted.profile.kernels.entry(key).or_default();
        kernel.ptx.clone_from(&self.ptx);
        kernel.add_launch(number, launch, table, counts);
        drop(counted);
        if let Some(recorder) = &self.recorder {
            recorder.has_counted(has_fault);
        }
    }
}

impl Kernel {
    fn add_launch(
        &mut self,
        number: u64,
        launch: &LaunchInfo<'_>,
        table: &Table,
        counts: Vec<Counts>,
    ) {
        let (mut warps, mut threads) = (0, 0);
        let mut lines: BTreeMap<(String, u32), u64> = BTreeMap::new();
        for ((start, entry), counts) in table.entries.iter().zip(counts) {
            if counts.is_empty() {
                continue;
            }
            warps += counts.warp_instructions;
            threads += counts.thread_instructions;
            let line = (entry.place.file.clone(), entry.place.line);
            *lines.entry(line).or_default() += counts.thread_instructions;
            let instruction = self.instructions.entry(*start).or_insert_with(|| entry.clone());
            instruction.counts.add(&counts);
        }
        for (line, threads) in lines {
            self.lines.entry(line).or_default().add(&OverLaunches::of(number, threads));
        }
        self.launches += 1;
        if self.each.len() < MAX_LAUNCHES {
            self.each.push(LaunchCounts {
                launch: number,
                grid: launch.config.grid,
                block: launch.config.block,
                warp_instructions: warps,
                thread_instructions: threads,
            });
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(recorder) = self.recorder.take() {
            recorder.unloaded(&self.counted().profile);
        }
    }
}
