//! The instruction whose operands are being checked.

use texunit_isa::{Form, Modifiers};
use texunit_syntax::ast;

/// An instruction as written, its modifiers, and its table row.
pub(crate) struct Site<'i, 'a> {
    pub(crate) i: &'a ast::Instruction<'a>,
    pub(crate) mods: &'i Modifiers,
    pub(crate) form: &'static Form,
}
