//! The numbers of passed tests in tests/clients/counts.txt, and the table of
//! tests/clients/README.md that is generated from them.

use super::install::CLIENTS;
use crate::{files, workspace};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const FILE: &str = "tests/clients/counts.txt";
const HEAD: &str = "\
# Tests of clients: name, when, passed, failed, skipped, not run (the time was over).
# Written by `cargo run -p xtask -- clients NAME --record now`.
";
const DOCUMENT: &str = "tests/clients/README.md";
const START: &str = "<!-- Written by `xtask clients --record`. -->\n";
const END: &str = "<!-- End of what is written. -->\n";

/// The numbers of a client's tests by result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    pub(crate) not_run: u64,
}

impl Counts {
    /// Reads the numbers from the result file of the test harness.
    pub(crate) fn of_result(file: &Path) -> Result<Self, String> {
        let result: serde_json::Value = files::at(file, serde_json::from_str(&files::read(file)?))?;
        let count = |name: &str| {
            result[name].as_u64().ok_or_else(|| format!("{}: no {name}", file.display()))
        };
        Ok(Self {
            passed: count("passed")?,
            failed: count("failed")?,
            skipped: count("skipped")?,
            not_run: count("not_run")?,
        })
    }

    pub(crate) fn in_words(&self) -> String {
        let mut text =
            format!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped);
        if self.not_run > 0 {
            let _ = write!(text, ", {} not run", self.not_run);
        }
        text
    }
}

/// All recorded numbers, by client and `before` or `now`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Record(BTreeMap<(String, String), Counts>);

impl Record {
    pub(crate) fn read() -> Result<Self, String> {
        Self::parse(&files::read(&workspace().join(FILE))?)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut record = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let words: Vec<_> = line.split_whitespace().collect();
            let numbers: Result<Vec<u64>, _> = words.iter().skip(2).map(|w| w.parse()).collect();
            let (Ok(&[passed, failed, skipped, not_run]), [name, when, ..]) =
                (numbers.as_deref(), words.as_slice())
            else {
                return Err(format!("{FILE}: {line}: name, when and four numbers are wanted"));
            };
            let counts = Counts { passed, failed, skipped, not_run };
            record.0.insert(((*name).to_owned(), (*when).to_owned()), counts);
        }
        Ok(record)
    }

    fn get(&self, name: &str, when: &str) -> Option<&Counts> {
        self.0.get(&(name.to_owned(), when.to_owned()))
    }

    /// The number of a client's tests that must pass.
    pub(crate) fn demanded(&self, name: &str) -> u64 {
        self.get(name, "now").or_else(|| self.get(name, "before")).map_or(0, |c| c.passed)
    }

    /// Records the numbers of a client, and writes the file.
    pub(crate) fn note(&mut self, name: &str, when: &str, counts: &Counts) -> Result<(), String> {
        self.0.insert((name.to_owned(), when.to_owned()), *counts);
        let mut text = HEAD.to_owned();
        for ((name, when), c) in &self.0 {
            let _ = writeln!(
                text,
                "{name} {when} {} {} {} {}",
                c.passed, c.failed, c.skipped, c.not_run
            );
        }
        files::write(&workspace().join(FILE), text)?;
        self.write_document()
    }

    /// Writes the generated table into tests/clients/README.md.
    pub(crate) fn write_document(&self) -> Result<(), String> {
        let document = workspace().join(DOCUMENT);
        files::write(&document, self.in_document(&files::read(&document)?)?)
    }

    /// The text of tests/clients/README.md with the current table.
    fn in_document(&self, old: &str) -> Result<String, String> {
        let lost = || format!("{DOCUMENT} has no place for the table");
        let (before, rest) = old.split_once(START).ok_or_else(lost)?;
        let (_, after) = rest.split_once(END).ok_or_else(lost)?;
        Ok(format!("{before}{START}{}{END}{after}", self.table()))
    }

    fn table(&self) -> String {
        let mut text = "| client | what runs | before | now |\n|---|---|---|---|\n".to_owned();
        for client in CLIENTS.iter() {
            let cell = |when| self.get(&client.name, when).map_or("".to_owned(), Counts::in_words);
            let (before, now) = (cell("before"), cell("now"));
            let _ = writeln!(text, "| `{}` | {} | {before} | {now} |", client.name, client.what);
        }
        text
    }
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn the_newest_count_is_demanded() {
        let record = Record::parse("# head\na before 5 1 0 0\na now 7 0 0 0\nb before 3 0 0 2\n");
        let record = record.unwrap_or_default();
        assert_eq!((record.demanded("a"), record.demanded("b"), record.demanded("c")), (7, 3, 0));
        assert!(Record::parse("a before 5 1 0").is_err());
        assert!(Record::parse("a before 5 1 0 x").is_err());
    }

    #[test]
    fn the_document_has_the_table_that_was_recorded() {
        let text = std::fs::read_to_string(workspace().join(DOCUMENT)).unwrap_or_default();
        let record = Record::read().unwrap_or_default();
        let same = record.in_document(&text).is_ok_and(|made| made == text);
        assert!(same, "`xtask clients table` writes it");
        let known = |name: &String| CLIENTS.iter().any(|client| client.name == *name);
        assert!(record.0.keys().all(|(name, _)| known(name)), "{record:?}");
    }
}
