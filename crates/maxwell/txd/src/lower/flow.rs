//! The blocks of a function, and where its registers are read and written.

use texunit_check::ir::{BodyCode, Function, Instruction};
use texunit_flow::{Access, Cfg, Index};
use texunit_isa::Opcode;

/// The flow of a function.
pub(super) struct Flow<'a> {
    pub(super) code: BodyCode<'a>,
    pub(super) cfg: Cfg,
    pub(super) uses: Index,
    pub(super) definitions: Index,
}

impl<'a> Flow<'a> {
    pub(super) fn new(function: &'a Function) -> Self {
        let code = BodyCode::new(function);
        let uses = Index::new(&code, Access::Use, |_| true);
        Self { code, cfg: Cfg::new(&code), uses, definitions: Index::definitions(&code) }
    }
}

/// Whether an instruction is there for its result only.
pub(super) fn is_pure(i: &Instruction) -> bool {
    use Opcode::*;
    let does = [Call, Atom, Bar, Barrier, Activemask, Match, Redux, Shfl, Vote];
    i.is_known() && i.destinations() > 0 && !does.contains(&i.opcode) && !i.mods.cc
}
