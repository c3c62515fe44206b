//! `texunit cases export`: the exported files contain the cases in both formats, satisfy the
//! schema, and can be read by the examples.

use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use texunit_cases::{Access, Expected};
use texunit_testkit::{TempDir, skipped};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

fn texunit(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.current_dir(root()).args(arguments).output().unwrap()
}

/// A suite of all cases, in a new folder.
fn exported(format: &str) -> TempDir {
    let folder = TempDir::new("suite");
    let output = texunit(&["cases", "export", "--format", format, &folder.text("suite")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(" files, ") && said.contains(" surface accesses\n"), "{said}");
    folder
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Columns of words, in the order of the document.
fn columns(value: &Value) -> Vec<Vec<u32>> {
    let words = |column: &Value| {
        let words = column.as_array().unwrap().iter();
        words.map(|word| u32::try_from(word.as_u64().unwrap()).unwrap()).collect()
    };
    value.as_array().unwrap().iter().map(words).collect()
}

/// The suite is exported once in each format, as this takes most of the time.
#[test]
fn both_formats() {
    let text = exported("json");
    let text = text.join("suite");
    every_case_is_there_with_its_bits(&text);
    python_reads_both_formats_and_finds_what_a_float_sampler_lacks(&text);
}

fn every_case_is_there_with_its_bits(suite: &Path) {
    let index = json(&suite.join("suite.json"));
    assert_eq!((&index["suite"], &index["version"]), (&"texunit-conformance".into(), &2.into()));
    let (mut files, mut fetches) = (0, 0);
    for entry in index["files"].as_array().unwrap() {
        let name = entry["file"].as_str().unwrap();
        let document = json(&suite.join(name));
        let source = root().join("tests/fetch").join(name).with_extension("toml");
        let file = texunit_cases::load(&source).unwrap();
        let cases = document["cases"].as_array().unwrap();
        let mut texels: HashMap<u64, (Vec<u8>, String)> = HashMap::new();
        assert_eq!(cases.len(), file.cases.len(), "{name}");
        assert_eq!(entry["cases"], cases.len());
        for (is, case) in cases.iter().zip(&file.cases) {
            assert_eq!(
                (&is["name"], &is["provenance"]),
                (&case.name.clone().into(), &case.provenance.clone().into())
            );
            assert_eq!(is["rules"].as_array().unwrap().len(), case.rules.len());
            let number = is["resource"].as_u64().unwrap();
            let resource = &document["resources"][number as usize];
            assert_eq!(resource["name"], case.resource().name);
            if let Ok(bytes) = case.resource().packed() {
                // Many cases have the same resource, so its digits are made once.
                let (first, digits) = texels.entry(number).or_insert_with(|| {
                    let digits = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    (bytes.clone(), digits)
                });
                let is_same = *first == bytes && resource["texels"] == **digits;
                assert!(is_same, "{name}, {}", case.name);
            }
            let Access::Fetch(fetch) = &case.access else {
                assert_eq!(is["accesses"].as_array().unwrap().len(), case.count());
                continue;
            };
            assert_eq!(is["instruction"]["name"], fetch.form.to_string());
            let points = columns(&is["operands"]["point"]);
            for (n, operands) in fetch.operands.iter().enumerate() {
                for (column, coordinate) in points.iter().zip(operands.coords.point) {
                    assert_eq!(column[n], coordinate, "{name}, {}, fetch {n}", case.name);
                }
                fetches += 1;
            }
            match &fetch.expected {
                Expected::Values(values) => {
                    let found = columns(&is["expected"]["values"]);
                    assert_eq!(found.len(), usize::from(fetch.components));
                    for (n, value) in values.iter().enumerate() {
                        for (column, word) in found.iter().zip(value.values) {
                            assert_eq!(column[n], word, "{name}, {}, fetch {n}", case.name);
                        }
                    }
                }
                Expected::Error(text) => assert_eq!(is["expected"]["error"], *text),
                Expected::Nothing => assert!(is["expected"].is_null()),
            }
        }
        files += 1;
    }
    assert!(files > 20 && fetches > 150_000, "{files} {fetches}");
}

/// Wrong folders and files are reported.
#[test]
fn what_is_wrong_is_said() {
    let folder = TempDir::new("suite-wrong");
    let none = texunit(&["cases", "export", "--cases", "/there/is/none", &folder.text("suite")]);
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert_eq!(none.status.code(), Some(1));
    assert!(
        said.starts_with("error: cannot read `/there/is/none`") && said.contains("--cases names"),
        "{said}"
    );
    let empty = texunit(&["cases", "export", "--cases", &folder.text(""), &folder.text("suite")]);
    let said = String::from_utf8_lossy(&empty.stderr).into_owned();
    assert!(empty.status.code() == Some(1) && said.contains("no case files"), "{said}");
    folder.file("bad.toml", "provenance = 7");
    let bad = texunit(&["cases", "export", "--cases", &folder.text(""), &folder.text("suite")]);
    let said = String::from_utf8_lossy(&bad.stderr).into_owned();
    assert!(bad.status.code() == Some(1) && said.contains("bad.toml"), "{said}");
    let file = folder.file("file", "");
    let onto = texunit(&["cases", "export", file.to_str().unwrap()]);
    assert_eq!(onto.status.code(), Some(1), "a file is not a folder");
    assert_eq!(texunit(&["cases", "export", "--format", "xml"]).status.code(), Some(2));
    assert_eq!(texunit(&["cases"]).status.code(), Some(2));
}

/// A Python with NumPy and jsonschema-rs, which are installed once; `None` if they cannot be
/// installed.
fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_BIN_EXE_texunit")).ancestors().nth(2).unwrap();
    let venv = target.join("conformance/venv");
    let python = venv.join("bin/python");
    let works = |python: &Path| {
        let mut command = Command::new(python);
        command
            .args(["-c", "import numpy, jsonschema_rs"])
            .output()
            .is_ok_and(|o| o.status.success())
    };
    if works(&python) {
        return Some(python);
    }
    let run = |command: &mut Command| command.output().is_ok_and(|o| o.status.success());
    let made = run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))
        && run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(["numpy==2.4.6", "jsonschema-rs==0.61.0"]));
    (made && works(&python)).then_some(python)
}

const CHECK: &str = r#"
import json, sys
from pathlib import Path
import jsonschema_rs, numpy as np
sys.path.insert(0, sys.argv[1])
import suite
first, second = Path(sys.argv[2]), Path(sys.argv[3])
schema = json.loads((first / "schema.json").read_text())
jsonschema_rs.meta.validate(schema)
validator = jsonschema_rs.Draft202012Validator(schema)
files = json.loads((first / "suite.json").read_text())["files"]
for entry in files:
    path = first / entry["file"]
    validator.validate(json.loads(path.read_text()))
    validator.validate(json.loads(np.load(second / path.with_suffix(".npz").name)["document"].tobytes()))
# A schema that takes everything would say nothing.
wrong = json.loads((first / files[0]["file"]).read_text())
wrong["cases"][0]["sampler"]["filter"] = "bilinear"
assert not validator.is_valid(wrong)

def same(a, b):
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and (a == b).all()
    return a == b or (a != a and b != b)

count = 0
for a, b in zip(suite.load(first), suite.load(second), strict=True):
    assert same(a, b), a["file"]
    for case in a["cases"]:
        if case["kind"] == "fetch" and case["expected"] and "values" in case["expected"]:
            values = case["expected"]["values"]
            assert len(suite.compare(case, values)) == 0
            if values.size:
                assert list(suite.compare(case, values ^ np.uint32(1))) == list(range(values.shape[1]))
            count += 1
print(count)
"#;

fn python_reads_both_formats_and_finds_what_a_float_sampler_lacks(first: &Path) {
    let Some(python) = python() else {
        return skipped("NumPy and jsonschema-rs cannot be installed");
    };
    let arrays = exported("npz");
    let examples = root().join("examples/conformance");
    let run = |arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(&python);
        command.env("PYTHONDONTWRITEBYTECODE", "1").args(arguments).output().unwrap()
    };
    let second = arrays.join("suite");
    let checked = run(&[
        "-c".as_ref(),
        CHECK.as_ref(),
        examples.as_os_str(),
        first.as_os_str(),
        second.as_os_str(),
    ]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let count: u32 = String::from_utf8(checked.stdout).unwrap().trim().parse().unwrap();
    assert!(count > 1500, "{count}");

    let sampler = examples.join("float_sampler.py");
    let said = run(&[sampler.as_os_str(), second.as_os_str()]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert_eq!(said.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&said.stderr));
    // Point filters agree; weights of 8 bits differ from a sampler that uses floats (rule 2).
    let words: Vec<&str> = text.split_whitespace().collect();
    let (agree, failed): (u32, u32) = (words[0].parse().unwrap(), words[3].parse().unwrap());
    assert!(agree >= 10 && failed >= 10, "{text}");
    assert!(
        text.contains("numerics#rule-2") && text.contains("texunit explain tests/fetch/"),
        "{text}"
    );
}

/// A suite of one small file of cases, because the readers in C do not use the cases.
fn small_suite(folder: &TempDir) -> PathBuf {
    std::fs::copy(root().join("tests/fetch/found.toml"), folder.join("found.toml")).unwrap();
    let (cases, suite) = (folder.text(""), folder.text("suite"));
    let output = texunit(&["cases", "export", "--cases", &cases, &suite]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("suite")
}

/// Runs a C program with a suite's folder and other arguments. Returns the exit code and standard
/// output; `None` without a compiler.
fn reader(
    folder: &TempDir,
    source: &Path,
) -> Option<impl Fn(&[&str]) -> (Option<i32>, String) + use<>> {
    let program = folder.join("reader");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2"]);
    match compiler.arg(source).args(["-lm", "-o"]).arg(&program).output() {
        Err(error) => {
            skipped(&format!("{}: cc: {error}", source.display()));
            return None;
        }
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr))
        }
    }
    let files = source.parent().unwrap().to_owned();
    Some(move |arguments: &[&str]| {
        let output = Command::new(&program).arg(&files).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    })
}

/// The C reader reproduces the card's results with the exported tables, and finds a wrong number.
#[test]
fn the_reader_of_the_special_function_unit_checks_its_files() {
    let folder = TempDir::new("suite-functions");
    let functions = small_suite(&folder).join("special-functions");
    let tables = std::fs::read_to_string(functions.join("tables.txt")).unwrap();
    let lines: Vec<_> = tables.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 7 + 627);
    assert_eq!(lines[..2], ["table RCP 128 15 1 2 8092", "0 67108864 -65534 1013"]);

    let Some(mufu) = reader(&folder, &functions.join("mufu.c")) else { return };
    let (code, said) = mufu(&["--quick"]);
    assert!(code == Some(0) && said.ends_with("\n1152 of 1152\n"), "{said}");
    let one = ["--of", "rcp.approx.ftz.f32", "02f000cc"];
    assert_eq!(mufu(&one), (Some(0), "02f000cc 7c088815\n".to_owned()));

    let wrong = tables.replacen("\n0 67108864 -65534 1013\n", "\n0 67108864 -65534 1014\n", 1);
    std::fs::write(functions.join("tables.txt"), &wrong).unwrap();
    let (code, said) = mufu(&["--quick", "rcp.approx.ftz.f32"]);
    // Two blocks are subnormal operands, whose results do not come from the table.
    assert!(code == Some(1) && said.ends_with("\n2 of 64\n"), "{said}");
    for broken in [tables.replacen("\n1 ", "\nx ", 1), wrong[..wrong.len() / 2].to_owned()] {
        std::fs::write(functions.join("tables.txt"), broken).unwrap();
        assert_eq!(mufu(&["--quick"]).0, Some(2));
    }
}

/// The C reader computes the elements of a card's tensor core, and finds a wrong one.
#[test]
fn the_reader_of_the_tensor_core_checks_its_file() {
    let folder = TempDir::new("suite-tensor");
    let files = small_suite(&folder).join("tensor-core");
    let elements = std::fs::read_to_string(files.join("elements.txt")).unwrap();
    let Some(mma) = reader(&folder, &files.join("mma.c")) else { return };
    let (code, said) = mma(&[]);
    assert!(code == Some(0) && said.ends_with("\n1680 of 1680\n"), "{said}");

    let (before, last) = elements.trim_end().rsplit_once(' ').unwrap();
    let other = format!("{:x}", u64::from_str_radix(last, 16).unwrap() ^ 1);
    std::fs::write(files.join("elements.txt"), format!("{before} {other}\n")).unwrap();
    let (code, said) = mma(&["--differ"]);
    assert!(
        code == Some(1)
            && said.contains(&format!("{last}, wanted {other}\n"))
            && said.ends_with("\n1679 of 1680\n"),
        "{said}"
    );
    let broken = [
        format!("{before}\n"),
        elements.replace("m16n8k16", "m16n8k999"),
        elements.replace(" bf16 bf16 ", " bf16 f16 "),
        "1 2 3 4\n".to_owned(),
        String::new(),
    ];
    for text in broken {
        std::fs::write(files.join("elements.txt"), text).unwrap();
        assert_eq!(mma(&[]).0, Some(2));
    }
    assert_eq!(mma(&["--unknown"]).0, Some(2));
}
