//! The PTX checker: checks names, types and rules, and converts the syntax tree to a typed module.
//!
//! [`check`] resolves every name, checks every modifier and operand with the table of crate `isa`,
//! lays out parameters and initial values, and reports everything that ptxas would refuse, with a
//! code of [`CODES`]. Code that ptxas accepts but miscompiles is refused too, unless
//! [`Options::ptxas_compat`] requests ptxas's verdicts.
//!
//! Not checked: whether an instruction can be executed (crate `simt` reports that, for the
//! functions that a launch reaches), and register and resource limits of a particular GPU.

pub mod examples;
pub mod ir;
pub mod lint;
pub mod sources;
pub mod uses;

mod body;
mod codes;
mod consts;
mod context;
mod declaration;
mod instruction;
mod message;
mod module;
mod names;
mod options;
mod special;
mod types;

pub use codes::{CODES, Code, find_code};
pub use lint::{Levels, UnknownCode};
pub use module::{Checked, architectures, assembles, first_version, versions};
pub use options::{Architecture, Options, Ptxas, Verdicts, parse_version};
use texunit_forms::sort_by_key;

use std::sync::Arc;

use texunit_syntax::{Diagnostic, Severity, SourceFile, ast, is_cut};

use message::{cap, cascade};

/// Checks a module that was parsed without syntax errors.
pub fn check(source: &SourceFile, module: &ast::Module) -> Checked {
    check_with(source, module, Options::default())
}

/// [`check`] with options.
pub fn check_with(source: &SourceFile, module: &ast::Module, options: Options) -> Checked {
    let mut checked = context::Checker::new(source, options).run(module);
    cap::limit(&mut checked.diagnostics);
    checked
}

/// All diagnostics for a text: parses it, checks the parts that were parsed, and looks for
/// suspicious code ([`lint`]). Errors and warnings are in source order.
pub fn check_source(source: &SourceFile, options: &Options) -> Vec<Diagnostic> {
    check_with_sources(source, options).0
}

/// As [`check_source`], and returns the source locations of the instructions, as far as they could
/// be read.
pub fn check_with_sources(
    source: &SourceFile,
    options: &Options,
) -> (Vec<Diagnostic>, Arc<sources::Sources>) {
    let mut parsed = texunit_syntax::parse(source);
    // A missing `.version` or `.target` is no error if an option gives it; an empty text is an
    // error.
    let replaced = |d: &Diagnostic| match d.code {
        "E0003" => options.version.is_some() && !parsed.module.items.is_empty(),
        "E0005" => options.target.is_some(),
        _ => false,
    };
    parsed.diagnostics.retain(|d| !replaced(d));
    let mut checked = context::Checker::new(source, *options).run(&parsed.module);
    let release = options.release(checked.module.version);
    for diagnostic in parsed.diagnostics.iter_mut().filter(|_| options.ptxas_compat()) {
        let (code, message) = (diagnostic.code, &diagnostic.message);
        let accepted = match code {
            "E0014" => is_cut(source.snippet(diagnostic.primary.span)),
            "E0017" => match release {
                Ptxas::V11_8 => message.contains(" in a"),
                // ptxas 12.4 crashes if the comment is in `/*` and `*/`.
                Ptxas::V12_4 => message.ends_with(" in a comment"),
                Ptxas::V12_9 => false,
                Ptxas::V13_5 => message.ends_with(" comment"),
            },
            _ => continue,
        };
        diagnostic.severity = if accepted { Severity::Warning } else { Severity::Error };
    }
    let mut diagnostics = match parsed.diagnostics.iter().any(Diagnostic::is_error) {
        // Lints are certain only about code without syntax errors.
        true => Vec::new(),
        false => lint::lint(source, &parsed.module, &checked),
    };
    cascade::drop_follow_ups(source, &mut parsed, &mut checked.diagnostics);
    diagnostics.extend(parsed.diagnostics);
    diagnostics.extend(checked.diagnostics);
    sort_by_key(&mut diagnostics, |d| (d.primary.span.start, d.code));
    cap::limit(&mut diagnostics);
    (diagnostics, checked.module.sources)
}
