//! The verdicts of NVIDIA's assembler in tests/check/oracle, and ours: accepted or rejected must
//! be the same for every row.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;
use texunit_check::{Options, Ptxas, Verdicts, check_source};
use texunit_syntax::{Diagnostic, SourceFile};

/// Rows of fresh.jsonl.gz.
const FRESH: usize = 17_632;

/// Disagreements of each family that are printed.
const SHOWN: usize = 8;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/check/oracle")
}

fn unpacked(name: &str) -> String {
    let file = std::fs::File::open(folder().join(name)).unwrap();
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

fn rows(name: &str) -> Vec<Value> {
    unpacked(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The options that ask for what the row's tool said about the row's architecture.
fn options(row: &Value) -> Options {
    let tool: Ptxas =
        row["tool"].as_str().unwrap().strip_prefix("ptxas ").unwrap().parse().unwrap();
    let arch = row["arch"].as_str().map(|a| a.parse().unwrap());
    Options { verdicts: Verdicts::Ptxas(Some(tool)), arch, ..Options::default() }
}

/// One line a disagreement, by family.
fn disagreements(
    rows: &[Value],
    module: impl Fn(&Value) -> String,
) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        let text = module(row);
        let source = SourceFile::new("row", text);
        let diagnostics = check_source(&source, &options(row));
        let first = diagnostics.iter().find(|d| d.is_error());
        let accepted = row["accepted"].as_bool().unwrap();
        if accepted != first.is_none() {
            let ours = first.map_or("accepted".to_owned(), |d: &Diagnostic| {
                format!("{} {}", d.code, d.message)
            });
            let theirs =
                if accepted { "accepted" } else { row["error"].as_str().unwrap_or("rejected") };
            let family = row["family"].as_str().unwrap_or("module").to_owned();
            let what = row["instr"].as_str().unwrap_or(source.text());
            let header = row["wrapper"].as_str().unwrap_or("");
            let (tool, arch) = (&row["tool"], &row["arch"]);
            found.entry(family).or_default().push(format!(
                "{tool} -arch {arch} {header}\n    {what}\n    ptxas: {theirs}\n    texunit: {ours}"
            ));
        }
    }
    found
}

fn agree(count: usize, name: &str, module: impl Fn(&Value) -> String) {
    let rows = rows(name);
    assert_eq!(rows.len(), count);
    let found = disagreements(&rows, module);
    let n: usize = found.values().map(Vec::len).sum();
    let shown: Vec<String> = found
        .iter()
        .map(|(family, list)| {
            format!("== {family}: {}\n{}", list.len(), list[..list.len().min(SHOWN)].join("\n"))
        })
        .collect();
    assert_eq!(n, 0, "{n} of {count} verdicts differ\n{}", shown.join("\n"));
}

#[test]
fn instructions() {
    let wrappers: HashMap<String, Value> =
        serde_json::from_str(&unpacked("wrappers.json.gz")).unwrap();
    agree(61_600, "verdicts.jsonl.gz", |row| {
        let wrapper = &wrappers[row["wrapper"].as_str().unwrap()];
        let instr =
            if row["family"] == "empty_module" { "" } else { row["instr"].as_str().unwrap() };
        format!(
            "{}{instr}{}",
            wrapper["prefix"].as_str().unwrap(),
            wrapper["suffix"].as_str().unwrap()
        )
    });
}

#[test]
fn declarations() {
    agree(575, "declarations.jsonl.gz", |row| row["module"].as_str().unwrap().to_owned());
}

#[test]
fn examples_of_the_documentation() {
    agree(45, "doc-examples.jsonl.gz", |row| row["module"].as_str().unwrap().to_owned());
}

#[test]
fn fresh_modules_of_every_kind() {
    agree(FRESH, "fresh.jsonl.gz", |row| row["module"].as_str().unwrap().to_owned());
}
