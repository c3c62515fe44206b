//! Faults and wrong outputs of a launch, and mistakes in the PTX that it is of.

use super::launch::{Seen, Settings, USUAL_STEPS, look};
use super::{FaultKey, Workspace};
use crate::Judge;
use crate::case::Case;
use crate::ptx::formula;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use texunit_device::{BadFetch, FaultKind};
use texunit_job::{Problems, WrongObject, parse};
use texunit_syntax::{SourceFile, Span};

/// A message without the numbers of allocations, which count those of all attempts.
fn without_allocations(text: &str) -> String {
    const WORD: &str = ", allocation ";
    let mut parts = text.split(WORD);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// What must stay the same of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    /// With the operations of the address, and the bytes that the object near it has at least, of an access out of bounds.
    Fault(FaultKey, BTreeMap<String, usize>, u64),
    AnyFault,
    Codes(Vec<&'static str>),
    Bug(String),
    /// An object and the bytes at the first place where it is not as expected.
    Wrong {
        name: String,
        offset: u64,
        found: Vec<u8>,
    },
}

/// Keeps the fault of a launch, or whatever else ends it.
#[derive(Debug)]
pub struct LaunchJudge<'a> {
    kept: Kept,
    workspace: Workspace,
    settings: Settings,
    /// The steps that the user, or the job, allows.
    all_steps: u64,
    /// Fewer steps than those: an attempt may be endless where the first launch was not.
    max_steps: u64,
    stop: &'a AtomicBool,
}

/// The first step limit that is tried.
const FIRST_STEPS: u64 = 4096;

impl<'a> LaunchJudge<'a> {
    /// Of what the first launch of a case came to; none if it came to its end, or cannot be launched. `any`:
    /// any fault is as good as another.
    pub fn of(
        case: &Case,
        seen: &Seen,
        any: bool,
        workspace: Workspace,
        settings: Settings,
        stop: &'a AtomicBool,
    ) -> Option<Self> {
        let kept = match kept(seen)? {
            Kept::Fault(..) if any => Kept::AnyFault,
            kept => kept,
        };
        let own =
            parse(&case.job_text(), &Problems::default()).and_then(|job| job.settings.max_steps);
        let all_steps = settings.max_steps.or(own).unwrap_or(USUAL_STEPS);
        let max_steps = all_steps;
        let mut judge = Self { kept, workspace, settings, all_steps, max_steps, stop };
        judge.limit_steps(case);
        Some(judge)
    }

    /// Allows no more steps than the failure takes, and some.
    fn limit_steps(&mut self, case: &Case) {
        let most = self.all_steps;
        self.max_steps = FIRST_STEPS;
        while self.max_steps < most && !self.fails(case) {
            self.max_steps = self.max_steps.saturating_mul(8);
        }
        self.max_steps = self.max_steps.saturating_mul(4).min(most);
    }

    /// Allows more steps; false: there are no more.
    pub fn allow_more(&mut self) -> bool {
        let before = self.max_steps;
        self.max_steps = before.saturating_mul(256).min(self.all_steps);
        self.max_steps > before
    }

    /// Whether a case fails so too with all the steps that the user allows.
    pub fn confirms(&mut self, case: &Case) -> bool {
        let limited = std::mem::replace(&mut self.max_steps, self.all_steps);
        let fails = self.max_steps == limited || self.fails(case);
        self.max_steps = limited;
        fails
    }

    /// What is kept, in words.
    pub fn what(&self) -> String {
        match &self.kept {
            Kept::Fault(key, ..) => key.to_string(),
            Kept::AnyFault => "any fault".to_owned(),
            Kept::Codes(codes) => codes.join(", "),
            Kept::Bug(message) => format!("internal error: {message}"),
            Kept::Wrong { name, offset, found } => {
                let bytes: Vec<String> = found.iter().map(|b| format!("{b:02x}")).collect();
                format!(
                    "`{name}` holds {} at byte {offset}, which is not expected",
                    bytes.join(" ")
                )
            }
        }
    }

    /// Whether launches must have more than one host thread.
    pub fn needs_threads(&self) -> bool {
        self.settings.threads != 1
    }

    /// What launches must make of fetches that no texture fits, if that was asked for.
    pub fn bad_fetch(&self) -> Option<BadFetch> {
        self.settings.bad_fetch
    }

    /// How a case fails, in a sentence, with the place.
    pub fn message(&mut self, case: &Case) -> Option<String> {
        self.workspace.place_files(case).ok()?;
        let settings = Settings { max_steps: Some(self.max_steps), ..self.settings };
        let seen = look(case, self.workspace.folder(), &settings, self.stop);
        if self.stop.load(Ordering::Relaxed) {
            // Whoever has stopped this, too, does without.
            return None;
        }
        let place = |source: &SourceFile, span: Span| {
            let line = source.location(span.start).line;
            format!("kernel.ptx:{line}: `{}`", source.line(line).trim())
        };
        match seen {
            Seen::Fault(source, fault) => {
                let (name, text) = (fault.kind.name(), fault.kind.to_string());
                // Some messages begin with the kind.
                let text = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text);
                let text = without_allocations(text);
                Some(format!("{name}: {text}, at {}", place(&source, fault.span)))
            }
            Seen::Errors(source, list) => {
                let error = list.iter().find(|d| d.is_error())?;
                let at = place(&source, error.primary.span);
                Some(format!("error[{}]: {}, at {at}", error.code, error.message))
            }
            Seen::Bug(message) => Some(format!("an internal error: {message}")),
            Seen::Finished(_) => Some(self.what()),
            Seen::Problems(_) => None,
        }
    }

    /// Whether an output is kept.
    pub fn keeps_output(&self) -> bool {
        matches!(self.kept, Kept::Wrong { .. })
    }

    /// Launches a case as attempts are launched.
    fn look(&mut self, case: &Case) -> Seen {
        if self.workspace.place_files(case).is_err() {
            return Seen::Problems(Vec::new());
        }
        let settings = Settings { max_steps: Some(self.max_steps), ..self.settings };
        look(case, self.workspace.folder(), &settings, self.stop)
    }
}

fn kept(seen: &Seen) -> Option<Kept> {
    Some(match seen {
        Seen::Problems(_) => return None,
        Seen::Finished(results) => {
            let WrongObject { name, offset, bytes } = results.wrong.first()?;
            // The word with the first wrong byte.
            let first = offset & !3;
            let found = bytes.iter().skip(first as usize).take(4).copied().collect();
            Kept::Wrong { name: name.clone(), offset: first, found }
        }
        Seen::Errors(_, list) => {
            Kept::Codes(list.iter().filter(|d| d.is_error()).map(|d| d.code).take(1).collect())
        }
        Seen::Bug(message) => Kept::Bug(message.clone()),
        Seen::Fault(_, fault) if fault.kind == FaultKind::Cancelled => return None,
        Seen::Fault(source, fault) => {
            let is_outside = matches!(fault.kind, FaultKind::OutOfBounds { .. });
            let text = if is_outside { source.text() } else { "" };
            let formula = formula(text, fault.span);
            Kept::Fault(FaultKey::of(fault), formula, two_elements(&fault.kind))
        }
    })
}

/// Bytes of two elements, or fewer if the object near a wrong access has no more: an array of one element shows no index.
fn two_elements(kind: &FaultKind) -> u64 {
    let FaultKind::OutOfBounds { size, nearest, .. } = kind else { return 0 };
    let bytes = nearest.split_once(" (").and_then(|(_, rest)| rest.split_once(' ')?.0.parse().ok());
    bytes.map_or(0, |bytes: u64| bytes.min(2 * u64::from(*size)))
}

impl Kept {
    /// Whether a failure is this one: an address may be made of more than is kept.
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
        if let (Kept::Wrong { name, offset, found }, Seen::Finished(results)) = (&self.kept, &seen)
        {
            // Other bytes may be wrong as well: what made them is gone.
            let object = results.wrong.iter().find(|object| object.name == *name);
            let there = object.and_then(|o| o.bytes.get(*offset as usize..)?.get(..found.len()));
            return there == Some(found);
        }
        let seen = kept(&seen);
        match &self.kept {
            Kept::AnyFault => matches!(seen, Some(Kept::Fault(..))),
            wanted => seen.is_some_and(|seen| wanted.is(&seen)),
        }
    }
}
