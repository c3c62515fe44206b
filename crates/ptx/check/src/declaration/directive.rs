//! `.file`, `.section` and `.pragma`: what a version knows of them, and indices of files.

use texunit_isa::requirement::Requirement;
use texunit_syntax::{Diagnostic, ast};

use crate::context::Checker;

const PRAGMA: Requirement = Requirement { feature: ".pragma", version: 20, target: 0 };
const SECTION: Requirement = Requirement { feature: ".section", version: 20, target: 0 };
const SECTION_LABEL: Requirement =
    Requirement { feature: "a label in a .section", version: 70, target: 0 };
const FILE_STAMP: Requirement =
    Requirement { feature: "time and size of a .file", version: 32, target: 0 };

impl<'a> Checker<'a> {
    /// A directive that the executor has no use for.
    pub(crate) fn directive(&mut self, d: &'a ast::Directive<'a>) {
        match d.name.text {
            "pragma" => self.require(PRAGMA, d.span),
            "section" => {
                self.require(SECTION, d.span);
                if d.text.contains(':') {
                    self.require(SECTION_LABEL, d.span);
                }
            }
            "file" => self.file(d),
            _ => {}
        }
    }

    fn file(&mut self, d: &'a ast::Directive<'a>) {
        let behind = d.text.rsplit_once('"').map_or("", |(_, behind)| behind);
        if behind.contains(',') {
            self.require(FILE_STAMP, d.span);
        }
        let index = d.text.split_whitespace().next().unwrap_or("");
        if let Some(first) = self.files.insert(index, d.span) {
            self.report(
                Diagnostic::error("E0161", d.span, format!("the file index {index} is taken"))
                    .note(first, "first used here")
                    .help("write another number"),
            );
        }
    }
}
