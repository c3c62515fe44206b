//! Stores verdicts about mutants in a file, so that a stopped run can be continued.

use std::collections::BTreeMap;
use std::path::Path;

use super::list::Mutant;
use crate::files;

/// The verdict about a mutant.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// The tests of this name have detected the mutant.
    Caught(String),
    Survived,
    /// The mutant does not compile.
    Unviable,
}

/// Verdicts by file and name.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Verdicts(BTreeMap<(String, String), Verdict>);

impl Verdicts {
    /// Reads the verdicts in a file; without a file there are no verdicts.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = files::read(path)?;
        Self::parse(&text)
            .ok_or_else(|| format!("{}: this is not what was written", path.display()))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut found = Self::default();
        for line in text.lines() {
            let [verdict, by, file, name] = *line.split('\t').collect::<Vec<_>>() else {
                return None;
            };
            let verdict = match verdict {
                "caught" => Verdict::Caught(by.to_owned()),
                "survived" => Verdict::Survived,
                "unviable" => Verdict::Unviable,
                _ => return None,
            };
            found.0.insert((file.to_owned(), name.to_owned()), verdict);
        }
        Some(found)
    }

    fn text(&self) -> String {
        let line = |((file, name), verdict): (&(String, String), &Verdict)| {
            let (verdict, by) = match verdict {
                Verdict::Caught(by) => ("caught", by.as_str()),
                Verdict::Survived => ("survived", ""),
                Verdict::Unviable => ("unviable", ""),
            };
            format!("{verdict}\t{by}\t{file}\t{name}\n")
        };
        self.0.iter().map(line).collect()
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        files::write(path, self.text())
    }

    pub(super) fn of(&self, mutant: &Mutant) -> Option<&Verdict> {
        self.0.get(&(mutant.file.clone(), mutant.name.clone()))
    }

    /// Records the verdict on a mutant; returns whether it is new.
    pub(super) fn note(&mut self, mutant: &Mutant, verdict: &Verdict) -> bool {
        let key = (mutant.file.clone(), mutant.name.clone());
        self.0.insert(key, verdict.clone()).as_ref() != Some(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "caught\t--lib\ta.rs\tone\nsurvived\t\ta.rs\ttwo\nunviable\t\tb.rs\tone\n";
        let found = Verdicts::parse(text).expect("three lines");
        assert_eq!(found.text(), text);
        assert!(Verdicts::parse("maybe\t\ta.rs\tone\n").is_none());
    }
}
