//! Collects the counts of all modules of a process, and writes them repeatedly while the process
//! runs.

use crate::data::Coverage;
use crate::lcov;
use crate::ledger;
use crate::maker;
use crate::module::{AT_LEAST, Collector, Counted, Module};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};
use texunit_simt::observe::Listing;

/// Minimum interval between two writes, as a multiple of the time that a write takes.
const TIMES: u32 = 20;
/// Maximum number of lines, functions and branches of all modules; modules that are loaded beyond
/// it are not covered.
const MAX_COUNTERS: usize = 4 << 20;
/// How long to wait for another thread's write at the end of the process.
const PATIENCE_TO_WRITE: Duration = Duration::from_secs(10);

/// Where coverage is written to.
#[derive(Clone, Debug)]
pub enum Target {
    /// The folder of the process's run: a file for each module, updated after every launch, as
    /// [`Coverage::read`] reads it.
    Run(PathBuf),
    /// An lcov tracefile, written occasionally and at the end of the process; `%p` in its name
    /// stands for the process ID. The flag includes the headers of CUDA and compilers.
    File(PathBuf, bool),
}

/// The coverage of a process.
#[derive(Debug)]
pub struct Recorder {
    target: Target,
    state: Mutex<State>,
    /// ID of the process that the counts belong to; a forked process checks it before it waits for
    /// a lock.
    process: AtomicU32,
}

#[derive(Debug, Default)]
struct State {
    /// The coverage of unloaded modules, for tracefiles.
    gone: Coverage,
    /// For ledger files: the counts of unloaded modules and the sizes of the counts, by the hash of
    /// the module's table. A module that is loaded again continues with its counts.
    left: HashMap<u64, Vec<(Counted, usize)>>,
    /// Total of the sizes of unloaded modules' counts in `left`.
    left_size: usize,
    modules: Vec<Weak<Module>>,
    /// The number of the next module that is loaded.
    number: u64,
    /// When the tracefile may be written again.
    next: Option<Instant>,
    has_changed: bool,
    /// Whether a thread is writing a snapshot. Only one may, so that an older snapshot cannot
    /// replace a newer one.
    is_writing: bool,
    is_full: bool,
}

impl Recorder {
    /// The recorder of a process without coverage.
    pub fn new(target: Target) -> Arc<Self> {
        let process = std::process::id().into();
        Arc::new(Self { target, state: Mutex::default(), process })
    }

    /// The observer of a loaded module. `ptx` creates a file with its PTX, for functions without
    /// `.loc`. `None` if the modules have too many counters; the first time, `full` is called.
    pub fn module(
        self: &Arc<Self>,
        listing: Listing<'_>,
        ptx: impl FnOnce() -> Option<PathBuf>,
        full: impl FnOnce(),
    ) -> Option<Arc<Module>> {
        let name = listing.source().name();
        let mut table = maker::table(listing, name);
        // Functions without `.loc` are shown by the lines of the PTX.
        if table.files.iter().any(|file| file == name) {
            let path = there(name, listing.source().text()).or_else(ptx);
            let path = path.unwrap_or_else(|| name.into());
            let files = table.files.iter_mut().filter(|file| *file == name);
            files.for_each(|file| *file = path.to_string_lossy().into_owned());
        }
        let key = match &self.target {
            Target::Run(_) => ledger::header(&table).ok()?.1,
            Target::File(..) => 0,
        };
        let mut state = self.state()?;
        state.modules.retain(|module| module.strong_count() > 0);
        let loaded: Vec<_> = state.modules.iter().filter_map(Weak::upgrade).collect();
        let size = loaded.iter().map(|module| module.len()).sum::<usize>();
        let size = size.saturating_add(state.gone.len()).saturating_add(state.left_size);
        let again = state.reuse_counts(key);
        let fits = again.is_some() || size.saturating_add(table.len()) <= MAX_COUNTERS;
        let is_first = !fits && !std::mem::replace(&mut state.is_full, true);
        let module = fits.then(|| {
            state.number += 1;
            let counted = again.unwrap_or_else(|| Counted::new(table.counters, state.number, key));
            Arc::new(Module::of(table, counted, Some(Arc::clone(self) as _)))
        });
        if let Some(module) = &module {
            state.modules.push(Arc::downgrade(module));
            state.has_changed = true;
        }
        drop(state);
        // `loaded` is dropped without the lock, because dropping a module's last reference calls
        // [`Self::unloaded`].
        drop(loaded);
        if is_first {
            full();
        }
        if let (Some(module), Target::Run(folder)) = (&module, &self.target) {
            // A failed write is repeated later, and its error reported at the end.
            let _ = module.write_through(folder);
        }
        module
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        texunit_evidence::lock(&self.state)
    }

    /// Writes the tracefile if the interval since the last write has passed, or if `now`.
    fn write_at_times(&self, path: &Path, now: bool) {
        let Some(mut state) = self.state() else { return };
        state.has_changed = true;
        if !now && state.next.is_some_and(|next| Instant::now() < next) || state.is_writing {
            return;
        }
        // A tracefile in a pipe cannot be replaced later, so that it is written only at the end.
        let file = texunit_evidence::name_of_process(path, std::process::id());
        if texunit_evidence::is_written_in_place(&file) {
            return;
        }
        state.is_writing = true;
        drop(state);
        let start = Instant::now();
        let _ = self.put(path);
        let pause = (start.elapsed() * TIMES).max(AT_LEAST);
        if let Some(mut state) = self.state() {
            state.next = Some(Instant::now() + pause);
            state.is_writing = false;
        }
    }

    /// Writes the coverage at the end of the process.
    ///
    /// # Errors The coverage cannot be written.
    pub fn write(&self) -> io::Result<()> {
        // A forked process without launches has no coverage.
        if !self.is_of_this_process() {
            return Ok(());
        }
        match &self.target {
            Target::Run(folder) => self.write_ledgers(folder),
            Target::File(path, _) => self.write_file(path),
        }
    }

    fn write_ledgers(&self, folder: &Path) -> io::Result<()> {
        let state = self.state().ok_or_else(timed_out)?;
        let loaded: Vec<_> = state.modules.iter().filter_map(Weak::upgrade).collect();
        drop(state);
        let start = Instant::now();
        for module in loaded {
            while !module.write_through(folder)? {
                wait(start)?;
            }
        }
        Ok(())
    }

    fn write_file(&self, path: &Path) -> io::Result<()> {
        let start = Instant::now();
        loop {
            let mut state = self.state().ok_or_else(timed_out)?;
            if !state.is_writing {
                state.is_writing = true;
                break;
            }
            drop(state);
            wait(start)?;
        }
        let written = self.put(path);
        if let Some(mut state) = self.state() {
            state.is_writing = false;
        }
        written
    }

    fn is_of_this_process(&self) -> bool {
        self.process.load(Relaxed) == std::process::id()
    }

    /// Writes a snapshot of the coverage, in the thread that has set `is_writing`.
    fn put(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state().ok_or_else(timed_out)?;
        if !std::mem::take(&mut state.has_changed) {
            return Ok(());
        }
        let mut coverage = state.gone.clone();
        let loaded: Vec<_> = state.modules.iter().filter_map(Weak::upgrade).collect();
        drop(state);
        loaded.iter().for_each(|module| module.add_to(&mut coverage));
        drop(loaded);
        if matches!(self.target, Target::File(_, false)) {
            coverage.leave_out_toolkit();
        }
        let path = texunit_evidence::name_of_process(path, std::process::id());
        let written = lcov::write(&path, &coverage);
        if written.is_err()
            && let Some(mut state) = self.state()
        {
            state.has_changed = true;
        }
        written
    }
}

impl Collector for Recorder {
    /// In a process forked since the last launch, the counts are its parent's and
    /// are cleared.
    fn begins(&self) {
        let Some(mut state) = self.state() else { return };
        state.has_changed = true;
        if self.is_of_this_process() {
            return;
        }
        self.process.store(std::process::id(), Relaxed);
        (state.next, state.is_writing) = (None, false);
        state.gone.clear();
        (state.left, state.left_size) = (HashMap::new(), 0);
        let loaded: Vec<_> = state.modules.iter().filter_map(Weak::upgrade).collect();
        drop(state);
        loaded.iter().for_each(|module| module.clear());
    }

    fn unloaded(&self, module: &Module) {
        if let Target::Run(folder) = &self.target {
            let _ = module.write_through(folder);
        }
        let Some(mut state) = self.state() else { return };
        match &self.target {
            Target::Run(_) => {
                let (counted, size) = (module.take(), module.len());
                state.left_size += size;
                state.left.entry(counted.key).or_default().push((counted, size));
            }
            Target::File(..) => {
                module.add_to(&mut state.gone);
                // A snapshot written during the unloading may lack the module.
                state.has_changed = true;
            }
        }
    }

    fn has_counted(&self, module: &Module, is_due: bool, now: bool) {
        match &self.target {
            // A failed write is repeated later, and its error reported at the end.
            Target::Run(folder) if is_due => drop(module.write_through(folder)),
            Target::Run(_) => {}
            Target::File(path, _) => self.write_at_times(path, now),
        }
    }
}

impl State {
    /// The counts of an unloaded module with the same table.
    fn reuse_counts(&mut self, key: u64) -> Option<Counted> {
        let (counted, size) = self.left.get_mut(&key)?.pop()?;
        self.left_size -= size;
        Some(counted)
    }
}

/// Waits briefly for another thread's write; an error if `since` is [`PATIENCE_TO_WRITE`] ago.
fn wait(since: Instant) -> io::Result<()> {
    if since.elapsed() > PATIENCE_TO_WRITE {
        return Err(timed_out());
    }
    std::thread::sleep(Duration::from_millis(1));
    Ok(())
}

fn timed_out() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "another thread is at work on it and does not finish")
}

/// The path of the file that a PTX module was loaded from, if the file still has the module's text.
fn there(name: &str, text: &str) -> Option<PathBuf> {
    let path = std::path::absolute(name).ok()?;
    let size = path.metadata().ok().filter(|m| m.is_file())?.len();
    let same = size == text.len() as u64 && std::fs::read(&path).ok()? == text.as_bytes();
    same.then_some(path)
}
