//! Diagnostics: wording that messages share, corrections, suggestions, and limits.

pub(crate) mod cap;
pub(crate) mod cascade;
pub(crate) mod fixes;

use texunit_syntax::{Diagnostic, ast};

/// The opcode and modifiers of an instruction for messages, such as `add.f32`.
pub(crate) fn mnemonic(i: &ast::Instruction) -> String {
    let mut text = i.opcode.text.to_string();
    for word in &i.modifiers {
        text.push('.');
        text += word.text;
    }
    text
}

/// The error for an undefined name.
pub(crate) fn unknown(name: &ast::Ident) -> Diagnostic {
    let help = if name.text.starts_with('%') {
        "declare it with .reg, or check the spelling of a special register"
    } else {
        "declare it, or check the spelling"
    };
    Diagnostic::error("E0110", name.span, format!("nothing is called {}", name.text)).help(help)
}
