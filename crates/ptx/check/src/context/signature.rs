//! Signatures of called functions, each computed once because there may be many calls.

use texunit_syntax::Span;

use crate::ir::{FuncId, Param};

/// The parameters and results of a called function.
pub(crate) struct Signature {
    pub(crate) returns: Vec<Param>,
    pub(crate) params: Vec<Param>,
    pub(crate) declared: Span,
}

/// The source of a signature: a function declaration, or the address of a prototype in the syntax
/// tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Callee {
    Function(FuncId, Span),
    Prototype(usize),
}
