//! Reports of this process about itself: events for the run that it is part of (`TEXUNIT_EVIDENCE`,
//! crate `evidence`), written as they happen, and a report of its own (`TEXUNIT_REPORT`), written
//! when it ends.
//!
//! Faults are reported immediately. The statistics of a kernel are reported at its first launch,
//! after a fault, and otherwise at most once in [`Writer::period`], so that a process that is
//! killed loses little, and one that ends normally loses nothing.

pub(crate) mod foreign;
mod refusals;
mod sum;

use crate::exit::Owner;
use crate::module::{Function, Module};
use crate::prelude::*;
use crate::settings::settings;
use crate::shape::Shape;
use crate::signals::PipeSignal;
pub(crate) use refusals::{is_power, lacks_table, refused};
use std::io::{Error, ErrorKind};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use sum::{KernelStatistics, ReportedFinding};
use texunit_checks::NewFinding;
use texunit_device::{Fault, LaunchStats, Tally};
use texunit_evidence::{Counts, Event, Finding, Format, Process, Record, Run, Totals, Writer};
use texunit_report::Instruction;

/// Maximum number of findings reported individually; programs with more have few kinds of them.
const MAX_FINDINGS: usize = 100;
/// Maximum number of reported instruction forms.
const MAX_INSTRUCTIONS: usize = 10_000;
/// Maximum number of reported process arguments, and of bytes of each.
const MAX_ARGUMENTS: usize = 100;
const LONGEST_ARGUMENT: usize = 1000;

#[derive(Debug, Default)]
struct State {
    kernels: BTreeMap<String, KernelStatistics>,
    findings: Vec<ReportedFinding>,
    /// For each finding of the checks, by its number in their log: its number in the report, and
    /// its first launch.
    checked: BTreeMap<u64, (u64, u64)>,
    totals: Totals,
    /// Instruction forms that have been reported, by their identifying texts.
    instructions: HashSet<[String; 4]>,
    /// All events, for the process's own report.
    record: Record,
    /// Time of the last report about kernels.
    told: Option<Instant>,
    /// Whether the process is ending, so that events are written immediately.
    is_ending: bool,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);
/// The process that owns the state; a forked child starts again.
static OWNER: Owner = Owner::none();

/// Whether a run or a report requests events.
pub(crate) fn is_wanted() -> bool {
    settings().evidence.is_some() || settings().report.is_some()
}

/// Whether a run or a report requests counts of texture fetches and processor times.
pub(crate) fn counts_wanted() -> bool {
    settings().report.is_some() || settings().evidence.is_some() && settings().counters
}

/// Writer of the events for a run.
static WRITER: LazyLock<Option<Writer>> =
    LazyLock::new(|| settings().evidence.as_deref().map(Writer::new));

/// Accesses the state, which begins with an event about the process itself, if events are
/// requested.
fn with<T: Default>(work: impl FnOnce(&mut State) -> T) -> T {
    if !is_wanted() {
        return T::default();
    }
    let mut state = lock(&STATE);
    if OWNER.take() {
        static ONCE: Once = Once::new();
        *state = State::default();
        ONCE.call_once(|| crate::exit::at_end(end));
        state.append(Event::Process(this_process(std::process::id())));
    }
    work(&mut state)
}

fn this_process(pid: u32) -> Process {
    let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let arguments = command.strip_suffix(b"\0").unwrap_or(&command).split(|&byte| byte == 0);
    let argument =
        |a: &[u8]| String::from_utf8_lossy(&a[..a.len().min(LONGEST_ARGUMENT)]).into_owned();
    Process {
        pid,
        parent: std::os::unix::process::parent_id(),
        command: arguments.take(MAX_ARGUMENTS).map(argument).collect(),
        texunit: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |t| t.as_secs_f64()),
    }
}

impl State {
    fn append(&mut self, event: Event) {
        if let Some(Err(error)) = WRITER.as_ref().map(|writer| writer.append(&event)) {
            let folder = settings().evidence.as_deref().unwrap_or("".as_ref());
            say_once(unreported(folder, &error));
        }
        if settings().report.is_some() {
            self.record.add(event);
        }
    }

    /// Reports changed kernels and findings.
    fn flush(&mut self) {
        self.told = Some(Instant::now());
        let kernels = self.kernels.values_mut().filter_map(KernelStatistics::news);
        let findings = self.findings.iter_mut().filter_map(ReportedFinding::news);
        let events = kernels.map(Event::Kernel).chain(findings.map(Event::Finding));
        events.collect::<Vec<_>>().into_iter().for_each(|event| self.append(event));
    }

    /// Reports instruction forms, once each, as a program may load a kernel in many modules.
    fn instructions(&mut self, mut rows: Vec<Instruction>) {
        rows.retain(|row| {
            self.instructions.len() < MAX_INSTRUCTIONS && self.instructions.insert(row.key())
        });
        if !rows.is_empty() {
            self.append(Event::Instructions { rows });
        }
    }

    /// Whether the period since the last report has passed.
    fn is_due(&self) -> bool {
        let period = WRITER.as_ref().map_or(Duration::MAX, Writer::period);
        self.is_ending || self.told.is_none_or(|told| told.elapsed() >= period)
    }

    fn has_news(&self) -> bool {
        self.kernels.values().any(|kernel| kernel.has_news)
            || self.findings.iter().any(|found| found.has_news)
    }

    /// Number of the next finding, a fault or a check's finding.
    fn next_number(&self) -> u64 {
        (self.findings.len() + self.checked.len()) as u64 + 1
    }

    /// Adds a finding, or counts a repetition. Returns its number if it is the first of its kind.
    fn find(&mut self, key: (u64, u32), finding: Finding) {
        let same = |found: &&mut ReportedFinding| {
            let this = &found.finding;
            found.key == key && (&this.kind, &this.kernel) == (&finding.kind, &finding.kernel)
        };
        if let Some(found) = self.findings.iter_mut().find(same) {
            found.finding.count = found.finding.count.saturating_add(1);
            found.has_news = true;
        } else if self.findings.len() < MAX_FINDINGS {
            let number = self.next_number();
            let finding = Finding { number, count: 1, ..finding };
            self.findings.push(ReportedFinding { key, finding, has_news: true });
        } else {
            self.totals.more_findings += 1;
        }
    }
}

/// Reports the devices.
pub(crate) fn devices(names: Vec<String>) {
    with(|state| state.append(Event::Devices { names }));
}

/// Instruction forms of a kernel that is launched for the first time.
fn instructions(module: &Module, function: &Function) -> Vec<Instruction> {
    if function.is_told.swap(true, Relaxed) {
        return Vec::new();
    }
    let forms = function.kernel.instruction_forms(settings().approximate);
    Instruction::of(function.kernel.name(), forms, module.loaded.source())
}

/// Counts a launch, if events are requested.
pub(crate) fn launched(
    (module, function, parent): (&Module, &Function, Option<&str>),
    shape: &Shape,
    (number, time): (u64, Duration),
    (stats, tally): (&LaunchStats, &Tally),
    fault: Option<&Fault>,
) {
    if !is_wanted() {
        return;
    }
    let rows = instructions(module, function);
    let finding = fault.map(|fault| sum::finding(fault, module, number));
    with(|state| {
        state.instructions(rows);
        let name = function.kernel.name();
        let new = || KernelStatistics::new(module, function);
        let kernel = state.kernels.entry(name.to_owned()).or_insert_with(new);
        let is_first = kernel.add(module, (shape, parent), time, (stats, tally));
        if let Some((key, finding)) = finding {
            // Programs may exit when they see an error, so that the fault is reported immediately.
            state.find(key, finding);
            state.flush();
        } else if is_first || state.is_due() {
            state.flush();
        }
    });
}

/// Reports a fault of a copy or memory set that a kernel has requested.
pub(crate) fn faulted(module: &Module, fault: &Fault) {
    with(|state| {
        let (key, finding) = sum::finding(fault, module, 0);
        state.find(key, finding);
        state.flush();
    });
}

/// Reports changes if the period has passed, and returns whether unreported changes remain.
pub(crate) fn flush_at_times() -> bool {
    with(|state| {
        if state.has_news() && state.is_due() {
            state.flush();
        }
        state.has_news()
    })
}

/// Reports a check's finding in a launch, or its repetition.
pub(crate) fn checked(news: &NewFinding, launch: u64) {
    with(|state| {
        let next = (state.next_number(), launch);
        let (number, first) = *state.checked.entry(news.number).or_insert(next);
        let mut finding = news.finding.event(number);
        if news.finding.launch != 0 {
            finding.launch = first;
        }
        state.append(Event::Finding(finding));
    });
}

/// Reports the total counts of the checks, beyond individually reported findings.
pub(crate) fn checked_more(more: Counts) {
    with(|state| {
        if state.totals.more_checked != more {
            state.totals.more_checked = more;
            // The program may exit any time, so that the counts are reported immediately.
            state.append(Event::Totals(state.totals.clone()));
        }
    });
}

/// Reports an event immediately.
pub(crate) fn event(event: Event) {
    with(|state| state.append(event));
}

/// Reports a library of the program that cannot run.
pub(crate) fn library(finding: Finding) {
    with(|state| {
        let number = state.next_number();
        state.find((u64::MAX, number as u32), finding);
        state.flush();
    });
}

/// The final report at the end of the process.
fn end() {
    // A forked child without any activity reports nothing.
    if !OWNER.is_this_process() {
        return;
    }
    // The state is not locked here, as a thread that reports a refusal locks it while it holds the
    // refusals' lock.
    let refused = refusals::rest();
    let mut state = lock(&STATE);
    state.is_ending = true;
    state.flush();
    let lacking = refusals::lacking_table().filter(|_| state.kernels.is_empty());
    refused.into_iter().chain(lacking).for_each(|api| state.append(Event::Api(api)));
    foreign::loaded().into_iter().for_each(|library| state.append(Event::Library(library)));
    let cpu_milliseconds = sum::milliseconds(crate::clock::process());
    let totals = Totals { cpu_milliseconds, has_ended: true, ..state.totals.clone() };
    state.append(Event::Totals(totals));
    crate::faults::report_repeated(state.findings.iter().map(|found| &found.finding));
    if let Some(path) = &settings().report {
        write_own(path, std::mem::take(&mut state.record));
    }
}

/// Writes the report of a process that does not run under `texunit run`; `%p` in its name is
/// replaced by the process number.
fn write_own(path: &Path, record: Record) {
    let format = settings().report_format.unwrap_or_else(|| Format::of(path));
    let path = texunit_evidence::name_of_process(path, record.process.pid);
    let (texunit, command) = (record.process.texunit.clone(), record.process.command.clone());
    let fail_on = settings().fail_on;
    let run = Run { texunit, command, fail_on, records: vec![record], ..Default::default() };
    let _ignored = PipeSignal::ignore();
    if let Err(error) = texunit_evidence::write(&path, format.render(&run).as_bytes()) {
        say(format_args!("the report {} cannot be written: {error}", path.display()));
    }
}

/// The message when the process cannot write events for `texunit run`, with the consequences.
fn unreported(folder: &Path, error: &Error) -> String {
    let folder = folder.display();
    // The process or the system has too many open files.
    let has_no_files = matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE));
    let lost = ". What happens in this process is not in the report, which says so: it is evidence lost, for --error-exitcode, too";
    let why = match error.kind() {
        _ if has_no_files => {
            return format!(
                "no file can be opened to report to `texunit run` what happens here ({error}; `ulimit -n`): it is reported \
                 when one can be, or else is evidence lost for --error-exitcode and the report"
            );
        }
        ErrorKind::NotFound => {
            format!(
                "the `texunit run` that this process was started in has ended: {folder} is gone"
            )
        }
        ErrorKind::PermissionDenied => format!(
            "this process has no permission to write to {folder}, the folder of its `texunit run` (it has become another \
             user, by setuid or sudo?)"
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            return format!(
                "no room is left in {folder}, the folder of this `texunit run` (TMPDIR names another disk){lost}"
            );
        }
        _ => {
            return format!(
                "{folder}, the folder of this `texunit run`, cannot be written to: {error}{lost}"
            );
        }
    };
    format!(
        "{why}. What happens in this process is not in the report, and its faults do not count for --error-exitcode"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes() {
        let of = |error: Error| unreported(Path::new("/tmp/run"), &error);
        let number = Error::from_raw_os_error;
        for (error, part) in [
            (number(libc::ENOENT), "has ended: /tmp/run is gone. What happens"),
            (number(libc::EACCES), "no permission to write to /tmp/run"),
            (number(libc::EMFILE), "`ulimit -n`"),
            (number(libc::ENOSPC), "no room is left in /tmp/run"),
            (Error::other("magic"), "cannot be written to: magic"),
        ] {
            let text = of(error);
            assert!(text.contains(part) && text.contains("for --error-exitcode"), "{text}");
        }
    }
}
