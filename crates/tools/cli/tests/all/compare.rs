//! `texunit compare` on a test card: the software device behind the driver API. Its results equal
//! the reference, so every case agrees unless the test changes a result.

use std::path::{Path, PathBuf};
use texunit::args::OutputFormat;
use texunit::compare::{CompareArgs, Comparison, human, json, run_on};
use texunit_gpu::compare::Outcome;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn args(cases: &[&Path]) -> CompareArgs {
    CompareArgs {
        cases: cases.iter().map(|p| p.to_path_buf()).collect(),
        all: false,
        worker: false,
        record: None,
        random: None,
        seed: 0,
        format: OutputFormat::Human,
    }
}

fn compare(args: &CompareArgs) -> Comparison {
    run_on(texunit_gpu::test_card().unwrap(), args)
}

#[test]
fn jobs_run_on_the_card() {
    let jobs: Vec<PathBuf> = ["rotate", "sobel", "volume", "surface-blur", "texref"]
        .map(|name| root().join("examples").join(name))
        .to_vec();
    let comparison = compare(&args(&jobs.iter().map(PathBuf::as_path).collect::<Vec<_>>()));
    assert!(comparison.succeeded(), "{}", human(&comparison));
    let equal = comparison.compared.iter().filter(|c| matches!(c.outcome, Outcome::Equal { .. }));
    assert!(equal.count() >= 3, "{}", human(&comparison));
    let skipped = comparison.compared.iter().any(
        |c| matches!(&c.outcome, Outcome::Skipped { reason } if reason.contains("references")),
    );
    assert!(skipped, "module references are not bound on a card: {}", human(&comparison));
}

/// The jobs of tests/compare use only what a card supports.
#[test]
fn jobs_for_cards_are_asked() {
    let comparison = compare(&args(&[&root().join("tests/compare")]));
    assert!(comparison.succeeded(), "{}", human(&comparison));
    let equal = comparison.compared.iter().filter(|c| matches!(c.outcome, Outcome::Equal { .. }));
    assert_eq!((equal.count(), comparison.compared.len()), (4, 4), "{}", human(&comparison));
}

#[test]
fn answers_are_recorded_and_random_cases_run() {
    let folder = texunit_testkit::TempDir::new("compare");
    let record = folder.join("recorded.toml");
    let mut args = args(&[]);
    args.random = Some(40);
    args.seed = 7;
    args.record = Some(record.clone());
    let first = compare(&args);
    assert!(first.succeeded(), "{}", human(&first));
    assert_eq!(first.compared.len(), 40);
    // The recorded file is a case file with the card's name.
    let again = compare(&self::args(&[&record]));
    assert!(again.succeeded(), "{}", human(&again));
    assert_eq!(again.compared.len(), first.recorded.unwrap().1);
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.contains("texunit test card (sm_86)"), "{text}");
}

#[test]
fn reports_name_cards_rules_and_reasons() {
    let comparison = compare(&args(&[&root().join("tests/fetch/intcoord.toml")]));
    let report = json(&comparison);
    assert_eq!(report["succeeded"], true);
    assert_eq!(report["card"]["name"], "texunit test card");
    assert!(report["cases"].as_array().unwrap().iter().all(|c| c["outcome"] == "equal"));
    assert!(report["rules"].as_array().unwrap().iter().any(|r| r["rule"] == "1.9"), "{report}");
    assert!(human(&comparison).contains("sm_86, driver for CUDA "));
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    for path in ["no-such-file.toml", "README.md"] {
        let comparison = compare(&args(&[&root().join(path)]));
        assert!(!comparison.succeeded());
        assert!(comparison.errors[0].contains(path), "{:?}", comparison.errors);
    }
}

#[test]
fn nothing_recorded_is_an_error_and_no_file() {
    let folder = texunit_testkit::TempDir::new("record");
    let path = folder.join("record.toml");
    let mut args = args(&[&root().join("examples/rotate/job.toml")]);
    args.record = Some(path.clone());
    let comparison = compare(&args);
    assert_eq!(comparison.recorded, None);
    assert!(comparison.errors[0].ends_with("no case that could be recorded"), "{comparison:?}");
    assert!(!path.exists());
}

/// After a kernel's fault, a card refuses every call of the process; this is reported once.
#[test]
fn a_card_that_is_lost_ends_the_comparison() {
    let gpu = texunit_gpu::test_card().unwrap();
    let ptx = ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry fault()\n{\n\
               .reg .b64 %a;\nmov.b64 %a, 0;\nst.global.b32 [%a], 1;\nret;\n}\n";
    let module = gpu.module(ptx).unwrap();
    let shape = texunit_gpu::LaunchShape { grid: [1; 3], block: [1; 3], shared: 0 };
    assert_eq!(gpu.lost(), None);
    assert!(module.launch("fault", shape, &[]).is_err());
    assert!(gpu.lost().is_some());
    let mut args = args(&[&root().join("tests/fetch/intcoord.toml")]);
    args.random = Some(5);
    let comparison = run_on(gpu, &args);
    assert!(comparison.compared.is_empty() && !comparison.succeeded());
    let [error] = &comparison.errors[..] else { panic!("{comparison:?}") };
    assert!(error.starts_with("the card stopped responding: cuCtxSynchronize failed"), "{error}");
}
