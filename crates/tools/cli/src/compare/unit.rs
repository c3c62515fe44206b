//! The work units of `texunit compare --all`: each is independent of the others, runs in any
//! process with a GPU, and is sent as JSON.

use super::job::{self, Left};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use texunit_cases::{
    Access, Built, Case, CaseFile, Engine, Expected, hash, load, random_case_of, to_toml,
};
use texunit_forms::Count;
use texunit_gpu::Runner;
use texunit_gpu::compare::{Compared, Outcome, compare, compare_fault, faulting};
use texunit_unit::fetch_simd_level;

/// A work unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Unit {
    /// A case of a file, by its number from 0, without its faulting accesses.
    Case { file: PathBuf, number: usize },
    /// A faulting access of a case, by its number from 0.
    Fault { file: PathBuf, number: usize, access: usize },
    /// A random case with this number of fetches.
    Random { seed: u64, index: u64, fetches: u32 },
    /// A job, or a form of a program.
    Job { file: PathBuf, form: Option<String> },
}

/// The result of a work unit.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) compared: Compared,
    /// Cases with the GPU's results, as a case file; for a random case, the differing fetches.
    pub(super) cases: Option<String>,
    /// Further recorded data.
    pub(super) more: Value,
}

impl Unit {
    /// The answer for a unit whose process ended without one.
    pub(super) fn failed(&self, reason: String) -> Answer {
        let (file, name) = match self {
            Unit::Case { file, number } => (file.display().to_string(), format!("#{}", number + 1)),
            Unit::Fault { file, number, access } => {
                (file.display().to_string(), format!("#{}:{access}", number + 1))
            }
            Unit::Random { seed, index, .. } => (random_name(*seed), index.to_string()),
            Unit::Job { file, form } => {
                (file.display().to_string(), form.clone().unwrap_or_else(|| "job".to_owned()))
            }
        };
        let outcome = Outcome::Failed { reason };
        let compared = Compared { file, name, rules: Vec::new(), outcome };
        Answer { compared, cases: None, more: Value::Null }
    }
}

fn random_name(seed: u64) -> String {
    format!("random, seed {seed}")
}

/// Maximum number of recorded fetches of a random case.
const RECORDED: usize = 256;

/// Case files that were read.
#[derive(Default)]
pub(super) struct Files(HashMap<PathBuf, Result<CaseFile, String>>);

impl Files {
    fn case(&mut self, file: &PathBuf, number: usize) -> Result<&Case, String> {
        let read = || load(file).map_err(|e| e.to_string());
        let file = self.0.entry(file.clone()).or_insert_with(read);
        let cases = &file.as_ref().map_err(String::clone)?.cases;
        cases.get(number).ok_or_else(|| format!("it has {}", Count(cases.len(), "case")))
    }
}

/// Runs a work unit on the GPU, or everything except that if there is none.
pub(super) fn answer(unit: &Unit, runner: Option<&Runner>, files: &mut Files) -> Answer {
    let asked = match unit {
        Unit::Case { file, number } => files.case(file, *number).map(|case| {
            let case = without_faults(case);
            let file = file.display().to_string();
            let (compared, recorded) = compare(runner, Engine::Reference, &file, &case);
            Answer { compared, cases: recorded.map(|case| to_toml(&[case])), more: Value::Null }
        }),
        Unit::Fault { file, number, access } => files.case(file, *number).map(|case| {
            let file = file.display().to_string();
            let (mut compared, said) = compare_fault(runner, &file, case, *access);
            compared.name += &format!(":{access}");
            Answer { compared, cases: None, more: json!({ "fault": said }) }
        }),
        Unit::Random { seed, index, fetches } => Ok(random(runner, *seed, *index, *fetches)),
        Unit::Job { file, form } => {
            let (compared, left) = job::compare(runner, file, form.as_deref());
            let left: Vec<Value> = left.iter().map(left_json).collect();
            Ok(Answer { compared, cases: None, more: json!({ "left": left }) })
        }
    };
    asked.unwrap_or_else(|reason| unit.failed(reason))
}

/// A case without its faulting accesses, or the unchanged case if nothing remains.
fn without_faults(case: &Case) -> Case {
    let faults = faulting(case);
    if faults.len() == case.count() { case.clone() } else { case.without(&faults) }
}

/// A random case; the faster planned path replaces the reference sampler.
fn random(runner: Option<&Runner>, seed: u64, index: u64, fetches: u32) -> Answer {
    let case = random_case_of(seed, index, fetches);
    let case = without_faults(&case);
    let engine = Engine::Plan(fetch_simd_level());
    let (compared, recorded) = compare(runner, engine, &random_name(seed), &case);
    let Some(mut case) = recorded else {
        return Answer { compared, cases: None, more: json!({ "index": index }) };
    };
    let more = json!({ "index": index, "hash": hash(&words(&case)) });
    if !matches!(compared.outcome, Outcome::Differs { .. }) {
        return Answer { compared, cases: None, more };
    }
    case.note = Some(format!("random case {index} of seed {seed}: fetches that differ"));
    keep_differing(&mut case, engine);
    Answer { compared, cases: Some(to_toml(&[case])), more }
}

/// All results of the GPU.
fn words(case: &Case) -> Vec<u32> {
    match &case.access {
        Access::Fetch(fetch) => match &fetch.expected {
            Expected::Values(values) => values
                .iter()
                .flat_map(|v| v.values.into_iter().chain(v.resident.map(u32::from)))
                .collect(),
            _ => Vec::new(),
        },
        Access::Surface(surface) => {
            let loaded = surface.accesses.iter().flat_map(|access| access.bytes.iter().flatten());
            loaded.chain(surface.after.iter().flatten()).map(|&byte| byte.into()).collect()
        }
    }
}

/// Reduces a case to the first differing fetches. Surface accesses depend on each other, and are
/// kept.
fn keep_differing(case: &mut Case, engine: Engine) {
    let Ok(Built::Fetch(built)) = case.build() else { return };
    let (Access::Fetch(fetch), Ok(ours)) = (&mut case.access, engine.run(&built)) else { return };
    let Expected::Values(values) = &built.expected else { return };
    let differ = |n: &usize| !values[*n].agrees(&ours[*n]);
    let kept: Vec<usize> = (0..values.len()).filter(differ).take(RECORDED).collect();
    fetch.operands = kept.iter().map(|&n| built.operands[n]).collect();
    fetch.expected = Expected::Values(kept.iter().map(|&n| values[n]).collect());
}

fn left_json(left: &Left) -> Value {
    let words: Vec<u32> = left.bytes.iter().map(|&byte| byte.into()).collect();
    let mut value = json!({ "name": left.name, "bytes": left.bytes.len(), "hash": hash(&words) });
    if left.differs {
        value["card"] = left.bytes.iter().map(|b| format!("{b:02x}")).collect::<String>().into();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_cases::parse;

    /// The reference results of a random case, with a bit changed in two of them.
    fn wrong_at(places: [usize; 2]) -> Case {
        let mut case = random_case_of(3, 1, 40).answered().unwrap().unwrap();
        let Access::Fetch(fetch) = &mut case.access else { panic!("case 1 has fetches") };
        let Expected::Values(values) = &mut fetch.expected else { panic!("it is answered") };
        places.into_iter().for_each(|n| values[n].values[0] ^= 1);
        case
    }

    #[test]
    fn fetches_that_differ_are_kept_with_their_answers() {
        let whole = wrong_at([7, 30]);
        let mut kept = whole.clone();
        keep_differing(&mut kept, Engine::Reference);
        let (Access::Fetch(whole), Access::Fetch(fetch)) = (&whole.access, &kept.access) else {
            panic!("they are fetches")
        };
        assert_eq!(fetch.operands, [whole.operands[7], whole.operands[30]]);
        let (Expected::Values(all), Expected::Values(values)) = (&whole.expected, &fetch.expected)
        else {
            panic!("they have values")
        };
        assert_eq!(values[..], [all[7], all[30]]);
        assert_eq!(words(&kept)[..5], [&all[7].values[..], &[1]].concat());
        assert_eq!(parse(&to_toml(&[kept.clone()])).unwrap().cases, [kept]);
    }
}
