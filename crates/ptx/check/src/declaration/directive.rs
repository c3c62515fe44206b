//! `.file`, `.section` and `.pragma`: checks of required versions, numbers of files, and labels in
//! sections.

use texunit_isa::requirement::{Requirement, requirement};
use texunit_syntax::{Diagnostic, Span, ast};

use crate::context::Checker;
use crate::options::Ptxas;

/// Prefixes of `.pragma` strings that are valid only in bodies, with their requirements, the first
/// release of ptxas that recognises the string, and the first that checks the target. Older
/// releases ignore the strings, and accept them everywhere.
const OF_BODIES: &[(Requirement, Ptxas, Ptxas)] = &[
    (requirement("used_bytes_mask", 83, 50), Ptxas::V12_4, Ptxas::V12_4),
    (requirement("enable_smem_spilling", 87, 75), Ptxas::V12_9, Ptxas::V13_5),
    (requirement("frequency", 90, 0), Ptxas::V13_5, Ptxas::V13_5),
];

impl<'a> Checker<'a> {
    /// Checks a directive that does not affect execution.
    pub(crate) fn directive(&mut self, d: &'a ast::Directive<'a>, in_body: bool) {
        match &d.content {
            ast::Content::Pragma(strings) => {
                self.require_named(".pragma", 20, 0, d.span);
                self.pragma(strings, d.span, in_body);
            }
            ast::Content::Section(section) => {
                if d.name.text == "section" {
                    self.require_named(".section", 20, 0, d.span);
                } else if self.has_version(20) {
                    let span = section.begun.unwrap_or(d.span);
                    let message = "@@DWARF ended with PTX ISA version 2.0";
                    self.wrong("E0161", span, message, "write .section NAME { ... }");
                }
                self.section(section);
            }
            ast::Content::File(index, _) => self.file(d, *index),
            _ => {}
        }
    }

    /// Checks the strings of a `.pragma`.
    pub(crate) fn pragma(&mut self, strings: &[&'a str], span: Span, in_body: bool) {
        for string in strings {
            let known = |(need, since, _): &&(Requirement, Ptxas, Ptxas)| {
                string.starts_with(need.feature) && self.release >= *since
            };
            let Some(&(mut need, _, targeted)) = OF_BODIES.iter().find(known) else { continue };
            if self.release < targeted {
                need.target = 0;
            }
            let name = need.feature;
            if !in_body {
                let message = format!("the pragma {name} stands in the body of a function only");
                let help =
                    "write it between the braces, before the instruction or label it is about";
                self.report(Diagnostic::error("E0161", span, message).help(help));
                continue;
            }
            self.require(need, span);
            // The value is the text after the name and a separator.
            let value = string.get(name.len() + 1..).unwrap_or("");
            if name == "frequency" && self.has_version(need.version) && !is_count(value) {
                let message = format!("the frequency \"{value}\" is not a positive integer");
                let help = "write the number of executions: .pragma \"frequency 32\";";
                self.report(Diagnostic::error("E0161", span, message).help(help));
            }
        }
    }

    fn section(&mut self, section: &'a ast::Section<'a>) {
        let label = section.labels.first().map(|(label, _)| label.span);
        for (feature, version, place) in [
            ("a name with an offset in a .section", 32, section.offset),
            ("a label in a .section", 70, label),
            ("the difference of two labels in a .section", 75, section.difference),
            ("a negative number in a .section", 75, section.negative),
        ] {
            if let Some(place) = place {
                self.require_named(feature, version, 0, place);
            }
        }
        for (label, _) in &section.labels {
            match self.section_labels.get(label.text) {
                Some(&first) => self.duplicate(label, first),
                None => drop(self.section_labels.insert(label.text, label.span)),
            }
        }
    }

    fn file(&mut self, d: &'a ast::Directive<'a>, index: u32) {
        let behind = d.text.rsplit_once('"').map_or("", |(_, behind)| behind);
        if behind.contains(',') {
            self.require_named("time and size of a .file", 32, 0, d.span);
        }
        if let Some(first) = self.files.insert(index, d.span) {
            self.report(
                Diagnostic::error("E0161", d.span, format!("the file index {index} is taken"))
                    .note(first, "first used here")
                    .help("write another number"),
            );
        }
    }
}

/// Whether C's `strtoull` parses the whole text as a number above 0, in decimal, octal or
/// hexadecimal.
fn is_count(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix('+').unwrap_or(text);
    let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    !digits.is_empty()
        && digits.chars().all(|c| c.is_digit(radix))
        && digits.chars().any(|c| c != '0')
}
