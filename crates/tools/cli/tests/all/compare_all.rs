//! `texunit compare --all` in separate processes, with the test card and without a card.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use texunit_testkit::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// `library` is the driver: the test card of crate `texunit-gpu`, or a file that does not exist.
fn compare(library: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.current_dir(root()).env("TEXUNIT_LIBCUDA", library);
    command.args(["compare", "--all", "--format", "json"]).args(arguments).output().unwrap()
}

fn report(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// A case with accesses that fault.
const CASES: &str = r#"
provenance = "by hand"
rules = ["10.3"]
[[resource]]
name = "bytes"
format = "u8"
geometry = "1d"
width = 4
texels = { bytes = "01020304" }
[[surface]]
name = "faults"
resource = "bytes"
op = "suld.b.1d.v2.b8.trap"
accesses = "0 1 2 4"
values = "0102 misaligned 0304 outside"
"#;

/// A kernel that stores to address 0, after which the process can make no further calls.
const FAULT: &str = ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry fault(.param .u64 p)\n{\n\
    .reg .b64 %a;\nld.param.u64 %a, [p];\nst.global.b32 [%a+1048576], 1;\nret;\n}\n";

#[test]
fn everything_is_asked_and_recorded() {
    let folder = TempDir::new("compare-all");
    let cases = folder.file("faults.toml", CASES).display().to_string();
    let record = folder.text("card");
    let output = compare(
        "test-card",
        &[
            "--record",
            &record,
            "--random",
            "30",
            "--seed",
            "5",
            &cases,
            "tests/fetch/intcoord.toml",
            "tests/programs/reduce",
            "tests/programs/scan",
            "tests/compare/shuffle",
        ],
    );
    let report = report(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let asked = &report["asked"];
    assert_eq!((&asked["random"], &asked["faults"]), (&30.into(), &2.into()), "{asked}");
    let cases = report["cases"].as_array().unwrap();
    assert_eq!(asked["units"], cases.len());
    let of = |name: &str| cases.iter().find(|case| case["name"] == name).unwrap();
    assert_eq!(of("faults")["answers"], 2);
    for fault in ["faults:1", "faults:3"] {
        assert_eq!(
            (&of(fault)["outcome"], &of(fault)["rules"][0]),
            (&"equal".into(), &"10.3".into())
        );
    }
    assert_eq!(of("random-5-0")["answers"], 4096, "of fetches there are thousands");
    let forms = cases.iter().filter(|case| case["rules"][0] == "job").count();
    assert!(forms >= 13, "each form of a program is a job: {forms}");

    // The recording contains cases that hold for texunit too, and lines for the remaining ones.
    let at = |name: &str| folder.join("card").join(name);
    let mut run = Command::new(env!("CARGO_BIN_EXE_texunit"));
    let again = run.args(["cases", "run", "--quiet"]).arg(at("cases")).output().unwrap();
    let said = String::from_utf8(again.stdout).unwrap();
    assert!(said.ends_with(", 0 differ\n") && !said.starts_with("0 "), "{said}");
    let lines = |name: &str| texunit_cases::read_text(&at(name)).unwrap().lines().count();
    assert_eq!(
        (lines("random.tsv.gz"), lines("faults.tsv"), lines("jobs.jsonl.gz")),
        (31, 3, forms)
    );
    assert!(!at("random.toml.gz").exists(), "nothing random differs");
    let readme = std::fs::read_to_string(at("README.md")).unwrap();
    assert!(readme.contains("texunit test card (sm_86)") && readme.contains("\nall "), "{readme}");
}

/// The case that ends a process is reported, and the remaining cases still run.
#[test]
fn a_fault_ends_one_process_and_nothing_else() {
    let folder = TempDir::new("compare-fault");
    folder.file("fault.ptx", FAULT);
    let job = "ptx = \"fault.ptx\"\nkernel = \"fault\"\ngrid = [1]\nblock = [1]\n";
    for name in ["a", "b"] {
        folder.file(format!("{name}.toml"), format!("{job}[params.0]\nbuffer = {{ zeros = 4 }}\n"));
    }
    let intcoord = root().join("tests/fetch/intcoord.toml").display().to_string();
    let output = compare("test-card", &["--random", "0", &folder.text(""), &intcoord]);
    let report = report(&output);
    assert_eq!(output.status.code(), Some(1));
    let outcomes: Vec<_> =
        report["cases"].as_array().unwrap().iter().map(|c| &c["outcome"]).collect();
    assert_eq!(outcomes[..2], ["failed", "failed"]);
    assert!(outcomes.len() > 10 && outcomes[2..].iter().all(|o| *o == "equal"), "{report:#}");
}

/// Without a card, everything is done except for running cases on the card.
#[test]
fn without_a_card_everything_is_made_and_answered_here() {
    let folder = TempDir::new("compare-none");
    let record = folder.text("card");
    let arguments = [
        "--record",
        &record,
        "--random",
        "20",
        "--seed",
        "5",
        "tests/fetch/point.toml",
        "tests/programs/scan",
    ];
    let output = compare("/there/is/none", &arguments);
    let report = report(&output);
    assert_eq!(output.status.code(), Some(2));
    let cases = report["cases"].as_array().unwrap();
    assert!(cases.iter().all(|c| c["reason"] == "there is no card"), "{report:#}");
    assert_eq!(report["asked"]["units"], cases.len());
    assert!(report["asked"]["estimated_seconds"].as_f64().unwrap() > 0.5);
    assert!(report["errors"][0].as_str().unwrap().starts_with("no NVIDIA driver"), "{report:#}");
    assert!(!folder.join("card").exists());
}
