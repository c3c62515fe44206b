//! Runs every case of tests/fetch on the reference and on the planned path, at every SIMD level of
//! the machine. Each file and engine is a trial, and every bit must match.

#![allow(clippy::unwrap_used)]

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use texunit_cases::{Answer, Built, Engine, find_files, load, random_unit_case, to_toml};
use texunit_unit::PlanError;

/// Folders of case files.
const FOLDERS: [&str; 2] = ["tests/fetch", "tests/fetch/card"];

fn main() {
    let mut trials = Vec::new();
    for path in case_files() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        for engine in Engine::plans().chain([Engine::Reference]) {
            let path = path.clone();
            trials.push(Trial::test(format!("{engine}/{name}"), move || file(&path, engine)));
        }
    }
    trials.push(Trial::test("every published vector is there", published));
    trials.push(Trial::test("every rule of docs/numerics.md is cited", rules));
    trials.push(Trial::test("random cases: the plan equals the reference", random));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn case_files() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    FOLDERS.iter().flat_map(|folder| find_files(&root.join(folder), 0).unwrap()).collect()
}

/// Runs all cases of a file. The error tells how many fail, and what the first of them returns.
fn file(path: &Path, engine: Engine) -> Result<(), Failed> {
    let file = load(path).map_err(|e| e.to_string())?;
    let mut failures = Vec::new();
    for (number, case) in file.cases.iter().enumerate() {
        let place = format!("case {} `{}`", number + 1, case.name);
        if case.provenance.is_empty() {
            failures.push(format!("{place} does not say where its answers come from"));
        }
        if let Some(wrong) = case.verdict(&[engine]).wrong.first() {
            let fetch = wrong.number.map_or(String::new(), |n| format!(", fetch {n}"));
            failures.push(format!("{place}{fetch}: {wrong}"));
        }
    }
    match failures.first() {
        None => Ok(()),
        Some(first) => {
            let (bad, all) = (failures.len(), file.cases.len());
            Err(format!("{bad} of {all} cases fail; {first}").into())
        }
    }
}

/// Checks the number of published cases, so that nobody drops cases unnoticed.
fn published() -> Result<(), Failed> {
    let (mut hardware, mut computed) = (0, 0);
    for path in case_files() {
        for case in load(&path).map_err(|e| e.to_string())?.cases {
            if case.provenance.starts_with("GeForce RTX 3060") {
                hardware += case.count();
            } else if case.provenance.starts_with("computed by a model") {
                computed += case.count();
            }
        }
    }
    if (hardware, computed) == (116_032, 64_215) {
        return Ok(());
    }
    Err(format!("{hardware} of 116032 and {computed} of 64215 are there").into())
}

/// Checks that every rule with a number in docs/numerics.md, sections 1 to 11, has a case, and so
/// has every section that says something outside of numbered rules. (Sections 12 and 13 are not
/// about fetches.) A case that cites a whole section does not count for the section's rules.
fn rules() -> Result<(), Failed> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/numerics.md");
    let page = std::fs::read_to_string(page).map_err(|e| e.to_string())?;
    let mut missing: Vec<String> = texunit_testkit::pages::without_anchors(&page)
        .lines()
        .take_while(|line| !line.starts_with("## 12"))
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .map(|(rule, _)| rule.to_owned())
        .filter(|rule| rule.contains('.') && rule.starts_with(|c: char| c.is_ascii_digit()))
        .chain(["2", "6", "8", "8.1", "11"].map(str::to_owned))
        .collect();
    if missing.len() < 70 {
        return Err(format!("only these rules are found: {missing:?}").into());
    }
    for path in case_files() {
        for case in load(&path).map_err(|e| e.to_string())?.cases {
            missing.retain(|rule| !case.rules.iter().any(|cited| cited == rule));
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(format!("no case for {missing:?}").into()) }
}

/// Compares the plan with the reference for random resources, samplers, instructions and operands,
/// which may be such that no case thought of them. `TEXUNIT_CASES` sets their number.
fn random() -> Result<(), Failed> {
    let wanted = std::env::var("TEXUNIT_CASES").ok().and_then(|n| n.parse().ok());
    for index in 0..wanted.unwrap_or(1500) {
        let case = random_unit_case(20_261_120, index);
        let Built::Fetch(fetch) = case.build().map_err(|e| e.to_string())? else { continue };
        let (expected, got) = (fetch.reference(), fetch.planned());
        let same = match (&expected, &got) {
            (Ok(expected), Ok(got)) => expected == got,
            // A case that is refused must be refused by both, with the same reason.
            (Err(expected), Err(got)) => expected == got,
            _ => false,
        };
        if !same {
            let at = expected.iter().flatten().zip(got.iter().flatten()).position(|(a, b)| a != b);
            let answers = |all: &Result<Vec<Answer>, PlanError>| match (all, at) {
                (Ok(all), Some(at)) => format!("{:x?}", all[at]),
                (Ok(_), None) => "values".to_owned(),
                (Err(e), _) => e.to_string(),
            };
            return Err(format!(
                "case {index}, fetch {at:?}, {:x?}\nreference: {}\nplan: {}\n{}",
                at.map(|at| fetch.operands[at]),
                answers(&expected),
                answers(&got),
                to_toml(&[case])
            )
            .into());
        }
    }
    Ok(())
}
