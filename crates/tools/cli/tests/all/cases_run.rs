//! `texunit cases run`: differences are printed with their places, counted by rule, and determine
//! the exit code.

use serde_json::Value;
use std::process::{Command, Output};
use texunit_testkit::TempDir;

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    command.current_dir(root).args(["cases", "run"]).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Texels 1, 2, 3, 4. Of three expected values of a fetch case one is wrong; so are one of two
/// stores, and a byte to which no access stores. Two cases use an array that cannot be created.
const CASES: &str = r#"
provenance = "by hand"
rules = ["1.9"]
[[resource]]
name = "line"
format = "f32"
geometry = "2d"
width = 4
height = 1
texels = { codes = ["3f800000400000004040000040800000"] }
[[resource]]
name = "bytes"
format = "u8"
geometry = "1d"
width = 4
texels = { fill = "00" }
[[resource]]
name = "nothing"
format = "f32"
geometry = "1d"
width = 0
texels = { ramp = [0, 1] }
[[fetch]]
name = "x"
resource = "line"
op = "tex.2d.v4.f32.s32"
coords = "00000000000000000000000100000000"
components = 1
expected = "3f8000003f800000"
resident = "11"
[[fetch]]
name = "refused"
resource = "nothing"
op = "tex.1d.v4.f32.s32"
coords = "00000000"
error = "nothing"
[[surface]]
name = "stores"
rules = ["10.1", "10.2"]
resource = "bytes"
op = "sust.b.1d.b8.trap"
accesses = "0 1 4"
values = "11 22 outside"
after = "11230001"
[[fetch]]
name = "refused too"
rules = ["2"]
resource = "nothing"
op = "tex.1d.v4.f32.s32"
coords = "00000000"
expected = "00000000000000000000000000000001"
"#;

#[test]
fn what_differs_is_told_and_counted() {
    let folder = TempDir::new("cases-run");
    let file = folder.file("cases.toml", CASES).display().to_string();
    let said = run(&[&file]);
    let text = stdout(&said);
    assert_eq!(said.status.code(), Some(1), "{text}");
    for line in [
        format!("{file}#1:1 x: got 40000000 resident 1 (reference, plan-"),
        format!("{file}#4:1 stores: got 22, wanted 23"),
        format!("{file}#4 stores: got 00 in byte 3 of the surface, wanted 01 in byte 3"),
        format!("{file}#3 refused too: got refused too: resource `nothing`: "),
        "1.9                2          5          1\n".to_owned(),
        "2                  1          4          4\n".to_owned(),
        "10.2               1          4          2\n".to_owned(),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
    let last = text.lines().last().unwrap();
    assert_eq!(last, "4 cases, 13 values, 7 differ");
    let quiet = stdout(&run(&["--quiet", &file]));
    assert_eq!(quiet, format!("{last}\n"));

    let report: Value =
        serde_json::from_str(&stdout(&run(&["--format", "json", "--engine", "reference", &file])))
            .unwrap();
    assert_eq!((&report["cases"], &report["values"]), (&4.into(), &13.into()));
    let first = &report["differences"][0];
    assert_eq!(
        (&first["name"], &first["case"], &first["number"]),
        (&"x".into(), &1.into(), &1.into())
    );
    assert_eq!((&first["wanted"], &first["values"]), (&"3f800000 resident 1".into(), &1.into()));
    assert_eq!(
        first["got"],
        serde_json::json!([{ "answer": "40000000 resident 1", "engines": ["reference"] }])
    );
    assert_eq!(
        report["rules"][1],
        serde_json::json!({ "rule": "10.1", "cases": 1, "values": 4, "differ": 2 })
    );
}

/// Compressed files, folders, and unreadable files among readable ones.
#[test]
fn folders_are_run_and_files_that_cannot_be_read_are_said() {
    let said = run(&["--quiet", "tests/fetch/intcoord.toml", "tests/fetch/card/gl-store.toml.gz"]);
    let text = stdout(&said);
    assert!(text.ends_with(" differ\n") && text.lines().count() == 1, "{text}");
    assert_eq!(String::from_utf8_lossy(&said.stderr), "");

    let folder = TempDir::new("cases-folder");
    std::fs::create_dir(folder.join("a")).unwrap();
    folder.file("a/good.toml", CASES);
    let good = stdout(&run(&["--quiet", &folder.text("")]));
    folder.file("a/bad.toml.gz", "not compressed");
    let both = run(&["--quiet", &folder.text("")]);
    assert_eq!((stdout(&both), both.status.code()), (good, Some(1)));
    let said = String::from_utf8_lossy(&both.stderr).into_owned();
    assert!(said.starts_with("error: ") && said.contains("a/bad.toml.gz: "), "{said}");
    let nothing = run(&["/there/is/none"]);
    assert_eq!(
        (stdout(&nothing).lines().last(), nothing.status.code()),
        (Some("0 cases, 0 values, 0 differ"), Some(1))
    );
    assert_eq!(run(&[]).status.code(), Some(2));
    assert_eq!(run(&["--engine", "card", "."]).status.code(), Some(2));
}
