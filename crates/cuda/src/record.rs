//! Launches that are written as jobs (`texunit run --record`): which ones, where to, and what is said of it.
//!
//! What a job holds, and which launches cannot be one, is crate `record`'s. A launch that is recorded runs alone: others
//! would change memory that the job is to expect. Without `TEXUNIT_RECORD` none of this does anything.

mod wanted;

pub(crate) use wanted::{Wanted, wanted};

use crate::call::{Owner, say};
use crate::module::Function;
use crate::settings::settings;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use texunit_device::{FaultKind, LaunchError, LaunchOptions, LaunchStats};
use texunit_record::{Before, Ended, Launch, Refused, Written};
use wanted::plain_name;

/// What has been recorded.
#[derive(Debug, Default)]
struct Progress {
    /// Launches of the process.
    launches: u64,
    /// Launches of all kernels that `--kernel` means.
    chosen: u64,
    of_kernel: BTreeMap<String, OfKernel>,
    /// Jobs that are written.
    written: u64,
    /// Bytes of their files.
    bytes: u64,
    /// Kernels that cannot be recorded and of which that was said, and the limit.
    told: HashSet<String>,
}

/// What is known of a kernel.
#[derive(Debug, Default)]
struct OfKernel {
    launches: u64,
    /// Whether `--kernel` means it: the name has to be demangled for that, which is done once.
    is_chosen: bool,
}

impl Progress {
    /// Counts a launch of a kernel: how many of it there were, and whether `--kernel` means it.
    fn count(&mut self, kernel: &str, is_chosen: impl FnOnce() -> bool) -> (u64, bool) {
        self.launches += 1;
        if !self.of_kernel.contains_key(kernel) {
            let new = OfKernel { launches: 0, is_chosen: is_chosen() };
            self.of_kernel.insert(kernel.to_owned(), new);
        }
        let Some(of_kernel) = self.of_kernel.get_mut(kernel) else { return (0, false) };
        of_kernel.launches += 1;
        self.chosen += u64::from(of_kernel.is_chosen);
        (of_kernel.launches, of_kernel.is_chosen)
    }
}

static PROGRESS: Mutex<Option<Progress>> = Mutex::new(None);
/// The process that it is of: one that was forked off begins anew.
static OWNER: Owner = Owner::none();
/// Held by every launch of a process that records, and by one that is recorded alone.
static ALONE: RwLock<()> = RwLock::new(());

fn progress() -> MutexGuard<'static, Option<Progress>> {
    PROGRESS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps others away, or at least what is recorded.
#[derive(Debug)]
enum Turn {
    Alone { _guard: RwLockWriteGuard<'static, ()> },
    Any { _guard: RwLockReadGuard<'static, ()> },
}

/// A launch of a process that records.
#[derive(Debug)]
pub(crate) struct Recording {
    _turn: Turn,
    /// What the launch finds, if it is one to be recorded.
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    before: Before,
    remarks: Vec<String>,
    number: u64,
    /// The folder, if it is for one launch only.
    _claim: Option<Claim>,
}

/// The folder of one launch, which no other process of the run may record into as long as this lives.
#[derive(Debug)]
struct Claim(Option<File>);

impl Claim {
    /// `None` if another process has the folder, or had it and has written its job.
    fn of(folder: &Path) -> Option<Self> {
        // What cannot be made or locked here is told of when the job is written.
        let _ = std::fs::create_dir_all(folder);
        let locked = File::open(folder).ok();
        let is_taken = |file: &File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if locked.as_ref().is_some_and(is_taken) {
            return None;
        }
        let claim = Self(locked);
        // Only now: whoever had the folder has written it before they let go.
        (!folder.join("job.toml").exists()).then_some(claim)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A process that was forked off meanwhile has the file open, too.
        let _ = self.0.as_ref().map(File::unlock);
    }
}

/// Begins a launch: `None` if nothing is recorded.
pub(crate) fn begin(
    function: &Function,
    options: &LaunchOptions<'_>,
    params: &[u8],
) -> Option<Recording> {
    let wanted = settings().record.as_ref()?;
    let Some(number) = is_turn(wanted, function.kernel.name()) else {
        let guard = ALONE.read().unwrap_or_else(PoisonError::into_inner);
        return Some(Recording { _turn: Turn::Any { _guard: guard }, pending: None });
    };
    let guard = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    let claim = wanted.kernel.as_ref().map(|_| Claim::of(&wanted.folder));
    let pending = match claim {
        // Another process of the run has it.
        Some(None) => None,
        claim => {
            let remarks = remarks(function, number);
            let before = hold(wanted, function, options, params, &remarks);
            let before = before.map_err(|why| refused(wanted, function, number.0, &why)).ok();
            let number = number.0;
            before.map(|before| Pending { before, remarks, number, _claim: claim.flatten() })
        }
    };
    Some(Recording { _turn: Turn::Alone { _guard: guard }, pending })
}

/// Counts a launch; its number in the process and of its kernel, if it is to be recorded.
fn is_turn(wanted: &Wanted, kernel: &str) -> Option<(u64, u64)> {
    let mut progress = progress();
    if !OWNER.is_this_process() {
        *progress = Some(Progress::default());
        OWNER.take();
        at_exit();
    }
    let progress = progress.get_or_insert_default();
    let chosen = wanted.kernel.as_ref();
    let (of_kernel, is_chosen) =
        progress.count(kernel, || chosen.is_some_and(|chosen| chosen.is(kernel)));
    match chosen {
        Some(chosen) => (is_chosen && chosen.number == progress.chosen)
            .then_some((progress.launches, progress.chosen)),
        None if progress.written < wanted.launches => Some((progress.launches, of_kernel)),
        None => {
            if progress.told.insert(String::new()) {
                let (n, k) = (wanted.launches, "--record-limit");
                say(format_args!(
                    "{n} launches are recorded, and no more ({k}); `--kernel NAME:N` records a certain one"
                ));
            }
            None
        }
    }
}

fn hold(
    wanted: &Wanted,
    function: &Function,
    options: &LaunchOptions<'_>,
    params: &[u8],
    remarks: &[String],
) -> Result<Before, Refused> {
    let devices = crate::state::gpus().map_or(1, <[_]>::len);
    if let Some(why) = texunit_record::refusal(&function.kernel, devices) {
        return Err(Refused::Launch(why));
    }
    let launch = Launch { kernel: &function.kernel, options, params, remarks };
    let used = progress().as_ref().map_or(0, |progress| progress.bytes);
    Before::of(&launch, wanted.bytes.saturating_sub(used))
}

/// What the job says of itself.
fn remarks(function: &Function, (number, of_kernel): (u64, u64)) -> Vec<String> {
    let name = texunit_report::place::function_name(function.kernel.name());
    let program = std::env::args_os().next().unwrap_or_default();
    vec![
        format!("Recorded by texunit {}: launch {of_kernel} of {name},", env!("CARGO_PKG_VERSION")),
        format!("launch {number} of the process {}.", program.display()),
        "`texunit launch` with the name of this file repeats it; docs/jobs.md describes the keys."
            .to_owned(),
    ]
}

/// Longest part of a kernel's name in the name of a folder.
const LONG_NAME: usize = 48;
/// Folders of one number and name that are tried.
const MOST_FOLDERS: u32 = 1000;

fn folder(wanted: &Wanted, function: &Function, number: u64) -> PathBuf {
    if wanted.kernel.is_some() {
        return wanted.folder.clone();
    }
    let full = texunit_report::place::function_name(function.kernel.name());
    let fine = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let name: String = plain_name(&full).chars().filter(fine).take(LONG_NAME).collect();
    // What cannot be made is told of when the job is written.
    let _ = std::fs::create_dir_all(&wanted.folder);
    new_folder(&wanted.folder, &format!("{number:04}-{name}"))
}

/// Makes a folder that is not there yet: another process of the run may have a launch of that number too, and so may
/// another program with the number of this process.
fn new_folder(parent: &Path, name: &str) -> PathBuf {
    let process = std::process::id();
    let others = (2..MOST_FOLDERS).map(|n| format!("{name}-{process}-{n}"));
    let mut names = [name.to_owned(), format!("{name}-{process}")].into_iter().chain(others);
    let is_there = |folder: &PathBuf| {
        let made = std::fs::create_dir(folder);
        made.is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
    };
    let free = names.by_ref().map(|name| parent.join(name)).find(|folder| !is_there(folder));
    free.unwrap_or_else(|| parent.join(name))
}

impl Recording {
    /// The launch has ended: writes the job.
    pub(crate) fn end(
        self,
        function: &Function,
        options: &LaunchOptions<'_>,
        params: &[u8],
        result: &Result<LaunchStats, LaunchError>,
    ) {
        let (Some(wanted), Some(pending)) = (settings().record.as_ref(), self.pending) else {
            return;
        };
        let Pending { before, remarks, number, _claim } = pending;
        let ended = match result {
            Ok(_) => Ended::Done,
            Err(LaunchError::Fault(fault)) if fault.kind != FaultKind::Cancelled => {
                Ended::Fault(fault)
            }
            // Of many launches that is not worth a word: the program hears of it.
            Err(_) if wanted.kernel.is_none() => return,
            Err(LaunchError::Fault(_)) => {
                let why = Refused::Launch("it was stopped from outside".to_owned());
                return refused(wanted, function, number, &why);
            }
            Err(_) => {
                let why = Refused::Launch("it was refused, and nothing has run".to_owned());
                return refused(wanted, function, number, &why);
            }
        };
        let launch = Launch { kernel: &function.kernel, options, params, remarks: &remarks };
        let folder = folder(wanted, function, number);
        match before.write(&launch, &folder, ended) {
            Ok(written) => recorded(wanted, function, number, &written),
            Err(why) => refused(wanted, function, number, &why),
        }
    }
}

fn recorded(wanted: &Wanted, function: &Function, number: u64, written: &Written) {
    if let Some(progress) = progress().as_mut() {
        progress.written += 1;
        progress.bytes += written.bytes;
    }
    if !wanted.quiet {
        let Written { job, files, bytes } = written;
        let name = texunit_report::place::function_name(function.kernel.name());
        say(format_args!(
            "launch {number}, of {name}, is recorded: {} ({files} files, {})",
            job.display(),
            size(*bytes)
        ));
    }
}

/// `12.3 KiB`
fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(shift, _)| bytes >> shift > 0);
    unit.map_or_else(
        || format!("{bytes} bytes"),
        |(shift, name)| format!("{:.1} {name}", bytes as f64 / (1_u64 << shift) as f64),
    )
}

/// Says why a launch is not recorded: of each kernel once, where all launches are.
fn refused(wanted: &Wanted, function: &Function, number: u64, why: &Refused) {
    let kernel = function.kernel.name();
    let name = texunit_report::place::function_name(kernel);
    let mut text = format!("launch {number}, of {name}, is not recorded: {why}");
    if matches!(why, Refused::Limit { .. }) {
        text += " (--record-limit)";
    }
    let first = progress().as_mut().is_some_and(|progress| progress.told.insert(kernel.to_owned()));
    if first || wanted.kernel.is_some() {
        tell(wanted, &text);
    }
}

fn tell(wanted: &Wanted, text: &str) {
    if !wanted.quiet {
        say(format_args!("{text}"));
        return;
    }
    // The one who reads it has made the folder.
    let file = why(&wanted.folder);
    let open = std::fs::OpenOptions::new().create(true).append(true).open(file);
    let _ = open.and_then(|mut file| file.write_all(format!("{text}\n").as_bytes()));
}

/// Where it is told, if nobody is to see it at once.
fn why(folder: &Path) -> PathBuf {
    folder.join("why.txt")
}

/// Most kernels that are named at the end.
const MOST_NAMES: usize = 20;

/// Has the rest said when the process ends.
fn at_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| crate::call::at_exit(end));
}

/// The process ends: says so if the launch that was wanted has not been.
extern "C" fn end() {
    let Some((wanted, chosen)) =
        settings().record.as_ref().and_then(|w| Some((w, w.kernel.as_ref()?)))
    else {
        return;
    };
    // A process that was forked off and has launched nothing has nothing to say.
    if !OWNER.is_this_process() {
        return;
    }
    let progress = progress();
    let Some(progress) = progress.as_ref() else { return };
    let count = progress.chosen;
    if count >= chosen.number {
        return;
    }
    let (number, name) = (chosen.number, &chosen.name);
    let mut text = match count {
        0 => format!("no launch of `{name}` is recorded: the program launched"),
        1 => format!("launch {number} of `{name}` is not recorded: it was launched once"),
        _ => format!("launch {number} of `{name}` is not recorded: it was launched {count} times"),
    };
    if count == 0 {
        let names = progress.of_kernel.keys().take(MOST_NAMES);
        let names: Vec<String> =
            names.map(|kernel| texunit_report::place::function_name(kernel)).collect();
        let _ = write!(text, " {}", names.join("; "));
        if progress.of_kernel.len() > MOST_NAMES {
            let _ = write!(text, " and {} more", progress.of_kernel.len() - MOST_NAMES);
        }
    }
    tell(wanted, &text);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use texunit_testkit::TempDir;

    #[test]
    fn sizes_have_units() {
        assert_eq!([size(5), size(1536), size(3 << 30)], ["5 bytes", "1.5 KiB", "3.0 GiB"]);
    }

    #[test]
    fn a_folder_is_of_one_launch() {
        let temp = TempDir::new("record-claim");
        let folder = temp.path().join("a/b");
        let first = Claim::of(&folder);
        assert!(first.is_some() && Claim::of(&folder).is_none());
        // The launch was refused: another process may have one that is not.
        drop(first);
        let second = Claim::of(&folder);
        assert!(second.is_some());
        std::fs::write(folder.join("job.toml"), "").unwrap();
        drop(second);
        assert!(Claim::of(&folder).is_none());
    }

    #[test]
    fn folders_are_new() {
        let temp = TempDir::new("record-folders");
        let process = std::process::id();
        for name in ["1-k".to_owned(), format!("1-k-{process}"), format!("1-k-{process}-2")] {
            let folder = new_folder(temp.path(), "1-k");
            assert_eq!(folder, temp.path().join(name));
            assert!(folder.is_dir());
        }
        assert_eq!(new_folder(&temp.path().join("none"), "k"), temp.path().join("none/k"));
    }

    #[test]
    fn a_kernel_is_looked_at_once() {
        let mut progress = Progress::default();
        assert_eq!(progress.count("a", || true), (1, true));
        assert_eq!(progress.count("b", || false), (1, false));
        assert_eq!(progress.count("a", || panic!("it is known")), (2, true));
        assert_eq!(progress.count("c", || true), (1, true));
        assert_eq!((progress.launches, progress.chosen), (4, 3));
    }
}
