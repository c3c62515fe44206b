//! The instructions of a disassembly.

use iced_x86::{Instruction, OpKind};

/// Instructions with their code addresses, and lines above some of them.
#[derive(Default)]
pub(crate) struct Listing {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) marks: Vec<(u64, String)>,
}

impl Listing {
    /// Moves lines from one code address to another.
    pub(crate) fn move_marks(&mut self, from: u64, to: u64) {
        self.marks.iter_mut().filter(|mark| mark.0 == from).for_each(|mark| mark.0 = to);
    }

    /// Changes all addresses to those of the complete code, in which `place` puts the cold section.
    pub(crate) fn place(&mut self, place: impl Fn(u64) -> u64) {
        self.instructions.iter_mut().for_each(|i| i.set_ip(place(i.ip())));
        self.instructions.sort_unstable_by_key(Instruction::ip);
        self.marks.iter_mut().for_each(|(at, _)| *at = place(*at));
    }

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
