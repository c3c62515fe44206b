//! Names, types and rules: from the syntax tree to a typed module.
//!
//! [`check`] resolves every name, reads every modifier and operand against the table of crate
//! `isa`, lays out parameters and initial values, and reports everything that NVIDIA's assembler
//! would refuse, with a code of [`CODES`]. Modules that the assembler accepts but then translates
//! wrongly are refused too, unless [`Options::ptxas_compat`] asks for its verdicts.
//!
//! What it leaves out: whether an instruction can be executed (crate `simt` says so, for the
//! functions that a launch reaches), and register and resource limits of a particular chip.

pub mod ir;
mod limits;
pub mod lint;
mod options;

mod address;
mod body;
mod call;
mod codes;
mod consts;
mod context;
mod data;
mod extras;
mod function;
mod handle;
mod header;
mod init;
mod instruction;
mod mov;
mod opaque;
mod operand;
mod query;
mod scope;
mod special;
mod surface;
mod texture;
mod types;
mod values;
mod variable;

pub use codes::{CODES, Code};
pub use lint::{Levels, UnknownCode};
pub use options::{Architecture, Options, Ptxas, Verdicts};

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
    context::Checker::new(source, options).run(module)
}

/// Everything that is to be said about a text: parses it, checks what could be read of it, and
/// looks for suspicious code ([`lint`]). Errors and warnings come in source order.
pub fn check_source(source: &SourceFile, options: &Options) -> Vec<Diagnostic> {
    let parsed = texunit_syntax::parse(source);
    let checked = check_with(source, &parsed.module, *options);
    let mut diagnostics = lint::lint(source, &parsed.module, &checked, options);
    diagnostics.extend(parsed.diagnostics);
    diagnostics.extend(checked.diagnostics);
    diagnostics.sort_by_key(|d| (d.primary.span.start, d.code));
    diagnostics
}

/// The entry of a code, of this crate or of the parser.
pub fn find_code(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == code).or_else(|| texunit_syntax::codes::find(code))
}
