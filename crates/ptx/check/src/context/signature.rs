//! Signatures of called functions, each kept once because there may be many calls.

use texunit_isa::ScalarType;
use texunit_syntax::Span;

use crate::ir::{FuncId, Param};

/// A parameter or result in a signature: type, size, and whether it is passed in a register.
#[derive(Clone, Debug)]
pub(crate) struct Formal {
    pub(crate) ty: ScalarType,
    pub(crate) size: u32,
    /// Alignment in bytes, at least that of the type.
    pub(crate) align: u32,
    pub(crate) is_array: bool,
    /// `[]`: an array of any size, or none.
    pub(crate) open: bool,
}

impl Formal {
    pub(crate) fn new(p: &Param) -> Self {
        Formal {
            ty: p.ty,
            size: p.size,
            align: p.align.max(p.ty.bytes()),
            is_array: p.is_array,
            open: p.is_array && p.size == 0,
        }
    }
}

/// The parameters and results of a called function.
pub(crate) struct Signature {
    pub(crate) returns: Vec<Formal>,
    pub(crate) params: Vec<Formal>,
    pub(crate) declared: Option<Span>,
}

/// The source of a signature: a function declaration, or a prototype (by address).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Callee {
    Function(FuncId, Span),
    Prototype(usize),
}
