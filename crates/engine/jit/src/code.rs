//! The output of the emitter.

use crate::ir::Routine;
use crate::machine::{Mode, SiteAccess};
use crate::needs::Needs;
use iced_x86::{Instruction, OpKind};

/// The code of a region, and the tables that a [`crate::region::Function`] needs besides it.
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    /// For each entry, its mode, its instruction and its code offset.
    pub(crate) entries: Vec<(Mode, u32, u32)>,
    /// Whether lanes can diverge inside the function.
    pub(crate) can_diverge: bool,
    /// For each yield point, its instruction and the code offset of its exit.
    pub(crate) yield_points: Vec<(u32, u32)>,
    /// The constant pool.
    pub(crate) pool: Vec<u64>,
    /// For each access site, the access that uses the site.
    pub(crate) uses: Vec<Option<SiteAccess>>,
    /// Host functions, by the number with which the code calls them.
    pub(crate) routines: Vec<Routine>,
    /// Lengths that register files and inputs must have.
    pub(crate) needs: Needs,
    /// What the disassembly prints, if one is requested.
    pub(crate) listing: Option<Listing>,
}

/// Instructions with their code addresses, and lines above some of them.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) marks: Vec<(u64, String)>,
}

impl Listing {
    /// Writes the target of a label into the instruction that ends at a code address.
    pub(crate) fn resolve(&mut self, end: u64, target: u64) {
        let found = self.instructions.binary_search_by_key(&end, Instruction::next_ip);
        let instruction = found.ok().and_then(|i| self.instructions.get_mut(i));
        match instruction {
            Some(i) if i.op0_kind() == OpKind::NearBranch64 => i.set_near_branch64(target),
            Some(i) => i.set_memory_displacement64(target),
            None => {}
        }
    }
}
