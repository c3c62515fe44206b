//! Collects the profile of a process, and writes it repeatedly: after each of the first launches,
//! after each fault, later whenever writing takes at most a twentieth of the time, and at the end
//! of the process. A killed process therefore loses at most the last moments.

use crate::callgrind;
use crate::data::Profile;
use crate::module::{Collector, Module};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Instant;

/// Extension of the profiles that processes leave in the folder of a run.
pub const EXTENSION: &str = "profile";

/// Number of launches after each of which the profile is written: programs that end without running
/// exit handlers often make few.
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

/// The profile of a process.
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

    /// The profile of a loaded module whose PTX is in a file of this name.
    pub fn module(self: &Arc<Self>, text: &str, ptx: PathBuf) -> Arc<Module> {
        let module = Arc::new(Module::of(text, ptx, Some(Arc::clone(self) as _)));
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

    /// Writes the profile.
    ///
    /// # Errors
    /// It cannot be written.
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
        // Dropping the last reference to a module calls [`Self::unloaded`].
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

impl Collector for Recorder {
    /// In a process forked since the last launch, the counts are its parent's and
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

    fn number(&self) -> u64 {
        self.launches.fetch_add(1, Relaxed) + 1
    }

    fn unloaded(&self, profile: &Profile) {
        if let Some(mut state) = self.state() {
            state.gone.add(profile);
            state.has_changed |= !profile.is_empty();
        }
    }

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
