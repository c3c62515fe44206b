//! Runs all programs of tests/cuda with all checks: the output is unchanged, and the findings are
//! exactly those of tests/findings/explained.toml.

use crate::evidence::json;
use crate::explained;
use crate::program::{Case, cases, difference};
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let cases = cases(setup);
    let mut trials = Vec::new();
    for case in cases.clone() {
        let of_trial = setup.clone();
        let skipped = !setup.has(case.variant().needs());
        let name = format!("check/all of {}", case.name);
        let trial = Trial::test(name, move || swept(&of_trial, &case));
        trials.push(trial.with_ignored_flag(skipped));
    }
    trials.push(Trial::test("check/what is explained has its program", move || {
        let names = cases.iter().map(|case| case.name.as_str()).collect();
        match &*explained::without_case("cuda", &names)? {
            [] => Ok(()),
            others => Err(format!("there is no program of these names: {others:?}").into()),
        }
    }));
    trials
}

fn swept(setup: &Setup, case: &Case) -> Result<(), Failed> {
    let explained = explained::findings("cuda", &case.name, "")?;
    let report = setup.build.join(format!("swept-{}.json", case.name));
    let mut command = setup.run();
    // One worker, so that a race always has the same ends.
    command.args(["--check", "all", "--report"]).arg(&report).env("TEXUNIT_THREADS", "1");
    let ended = case.run_with(setup, case.variant(), command)?;
    let expected = case.expected()?;
    if ended.stdout != expected {
        let differs = difference(&expected, &ended.stdout);
        return Err(format!("with checks: {differs}\n{}", ended.stderr).into());
    }
    let report = json(&report)?;
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    // One message of each kind, for whoever examines a failure.
    let found: BTreeMap<&str, &str> = findings
        .iter()
        .filter_map(|finding| Some((finding["kind"].as_str()?, finding["message"].as_str()?)))
        .collect();
    let kinds: BTreeSet<&str> = found.keys().copied().collect();
    if kinds.iter().copied().eq(explained.iter().map(String::as_str)) {
        return Ok(());
    }
    Err(format!("found {found:#?}, explained are {explained:?}\n{}", ended.stderr).into())
}
