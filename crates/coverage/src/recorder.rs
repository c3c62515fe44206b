//! What a process has covered, written as it goes.

use crate::data::Coverage;
use crate::lcov;
use crate::maker;
use crate::module::Module;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::{Duration, Instant};
use texunit_simt::observe::Listing;

/// Time between two times of writing, at least;
const AT_LEAST: Duration = Duration::from_secs(1);
/// and so many times as long as writing took.
const TIMES: u32 = 20;
/// Lines, functions and branches of all modules together: modules that are loaded beyond that are not covered.
const MOST: usize = 4 << 20;
/// How long a lock is waited for when the process ends: in a process that was forked, whoever held it may not be there.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long another thread's writing is waited for then.
const PATIENCE_TO_WRITE: Duration = Duration::from_secs(10);

/// Extension of the files that processes leave in the folder of a run.
pub const EXTENSION: &str = "coverage";

/// Where coverage is written.
#[derive(Clone, Debug)]
pub enum Target {
    /// To the folder of the run that the process is part of, as [`Coverage::read`] takes it.
    Run(PathBuf),
    /// To a tracefile of lcov; `%p` in its name is the number of the process.
    File(PathBuf),
}

impl Target {
    fn write(&self, coverage: &Coverage) -> io::Result<()> {
        match self {
            Self::Run(folder) => {
                let file = texunit_evidence::own_file(folder, EXTENSION);
                texunit_evidence::write(&file, &serde_json::to_vec(coverage)?)
            }
            Self::File(path) => {
                lcov::write(&texunit_evidence::name_of_process(path, std::process::id()), coverage)
            }
        }
    }

    /// Whether it can be written again: not what is written into a pipe.
    fn is_replaced(&self) -> bool {
        match self {
            Self::Run(_) => true,
            Self::File(path) => {
                let path = texunit_evidence::name_of_process(path, std::process::id());
                !texunit_evidence::is_written_in_place(&path)
            }
        }
    }
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
    /// What modules have covered that are not loaded any more.
    gone: Coverage,
    modules: Vec<Weak<Module>>,
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
            modules: Vec::new(),
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
        let mut state = self.state()?;
        state.modules.retain(|module| module.strong_count() > 0);
        let loaded: Vec<_> = state.modules.iter().filter_map(Weak::upgrade).collect();
        let size = state.gone.len() + loaded.iter().map(|module| module.len()).sum::<usize>();
        let fits = size.saturating_add(table.len()) <= MOST;
        let is_first = !fits && !std::mem::replace(&mut state.is_full, true);
        let module = fits.then(|| Arc::new(Module::of(table, Some(Arc::clone(self)))));
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
        module
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        let start = Instant::now();
        loop {
            match self.state.try_lock() {
                Ok(state) => return Some(state),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => return None,
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
        let loaded: Vec<_> = state.modules.iter().filter_map(Weak::upgrade).collect();
        drop(state);
        loaded.iter().for_each(|module| module.clear());
    }

    /// A module is loaded no longer.
    pub(crate) fn unloaded(&self, module: &Module) {
        if let Some(mut state) = self.state() {
            module.add_to(&mut state.gone);
            // What was written while the module was on its way may be without it.
            state.has_changed = true;
        }
    }

    /// Writes what is covered if it has not been written for a while, or `now`.
    pub(crate) fn write_at_times(&self, now: bool) {
        let Some(mut state) = self.state() else { return };
        state.has_changed = true;
        if !now && state.next.is_some_and(|next| Instant::now() < next) || state.is_writing {
            return;
        }
        if !self.target.is_replaced() {
            return;
        }
        state.is_writing = true;
        drop(state);
        let start = Instant::now();
        // What cannot be written now is written, or told, at the end.
        let _ = self.put();
        let pause = (start.elapsed() * TIMES).max(AT_LEAST);
        if let Some(mut state) = self.state() {
            state.next = Some(Instant::now() + pause);
            state.is_writing = false;
        }
    }

    /// Writes what is covered: the process ends.
    pub fn write(&self) -> io::Result<()> {
        // A process that was forked and has launched nothing has covered nothing.
        if !self.is_of_this_process() {
            return Ok(());
        }
        let start = Instant::now();
        loop {
            let mut state = self.state().ok_or_else(late)?;
            if !state.is_writing {
                state.is_writing = true;
                break;
            }
            drop(state);
            if start.elapsed() > PATIENCE_TO_WRITE {
                return Err(late());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let written = self.put();
        if let Some(mut state) = self.state() {
            state.is_writing = false;
        }
        written
    }

    fn is_of_this_process(&self) -> bool {
        self.process.load(Relaxed) == std::process::id()
    }

    /// Takes a snapshot and writes it, for the thread that has set `is_writing`.
    fn put(&self) -> io::Result<()> {
        let mut state = self.state().ok_or_else(late)?;
        if !std::mem::take(&mut state.has_changed) {
            return Ok(());
        }
        let mut coverage = state.gone.clone();
        let loaded: Vec<_> = state.modules.iter().filter_map(Weak::upgrade).collect();
        drop(state);
        loaded.iter().for_each(|module| module.add_to(&mut coverage));
        drop(loaded);
        let written = self.target.write(&coverage);
        if written.is_err()
            && let Some(mut state) = self.state()
        {
            state.has_changed = true;
        }
        written
    }
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
