//! Checks of performance directives between a function header and its body: requirements, values,
//! and mutual exclusion.

use texunit_isa::requirement::{Requirement, requirement};
use texunit_syntax::ast::{self, PerformanceDirective};
use texunit_syntax::{Diagnostic, low_32};

use crate::context::Checker;

#[rustfmt::skip]
const REQUIREMENTS: &[Requirement] = &[
    requirement("maxntid",              13, 0),
    requirement("maxnreg",              13, 0),
    requirement("maxnctapersm",         13, 0),
    requirement("minnctapersm",         20, 0),
    requirement("pragma",               20, 0),
    requirement("reqntid",              21, 0),
    requirement("noreturn",             64, 30),
    requirement("maxclusterrank",       78, 90),
    requirement("reqnctapercluster",    78, 90),
    requirement("explicitcluster",      78, 90),
    requirement("blocksareclusters",    90, 90),
    requirement("abi_preserve",         90, 80),
    requirement("abi_preserve_control", 90, 80),
];

/// The largest valid number in `.abi_preserve_control`, measured with ptxas 13.5.
const MAX_CONTROL: u32 = 11;

/// Pairs of directives that exclude each other.
const EXCLUSIVE: &[(&str, &str)] =
    &[("maxntid", "reqntid"), ("maxclusterrank", "reqnctapercluster")];

impl<'a> Checker<'a> {
    /// Checks the directives between the header of a function or kernel and its body.
    pub(crate) fn bounds(&mut self, f: &'a ast::Function<'a>) {
        if !f.is_entry {
            self.function_directives(&f.directives, &f.returns);
            return;
        }
        self.values(&f.directives);
        self.exclusive(f);
        if let (None, Some(directive)) = (&f.body, f.directives.first()) {
            let message = format!("the prototype of a kernel has no .{}", directive.name);
            self.superfluous(directive, message, "remove it");
        }
    }

    /// Checks the directives of a function or of the prototype of an indirect call.
    pub(crate) fn function_directives(
        &mut self,
        directives: &'a [PerformanceDirective<'a>],
        returns: &[ast::Variable],
    ) {
        self.values(directives);
        for (at, directive) in directives.iter().enumerate() {
            let name = directive.name.text;
            let noreturn = name == "noreturn";
            if directives[..at].iter().any(|before| before.name.text == name) {
                self.superfluous(directive, format!(".{name} is given twice"), "remove it");
            } else if noreturn && at > 0 {
                let message = ".noreturn comes before other directives".to_owned();
                self.superfluous(directive, message, "move it to the front");
            } else if noreturn && !returns.is_empty() {
                let message = "a function that returns a value is not .noreturn".to_owned();
                self.superfluous(directive, message, "remove .noreturn, or the result");
            }
        }
    }

    fn superfluous(&mut self, directive: &PerformanceDirective, message: String, help: &str) {
        let error = Diagnostic::error("E0152", directive.span, message).help(help);
        self.report(error.fix(directive.span, ""));
    }

    /// Checks versions, targets and values of directives.
    fn values(&mut self, directives: &'a [PerformanceDirective<'a>]) {
        for directive in directives {
            let name = directive.name.text;
            if let Some(requirement) = REQUIREMENTS.iter().find(|d| d.feature == name) {
                self.require(*requirement, directive.span);
            }
            self.pragma(&directive.strings, directive.span, false);
            if name == "maxnctapersm" && self.has_version(21) {
                let message = ".maxnctapersm ended with PTX ISA version 2.1";
                self.report(
                    Diagnostic::error("E0152", directive.span, message)
                        .help("write .minnctapersm")
                        .fix(directive.name.span, "minnctapersm"),
                );
            }
            let zero = name.starts_with("abi_");
            let (largest, numbers) = match name {
                "abi_preserve_control" => (MAX_CONTROL, format!("numbers up to {MAX_CONTROL}")),
                _ => (u32::MAX, "positive numbers of 32 bits".to_owned()),
            };
            let wrong = |n: &u64| *n == 0 && !zero || *n > largest.into();
            if directive.values.iter().any(wrong) {
                let message = format!(".{name} takes {numbers}");
                let error = Diagnostic::error("E0152", directive.span, message);
                let error = error.help(format!("write a number from 1 to {largest}"));
                let zero = zero || name.contains("cluster");
                let possible = |low| low <= largest && (low > 0 || zero);
                let accepted = |n: &u64| low_32(*n).is_some_and(possible);
                match directive.values.iter().all(accepted) {
                    true => drop(self.beyond_ptxas(error)),
                    false => self.report(error),
                }
            }
        }
    }

    fn exclusive(&mut self, f: &ast::Function) {
        let find = |name: &str| f.directives.iter().find(|d| d.name.text == name);
        for (a, b) in EXCLUSIVE {
            if let (Some(first), Some(second)) = (find(a), find(b)) {
                let message = format!(".{a} and .{b} are mutually exclusive");
                self.report(
                    Diagnostic::error("E0152", second.span, message)
                        .note(first.span, "the other one is here")
                        .help("keep one of them"),
                );
            }
        }
        let clusters = f.directives.iter().rfind(|d| d.name.text == "reqnctapercluster");
        if let Some(directive) = find("blocksareclusters")
            && !(find("reqntid").is_some() && clusters.is_some_and(|c| c.values[0] != 0))
        {
            let message = ".blocksareclusters needs the sizes of blocks and clusters";
            let help = "write .reqntid and .reqnctapercluster too";
            self.wrong("E0152", directive.span, message, help);
        }
    }
}
