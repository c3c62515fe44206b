//! What this process tells of itself: events for the run that it is part of (`TEXUNIT_EVIDENCE`, crate `evidence`),
//! as they happen, and a report of its own (`TEXUNIT_REPORT`), written when it ends.
//!
//! Faults are told at once; what kernels have done is told with the first launch of each, after a fault, and
//! otherwise at most every [`Writer::period`]. So a process that is killed loses little, and one that ends loses nothing.

mod interpreted;
mod libraries;
mod own;
mod sum;
mod untold;

pub(crate) use own::PipeSignal;

use crate::call::{Owner, say};
use crate::launch::Shape;
use crate::module::{Function, Module};
use crate::settings::settings;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use sum::{Found, Sum};
use texunit_checks::News;
use texunit_device::{Fault, LaunchStats, Tally};
use texunit_evidence::{Api, Counts, Event, Finding, Process, Record, Totals, Writer};
use texunit_report::Instruction;

/// Findings that are told one by one; a program with more has few kinds of them.
const MAX_FINDINGS: usize = 100;
/// Instruction forms that are told.
const MAX_INSTRUCTIONS: usize = 10_000;
/// Arguments of the process that are told, and bytes of each.
const MAX_ARGUMENTS: usize = 100;
const LONGEST_ARGUMENT: usize = 1000;

/// What is known of the process up to now.
#[derive(Debug, Default)]
struct State {
    kernels: BTreeMap<String, Sum>,
    findings: Vec<Found>,
    /// Numbers of what checks have found, and of the first launch of each, by their numbers in the log of these.
    checked: BTreeMap<u64, (u64, u64)>,
    totals: Totals,
    /// Instruction forms that were told, by what tells them apart.
    instructions: HashSet<[String; 4]>,
    /// Everything told, for the report of its own.
    record: Record,
    /// When kernels were told of last.
    told: Option<Instant>,
    /// The process ends: what is not told at once is not told.
    is_ending: bool,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
/// The process that it is about: one that was forked off begins anew.
static OWNER: Owner = Owner::none();

/// Whether anybody wants to know what the process does.
pub(crate) fn is_wanted() -> bool {
    settings().evidence.is_some() || settings().report.is_some()
}

/// Whether somebody wants to know how often textures are fetched, and how long cores were busy.
pub(crate) fn counts_wanted() -> bool {
    settings().report.is_some() || settings().evidence.is_some() && settings().counters
}

fn writer() -> Option<&'static Writer> {
    static WRITER: OnceLock<Option<Writer>> = OnceLock::new();
    WRITER.get_or_init(|| settings().evidence.as_deref().map(Writer::new)).as_ref()
}

/// Works on what is known, which begins with the process itself.
fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = state.get_or_insert_default();
    if !OWNER.is_this_process() {
        *state = State::default();
        OWNER.take();
        at_end();
        state.append(Event::Process(this_process(std::process::id())));
    }
    work(state)
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
        if let Some(Err(error)) = writer().map(|writer| writer.append(&event)) {
            static ONCE: Once = Once::new();
            let folder = settings().evidence.as_deref().unwrap_or("".as_ref());
            ONCE.call_once(|| say(format_args!("{}", untold::sentence(folder, &error))));
        }
        if settings().report.is_some() {
            self.record.add(event);
        }
    }

    /// Tells of the kernels and findings that have changed.
    fn flush(&mut self) {
        self.told = Some(Instant::now());
        let mut events: Vec<Event> =
            self.kernels.values_mut().filter_map(Sum::news).map(Event::Kernel).collect();
        events.extend(self.findings.iter_mut().filter_map(Found::news).map(Event::Finding));
        events.into_iter().for_each(|event| self.append(event));
    }

    /// Tells of instruction forms, each once: a program may load a kernel in many modules.
    fn instructions(&mut self, mut rows: Vec<Instruction>) {
        rows.retain(|row| {
            self.instructions.len() < MAX_INSTRUCTIONS && self.instructions.insert(row.key())
        });
        if !rows.is_empty() {
            self.append(Event::Instructions { rows });
        }
    }

    /// Whether it is time to tell what has changed.
    fn is_due(&self) -> bool {
        let period = writer().map_or(Duration::MAX, Writer::period);
        self.is_ending || self.told.is_none_or(|told| told.elapsed() >= period)
    }

    fn has_news(&self) -> bool {
        self.kernels.values().any(Sum::has_news) || self.findings.iter().any(Found::has_news)
    }

    /// The number of the next finding, be it a fault or what a check has found.
    fn next_number(&self) -> u64 {
        (self.findings.len() + self.checked.len()) as u64 + 1
    }

    /// Keeps a finding, or counts it; its number, if it is the first of its kind.
    fn find(&mut self, key: (u64, u32), finding: Finding) {
        let same = |found: &&mut Found| found.is(key, &finding);
        if let Some(found) = self.findings.iter_mut().find(same) {
            found.again();
        } else if self.findings.len() < MAX_FINDINGS {
            let number = self.next_number();
            self.findings.push(Found::new(key, Finding { number, count: 1, ..finding }));
        } else {
            self.totals.more_findings += 1;
        }
    }
}

/// The devices are there.
pub(crate) fn devices(names: Vec<String>) {
    if is_wanted() {
        with(|state| state.append(Event::Devices { names }));
    }
}

/// The instruction forms of a kernel that is launched for the first time.
fn instructions(module: &Module, function: &Function) -> Vec<Instruction> {
    if function.is_told.swap(true, Ordering::Relaxed) {
        return Vec::new();
    }
    let forms = function.kernel.instruction_forms(settings().approximate);
    Instruction::of(function.kernel.name(), forms, module.loaded.source())
}

/// Counts a launch, if anybody wants to know.
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
        let kernel =
            state.kernels.entry(name.to_owned()).or_insert_with(|| Sum::new(module, function));
        let is_first = kernel.add(module, (shape, parent), time, (stats, tally));
        if let Some((key, finding)) = finding {
            // Programs end where they see an error.
            state.find(key, finding);
            state.flush();
        } else if is_first || state.is_due() {
            state.flush();
        }
    });
}

/// A copy or a fill has gone wrong that a kernel has asked for.
pub(crate) fn faulted(module: &Module, fault: &Fault) {
    if is_wanted() {
        let (key, finding) = sum::finding(fault, module, 0);
        with(|state| {
            state.find(key, finding);
            state.flush();
        });
    }
}

/// Tells what has changed; whether something is left for later.
pub(crate) fn flush_at_times() -> bool {
    with(|state| {
        if state.has_news() && state.is_due() {
            state.flush();
        }
        state.has_news()
    })
}

/// Tells what a check has found in a launch, or that it has come up again.
pub(crate) fn checked(news: &News, launch: u64) {
    if !is_wanted() {
        return;
    }
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

/// What checks have found in all, besides what was told one by one.
pub(crate) fn checked_more(more: Counts) {
    if is_wanted() {
        with(|state| {
            if state.totals.more_checked != more {
                state.totals.more_checked = more;
                // Programs end where they want to: it is told at once.
                let totals = state.totals.clone();
                state.append(Event::Totals(totals));
            }
        });
    }
}

/// Tells something at once.
pub(crate) fn tell(event: Event) {
    with(|state| state.append(event));
}

/// A library of the program cannot run.
pub(crate) fn library(finding: Finding) {
    if !is_wanted() {
        return;
    }
    with(|state| {
        let number = state.next_number();
        state.find((u64::MAX, number as u32), finding);
        state.flush();
    });
}

/// A call of the program was refused, so often up to now.
pub(crate) fn refused(function: &str, code: &str, reason: &str, count: u64) {
    if !is_wanted() {
        return;
    }
    let (function, code, reason) = (function.to_owned(), code.to_owned(), reason.to_owned());
    with(|state| {
        // Programs end where they see an error.
        state.flush();
        state.append(Event::Api(Api { function, code, reason, count }));
    });
}

/// A refused call besides those that are told one by one.
pub(crate) fn more_refused() {
    if is_wanted() {
        with(|state| state.totals.more_api += 1);
    }
}

/// Has the rest told when the process ends.
fn at_end() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| crate::call::at_end(end));
}

fn end() {
    // A process that was forked off and has done nothing has nothing to say.
    if !OWNER.is_this_process() {
        return;
    }
    // Whoever tells of a refusal may wait for the state: it is not held here.
    let refused = crate::refused::rest();
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(state) = state.as_mut() else { return };
    state.is_ending = true;
    state.flush();
    let lacking = crate::refused::lacking_table().filter(|_| state.kernels.is_empty());
    refused.into_iter().chain(lacking).for_each(|api| state.append(Event::Api(api)));
    libraries::all().into_iter().for_each(|library| state.append(Event::Library(library)));
    let cpu_milliseconds = sum::milliseconds(crate::clock::process());
    let totals = Totals { cpu_milliseconds, has_ended: true, ..state.totals.clone() };
    state.append(Event::Totals(totals));
    crate::faults::tell_repeated(state.findings.iter().map(Found::finding));
    if let Some(path) = &settings().report {
        own::write(path, std::mem::take(&mut state.record));
    }
}
