//! Names, types and rules: from the syntax tree to a typed module.
//!
//! [`check`] resolves every name, reads every modifier and operand against the table of crate
//! `isa`, lays out parameters and initial values, and reports everything that NVIDIA's assembler
//! would refuse, with a code of [`CODES`]. Modules that the assembler accepts but then translates
//! wrongly are refused too, unless [`Options::ptxas_compat`] asks for its verdicts.
//!
//! What it leaves out: whether an instruction can be executed (crate `simt` says so, for the
//! functions that a launch reaches), and register and resource limits of a particular chip.

pub mod dominators;
pub mod examples;
pub mod ir;
mod limits;
pub mod lint;
mod options;
pub mod sources;

mod address;
mod architecture;
mod body;
mod bounds;
mod call;
mod cascade;
mod codes;
mod consts;
mod context;
mod coordinates;
mod correct;
mod data;
mod declared;
mod directive;
mod extras;
mod floors;
mod function;
mod handle;
mod header;
mod init;
mod instruction;
mod most;
mod mov;
mod near;
mod opaque;
mod operand;
mod query;
mod scope;
mod special;
mod subscript;
mod surface;
mod tables;
mod texture;
mod tuple;
mod types;
mod values;
mod variable;
mod video;
mod words;

pub use architecture::architectures;
pub use codes::{CODES, Code};
pub use lint::{Levels, UnknownCode};
pub use options::{Architecture, Options, Ptxas, Verdicts, parse_version};

use std::sync::Arc;

use texunit_syntax::{Diagnostic, SourceFile, ast};

/// What [`check`] found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The typed module; incomplete if there are errors.
    pub module: ir::Module,
    /// Every mistake, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a module that was read without syntax errors.
pub fn check(source: &SourceFile, module: &ast::Module) -> Checked {
    check_with(source, module, Options::default())
}

/// [`check`] with options.
pub fn check_with(source: &SourceFile, module: &ast::Module, options: Options) -> Checked {
    let mut checked = context::Checker::new(source, options).run(module);
    most::limit(&mut checked.diagnostics);
    checked
}

/// Everything that is to be said about a text: parses it, checks what could be read of it, and
/// looks for suspicious code ([`lint`]). Errors and warnings come in source order.
pub fn check_source(source: &SourceFile, options: &Options) -> Vec<Diagnostic> {
    check_with_sources(source, options).0
}

/// As [`check_source`], and what the instructions come from, as far as they could be read.
pub fn check_with_sources(
    source: &SourceFile,
    options: &Options,
) -> (Vec<Diagnostic>, Arc<sources::Sources>) {
    let mut parsed = texunit_syntax::parse(source);
    // A header line that is replaced need not be there, if the text is PTX at all.
    let replaced = |d: &Diagnostic| match d.code {
        "E0003" => options.version.is_some() && !parsed.module.items.is_empty(),
        "E0005" => options.target.is_some(),
        _ => false,
    };
    parsed.diagnostics.retain(|d| !replaced(d));
    let mut checked = context::Checker::new(source, *options).run(&parsed.module);
    let mut diagnostics = match parsed.diagnostics.iter().any(Diagnostic::is_error) {
        // Of code with holes nothing is certain that a lint says.
        true => Vec::new(),
        false => lint::lint(source, &parsed.module, &checked),
    };
    cascade::drop_follow_ups(source, &mut parsed, &mut checked.diagnostics);
    diagnostics.extend(parsed.diagnostics);
    diagnostics.extend(checked.diagnostics);
    diagnostics.sort_by_key(|d| (d.primary.span.start, d.code));
    most::limit(&mut diagnostics);
    (diagnostics, checked.module.sources)
}

/// The entry of a code, of this crate or of the parser.
pub fn find_code(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == code).or_else(|| texunit_syntax::codes::find(code))
}
