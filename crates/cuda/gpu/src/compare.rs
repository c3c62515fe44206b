//! Compares a test case's results on a GPU with those of the reference or another engine.

use crate::driver::{Gpu, GpuError};
use crate::run::{CardAccess, Runner};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use texunit_cases::{
    Access, Answer, Built, BuiltFetch, BuiltSurface, Case, Engine, SurfaceRun, why_no_driver,
};
use texunit_unit::reference::trace::FetchValue;
use texunit_unit::{FetchForm, FetchKind};

/// Result of comparing a test case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// Every bit is equal.
    Equal {
        /// Number of fetches or surface accesses in the case.
        #[serde(rename = "answers")]
        count: usize,
    },
    /// Some results differ.
    Differs {
        /// Number of fetches or surface accesses in the case.
        #[serde(rename = "answers")]
        count: usize,
        /// Number of differing results.
        differing: usize,
        /// The first few differences.
        first: Vec<Difference>,
    },
    /// The GPU cannot run the case, or the reference has no result.
    Skipped {
        /// Reason for skipping the case.
        reason: String,
    },
    /// The GPU or the case failed.
    Failed {
        /// Reason of the failure.
        reason: String,
    },
}

/// One differing result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Number of the fetch or surface access in its test case, from 0.
    pub index: usize,
    /// The operands of the differing fetch or access.
    pub operands: String,
    /// What the reference returns.
    pub reference: String,
    /// What the GPU returned.
    pub card: String,
}

/// A test case that was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// Origin of the case: a file, or the seed of random cases.
    pub file: String,
    /// Name of the case.
    pub name: String,
    /// Rules of docs/numerics.md that the case tests.
    pub rules: Vec<String>,
    /// Result of the comparison.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Summary of all test cases for one rule of docs/numerics.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Number of cases that ran on the GPU.
    pub cases: usize,
    /// Number of fetches or surface accesses in the cases that ran on the GPU.
    #[serde(rename = "answers")]
    pub count: usize,
    /// Number of results that differ from the reference's.
    pub differing: usize,
    /// Number of skipped cases.
    pub skipped: usize,
    /// Number of cases that failed.
    pub failed: usize,
}

impl Tally {
    /// Adds the result of a test case to the summary.
    pub fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Equal { count } => {
                self.cases += 1;
                self.count += count;
            }
            Outcome::Differs { count, differing, .. } => {
                self.cases += 1;
                self.count += count;
                self.differing += differing;
            }
            Outcome::Skipped { .. } => self.skipped += 1,
            Outcome::Failed { .. } => self.failed += 1,
        }
    }
}

/// Summaries of all cases by rule. Cases that name no rule are listed under `-`.
pub fn by_rule(compared: &[Compared]) -> BTreeMap<String, Tally> {
    let mut tallies = BTreeMap::<String, Tally>::new();
    for case in compared {
        let unnamed = ["-".to_owned()];
        let rules = if case.rules.is_empty() { &unnamed[..] } else { &case.rules[..] };
        for rule in rules {
            tallies.entry(rule.clone()).or_default().add(&case.outcome);
        }
    }
    tallies
}

/// Maximum number of differences that are kept for a case.
const MAX_DIFFERENCES: usize = 3;

impl Compared {
    /// A test case with the result of its comparison.
    fn new(file: &str, case: &Case, outcome: Outcome) -> Self {
        let (name, rules) = (case.name.clone(), case.rules.clone());
        Self { file: file.to_owned(), name, rules, outcome }
    }
}

/// Runs a test case on the GPU and on an implementation of the texture unit (`engine`). Also
/// returns the case with the GPU's results as expected values, for recording. Without a GPU, the
/// case is built and run on the engine, and skipped for lack of a GPU unless there is another
/// reason.
pub fn compare(
    runner: Option<&Runner>,
    engine: Engine,
    file: &str,
    case: &Case,
) -> (Compared, Option<Case>) {
    match run(runner, engine, case) {
        Ok((outcome, recorded)) => (Compared::new(file, case, outcome), Some(recorded)),
        Err(outcome) => (Compared::new(file, case, outcome), None),
    }
}

/// Reason for skipping a case without a GPU.
pub const NO_CARD: &str = "there is no card";

/// Indices of the accesses of a surface case that fault or are expected to fault. The GPU can run
/// only one of them per process. For a warp, which executes one instruction, the first access
/// stands for all.
pub fn faulting(case: &Case) -> Vec<usize> {
    let Access::Surface(surface) = &case.access else { return Vec::new() };
    let Ok(run) = surface.build().and_then(|built| built.run()) else { return Vec::new() };
    let faults = |&i: &usize| run.answers[i].is_err() || surface.accesses[i].fault.is_some();
    let faults = (0..surface.accesses.len()).filter(faults);
    if surface.warp { faults.take(1).collect() } else { faults.collect() }
}

/// Runs an access that faults, after which the GPU cannot be used by this process. Also returns the
/// GPU's error.
pub fn compare_fault(
    runner: Option<&Runner>,
    file: &str,
    case: &Case,
    access: usize,
) -> (Compared, String) {
    let (outcome, said) = match fault(runner, case, access) {
        Ok(said) => (Outcome::Equal { count: 1 }, said),
        Err(outcome) => (outcome, String::new()),
    };
    (Compared::new(file, case, outcome), said)
}

fn fault(runner: Option<&Runner>, case: &Case, access: usize) -> Result<String, Outcome> {
    let runner = runner.ok_or_else(|| skipped(NO_CARD))?;
    let Access::Surface(data) = &case.access else { return Err(skipped("it has no surface")) };
    let surface = data.build().map_err(skipped)?;
    let accesses = card_accesses(&surface).ok_or_else(|| skipped(NO_INSTRUCTION))?;
    let resource = &surface.surface.resource;
    let asked = if surface.warp { &accesses[..] } else { &accesses[access..=access] };
    let answer = runner.surface(resource, asked, surface.warp);
    match (answer, runner.gpu().lost()) {
        (_, Some(fault)) => Ok(fault.to_string()),
        (Err(error), None) => Err(card_failed(error)),
        (Ok(_), None) => {
            let mut differences = Differences::default();
            differences.add(|| Difference {
                index: access,
                operands: coords_text(&surface, access),
                reference: "a fault".to_owned(),
                card: "no fault".to_owned(),
            });
            Err(differences.outcome(1))
        }
    }
}

fn skipped(reason: impl std::fmt::Display) -> Outcome {
    Outcome::Skipped { reason: reason.to_string() }
}

fn card_failed(error: GpuError) -> Outcome {
    let reason = error.to_string();
    match error {
        GpuError::NotExpressible(_) => Outcome::Skipped { reason },
        _ => Outcome::Failed { reason },
    }
}

fn run(runner: Option<&Runner>, engine: Engine, case: &Case) -> Result<(Outcome, Case), Outcome> {
    if let Some(reason) = why_no_driver(case) {
        return Err(skipped(reason));
    }
    // Some test cases exist only to show that their texture or sampler state is refused.
    match case.build().map_err(skipped)? {
        Built::Fetch(fetch) => run_fetch(runner, engine, case, &fetch),
        Built::Surface(surface) => run_surface(runner, case, &surface),
    }
}

/// Formats a driver version for users: `12.4` for 12040.
pub fn cuda_version(driver_version: u32) -> String {
    format!("{}.{}", driver_version / 1000, driver_version % 1000 / 10)
}

/// Description of the GPU and driver that recorded results come from.
pub fn provenance(gpu: &Gpu) -> String {
    let ((major, minor), cuda) = (gpu.capability(), cuda_version(gpu.driver_version()));
    format!("{} (sm_{major}{minor}), driver for CUDA {cuda}", gpu.name())
}

fn run_fetch(
    runner: Option<&Runner>,
    engine: Engine,
    case: &Case,
    fetch: &BuiltFetch,
) -> Result<(Outcome, Case), Outcome> {
    let BuiltFetch { form, texture, sampler, operands, .. } = fetch;
    let reference = engine.run(fetch).map_err(skipped)?;
    let runner = runner.ok_or_else(|| skipped(NO_CARD))?;
    let card = runner.fetch(*form, texture, sampler, operands).map_err(card_failed)?;
    let card: Vec<Answer> = card.into_iter().map(|value| registers(form, value)).collect();
    let mut differences = Differences::default();
    for (index, (ours, card)) in reference.iter().zip(&card).enumerate() {
        if ours != card {
            differences.add(|| Difference {
                index,
                operands: format!("{:x?}", operands[index]),
                reference: answer_text(form, ours),
                card: answer_text(form, card),
            });
        }
    }
    let mut recorded = case.clone();
    recorded.provenance = provenance(runner.gpu());
    if let Access::Fetch(data) = &mut recorded.access {
        data.record(&card);
    }
    Ok((differences.outcome(operands.len()), recorded))
}

/// The result registers that a fetch writes; registers that it does not write are 0.
pub(crate) fn registers(
    form: &FetchForm,
    FetchValue { mut values, resident }: FetchValue,
) -> Answer {
    values[form.result.registers().into()..].fill(0);
    Answer { values, resident }
}

fn answer_text(form: &FetchForm, answer: &Answer) -> String {
    let words = answer.values.iter().take(form.result.registers().into());
    let words: Vec<String> = words.map(|v| format!("{v:08x}")).collect();
    let gathered = if matches!(form.kind, FetchKind::Gather(_)) { "gathered " } else { "" };
    let missing = if answer.resident { "" } else { ", not resident" };
    format!("{gathered}{}{missing}", words.join(" "))
}

#[derive(Default)]
struct Differences {
    count: usize,
    first: Vec<Difference>,
}

impl Differences {
    fn add(&mut self, difference: impl FnOnce() -> Difference) {
        self.count += 1;
        if self.first.len() < MAX_DIFFERENCES {
            self.first.push(difference());
        }
    }

    fn outcome(self, count: usize) -> Outcome {
        match self.count {
            0 => Outcome::Equal { count },
            differing => Outcome::Differs { count, differing, first: self.first },
        }
    }
}

/// Reason for skipping faulting accesses in [`compare`].
const FAULTS: &str = "an access faults, and a fault ends the work on the card";
const NO_INSTRUCTION: &str = "an access has a size that no instruction has";

/// The accesses of a surface case as instructions for the GPU; `None` if no instruction accesses an
/// access's number of bytes.
fn card_accesses(surface: &BuiltSurface) -> Option<Vec<CardAccess>> {
    let accesses = surface.accesses.iter().enumerate().map(|(i, access)| {
        // Several instructions can access this number of bytes; successive accesses use them in
        // turn.
        let forms = surface.op.forms(access.size);
        let form = *forms.get(i % forms.len().max(1))?;
        let mut given = access.bytes.iter().flatten();
        let bytes = std::array::from_fn(|_| given.next().copied().unwrap_or(0));
        Some((form, access.coords, bytes))
    });
    accesses.collect()
}

fn coords_text(surface: &BuiltSurface, access: usize) -> String {
    format!("{:x?}", surface.accesses[access].coords.padded::<3>(surface.op.geometry()))
}

fn run_surface(
    runner: Option<&Runner>,
    case: &Case,
    surface: &BuiltSurface,
) -> Result<(Outcome, Case), Outcome> {
    let accesses = card_accesses(surface).ok_or_else(|| skipped(NO_INSTRUCTION))?;
    if surface.accesses.iter().any(|a| a.fault.is_some()) {
        return Err(skipped(FAULTS));
    }
    // The GPU starts from the initial texels, which our own run changes.
    let before = surface.surface.resource.to_packed();
    let ours = surface.run().map_err(skipped)?;
    if ours.answers.iter().any(Result::is_err) {
        return Err(skipped(FAULTS));
    }
    let restored = surface.surface.resource.fill_packed(&before);
    restored.map_err(|e| Outcome::Failed { reason: e.to_string() })?;
    let runner = runner.ok_or_else(|| skipped(NO_CARD))?;
    let answers = runner.surface(&surface.surface.resource, &accesses, surface.warp);
    let (answers, after) = answers.map_err(card_failed)?;
    let mut differences = Differences::default();
    let mut loaded = Vec::with_capacity(answers.len());
    for (index, (ours, card)) in ours.answers.iter().zip(&answers).enumerate() {
        let ours = ours.as_deref().unwrap_or_default();
        let card = &card[..ours.len().min(16)];
        loaded.push(Ok(card.to_vec()));
        if ours != card {
            differences.add(|| Difference {
                index,
                operands: coords_text(surface, index),
                reference: hex(ours),
                card: hex(card),
            });
        }
    }
    if ours.after != after {
        let at = ours.after.iter().zip(&after).position(|(a, b)| a != b).unwrap_or(0);
        let around = |bytes: &[u8]| hex(&bytes[at..bytes.len().min(at + 16)]);
        differences.add(|| Difference {
            index: surface.accesses.len(),
            operands: format!("the surface afterwards, from byte {at}"),
            reference: around(&ours.after),
            card: around(&after),
        });
    }
    let mut recorded = case.clone();
    recorded.provenance = provenance(runner.gpu());
    if let Access::Surface(data) = &mut recorded.access {
        data.record(SurfaceRun { answers: loaded, after });
    }
    Ok((differences.outcome(surface.accesses.len()), recorded))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
