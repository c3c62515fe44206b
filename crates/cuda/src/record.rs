//! Launches that are written as jobs (`texunit run --record`): which ones, where to, and what is said of it.
//!
//! What a job holds, and which launches cannot be one, is crate `record`'s. A launch that is recorded runs alone: others
//! would change memory that the job is to expect. Without `TEXUNIT_RECORD` none of this does anything.

use crate::call::say;
use crate::module::Function;
use crate::settings::settings;
use std::collections::{BTreeMap, HashSet};
use std::ffi::c_int;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use texunit_device::{FaultKind, LaunchError, LaunchOptions, LaunchStats};
use texunit_record::{Before, Ended, Launch, Refused, Written};

/// What is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// `TEXUNIT_RECORD`: the folder.
    pub(crate) folder: PathBuf,
    /// `TEXUNIT_RECORD_KERNEL=NAME[:N]`: one launch, into the folder itself.
    pub(crate) kernel: Option<Chosen>,
    /// `TEXUNIT_RECORD_LIMIT=LAUNCHES[,BYTES]`: most launches that a process records.
    pub(crate) launches: u64,
    /// Most bytes of all their files.
    pub(crate) bytes: u64,
    /// `TEXUNIT_RECORD_QUIET=1`: what is not recorded is told in the file `why.txt`.
    pub(crate) quiet: bool,
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Its name: in the PTX, or as the source has it, with parameters or without.
    pub(crate) name: String,
    /// Which of its launches, from 1.
    pub(crate) number: u64,
}

/// Launches of a process that are recorded if nothing else is said.
const LAUNCHES: u64 = 100;
/// Bytes likewise.
const BYTES: u64 = 1 << 30;

/// Reads the variables; words that have no sense are complained about.
pub(crate) fn wanted(
    variable: &impl Fn(&str) -> Option<String>,
    complaints: &mut Vec<String>,
) -> Option<Wanted> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    // The program may change its folder.
    let folder = std::path::absolute(set("TEXUNIT_RECORD")?).ok()?;
    let kernel = set("TEXUNIT_RECORD_KERNEL").map(|text| chosen(&text));
    let limit = set("TEXUNIT_RECORD_LIMIT").map(|text| (limit(&text), text));
    let (launches, bytes) = match limit {
        None => (LAUNCHES, BYTES),
        Some((Some(limit), _)) => limit,
        Some((None, text)) => {
            complaints.push(format!(
                "TEXUNIT_RECORD_LIMIT is `{text}`; it takes a number of launches, and after a comma one of bytes, such as 100,1G"
            ));
            (LAUNCHES, BYTES)
        }
    };
    let quiet = set("TEXUNIT_RECORD_QUIET").is_some_and(|value| value.trim() != "0");
    Some(Wanted { folder, kernel, launches, bytes, quiet })
}

/// `NAME` or `NAME:N`. Names of C++ have colons of their own, and no numbers behind them.
fn chosen(text: &str) -> Chosen {
    let split = text.rsplit_once(':').and_then(|(name, number)| {
        let number = number.parse().ok().filter(|&n: &u64| n > 0)?;
        Some(Chosen { name: name.to_owned(), number })
    });
    split.unwrap_or_else(|| Chosen { name: text.to_owned(), number: 1 })
}

/// `LAUNCHES` or `LAUNCHES,BYTES`.
fn limit(text: &str) -> Option<(u64, u64)> {
    let (launches, bytes) = text.split_once(',').unwrap_or((text, ""));
    let launches = launches.trim().parse().ok().filter(|&n: &u64| n > 0)?;
    let bytes = bytes.trim().to_ascii_uppercase();
    if bytes.is_empty() {
        return Some((launches, BYTES));
    }
    let shift = match bytes.as_bytes().last() {
        Some(b'K') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        _ => 0,
    };
    let digits = bytes.trim_end_matches(['K', 'M', 'G']);
    let bytes = digits.parse::<u64>().ok()?.checked_mul(1 << shift)?;
    (bytes > 0).then_some((launches, bytes))
}

impl Chosen {
    /// Whether a kernel is meant: by its name in the PTX, by what that stands for, or by the name of its function alone.
    fn is(&self, kernel: &str) -> bool {
        let full = texunit_report::place::function_name(kernel);
        self.name == kernel || self.name == full || self.name == plain_name(&full)
    }
}

/// The name of a function of C++ without result, namespaces, arguments of templates and parameters.
fn plain_name(full: &str) -> &str {
    let end = full.find(['(', '<']).unwrap_or(full.len());
    let name = &full[..end];
    let start = name.rfind([' ', ':']).map_or(0, |at| at + 1);
    &name[start..]
}

/// What has been recorded.
#[derive(Debug, Default)]
struct Progress {
    /// The process: one that was forked off begins anew.
    process: u32,
    /// Launches of the process.
    launches: u64,
    /// Launches of each kernel.
    of_kernel: BTreeMap<String, u64>,
    /// Jobs that are written.
    written: u64,
    /// Bytes of their files.
    bytes: u64,
    /// Kernels that cannot be recorded and of which that was said, and the limit.
    told: HashSet<String>,
}

static PROGRESS: Mutex<Option<Progress>> = Mutex::new(None);
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
    folder: PathBuf,
    remarks: Vec<String>,
    number: u64,
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
    let remarks = remarks(function, number);
    let pending = hold(wanted, function, options, params, &remarks);
    let pending = pending.map_err(|why| refused(wanted, function, number.0, &why)).ok();
    let pending = pending.map(|before| Pending {
        before,
        folder: folder(wanted, function, number.0),
        remarks,
        number: number.0,
    });
    Some(Recording { _turn: Turn::Alone { _guard: guard }, pending })
}

/// Counts a launch; its number in the process and of its kernel, if it is to be recorded.
fn is_turn(wanted: &Wanted, kernel: &str) -> Option<(u64, u64)> {
    let mut progress = progress();
    let process = std::process::id();
    if progress.as_ref().is_none_or(|progress| progress.process != process) {
        *progress = Some(Progress { process, ..Progress::default() });
        at_exit();
    }
    let progress = progress.get_or_insert_default();
    progress.launches += 1;
    let of_kernel = progress.of_kernel.entry(kernel.to_owned()).or_default();
    *of_kernel += 1;
    let numbers = (progress.launches, *of_kernel);
    match &wanted.kernel {
        Some(chosen) => (chosen.number == numbers.1 && chosen.is(kernel)).then_some(numbers),
        None if progress.written < wanted.launches => Some(numbers),
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

fn folder(wanted: &Wanted, function: &Function, number: u64) -> PathBuf {
    if wanted.kernel.is_some() {
        return wanted.folder.clone();
    }
    let full = texunit_report::place::function_name(function.kernel.name());
    let fine = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let name: String = plain_name(&full).chars().filter(fine).take(LONG_NAME).collect();
    let folder = wanted.folder.join(format!("{number:04}-{name}"));
    // Another process of the run has a launch of that number too.
    match folder.exists() {
        true => wanted.folder.join(format!("{number:04}-{name}-{}", std::process::id())),
        false => folder,
    }
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
        let Pending { before, folder, remarks, number } = pending;
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
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
    }
    ONCE.call_once(|| {
        // SAFETY: the function is there as long as the library is, which is never unloaded
        // before the process ends.
        unsafe { atexit(end) };
    });
}

/// The process ends: says so if the launch that was wanted has not been.
extern "C" fn end() {
    let Some((wanted, chosen)) =
        settings().record.as_ref().and_then(|w| Some((w, w.kernel.as_ref()?)))
    else {
        return;
    };
    let progress = progress();
    let process = std::process::id();
    let Some(progress) = progress.as_ref().filter(|p| p.process == process) else { return };
    let of_it = progress.of_kernel.iter().filter(|(kernel, _)| chosen.is(kernel));
    if of_it.clone().any(|(_, &count)| count >= chosen.number) {
        return;
    }
    let mut text = match of_it.map(|(_, count)| *count).max() {
        Some(count) => {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            format!(
                "launch {} of `{}` is not recorded: it was launched {times}",
                chosen.number, chosen.name
            )
        }
        None => format!("no launch of `{}` is recorded: the program launched", chosen.name),
    };
    if progress.of_kernel.keys().all(|kernel| !chosen.is(kernel)) {
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

    #[test]
    fn variables_are_read() {
        let read = |kernel: &str, limit: &str| {
            let mut complaints = Vec::new();
            let variable = |name: &str| match name {
                "TEXUNIT_RECORD" => Some("/tmp/x".to_owned()),
                "TEXUNIT_RECORD_KERNEL" => Some(kernel.to_owned()),
                "TEXUNIT_RECORD_LIMIT" => Some(limit.to_owned()),
                _ => None,
            };
            (wanted(&variable, &mut complaints).unwrap(), complaints)
        };
        let (plain, none) = read("", "");
        assert_eq!((plain.kernel, plain.launches, plain.bytes), (None, 100, 1 << 30));
        assert!(none.is_empty() && !plain.quiet);
        let chosen = |text: &str| read(text, "").0.kernel.map(|c| (c.name, c.number)).unwrap();
        assert_eq!(chosen("blur"), ("blur".to_owned(), 1));
        assert_eq!(chosen("blur:3"), ("blur".to_owned(), 3));
        assert_eq!(chosen("image::blur"), ("image::blur".to_owned(), 1));
        assert_eq!(chosen("image::blur:2"), ("image::blur".to_owned(), 2));
        assert_eq!(chosen("blur:0"), ("blur:0".to_owned(), 1));
        let limits = |text: &str| (read("", text).0.launches, read("", text).0.bytes);
        assert_eq!((limits("7"), limits("7, 3m")), ((7, 1 << 30), (7, 3 << 20)));
        for wrong in ["0", "x", "1,0", "1,1T", "1,99999999999G", ",1G"] {
            let (wanted, complaints) = read("", wrong);
            assert_eq!((wanted.launches, complaints.len()), (100, 1), "{wrong}");
        }
        assert_eq!(super::wanted(&|_| None, &mut Vec::new()), None);
    }

    #[test]
    fn kernels_are_known_by_all_their_names() {
        let is = |name: &str, kernel: &str| Chosen { name: name.to_owned(), number: 1 }.is(kernel);
        let mangled = "_ZN5image4blurIfEEvPT_i";
        assert!(is(mangled, mangled) && is("blur", mangled) && !is("blu", mangled));
        assert!(is("void image::blur<float>(float*, int)", mangled));
        assert!(is("scale", "scale") && !is("scale", "_Z5scalePf2"));
        assert_eq!(plain_name("void image::blur<a::b>(float*, int)"), "blur");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!([size(5), size(1536), size(3 << 30)], ["5 bytes", "1.5 KiB", "3.0 GiB"]);
    }
}
