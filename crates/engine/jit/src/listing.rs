//! The instructions of a disassembly.

use iced_x86::{Instruction, OpKind};

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
