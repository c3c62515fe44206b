//! Recording of launches as jobs (`texunit run --record`): decides which launches are recorded and
//! where, and reports what was recorded.
//!
//! The crate `record` defines the contents of a job, and which launches cannot be recorded. A
//! recorded launch runs alone, because concurrent launches would change memory that the job
//! expects. Without `TEXUNIT_RECORD` none of this has any effect.

mod folder;
mod messages;

use crate::exit::Owner;
use crate::module::Function;
use crate::prelude::*;
use crate::settings::{RecordSettings, is_meant, settings};
use folder::Claim;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use texunit_device::{FaultKind, LaunchError, LaunchOptions, LaunchStats};
use texunit_record::{Before, Ended, Launch, Refused, Written};

#[derive(Debug, Default)]
struct Progress {
    /// Number of launches of the process.
    launches: u64,
    /// Number of launches of kernels selected by `--kernel`.
    chosen: u64,
    /// Number of launches of each kernel.
    of_kernel: BTreeMap<String, u64>,
    /// Number of written jobs.
    written: u64,
    /// Size of their files in bytes.
    bytes: u64,
    /// Kernels that cannot be recorded and about which a message was printed, and the limit
    /// likewise.
    told: HashSet<String>,
    /// Functions of libraries whose work the process has done.
    libraries: BTreeSet<String>,
}

/// The process that owns the progress; a forked child starts again.
static OWNER: Owner = Owner::none();
/// Read-locked by every launch of a recording process, write-locked by a recorded launch.
static ALONE: RwLock<()> = RwLock::new(());

fn progress() -> MutexGuard<'static, Progress> {
    static PROGRESS: LazyLock<Mutex<Progress>> = LazyLock::new(Mutex::default);
    lock(&PROGRESS)
}

/// A launch in a recording process.
#[derive(Debug)]
pub(crate) struct Recording {
    /// The lock of the launch: exclusive for a recorded one, or shared.
    _turn: Result<RwLockWriteGuard<'static, ()>, RwLockReadGuard<'static, ()>>,
    /// The state before the launch, if it is to be recorded.
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    before: Before,
    remarks: Vec<String>,
    number: u64,
    /// The claimed folder, if only one launch is recorded.
    _claim: Option<Claim>,
}

/// Begins a launch; `None` if nothing is recorded.
pub(crate) fn begin(
    function: &Function,
    options: &LaunchOptions<'_>,
    params: &[u8],
) -> Option<Recording> {
    let wanted = settings().record.as_ref()?;
    let Some(number) = is_turn(wanted, function.kernel.name()) else {
        return Some(Recording { _turn: Err(read_lock(&ALONE)), pending: None });
    };
    let turn = Ok(write_lock(&ALONE));
    let claim = wanted.kernel.as_ref().map(|_| Claim::of(&wanted.folder));
    let pending = match claim {
        // Another process of the run has claimed the folder.
        Some(None) => None,
        claim => {
            let remarks = remarks(function, number);
            let before = hold(wanted, function, options, params, &remarks);
            let before =
                before.map_err(|why| messages::refused(wanted, function, number.0, &why)).ok();
            let number = number.0;
            before.map(|before| Pending { before, remarks, number, _claim: claim.flatten() })
        }
    };
    Some(Recording { _turn: turn, pending })
}

/// Begins work of a library, during which no launch is recorded. A message says once for each
/// function that jobs cannot repeat such work.
pub(crate) fn library_work(function: &str) -> Option<RwLockReadGuard<'static, ()>> {
    let wanted = settings().record.as_ref()?;
    let guard = read_lock(&ALONE);
    messages::library_work(wanted, function);
    Some(guard)
}

/// Counts a launch, and returns its number in the process and that of its kernel, if it is to be
/// recorded.
fn is_turn(wanted: &RecordSettings, kernel: &str) -> Option<(u64, u64)> {
    let mut progress = progress();
    if OWNER.take() {
        static ONCE: Once = Once::new();
        *progress = Progress::default();
        ONCE.call_once(|| crate::exit::at_end(messages::end));
    }
    progress.launches += 1;
    let of_kernel = progress.of_kernel.entry(kernel.to_owned()).or_default();
    *of_kernel += 1;
    let of_kernel = *of_kernel;
    match &wanted.kernel {
        Some(chosen) => {
            let is_chosen = is_meant(chosen, kernel);
            progress.chosen += u64::from(is_chosen);
            (is_chosen && chosen.number == progress.chosen)
                .then_some((progress.launches, progress.chosen))
        }
        None if progress.written < wanted.limit.launches => Some((progress.launches, of_kernel)),
        None => {
            if progress.told.insert(String::new()) {
                let (n, k) = (wanted.limit.launches, "--record-limit");
                say(format_args!(
                    "{} {} recorded, and no more ({k}); `--kernel NAME:N` records a certain one",
                    Count(n, "launch"),
                    Count(n, "launch").are()
                ));
            }
            None
        }
    }
}

fn hold(
    wanted: &RecordSettings,
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
    let used = progress().bytes;
    Before::of(&launch, wanted.limit.bytes.saturating_sub(used))
}

/// Remarks in the job about its origin.
fn remarks(function: &Function, (number, of_kernel): (u64, u64)) -> Vec<String> {
    let name = texunit_report::place::function_name(function.kernel.name());
    let program = std::env::args_os().next().unwrap_or_default();
    let mut remarks = vec![
        format!("Recorded by texunit {}: launch {of_kernel} of {name},", env!("CARGO_PKG_VERSION")),
        format!("launch {number} of the process {}.", program.display()),
        "`texunit launch` with the name of this file repeats it; docs/jobs.md describes the keys."
            .to_owned(),
    ];
    let libraries = &progress().libraries;
    if !libraries.is_empty() {
        remarks.push(
            "The process has called libraries before it, whose work no job repeats:".to_owned(),
        );
        remarks.extend(libraries.iter().map(|function| format!("{function};")));
        remarks.push("memory is as they have left it.".to_owned());
    }
    remarks
}

impl Recording {
    /// Whether the launch is being recorded.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Writes the job after the launch has ended.
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
            // When all launches are recorded, a refused one needs no message, as the program gets
            // the error.
            Err(_) if wanted.kernel.is_none() => return,
            Err(error) => {
                let why = match error {
                    LaunchError::Fault(_) => "it was stopped from outside",
                    _ => "it was refused, and nothing has run",
                };
                let why = Refused::Launch(why.to_owned());
                return messages::refused(wanted, function, number, &why);
            }
        };
        let launch = Launch { kernel: &function.kernel, options, params, remarks: &remarks };
        let unfinished = folder::unfinished(&wanted.folder);
        let written = before.write(&launch, &unfinished, ended).and_then(|written| {
            let job = folder::finish(&unfinished, wanted, function, number).map_err(|error| {
                Refused::File(format!("`{}`: {error}", wanted.folder.display()))
            })?;
            Ok(Written { job, ..written })
        });
        match written {
            Ok(written) => messages::recorded(wanted, function, number, &written),
            Err(why) => messages::refused(wanted, function, number, &why),
        }
    }
}
