//! What a process has counted, written as it goes: after each of its first launches and after each fault, then when so much
//! time has gone by that writing takes a twentieth of it, and when the process ends. So a process that is killed loses only
//! what it has launched in a moment before that.

use crate::callgrind;
use crate::data::Profile;
use crate::module::Module;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::{Duration, Instant};

/// Extension of the files that processes leave in the folder of a run.
pub const EXTENSION: &str = "profile";

/// Launches that are written one by one: many processes that end without notice make few.
const ONE_BY_ONE: u64 = 32;
/// Time between two times of writing, in times that writing took.
const TIMES: u32 = 20;
/// How long a lock is waited for: in a process that was forked, the thread that held it may not be there.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The form of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// texunit's own: everything that was counted.
    Json,
    /// That of Callgrind, which KCachegrind and QCachegrind show.
    Callgrind,
}

impl Format {
    /// The form that a file's name asks for: `callgrind.out` at its beginning, or JSON.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("callgrind.out") { Self::Callgrind } else { Self::Json }
    }

    /// A profile in this form.
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
    /// To the folder of the run that the process is part of.
    Run(PathBuf),
    /// To a file; `%p` in its name is the number of the process.
    File(PathBuf, Format),
}

/// What a process counts.
#[derive(Debug)]
pub struct Recorder {
    target: Target,
    state: Mutex<State>,
    launches: AtomicU64,
    /// Number of the process that counts are of.
    process: AtomicU32,
}

#[derive(Debug, Default)]
struct State {
    modules: Vec<Weak<Module>>,
    /// Of modules that are loaded no longer.
    gone: Profile,
    next: Option<Instant>,
    has_changed: bool,
}

impl Recorder {
    /// Of a process that has launched nothing yet.
    pub fn new(target: Target) -> Arc<Self> {
        let process = std::process::id().into();
        Arc::new(Self { target, state: Mutex::default(), launches: AtomicU64::new(0), process })
    }

    /// A module that is loaded, of PTX in a file of this name.
    pub fn module(self: &Arc<Self>, text: &str, ptx: PathBuf) -> Arc<Module> {
        let module = Arc::new(Module::of(text, ptx, Some(Arc::clone(self))));
        if let Some(mut state) = self.state() {
            state.modules.retain(|module| module.strong_count() > 0);
            state.modules.push(Arc::downgrade(&module));
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

    fn loaded(state: &State) -> Vec<Arc<Module>> {
        state.modules.iter().filter_map(Weak::upgrade).collect()
    }

    /// A launch begins. In a process that was forked since the last one, the counts are its parent's.
    pub(crate) fn begins(&self) {
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

    /// The number of a launch.
    pub(crate) fn number(&self) -> u64 {
        self.launches.fetch_add(1, Relaxed) + 1
    }

    /// A module is loaded no longer.
    pub(crate) fn unloaded(&self, profile: &Profile) {
        if let Some(mut state) = self.state() {
            state.gone.add(profile);
            state.has_changed |= !profile.is_empty();
        }
    }

    /// A launch has ended; what follows a fault (`now`) is often the end of the process.
    pub(crate) fn has_counted(&self, now: bool) {
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

    /// Writes what was counted up to now.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self) -> io::Result<()> {
        // A process that was forked and has launched nothing has counted nothing.
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
        // The last one to hold a module tells that it goes.
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
}
