//! The instruction whose operands are checked.

use texunit_isa::{Form, Modifiers};
use texunit_syntax::ast;

/// An instruction as written, as read, and the row that it is.
pub(crate) struct Site<'i, 'a> {
    pub(crate) i: &'a ast::Instruction<'a>,
    pub(crate) mods: &'i Modifiers,
    pub(crate) form: &'static Form,
}
