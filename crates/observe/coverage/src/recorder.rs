//! What a process has covered, written as it goes.

use crate::data::Coverage;
use crate::lcov;
use crate::ledger;
use crate::maker;
use crate::module::{Counted, Module};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::{Duration, Instant};
use texunit_simt::observe::Listing;

/// Time between two times of writing what goes on, at least;
pub(crate) const AT_LEAST: Duration = Duration::from_secs(1);
/// and so many times as long as writing took.
const TIMES: u32 = 20;
/// Lines, functions and branches of all modules together: modules that are loaded beyond that are not covered.
const MAX_COUNTERS: usize = 4 << 20;
/// How long a lock is waited for when the process ends: in a process that was forked, whoever held it may not be there.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// How long another thread's writing is waited for then.
const PATIENCE_TO_WRITE: Duration = Duration::from_secs(10);

/// Where coverage is written.
#[derive(Clone, Debug)]
pub enum Target {
    /// To the folder of the run that the process is part of: a file of each module, with every launch, as
    /// [`Coverage::read`] takes it.
    Run(PathBuf),
    /// To a tracefile of lcov, now and then, and when the process ends; `%p` in its name is the number of the process. Whether
    /// with the headers that come with CUDA.
    File(PathBuf, bool),
}

/// What a process covers.
#[derive(Debug)]
pub struct Recorder {
    target: Target,
    state: Mutex<State>,
    /// Number of the process that counts are of. A process that was forked off asks before it waits for a lock.
    process: AtomicU32,
}

#[derive(Debug)]
struct State {
    /// What modules have covered that are not loaded any more: those of a tracefile.
    gone: Coverage,
    /// What modules with ledgers have covered, by what their tables have in common, and the sizes of these: a module that is
    /// loaded again goes on with one.
    left: HashMap<u64, Vec<(Counted, usize)>>,
    /// The sum of these sizes.
    left_size: usize,
    modules: Vec<Weak<Module>>,
    /// The next module's number.
    number: u64,
    /// When it was written last, and when it may be written again.
    next: Option<Instant>,
    has_changed: bool,
    /// A thread takes a snapshot and writes it. No other one does: an older snapshot is not to replace a newer one.
    is_writing: bool,
    is_full: bool,
}

impl Recorder {
    /// Of a process that has covered nothing yet.
    pub fn new(target: Target) -> Arc<Self> {
        let state = State {
            gone: Coverage::default(),
            left: HashMap::new(),
            left_size: 0,
            modules: Vec::new(),
            number: 0,
            next: None,
            has_changed: false,
            is_writing: false,
            is_full: false,
        };
        let process = std::process::id().into();
        Arc::new(Self { target, state: Mutex::new(state), process })
    }

    /// The observer of a module that is loaded. `ptx` makes a file with its PTX, for functions without `.loc`.
    /// `None`: there are too many already; `full` is called for the first of those.
    pub fn module(
        self: &Arc<Self>,
        listing: Listing<'_>,
        ptx: impl FnOnce() -> Option<PathBuf>,
        full: impl FnOnce(),
    ) -> Option<Arc<Module>> {
        let name = listing.source().name();
        let mut table = maker::table(listing, name);
        if table.shows(name) {
            let file = there(name, listing.source().text()).or_else(ptx);
            let file = file.unwrap_or_else(|| name.into());
            table.rename(name, &file.to_string_lossy());
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
        let again = state.again(key);
        let fits = again.is_some() || size.saturating_add(table.len()) <= MAX_COUNTERS;
        let is_first = !fits && !std::mem::replace(&mut state.is_full, true);
        let module = fits.then(|| {
            state.number += 1;
            let counted = again.unwrap_or_else(|| Counted::new(table.counters, state.number, key));
            Arc::new(Module::of(table, counted, Some(Arc::clone(self))))
        });
        if let Some(module) = &module {
            state.modules.push(Arc::downgrade(module));
            state.has_changed = true;
        }
        drop(state);
        // These may be the last ones to hold a module, which tells us that it goes.
        drop(loaded);
        if is_first {
            full();
        }
        if let (Some(module), Target::Run(folder)) = (&module, &self.target) {
            // What cannot be written now is written, or told, at the end.
            let _ = module.write_through(folder);
        }
        module
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        let start = Instant::now();
        loop {
            match self.state.try_lock() {
                Ok(state) => return Some(state),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if start.elapsed() > LOCK_TIMEOUT => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(100)),
            }
        }
    }

    /// A launch begins. In a process that was forked since the last one, the counts are its parent's.
    pub(crate) fn begins(&self) {
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

    /// A module is loaded no longer.
    pub(crate) fn unloaded(&self, module: &Module) {
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
                // What was written while the module was on its way may be without it.
                state.has_changed = true;
            }
        }
    }

    /// A launch of a module has ended, or goes on and it `is_due` to write what it has counted; or it must be `now`.
    pub(crate) fn has_counted(&self, module: &Module, is_due: bool, now: bool) {
        match &self.target {
            // What cannot be written now is written, or told, at the end.
            Target::Run(folder) if is_due => drop(module.write_through(folder)),
            Target::Run(_) => {}
            Target::File(path, _) => self.write_at_times(path, now),
        }
    }

    /// Writes what is covered if it has not been written for a while, or `now`.
    fn write_at_times(&self, path: &Path, now: bool) {
        let Some(mut state) = self.state() else { return };
        state.has_changed = true;
        if !now && state.next.is_some_and(|next| Instant::now() < next) || state.is_writing {
            return;
        }
        if !is_replaced(path) {
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

    /// Writes what is covered: the process ends.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self) -> io::Result<()> {
        // A process that was forked and has launched nothing has covered nothing.
        if !self.is_of_this_process() {
            return Ok(());
        }
        match &self.target {
            Target::Run(folder) => self.write_ledgers(folder),
            Target::File(path, _) => self.write_file(path),
        }
    }

    fn write_ledgers(&self, folder: &Path) -> io::Result<()> {
        let state = self.state().ok_or_else(late)?;
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
            let mut state = self.state().ok_or_else(late)?;
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

    /// Takes a snapshot and writes it, for the thread that has set `is_writing`.
    fn put(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state().ok_or_else(late)?;
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

impl State {
    /// What a module has left that had the same table.
    fn again(&mut self, key: u64) -> Option<Counted> {
        let (counted, size) = self.left.get_mut(&key)?.pop()?;
        self.left_size -= size;
        Some(counted)
    }
}

/// Whether a tracefile can be written again: not what is written into a pipe.
fn is_replaced(path: &Path) -> bool {
    let path = texunit_evidence::name_of_process(path, std::process::id());
    !texunit_evidence::is_written_in_place(&path)
}

/// Waits a little for another thread that writes, but not for ever.
fn wait(since: Instant) -> io::Result<()> {
    if since.elapsed() > PATIENCE_TO_WRITE {
        return Err(late());
    }
    std::thread::sleep(Duration::from_millis(1));
    Ok(())
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "another thread is at work on it and does not finish")
}

/// The file that PTX was loaded from, if it has that name and text.
fn there(name: &str, text: &str) -> Option<PathBuf> {
    let path = std::path::absolute(name).ok()?;
    let size = path.metadata().ok().filter(|m| m.is_file())?.len();
    let same = size == text.len() as u64 && std::fs::read(&path).ok()? == text.as_bytes();
    same.then_some(path)
}
