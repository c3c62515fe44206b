//! What the assembler does not say: warnings about code that is right by the rules and hardly
//! what its author meant.

mod levels;

pub use levels::{Levels, UnknownCode};

use texunit_syntax::{Diagnostic, SourceFile, ast};

use crate::{Checked, Options};

/// Looks for suspicious code in a module that was checked.
pub fn lint(
    _source: &SourceFile,
    _module: &ast::Module,
    _checked: &Checked,
    _options: &Options,
) -> Vec<Diagnostic> {
    Vec::new()
}
