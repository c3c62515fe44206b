//! Parses the table of docs/mutants.md, which justifies undetected mutants.

use std::path::Path;

use super::list::Mutant;
use crate::files;

const DOCUMENT: &str = "docs/mutants.md";

/// A row of the table: part, file with line, mutant, reason.
#[derive(Debug, PartialEq)]
struct Reason {
    part: String,
    file: String,
    mutant: String,
    reason: String,
}

/// All rows of the table.
#[derive(Debug)]
pub(super) struct Table(Vec<Reason>);

impl Table {
    pub(super) fn read(workspace: &Path) -> Result<Self, String> {
        Ok(Self::parse(&files::read(&workspace.join(DOCUMENT))?))
    }

    /// Parses the rows of the table. Rows of other tables in the page are skipped, because their
    /// third column has no inline code.
    fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(row).collect())
    }

    /// The reason why a mutant may stay undetected, if the table has one. The recorded line is
    /// ignored, since lines change.
    pub(super) fn reason(&self, part: &str, mutant: &Mutant) -> Option<&str> {
        let same = |row: &&Reason| {
            row.part == part && row.file == mutant.file && row.mutant == escaped(&mutant.name)
        };
        self.0.iter().find(same).map(|row| row.reason.as_str())
    }
}

/// Escapes `|` in a name, which would end a table column.
fn escaped(name: &str) -> String {
    name.replace('|', "\\|")
}

fn row(line: &str) -> Option<Reason> {
    let inside = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let [part, file, mutant, reason] = *inside.split(" | ").collect::<Vec<_>>() else {
        return None;
    };
    let code = |text: &str| Some(text.strip_prefix('`')?.strip_suffix('`')?.to_owned());
    let (file, line) = file.rsplit_once(':')?;
    line.parse::<u32>().ok()?;
    let (part, file, reason) = (part.to_owned(), file.to_owned(), reason.to_owned());
    Some(Reason { part, file, mutant: code(mutant)?, reason })
}

#[cfg(test)]
mod tests {
    use super::super::list::{Position, Span};
    use super::super::parts::PARTS;
    use super::*;

    #[test]
    fn a_reason_is_found_whatever_the_line() {
        let table = Table::parse(
            "| part | place | mutant | why |\n|---|---|---|---|\n\
             | texel | a.rs:7 | `replace \\| with ^ in f (2)` | the bits are apart |\n",
        );
        let start = Position { line: 1, column: 1 };
        let mut mutant = Mutant {
            file: "a.rs".to_owned(),
            name: "replace | with ^ in f (2)".to_owned(),
            span: Span { start, end: start },
            replacement: String::new(),
            diff: String::new(),
        };
        assert_eq!(table.reason("texel", &mutant), Some("the bits are apart"));
        assert_eq!(table.reason("check", &mutant), None);
        mutant.name.clear();
        assert_eq!(table.reason("texel", &mutant), None);
    }

    #[test]
    fn every_row_of_the_document_is_of_a_part_and_a_file() {
        let workspace = crate::workspace();
        let table = Table::read(&workspace).expect("the document");
        assert!(!table.0.is_empty());
        for row in table.0 {
            assert!(PARTS.iter().any(|part| part.name == row.part), "{row:?}");
            assert!(workspace.join(&row.file).exists(), "{row:?}");
            assert!(!row.reason.is_empty(), "{row:?}");
        }
    }
}
