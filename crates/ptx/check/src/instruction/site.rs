//! The instruction whose operands are being checked.

use std::fmt::Display;
use std::ops::{Deref, DerefMut};

use texunit_forms::Count;
use texunit_isa::{Form, Modifiers};
use texunit_syntax::{Diagnostic, Span, ast};

use crate::body::Body;
use crate::message::mnemonic;

/// An instruction as written, with its modifiers, its form, and the body that contains it.
pub(crate) struct Site<'b, 'c, 'a> {
    pub(crate) body: &'b mut Body<'c, 'a>,
    pub(crate) i: &'a ast::Instruction<'a>,
    pub(crate) mods: &'b Modifiers,
    pub(crate) form: &'static Form,
}

impl<'a> Site<'_, '_, 'a> {
    /// The opcode and modifiers of the instruction for messages, such as `add.f32`.
    pub(crate) fn name(&self) -> String {
        mnemonic(self.i)
    }

    /// Whether the instruction has the modifier `word`.
    pub(crate) fn says(&self, word: &str) -> bool {
        self.i.modifiers.iter().any(|m| m.text == word)
    }

    /// The operands of an instruction that must have `N` operands; otherwise reports an error.
    pub(crate) fn takes<const N: usize>(
        &mut self,
        help: &str,
    ) -> Option<&'a [ast::Operand<'a>; N]> {
        let i = self.i;
        if let Ok(found) = i.operands.as_slice().try_into() {
            return Some(found);
        }
        let says = format!("takes {}, not {}", Count(N, "operand"), i.operands.len());
        self.deny("E0210", i.opcode.span, says, help)
    }

    /// An error message that begins with the instruction's opcode and modifiers.
    pub(crate) fn error(&self, code: &'static str, span: Span, says: impl Display) -> Diagnostic {
        Diagnostic::error(code, span, format!("{} {says}", self.name()))
    }

    /// Reports an error whose message begins with opcode and modifiers, with a help text.
    pub(crate) fn deny<T>(
        &mut self,
        code: &'static str,
        span: Span,
        says: impl Display,
        help: impl Into<String>,
    ) -> Option<T> {
        let error = self.error(code, span, says).help(help);
        self.cx.refuse_with(error)
    }
}

impl<'c, 'a> Deref for Site<'_, 'c, 'a> {
    type Target = Body<'c, 'a>;

    fn deref(&self) -> &Self::Target {
        self.body
    }
}

impl DerefMut for Site<'_, '_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.body
    }
}
