//! Generates the lists of functions in docs/cuda-api.md and docs/cuda-libraries.md: which functions
//! are provided, and a test that calls each.
//!
//! Programs used as tests record their calls in tests/cuda/tested.txt (`UPDATE=1 cargo test -p
//! texunit --test cuda`); Rust tests are searched for function names.

use crate::{files, workspace};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::LazyLock;

/// The pages: that about the driver and the runtime, and that about libraries on top of them.
const DOCUMENTS: [&str; 2] = ["docs/cuda-api.md", "docs/cuda-libraries.md"];
/// The line of a page after which everything is generated.
const MARK: &str = "<!-- What follows is written by `cargo run -p xtask -- matrix`. -->\n";
/// The file with reasons why functions of the driver and the runtime are not provided: group,
/// reason.
const LACKING: &str = "crates/cuda/cuda-abi/data/lacking.txt";
/// The file that records which test program has called a function: function, test.
const RECORDED: &str = "tests/cuda/tested.txt";
/// Folders with Rust tests, which call driver functions by name.
const IN_RUST: [&str; 5] = [
    "crates/cuda/cuda/tests/all",
    "crates/cuda/cuda/tests/alone",
    "crates/cuda/cuda/tests/reasons",
    "crates/cuda/cuda/tests",
    "crates/cuda/cudart/tests",
];

/// A library with an API.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Api {
    /// The page that lists the API's functions.
    document: String,
    title: String,
    list: String,
    /// The error that functions return which texunit does not provide.
    refusal: String,
}

/// The APIs of matrix.toml.
static APIS: LazyLock<Vec<Api>> = LazyLock::new(|| files::rows(include_str!("matrix.toml")));

/// Writes the generated part of the pages.
pub(crate) fn write() -> ExitCode {
    let mut written = DOCUMENTS
        .into_iter()
        .map(|document| files::write(&workspace().join(document), renewed(document)?));
    crate::exit_code(written.try_for_each(|done| done).map(|()| true))
}

fn read(file: &str) -> Result<String, String> {
    files::read(&workspace().join(file))
}

/// The text of a page with its generated part renewed.
fn renewed(document: &str) -> Result<String, String> {
    let text = read(document)?;
    let (before, _) =
        text.split_once(MARK).ok_or_else(|| format!("{document} has no line {MARK}"))?;
    let tests = tests()?;
    let mut all = format!("{before}{MARK}");
    for api in APIS.iter().filter(|api| api.document == document) {
        all += &api.section(&read(&api.list)?, &tests)?;
    }
    Ok(all)
}

/// A test for each function that has one. Programs are preferred to Rust tests, because they call
/// functions as users do.
fn tests() -> Result<BTreeMap<String, String>, String> {
    let mut tests = BTreeMap::new();
    for folder in IN_RUST {
        let all = files::entries(&workspace().join(folder)).unwrap_or_default();
        for file in all.iter().filter(|file| file.extension().is_some_and(|e| e == "rs")) {
            let text = files::read(file)?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            for function in called(&text) {
                tests.entry(function.to_owned()).or_insert_with(|| format!("{folder}/{name}"));
            }
        }
    }
    for line in read(RECORDED)?.lines().filter(|line| !line.starts_with('#')) {
        if let Some((function, test)) = line.split_once(' ') {
            tests.insert(function.to_owned(), test.to_owned());
        }
    }
    Ok(tests)
}

/// The functions that a Rust test calls. A declaration has types or, without parameters, is a
/// statement of its own.
fn called(text: &str) -> BTreeSet<&str> {
    let mut called = BTreeSet::new();
    for (at, _) in text.match_indices('(') {
        let (before, after) = (&text[..at], text[at + 1..].trim_start());
        let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let start = before.rfind(|c| !is_in_name(c)).map_or(0, |i| i + 1);
        let line = before.rfind('\n').map_or(0, |i| i + 1);
        let is_declared = after.trim_start_matches(is_in_name).starts_with(": ")
            || after.starts_with(");") && text[line..start].trim().is_empty();
        let name = &before[start..];
        if !is_declared && (name.starts_with("cu") || name.starts_with("__cuda")) {
            called.insert(name);
        }
    }
    called
}

impl Api {
    fn section(&self, list: &str, tests: &BTreeMap<String, String>) -> Result<String, String> {
        let (mut provided, mut untested, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        let reasons = read(LACKING)?;
        let reasons: Vec<_> = reasons.lines().filter_map(|line| line.split_once('\t')).collect();
        let mut groups = vec![Vec::new(); reasons.len()];
        for line in list.lines() {
            let words: Vec<&str> =
                line.split('#').next().unwrap_or_default().split_whitespace().collect();
            let (Some(symbol), Some(is_there)) = (words.first(), words.last()) else { continue };
            let symbol = symbol.trim_end_matches('*');
            // In the lists of libraries, a version replaces the suffix for per-thread default
            // streams.
            let ending = words.get(words.len().wrapping_sub(2));
            let ending = ending.filter(|ending| ending.starts_with("pt"));
            let symbol =
                format!("{symbol}{}", ending.map(|e| format!("[_{e}]")).unwrap_or_default());
            let plain = symbol.split('[').next().unwrap_or_default();
            // A function may be listed with its call of the driver.
            let is_there = if is_there.ends_with(')') { "yes" } else { is_there };
            match (is_there, tests.get(plain)) {
                ("yes", Some(test)) => provided.push((symbol, test)),
                ("yes", None) => untested.push(symbol),
                ("no", _) => refused.push(symbol),
                (group, _) => match reasons.iter().position(|(word, _)| *word == group) {
                    Some(i) => groups[i].push(symbol),
                    None => return Err(format!("{}: {plain}: {group}?", self.list)),
                },
            }
        }
        let mut text = format!("\n### {}\n\n", self.title);
        let supported = provided.len() + untested.len();
        let lacks = refused.len() + groups.iter().map(Vec::len).sum::<usize>();
        let _ = match lacks {
            0 => writeln!(text, "{supported} functions: all are supported.\n"),
            _ => writeln!(
                text,
                "{} functions: {supported} supported, {lacks} return `{}`, none is missing.\n",
                supported + lacks,
                self.refusal,
            ),
        };
        text += "| supported | a test that calls it |\n|---|---|\n";
        for (symbol, test) in &provided {
            let _ = writeln!(text, "| `{symbol}` | {test} |");
        }
        if !untested.is_empty() {
            let _ =
                writeln!(text, "\nSupported, but not called by these tests: {}.", names(&untested));
        }
        if !refused.is_empty() {
            let _ = writeln!(text, "\nThese return `{}`: {}.", self.refusal, names(&refused));
        }
        let mut rows =
            reasons.iter().zip(&groups).filter(|(_, group)| !group.is_empty()).peekable();
        if rows.peek().is_some() {
            let _ = writeln!(text, "\n| return `{}` | | because |\n|---|---|---|", self.refusal);
        }
        for ((_, reason), group) in rows {
            let _ = writeln!(text, "| {} | {} | {reason} |", names(group), group.len());
        }
        Ok(text)
    }
}

fn names(all: &[String]) -> String {
    let quoted: Vec<_> = all.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_have_the_lists_as_they_are() {
        for document in DOCUMENTS {
            let same = renewed(document).unwrap() == read(document).unwrap();
            assert!(same, "{document} is old: run `cargo run -p xtask -- matrix`");
        }
    }

    #[test]
    fn functions_that_are_only_declared_are_not_called() {
        let text = "    cuInit(flags: u32);\n    cuCtxSynchronize();\n    ok(cuInit(0))";
        assert_eq!(called(text).into_iter().collect::<Vec<_>>(), ["cuInit"]);
    }

    #[test]
    fn recorded_tests_are_there() {
        for line in read(RECORDED).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let test = line.split_once(' ').unwrap().1;
            let exists = ["", "/Cargo.toml"]
                .iter()
                .any(|e| workspace().join(format!("{test}{e}")).is_file());
            assert!(exists, "{test} of {RECORDED} is not there; run the tests with UPDATE=1");
        }
    }
}
