//! Suppressions: a file of blocks in the manner of Valgrind's, which selects the findings that are
//! not reported.
//!
//! ```text
//! # The tail is read by nobody.
//! {
//!    tail of reduce
//!    rule: race-*
//!    kernel: reduce*
//!    at: *reduce.cu:42
//!    with: *reduce.cu:45
//! }
//! ```
//!
//! `rule: padding` selects findings about padding between members of structures.
//!
//! The first line of a block is its name. A finding is suppressed if it matches all other lines of
//! a block. `at` and `with` match the two threads of a finding in either order. Each is a
//! `file:line` in the source or in the PTX, of the instruction itself or of a function that the
//! instruction is inlined into.

use crate::end::End;
use crate::finding::Finding;
use crate::pattern::Pattern;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use texunit_report::place::function_name;

/// Maximum size of a suppression file in bytes.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// The suppressions in effect.
#[derive(Debug, Default)]
pub struct Suppressions(Vec<Suppression>);

/// A block of a suppression file: a finding that matches all its patterns is suppressed.
#[derive(Debug, Default)]
pub struct Suppression {
    name: String,
    rule: Option<Pattern>,
    kernel: Option<Pattern>,
    at: Option<Pattern>,
    with: Option<Pattern>,
    used: AtomicU64,
}

impl Suppressions {
    /// Reads a suppression file; the error is a message for the user.
    pub fn read(file: &Path) -> Result<Self, String> {
        let open = || {
            let mut text = String::new();
            // Reading one byte more than allowed shows that the file is too long.
            File::open(file)?.take(MAX_BYTES as u64 + 1).read_to_string(&mut text)?;
            Ok(text)
        };
        let text = open().map_err(|error: std::io::Error| error.to_string())?;
        Self::parse(&text)
    }

    /// Parses the text of a suppression file; the error is a message that names the line.
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = |line: usize, what: &str| Err(format!("line {line}: {what}"));
        if text.len() > MAX_BYTES {
            return wrong(1, &format!("the file has more than {MAX_BYTES} bytes"));
        }
        let mut all = Vec::new();
        let mut block: Option<Suppression> = None;
        let mut number = 0;
        for line in text.lines() {
            number += 1;
            let line = line.trim();
            match (line, block.as_mut()) {
                ("", _) => {}
                _ if line.starts_with('#') => {}
                ("{", None) => block = Some(Suppression::default()),
                ("{", Some(_)) => return wrong(number, "the block before has no `}`"),
                ("}", Some(_)) => all.extend(block.take()),
                (_, None) => return wrong(number, "expected `{`, which begins a block"),
                (line, Some(block)) => {
                    block.add(line).map_err(|what| format!("line {number}: {what}"))?;
                }
            }
        }
        match block {
            Some(_) => wrong(number, "the last block has no `}`"),
            None => Ok(Self(all)),
        }
    }

    /// Adds the blocks of another suppression file.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether a block suppresses a finding. If so, the block counts the finding's occurrences.
    pub fn has(&self, finding: &Finding) -> bool {
        let block = self.0.iter().find(|block| block.fits(finding));
        if let Some(block) = block {
            block.used.fetch_add(finding.count, Relaxed);
        }
        block.is_some()
    }

    /// The names of the blocks that have suppressed findings, with the number of occurrences.
    pub fn used(&self) -> impl Iterator<Item = (&str, u64)> {
        let used = self.0.iter().map(|block| (&*block.name, block.used.load(Relaxed)));
        used.filter(|(_, count)| *count > 0)
    }
}

impl Suppression {
    /// Parses a line between the braces of a block.
    fn add(&mut self, line: &str) -> Result<(), String> {
        let known = line.split_once(':').map(|(key, value)| (key.trim(), value.trim()));
        let place = match known {
            Some(("rule", _)) => &mut self.rule,
            Some(("kernel", _)) => &mut self.kernel,
            Some(("at", _)) => &mut self.at,
            Some(("with", _)) => &mut self.with,
            _ if self.name.is_empty() => {
                line.clone_into(&mut self.name);
                return Ok(());
            }
            _ => return Err(format!("`{line}`: expected `rule:`, `kernel:`, `at:` or `with:`")),
        };
        let (key, value) = known.unwrap_or_default();
        if value.is_empty() {
            return Err(format!("`{key}:` has no pattern"));
        }
        match place.replace(Pattern::new(value)) {
            Some(_) => Err(format!("`{key}:` appears twice")),
            None => Ok(()),
        }
    }

    fn fits(&self, finding: &Finding) -> bool {
        let is = |pattern: &Option<Pattern>, text: &[&str]| {
            pattern.as_ref().is_none_or(|p| text.iter().any(|text| p.matches(text)))
        };
        let kernel = finding.kernel();
        let other = finding.other.as_ref().map(|(_, end)| end);
        let ends = [finding.at.as_ref(), other];
        let padding = if finding.is_padding { "padding" } else { finding.code() };
        is(&self.rule, &[finding.code(), finding.check(), padding])
            && is(&self.kernel, &[kernel, &function_name(kernel)])
            && (self.fit(ends) || self.fit([ends[1], ends[0]]))
    }

    fn fit(&self, ends: [Option<&End>; 2]) -> bool {
        let fits = |(pattern, end): (&Option<Pattern>, Option<&End>)| {
            let Some(pattern) = pattern else { return true };
            end.is_some_and(|end| places(end).iter().any(|place| pattern.matches(place)))
        };
        [&self.at, &self.with].into_iter().zip(ends).all(fits)
    }
}

/// The locations of a thread's instruction as `file:line`: in the source, the innermost inlined
/// function first, and in the PTX.
fn places(end: &End) -> Vec<String> {
    let frames = end.place.frames.iter().map(|frame| format!("{}:{}", frame.file, frame.line));
    let ptx = &end.place.ptx;
    frames.chain([format!("{}:{}", ptx.file, ptx.line)]).collect()
}

impl Finding {
    /// Blocks for a suppression file that suppress this finding. A finding that occurred in both
    /// orders of its lines gets a block for each, since another run may find only the second.
    pub fn suppression(&self) -> String {
        self.kinds().map(Self::block).collect()
    }

    fn block(&self) -> String {
        let end = |end: &End| {
            let place = &end.place;
            let file = place.file();
            // The file's folder is left out, so that the suppression works on other machines, too.
            let name = file.rsplit('/').next().unwrap_or(file);
            texunit_report::visible(&format!("*{name}:{}", place.line()))
        };
        let rule = if self.is_padding { "padding" } else { self.code() };
        let mut text = format!("{{\n   {}\n   rule: {rule}\n", self.rule.text().title);
        if !self.kernel().is_empty() {
            let kernel = texunit_report::visible(&function_name(self.kernel()));
            text += &format!("   kernel: {kernel}\n");
        }
        if let Some(at) = &self.at {
            text += &format!("   at: {}\n", end(at));
        }
        if let Some((_, other)) = &self.other {
            text += &format!("   with: {}\n", end(other));
        }
        text + "}\n"
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::rules;
    use texunit_report::CodeLocation;
    use texunit_syntax::{SourceFile, Span};

    fn end(line: usize) -> End {
        let text = SourceFile::new("dir/k.ptx", "\n".repeat(100));
        let span = Span::new(line - 1, line - 1);
        let place = CodeLocation::of_text(&text, span);
        let kernel = "_Z6reducePi".to_owned();
        End { cta: [0; 3], thread: [0; 3], kernel, place, span, node: None }
    }

    fn finding() -> Finding {
        let message = "divergent".to_owned();
        let finding = Finding::of_process(rules::SYNC_BARRIER_DIVERGENT, message, Vec::new());
        Finding { at: Some(end(7)), other: Some(("arrives here".to_owned(), end(9))), ..finding }
    }

    fn suppresses(text: &str) -> bool {
        Suppressions::parse(text).unwrap().has(&finding())
    }

    #[test]
    fn all_lines_of_a_block_must_fit() {
        assert!(suppresses("{\n any\n}") && !suppresses("{\n rule: padding\n}"));
        let padding = Finding { is_padding: true, ..finding() };
        assert!(Suppressions::parse(&padding.suppression()).unwrap().has(&padding));
        assert!(suppresses(
            "# why\n{\n name\n rule: sync-*\n kernel: reduce(int*)\n at: *k.ptx:7\n}"
        ));
        assert!(suppresses("{\n kernel: _Z6reduce*\n at: dir/k.ptx:9\n with: *:7\n rule: sync\n}"));
        assert!(!suppresses("{\n name\n at: *k.ptx:7\n with: *k.ptx:7\n}"));
        assert!(!suppresses("{\n name\n rule: race-*\n}\n\n{\n other\n kernel: scan\n}"));
        assert!(!suppresses(""));
    }

    #[test]
    fn both_kinds_of_a_finding_have_blocks() {
        let second = Finding { at: Some(end(9)), other: None, ..finding() };
        let both = Finding { also: Some(Box::new(second.clone())), ..finding() };
        let all = Suppressions::parse(&both.suppression()).unwrap();
        assert!(all.has(&both) && all.has(&second));
        assert!(!Suppressions::parse(&finding().suppression()).unwrap().has(&second));
    }

    #[test]
    fn a_generated_block_suppresses_its_finding() {
        let text = finding().suppression();
        assert!(text.contains("rule: sync-barrier-divergent\n"), "{text}");
        let all = Suppressions::parse(&text).unwrap();
        assert!(all.has(&finding()), "{text}");
        let title = rules::SYNC_BARRIER_DIVERGENT.text().title;
        assert_eq!(all.used().collect::<Vec<_>>(), [(title, 1)]);
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        for (text, line, word) in [
            ("rule: x", 1, "expected `{`"),
            ("{\n{", 2, "no `}`"),
            ("{\n a", 2, "last block"),
            ("{\n a\n rules: b\n}", 3, "`rules: b`"),
            ("{\n rule:\n}", 2, "no pattern"),
            ("{\n a\n rule: b\n rule: c\n}", 4, "twice"),
        ] {
            let error = Suppressions::parse(text).map(|_| ()).unwrap_err();
            let begin = format!("line {line}: ");
            assert!(error.starts_with(&begin) && error.contains(word), "{text:?}: {error}");
        }
    }
}
