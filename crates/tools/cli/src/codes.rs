//! All codes of diagnostics, faults and findings.

use std::sync::LazyLock;
use texunit_check::examples::{Example, ExampleSite, WITHOUT};
use texunit_report::Rule;
use texunit_syntax::codes::{Code, read};

/// A file that cannot be read or written.
pub const UNREADABLE: &str = "E0000";
/// An error in a state file of `texunit sass exec`.
pub const STATE_FILE: &str = "E0620";
/// An operation that a range of CTAs cannot perform.
pub const NOT_ALONE: &str = "E0630";
/// Ranges of CTAs that cannot be merged.
pub const DEPENDENT: &str = "E0631";
/// An instruction that `texunit sass exec` cannot execute.
pub const NOT_EXECUTED: &str = "E0621";

/// The codes of the program itself, and of problems in jobs (docs/jobs.md), from codes.txt.
pub static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| read(include_str!("codes.txt")));

/// All codes: errors and warnings of PTX, problems in jobs, faults, and findings of checks; each
/// group sorted.
pub fn all() -> Vec<&'static Code> {
    let rank = |code: &Code| match code.code.as_bytes()[0] {
        b'E' => 0,
        b'W' => 1,
        b'J' => 2,
        _ => 3,
    };
    let mut all: Vec<&Code> = [
        CODES.as_slice(),
        texunit_syntax::codes::CODES.as_slice(),
        texunit_check::CODES.as_slice(),
        texunit_simt::CODES,
        texunit_device::CODES,
        #[cfg(feature = "sass")]
        texunit_sass::codes::CODES.as_slice(),
        texunit_report::FAULTS.as_slice(),
    ]
    .into_iter()
    .flatten()
    .chain(texunit_report::CHECK_RULES.iter().map(|rule| rule.text()))
    .chain([texunit_report::LIBRARY, texunit_report::POOL])
    .collect();
    all.sort_by_key(|c| (rank(c), c.code));
    all
}

/// Finds a code, ignoring case.
pub fn find(code: &str) -> Option<&'static Code> {
    all().into_iter().find(|known| known.code.eq_ignore_ascii_case(code))
}

/// The codes that begin with `E01`, or with a single letter.
pub fn group(name: &str) -> Vec<&'static Code> {
    let sound = name.len() < 5
        && name.starts_with(['E', 'W', 'J', 'e', 'w', 'j'])
        && name.bytes().skip(1).all(|b| b.is_ascii_digit());
    let within = |code: &&Code| {
        code.code.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if sound { all().into_iter().filter(within).collect() } else { Vec::new() }
}

/// For a numbered code: the meaning of its letter, the first and last code with the letter, and the
/// group of the last.
pub fn range(name: &str) -> Option<(&'static str, &'static str, &'static str, &'static str)> {
    let letter = name.chars().next()?.to_ascii_uppercase();
    let numbered = name.len() > 1 && name.bytes().skip(1).all(|b| b.is_ascii_digit());
    let kind = match letter {
        'E' => "errors",
        'W' => "warnings",
        'J' => "mistakes in jobs",
        _ => return None,
    };
    let codes: Vec<&'static str> =
        all().into_iter().map(|c| c.code).filter(|c| c.starts_with(letter)).collect();
    let (first, last) = (codes.first()?, codes.last()?);
    numbered.then_some((kind, *first, *last, &last[..3]))
}

/// The most similar existing code.
pub fn nearest(code: &str) -> Option<&'static str> {
    let all: Vec<&str> = all().into_iter().map(|c| c.code).collect();
    // For a number, the next one with the same letter; for words, the most similar words.
    let number = |code: &str| {
        let (letter, digits) = code.split_at_checked(1)?;
        Some((letter.to_ascii_uppercase(), digits.parse::<u32>().ok()?))
    };
    let Some((letter, wanted)) = number(code) else {
        return texunit_job::problem::nearest(code, &all).and_then(find).map(|c| c.code);
    };
    let distance = |known: &str| {
        number(known).filter(|(l, _)| *l == letter).map(|(_, number)| number.abs_diff(wanted))
    };
    all.into_iter().filter_map(|c| distance(c).map(|d| (d, c))).min().map(|(_, c)| c)
}

/// The example of a code.
pub fn example(code: &str) -> Option<&'static Example> {
    let example = texunit_check::examples::example(code);
    #[cfg(feature = "sass")]
    let example = example.or_else(|| texunit_sass::codes::EXAMPLES.iter().find(|e| e.code == code));
    example
}

/// The kind of file that the texts of an example belong to; empty for whole files.
pub fn place(example: &Example) -> &'static str {
    match example.place {
        ExampleSite::File => "",
        ExampleSite::Module => "at module scope",
        ExampleSite::Body => "in the body of a kernel",
        ExampleSite::Independent => "in the body of a kernel, with `texmode_independent`",
        ExampleSite::Machine => "given to `texunit sass asm`",
    }
}

/// Why a code has no example.
pub fn without_example(code: &str) -> Option<&'static str> {
    match code {
        STATE_FILE => Some("no PTX is wrong: the state file is"),
        NOT_EXECUTED => Some("no PTX is wrong: the state does not match the instruction"),
        NOT_ALONE => Some("no PTX is wrong: it cannot run on several machines"),
        DEPENDENT => Some("no PTX is wrong: its CTAs depend on each other"),
        _ => WITHOUT.iter().find(|(without, _)| *without == code).map(|(_, why)| *why),
    }
}

/// The description of a code for SARIF.
pub fn rule(code: &str) -> Option<Rule> {
    let known = find(code)?;
    let mut markdown = known.explanation.to_owned();
    if let Some(example) = example(known.code) {
        let fence = |text: &str| format!("```ptx\n{}\n```\n", text.trim_end());
        let (wrong, right) = (fence(example.wrong), fence(example.right));
        markdown += &format!("\n\nWrong:\n\n{wrong}\nRight:\n\n{right}");
    }
    Some(Rule { title: known.title.to_owned(), text: known.explanation.to_owned(), markdown })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_once() {
        let all: Vec<&str> = all().iter().map(|c| c.code).collect();
        let set: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(set.len(), all.len());
        for code in
            ["E0000", "E0001", "E0110", "E0401", "E0503", "E0610", "W0101", "J0010", "deadlock"]
        {
            assert!(set.contains(code), "{code}");
            assert_eq!(find(&code.to_ascii_lowercase()).map(|c| c.code), Some(code));
        }
        assert_eq!((all[0], all[all.len() - 1]), ("E0000", "trap"));
    }
}
