//! Lists the possible mutants, and selects some of them at random.

use std::collections::HashMap;
use std::process::Command;

use serde::Deserialize;

use super::Place;
use super::parts::{Part, package};

/// The release of cargo-mutants that is installed if it is missing.
const RELEASE: &str = "27.1.0";

/// A position in a source file. Lines and columns (in characters) count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The part of a source file that a mutation replaces.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(super) struct Span {
    pub(super) start: Position,
    pub(super) end: Position,
}

/// A mutation that cargo-mutants can make.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Mutant {
    /// Path of the source file, relative to the repository.
    pub(super) file: String,
    /// Description of the mutation without line number: `replace + with - in decode`, followed by `
    /// (2)` if the file has an earlier one with this description.
    pub(super) name: String,
    pub(super) span: Span,
    /// The text that replaces that of the span.
    pub(super) replacement: String,
    pub(super) diff: String,
}

/// All mutants of a part of the code.
pub(super) fn of(part: &Part, place: &Place) -> Result<Vec<Mutant>, String> {
    let mut command = cargo_mutants(place)?;
    command.args(["mutants", "--list", "--json", "--diff", "--package"]);
    command.args([&package(part.package), "--file", part.files]).current_dir(place.tree());
    let output = command.output().map_err(|e| format!("cargo-mutants: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo-mutants: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut mutants = read(&output.stdout).map_err(|e| format!("cargo-mutants: {e}"))?;
    if mutants.is_empty() {
        return Err(format!("there are no mutants of {}", part.files));
    }
    let mut seen = HashMap::new();
    for mutant in &mut mutants {
        let count = seen.entry((mutant.file.clone(), mutant.name.clone())).or_insert(0);
        *count += 1;
        if *count > 1 {
            mutant.name += &format!(" ({count})");
        }
    }
    Ok(mutants)
}

/// The mutants of a list, their names without the place that each begins with.
fn read(list: &[u8]) -> serde_json::Result<Vec<Mutant>> {
    let mut mutants: Vec<Mutant> = serde_json::from_slice(list)?;
    for Mutant { name, file, span, .. } in &mut mutants {
        let place = format!("{file}:{}:{}: ", span.start.line, span.start.column);
        *name = name.trim_start_matches(&place).to_owned();
    }
    Ok(mutants)
}

/// The cargo-mutants program of PATH, or else of this task's folder, where it is installed if it is
/// missing.
fn cargo_mutants(place: &Place) -> Result<Command, String> {
    let found = Command::new("cargo-mutants").args(["mutants", "--version"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Ok(Command::new("cargo-mutants"));
    }
    Ok(Command::new(crate::installed("cargo-mutants", RELEASE, &place.tools(), &[])?))
}

/// Shuffles mutants such that the order of two mutants does not depend on the others. After changes
/// of the code nearly the same mutants are selected.
pub(super) fn shuffle(mutants: &mut [Mutant], seed: u64) {
    mutants.sort_by_cached_key(|mutant| {
        let bytes = mutant.file.bytes().chain([0]).chain(mutant.name.bytes());
        (mix(bytes.fold(mix(seed), |hash, byte| mix(hash ^ u64::from(byte)))), mutant.name.clone())
    });
}

/// The finaliser of SplitMix64, which makes equally distributed bits.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(name: &str) -> Mutant {
        let start = Position { line: 1, column: 1 };
        let (file, replacement, diff) = ("a.rs".to_owned(), String::new(), String::new());
        let span = Span { start, end: start };
        Mutant { file, name: name.to_owned(), span, replacement, diff }
    }

    fn names(mutants: &[Mutant]) -> Vec<&str> {
        mutants.iter().map(|mutant| mutant.name.as_str()).collect()
    }

    #[test]
    fn a_draw_hangs_on_the_seed_and_not_on_what_else_there_is() {
        let mut all: Vec<_> = (0..50).map(|n| mutant(&n.to_string())).collect();
        let mut fewer: Vec<_> = all.iter().skip(7).cloned().collect();
        shuffle(&mut all, 1);
        shuffle(&mut fewer, 1);
        let kept: Vec<_> = names(&all).into_iter().filter(|n| names(&fewer).contains(n)).collect();
        assert_eq!(kept, names(&fewer));
        let before: Vec<_> = names(&all).into_iter().map(str::to_owned).collect();
        shuffle(&mut all, 2);
        assert_ne!(names(&all), before);
    }

    #[test]
    fn a_row_of_cargo_mutants_is_read() {
        let row = serde_json::json!([{
            "file": "a.rs", "name": "a.rs:3:5: replace + with - in f", "replacement": "-", "diff": "",
            "span": {"start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 6}},
        }]);
        let mutants = read(row.to_string().as_bytes()).expect("a row");
        assert_eq!(mutants[0].name, "replace + with - in f");
        let Span { start, end } = mutants[0].span;
        assert_eq!((start, end.column), (Position { line: 3, column: 5 }, 6));
        assert!(read(b"[{\"file\": \"a.rs\"}]").is_err());
    }
}
