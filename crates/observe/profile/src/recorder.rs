//! Collects the profile of a process, and writes it repeatedly: after each of the first launches,
//! after each fault, later whenever writing takes at most a twentieth of the time, and at the end
//! of the process. A killed process therefore loses at most the last moments.

use crate::callgrind;
use crate::counts::Counts;
use crate::data::{Kernel, LaunchCounts, MAX_LAUNCHES, OverLaunches, Profile};
use crate::probe::{Totals, Worker, lock};
use crate::table::Table;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Instant;
use texunit_simt::Fault;
use texunit_simt::observe::{Events, LaunchInfo, Observer, Probe};

/// Extension of the profiles that processes leave in the folder of a run.
pub const EXTENSION: &str = "profile";

/// Number of launches after each of which the profile is written: programs that end without running
/// exit handlers often make few launches.
const ONE_BY_ONE: u64 = 32;
/// The interval between writes, in multiples of the time that a write takes.
const TIMES: u32 = 20;
/// The format of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// texunit's own JSON with all counts.
    Json,
    /// Callgrind's, which KCachegrind and QCachegrind show.
    Callgrind,
}

impl Format {
    /// The format for a file name: Callgrind's if it begins with `callgrind.out`, otherwise JSON.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("callgrind.out") { Self::Callgrind } else { Self::Json }
    }

    /// Formats a profile.
    pub fn text(self, profile: &Profile) -> String {
        match self {
            Self::Json => profile.to_json(),
            Self::Callgrind => callgrind::text(profile),
        }
    }
}

/// Where a process writes its profile.
#[derive(Clone, Debug)]
pub enum Target {
    /// The folder of the process's run.
    Run(PathBuf),
    /// A file; `%p` in its name stands for the process ID.
    File(PathBuf, Format),
}

/// Collects and writes the profile of a process.
#[derive(Debug)]
pub struct Recorder {
    target: Target,
    state: Mutex<State>,
    launches: AtomicU64,
    /// ID of the process that the counts belong to.
    process: AtomicU32,
}

#[derive(Debug, Default)]
struct State {
    modules: Vec<Weak<Module>>,
    /// The counts of unloaded modules.
    gone: Profile,
    next: Option<Instant>,
    has_changed: bool,
}

impl Recorder {
    /// The recorder of a process without launches.
    pub fn new(target: Target) -> Arc<Self> {
        let process = std::process::id().into();
        Arc::new(Self { target, state: Mutex::default(), launches: AtomicU64::new(0), process })
    }

    /// The profile of a loaded module whose PTX is in the file `ptx`.
    pub fn module(self: &Arc<Self>, text: &str, ptx: PathBuf) -> Arc<Module> {
        let module = Arc::new(Module::of(text, ptx, Some(Arc::clone(self))));
        if let Some(mut state) = self.state() {
            state.modules.retain(|module| module.strong_count() > 0);
            state.modules.push(Arc::downgrade(&module));
        }
        module
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        texunit_evidence::lock(&self.state)
    }

    fn loaded(state: &State) -> Vec<Arc<Module>> {
        state.modules.iter().filter_map(Weak::upgrade).collect()
    }

    /// Writes the profile to the target.
    ///
    /// # Errors The profile cannot be written.
    pub fn write(&self) -> io::Result<()> {
        // A forked process without launches has no counts.
        if self.process.load(Relaxed) != std::process::id() {
            return Ok(());
        }
        let late = || io::Error::new(io::ErrorKind::TimedOut, "another thread does not finish");
        let mut state = self.state().ok_or_else(late)?;
        if !std::mem::take(&mut state.has_changed) {
            return Ok(());
        }
        let mut profile = state.gone.clone();
        let loaded = Self::loaded(&state);
        drop(state);
        loaded.iter().for_each(|module| module.add_to(&mut profile));
        // `loaded` is dropped without the lock, because dropping a module's last reference calls
        // [`Self::unloaded`].
        drop(loaded);
        match &self.target {
            Target::Run(folder) => {
                let path = texunit_evidence::own_file(folder, EXTENSION);
                texunit_evidence::write(&path, profile.to_json().as_bytes())
            }
            Target::File(path, format) => {
                let path = texunit_evidence::name_of_process(path, std::process::id());
                texunit_evidence::write(&path, format.text(&profile).as_bytes())
            }
        }
    }

    /// A launch begins. In a process forked since the last launch, the counts are its parent's and
    /// are cleared.
    fn begins(&self) {
        if self.process.swap(std::process::id(), Relaxed) == std::process::id() {
            return;
        }
        self.launches.store(0, Relaxed);
        let Some(mut state) = self.state() else { return };
        (state.gone, state.next, state.has_changed) = (Profile::default(), None, false);
        let loaded = Self::loaded(&state);
        drop(state);
        loaded.iter().for_each(|module| module.clear());
    }

    /// Adds the counts of an unloaded module.
    fn unloaded(&self, profile: &Profile) {
        if let Some(mut state) = self.state() {
            state.gone.add(profile);
            state.has_changed |= !profile.is_empty();
        }
    }

    /// A launch has ended; `now` forces a write, after a fault with which the process may end.
    fn has_counted(&self, now: bool) {
        let Some(mut state) = self.state() else { return };
        state.has_changed = true;
        let is_early = self.launches.load(Relaxed) <= ONE_BY_ONE;
        if !now && !is_early && state.next.is_some_and(|next| Instant::now() < next) {
            return;
        }
        drop(state);
        let start = Instant::now();
        let _ = self.write();
        let pause = start.elapsed() * TIMES;
        if let Some(mut state) = self.state() {
            state.next = Some(Instant::now() + pause);
        }
    }
}

/// The profile of a loaded module.
#[derive(Debug)]
pub struct Module {
    /// The name of the module's PTX file, and a hash of the module's text.
    ptx: String,
    hash: u64,
    counted: Mutex<Counted>,
    recorder: Option<Arc<Recorder>>,
}

#[derive(Debug, Default)]
struct Counted {
    /// The instruction tables of kernels, by kernel name.
    tables: HashMap<String, Arc<Table>>,
    profile: Profile,
    launches: u64,
}

impl Module {
    /// The profile of a module whose PTX is in the file `ptx`.
    pub fn new(text: &str, ptx: PathBuf) -> Arc<Self> {
        Arc::new(Self::of(text, ptx, None))
    }

    fn of(text: &str, ptx: PathBuf, recorder: Option<Arc<Recorder>>) -> Self {
        let mut hash = DefaultHasher::new();
        hash.write(text.as_bytes());
        let ptx = ptx.to_string_lossy().into_owned();
        Self { ptx, hash: hash.finish(), counted: Mutex::default(), recorder }
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        lock(&self.counted)
    }

    /// The profile of the module's launches until now.
    pub fn profile(&self) -> Profile {
        self.counted().profile.clone()
    }

    fn add_to(&self, profile: &mut Profile) {
        profile.add(&self.counted().profile);
    }

    /// Clears the counts in a forked process, since they are its parent's.
    fn clear(&self) {
        let mut counted = self.counted();
        (counted.profile, counted.launches) = (Profile::default(), 0);
    }

    /// The table of a kernel's code.
    pub(crate) fn table(&self, launch: &LaunchInfo<'_>) -> Arc<Table> {
        if let Some(recorder) = &self.recorder {
            recorder.begins();
        }
        let known = self.counted().tables.get(launch.kernel).cloned();
        // If other functions were lowered since the table was made, operation numbers have changed.
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
        let number = self
            .recorder
            .as_ref()
            .map_or(counted.launches, |recorder| recorder.launches.fetch_add(1, Relaxed) + 1);
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
