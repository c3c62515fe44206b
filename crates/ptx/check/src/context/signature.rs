//! Signatures of what is called: the module keeps each once, for there may be many calls.

use texunit_isa::ScalarType;
use texunit_syntax::Span;

use crate::ir::{FuncId, Param};

/// What a call passes: type, size, and whether by register.
#[derive(Clone, Debug)]
pub(crate) struct Formal {
    pub(crate) ty: ScalarType,
    pub(crate) size: u32,
    /// Alignment of an array; 0 of a scalar.
    pub(crate) align: u32,
    /// `[]`: takes anything.
    pub(crate) open: bool,
}

impl Formal {
    pub(crate) fn new(p: &Param) -> Self {
        let align = if p.is_array { p.align } else { 0 };
        Formal { ty: p.ty, size: p.size, align, open: p.is_array && p.size == 0 }
    }
}

/// What a called function takes and gives.
pub(crate) struct Signature {
    pub(crate) returns: Vec<Formal>,
    pub(crate) params: Vec<Formal>,
    pub(crate) declared: Option<Span>,
}

/// Something that has a signature: a declaration of a function, or a prototype (its address).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Callee {
    Function(FuncId, Span),
    Prototype(usize),
}

/// What each of these parameters takes.
pub(crate) fn formals(params: &[Param]) -> Vec<Formal> {
    params.iter().map(Formal::new).collect()
}
