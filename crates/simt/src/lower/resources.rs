//! What a kernel takes of a multiprocessor.

use super::program::{KernelId, Program};
use std::collections::BTreeSet;
use texunit_check::ir::Storage;

/// Most registers that a thread of a device can have.
const MOST_REGISTERS: u32 = 255;

/// What a thread of a kernel needs, as far as it is known without an assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// 32-bit registers of the kernel's PTX. No registers are allocated here, so that this is how
    /// many would be needed if each were live all the time: an upper bound, at most 255.
    pub registers: u32,
    /// Bytes of local memory of the kernel itself, without what it calls.
    pub local: u32,
    /// Bytes of `.const` variables of the module.
    pub constant: u64,
    /// Bytes of local memory of the kernel and of every function that it can reach, each once.
    pub reached: u64,
    /// Whether that is all that a thread can need: nothing is recursive, called through a register
    /// or taken by `alloca`. An assembler knows the stack of such a kernel, and a driver provides
    /// it; that of others is what `CU_LIMIT_STACK_SIZE` says.
    pub known_stack: bool,
}

impl Program {
    /// What a thread of a kernel needs.
    pub fn resources(&self, id: KernelId) -> Resources {
        let func = &self.code(false).funcs[id.0 as usize];
        let registers = func.narrow.saturating_add(func.wide.saturating_mul(2));
        let reached = self.reachable(id.0);
        let frame = |&f: &u32| u64::from(self.code(false).funcs[f as usize].frame);
        let constants = self.variables.iter().filter(|v| v.storage == Storage::Const);
        Resources {
            registers: registers.min(MOST_REGISTERS),
            local: func.frame,
            constant: constants.map(|v| v.size).fold(0, u64::saturating_add),
            reached: reached.iter().map(frame).fold(0, u64::saturating_add),
            known_stack: self.ends(&reached),
        }
    }

    /// Whether no function of a set can run twice in one chain of calls, nor take stack as it runs.
    fn ends(&self, set: &BTreeSet<u32>) -> bool {
        let needs = |f: u32| &self.needs[f as usize];
        if set.iter().any(|&f| needs(f).indirect || needs(f).alloca) {
            return false;
        }
        // Functions that call none but those already taken away are taken away, until none is left.
        let mut left = set.clone();
        loop {
            let calls = |f: u32| needs(f).functions.iter().map(|to| self.behind(to.0));
            let leaves: Vec<u32> =
                left.iter().copied().filter(|&f| !calls(f).any(|to| left.contains(&to))).collect();
            if leaves.is_empty() {
                return left.is_empty();
            }
            leaves.iter().for_each(|f| {
                left.remove(f);
            });
        }
    }

    /// The function that an alias stands for.
    fn behind(&self, f: u32) -> u32 {
        self.resolved.get(f as usize).copied().unwrap_or(f)
    }
}
