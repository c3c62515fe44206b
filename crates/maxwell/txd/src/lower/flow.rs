//! The basic blocks of a function, and the instructions that write each register.

use texunit_check::ir::{BodyCode, Function, Instruction};
use texunit_flow::{Cfg, Definitions};
use texunit_isa::Opcode;

/// The control flow of a function, and the definitions of its registers.
pub(super) struct Flow<'a> {
    pub(super) code: BodyCode<'a>,
    pub(super) cfg: Cfg,
    pub(super) definitions: Definitions,
}

impl<'a> Flow<'a> {
    pub(super) fn new(function: &'a Function) -> Self {
        let code = BodyCode::new(function);
        Self { code, cfg: Cfg::new(&code), definitions: Definitions::new(&code) }
    }
}

/// Whether an instruction has no effect besides its result.
pub(super) fn is_pure(i: &Instruction) -> bool {
    use Opcode::*;
    let does = [Call, Atom, Bar, Barrier, Activemask, Match, Redux, Shfl, Vote];
    i.is_known() && i.destinations() > 0 && !does.contains(&i.opcode) && !i.mods.cc
}
