//! Faults of kernels: the driver API's code for each, and the report to the user.

use crate::message::write_error;
use crate::prelude::*;
use crate::settings::settings;
use std::hash::{DefaultHasher, Hash, Hasher};
use texunit_device::{Fault, FaultKind, SourceFile};
use texunit_evidence::Finding;
use texunit_report::place::function_name;
use texunit_report::{CodeLocation, Host};

/// The code with which a fault ends the context.
pub(crate) fn code(kind: &FaultKind) -> CUresult {
    match kind {
        FaultKind::OutOfBounds { .. }
        | FaultKind::ReadOnly { .. }
        | FaultKind::Freed { .. }
        | FaultKind::Unreachable { .. } => CUresult::ILLEGAL_ADDRESS,
        FaultKind::Misaligned { .. } => CUresult::MISALIGNED_ADDRESS,
        FaultKind::Surface(text) if text.contains("multiple") => CUresult::MISALIGNED_ADDRESS,
        FaultKind::Surface(_) | FaultKind::Geometry { surface: true, .. } => {
            CUresult::ILLEGAL_ADDRESS
        }
        FaultKind::Assert { .. } => CUresult::ASSERT,
        FaultKind::StackOverflow { .. } => CUresult::HARDWARE_STACK_ERROR,
        FaultKind::BadOperand(text) if text.contains("barrier") => CUresult::ILLEGAL_INSTRUCTION,
        FaultKind::BadOperand(_) => CUresult::INVALID_PC,
        FaultKind::Deadlock { .. } | FaultKind::StepLimit { .. } | FaultKind::Cancelled => {
            CUresult::LAUNCH_TIMEOUT
        }
        // `trap` is a launch failure (as on an H200, driver 580). An invalid texture handle makes a
        // GPU read an invalid header, for which the driver has no code of its own.
        FaultKind::Trap { .. }
        | FaultKind::Handle { .. }
        | FaultKind::Texture(_)
        | FaultKind::Floats { .. }
        | FaultKind::Geometry { .. }
        | FaultKind::Heap(_) => CUresult::LAUNCH_FAILED,
    }
}

/// The refusal of every later call in the context.
pub(crate) fn refusal(fault: &Fault, source: &SourceFile) -> Refusal {
    code(&fault.kind).because(format!(
        "this context has ended by a fault of kernel `{}` at {}: {}",
        function_name(&fault.kernel),
        CodeLocation::of_fault(fault, source),
        fault.kind
    ))
}

/// Reports a fault: an assertion in CUDA's format, and everything as a diagnostic.
pub(crate) fn report(fault: &Fault, source: &SourceFile) {
    if let FaultKind::Assert { message, file, line, function } = &fault.kind {
        let ([bx, by, bz], [tx, ty, tz]) = (fault.cta, fault.thread);
        write_error(format_args!(
            "{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] \
             Assertion `{message}` failed.\n"
        ));
    }
    if settings().continue_after_fault && !is_first(fault, source) {
        return;
    }
    let mut diagnostic = texunit_report::fault_diagnostic(fault, Host::Program);
    diagnostic.message = message(&fault.kind);
    let code = code(&fault.kind).name();
    say(format_args!(
        "kernel fault: {}\n{}",
        match stays_usable(&fault.kind) {
            true => "the launch has ended, and the context stays usable".to_owned(),
            false => format!("all further calls in this context return {code}"),
        },
        texunit_report::human((source, &*fault.sources), &[diagnostic], settings().color)
            .trim_end()
    ));
    explain_lines(fault);
    let number = fault.kind.allocation();
    for line in number.into_iter().flat_map(crate::allocation_trace::lines) {
        say(format_args!("{line}"));
    }
}

/// Prints once how to see source lines for PTX that is not in a file.
fn explain_lines(fault: &Fault) {
    if settings().save_ptx.is_none() && fault.frames().is_empty() {
        say_once(
            "compile with `-lineinfo` for the line of the source; `texunit run --save-ptx DIR` writes the PTX",
        );
    }
}

/// Whether later calls in the context are executed as if no fault had occurred.
pub(crate) fn stays_usable(kind: &FaultKind) -> bool {
    settings().continue_after_fault && *kind != FaultKind::Cancelled
}

/// Description of a fault. Launches are cancelled only when the run's time limit is reached.
pub(crate) fn message(kind: &FaultKind) -> String {
    match kind {
        FaultKind::Cancelled => {
            "the kernel was running when the time of the run was over (`--timeout`)".to_owned()
        }
        kind => kind.to_string(),
    }
}

/// Hash of a module's text, which identifies it in fault reports.
pub(crate) fn text_id(source: &SourceFile) -> u64 {
    let mut hasher = DefaultHasher::new();
    (source.name(), source.text().len()).hash(&mut hasher);
    hasher.finish()
}

/// Maximum number of reported faults that are remembered.
const MAX_TOLD: usize = 1000;

/// Whether a fault of this kind is the first at its location.
fn is_first(fault: &Fault, source: &SourceFile) -> bool {
    static TOLD: Mutex<BTreeSet<(u64, u32, &'static str)>> = Mutex::new(BTreeSet::new());
    let mut told = lock(&TOLD);
    told.len() < MAX_TOLD && told.insert((text_id(source), fault.span.start, fault.kind.name()))
}

/// Prints at the end how often each fault has recurred after its first report.
pub(crate) fn report_repeated<'f>(findings: impl Iterator<Item = &'f Finding>) {
    if !settings().continue_after_fault {
        return;
    }
    for finding in findings.filter(|finding| finding.count > 1) {
        let place = finding.place.as_ref().map(ToString::to_string).unwrap_or_default();
        say(format_args!("{} in all: {} at {place}", Count(finding.count, "fault"), finding.kind));
    }
}
