//! A judge for launches that fail: faults, wrong outputs, and errors in the PTX.

use super::launch::{Outcome, Settings, look};
use super::{FaultKey, Workspace};
use crate::Judge;
use crate::case::Case;
use crate::ptx::formula;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use texunit_device::{BadFetch, FaultKind, LaunchOptions};
use texunit_job::{Problems, WrongObject, parse};
use texunit_syntax::{SourceFile, Span};

/// Removes allocation numbers from a message, because they depend on the number of earlier
/// attempts.
fn without_allocations(text: &str) -> String {
    const WORD: &str = ", allocation ";
    let mut parts = text.split(WORD);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// The property of a failing launch that reduction must preserve.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Requirement {
    /// A fault. For an access out of bounds, the requirement also has the operations that compute
    /// the address, and a minimum size of the nearest object.
    Fault(FaultKey, BTreeMap<String, usize>, u64),
    AnyFault,
    Codes(Vec<&'static str>),
    Bug(String),
    /// An object whose contents differ from the expectation, and its bytes at the first offset that
    /// differs.
    Wrong {
        name: String,
        offset: u64,
        found: Vec<u8>,
    },
}

/// A judge that requires the fault or other failure of the original launch.
#[derive(Debug)]
pub struct LaunchJudge<'a> {
    requirement: Requirement,
    workspace: Workspace,
    settings: Settings,
    /// The step limit that the user or the job sets.
    all_steps: u64,
    /// The current step limit, which is lower because reduced cases may loop forever.
    max_steps: u64,
    stop: &'a AtomicBool,
}

/// The first step limit that is tried, in steps of a warp.
const FIRST_STEPS: u64 = 4096;

impl<'a> LaunchJudge<'a> {
    /// A judge for the result of a case's first launch; `None` if the kernel completed or could not
    /// be launched. With `any`, any fault is accepted.
    pub fn of(
        case: &Case,
        seen: &Outcome,
        any: bool,
        workspace: Workspace,
        settings: Settings,
        stop: &'a AtomicBool,
    ) -> Option<Self> {
        let requirement = match requirement(seen)? {
            Requirement::Fault(..) if any => Requirement::AnyFault,
            requirement => requirement,
        };
        let own =
            parse(&case.job_text(), &Problems::default()).and_then(|job| job.settings.max_steps);
        let usual = LaunchOptions::default().max_steps;
        let all_steps = settings.of_job.max_steps.or(own).unwrap_or(usual);
        let max_steps = all_steps;
        let mut judge = Self { requirement, workspace, settings, all_steps, max_steps, stop };
        judge.limit_steps(case);
        Some(judge)
    }

    /// Limits the steps of launches to a multiple of the number that the original failure needs.
    fn limit_steps(&mut self, case: &Case) {
        let most = self.all_steps;
        self.max_steps = FIRST_STEPS;
        while self.max_steps < most && !self.fails(case) {
            self.max_steps = self.max_steps.saturating_mul(8);
        }
        self.max_steps = self.max_steps.saturating_mul(4).min(most);
    }

    /// Raises the current step limit; returns false if it is the user's limit already.
    pub fn allow_more(&mut self) -> bool {
        let before = self.max_steps;
        self.max_steps = before.saturating_mul(256).min(self.all_steps);
        self.max_steps > before
    }

    /// Whether a case fails in the same way with the user's step limit.
    pub fn confirms(&mut self, case: &Case) -> bool {
        let limited = std::mem::replace(&mut self.max_steps, self.all_steps);
        let fails = self.max_steps == limited || self.fails(case);
        self.max_steps = limited;
        fails
    }

    /// Describes the required failure.
    pub fn what(&self) -> String {
        match &self.requirement {
            Requirement::Fault(key, ..) => key.to_string(),
            Requirement::AnyFault => "any fault".to_owned(),
            Requirement::Codes(codes) => codes.join(", "),
            Requirement::Bug(message) => format!("internal error: {message}"),
            Requirement::Wrong { name, offset, found } => {
                let bytes: Vec<String> = found.iter().map(|b| format!("{b:02x}")).collect();
                format!(
                    "`{name}` holds {} at byte {offset}, which is not expected",
                    bytes.join(" ")
                )
            }
        }
    }

    /// Whether launches use more than one host thread.
    pub fn needs_threads(&self) -> bool {
        self.settings.threads != 1
    }

    /// How launches must treat fetches without a matching texture, if the user has requested it.
    pub fn bad_fetch(&self) -> Option<BadFetch> {
        self.settings.of_job.bad_fetch
    }

    /// Describes the failure of a case in a sentence, with its position.
    pub fn message(&mut self, case: &Case) -> Option<String> {
        let seen = self.look(case);
        if self.stop.load(Ordering::Relaxed) {
            // The launch was cancelled, because the user has interrupted the search.
            return None;
        }
        let place = |source: &SourceFile, span: Span| {
            let line = source.location(span.start).line;
            format!("kernel.ptx:{line}: `{}`", source.line(line).trim())
        };
        match seen {
            Outcome::Fault(source, fault) => {
                let (name, text) = (fault.kind.name(), fault.kind.to_string());
                // The name at the beginning of some messages is removed, because the sentence
                // begins with it.
                let text = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text);
                let text = without_allocations(text);
                Some(format!("{name}: {text}, at {}", place(&source, fault.span)))
            }
            Outcome::Errors(source, list) => {
                let error = list.iter().find(|d| d.is_error())?;
                let at = place(&source, error.primary.span);
                Some(format!("error[{}]: {}, at {at}", error.code, error.message))
            }
            Outcome::Bug(message) => Some(format!("an internal error: {message}")),
            Outcome::Finished(_) => Some(self.what()),
            Outcome::Problems(_) => None,
        }
    }

    /// Whether the required failure is a wrong output.
    pub fn keeps_output(&self) -> bool {
        matches!(self.requirement, Requirement::Wrong { .. })
    }

    /// Launches a case with the options of all attempts.
    fn look(&mut self, case: &Case) -> Outcome {
        if self.workspace.place_files(case).is_err() {
            return Outcome::Problems(Vec::new());
        }
        let settings = self.settings.with_max_steps(Some(self.max_steps));
        look(case, self.workspace.folder(), &settings, self.stop)
    }
}

fn requirement(seen: &Outcome) -> Option<Requirement> {
    Some(match seen {
        Outcome::Problems(_) => return None,
        Outcome::Finished(results) => {
            let WrongObject { name, offset, bytes } = results.wrong.first()?;
            // The requirement has the aligned 32-bit word that contains the first wrong byte.
            let first = offset & !3;
            let found = bytes.iter().skip(first as usize).take(4).copied().collect();
            Requirement::Wrong { name: name.clone(), offset: first, found }
        }
        Outcome::Errors(_, list) => Requirement::Codes(
            list.iter().filter(|d| d.is_error()).map(|d| d.code).take(1).collect(),
        ),
        Outcome::Bug(message) => Requirement::Bug(message.clone()),
        Outcome::Fault(_, fault) if fault.kind == FaultKind::Cancelled => return None,
        Outcome::Fault(source, fault) => {
            let is_outside = matches!(fault.kind, FaultKind::OutOfBounds { .. });
            let text = if is_outside { source.text() } else { "" };
            let formula = formula(text, fault.span);
            Requirement::Fault(FaultKey::of(fault), formula, two_elements(&fault.kind))
        }
    })
}

/// The size in bytes of two elements, or of the object near the access if that is smaller. With an
/// object of one element, a reader would no longer see that the index is wrong.
fn two_elements(kind: &FaultKind) -> u64 {
    let FaultKind::OutOfBounds { size, nearest, .. } = kind else { return 0 };
    let bytes = nearest.split_once(" (").and_then(|(_, rest)| rest.split_once(' ')?.0.parse().ok());
    bytes.map_or(0, |bytes: u64| bytes.min(2 * u64::from(*size)))
}

impl Requirement {
    /// Whether another failure is accepted in place of the required one. For a fault out of bounds,
    /// the operations that compute its address may be more than the required ones, but not fewer.
    fn is(&self, other: &Self) -> bool {
        let Self::Fault(key, formula, bytes) = self else { return self == other };
        let Self::Fault(own, operations, there) = other else { return false };
        let has = |(name, n): (&String, &usize)| operations.get(name).is_some_and(|own| own >= n);
        key == own && bytes <= there && formula.iter().all(has)
    }
}

impl Judge for LaunchJudge<'_> {
    fn fails(&mut self, case: &Case) -> bool {
        let seen = self.look(case);
        if let (Requirement::Wrong { name, offset, found }, Outcome::Finished(results)) =
            (&self.requirement, &seen)
        {
            // Only this object is compared, because code that writes others may have been removed.
            let object = results.wrong.iter().find(|object| object.name == *name);
            let there = object.and_then(|o| o.bytes.get(*offset as usize..)?.get(..found.len()));
            return there == Some(found);
        }
        let seen = requirement(&seen);
        match &self.requirement {
            Requirement::AnyFault => matches!(seen, Some(Requirement::Fault(..))),
            wanted => seen.is_some_and(|seen| wanted.is(&seen)),
        }
    }
}
