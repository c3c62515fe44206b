//! What a kernel takes of a multiprocessor.

use super::Needs;
use super::unit::Unit;
use std::collections::BTreeSet;
use texunit_check::ir::{self, Storage};

/// Most registers that a thread of a device can have.
const MAX_REGISTERS: u32 = 255;

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

/// What a thread of the kernel of a unit needs; `behind` gives the function that an alias or a prototype stands for.
pub(super) fn count(module: &ir::Module, unit: &Unit, behind: impl Fn(u32) -> u32) -> Resources {
    let func = &unit.code.funcs[0];
    // Those of compiled code between its steps are not the kernel's.
    let own = func.temporaries();
    let registers = own.narrow.saturating_add(own.wide.saturating_mul(2));
    let frames = unit.code.funcs.iter().map(|f| u64::from(f.frame));
    let constants = module.variables.iter().filter(|v| v.storage == Storage::Const);
    Resources {
        registers: registers.min(MAX_REGISTERS),
        local: func.frame,
        constant: constants.map(|v| v.size).fold(0, u64::saturating_add),
        reached: frames.fold(0, u64::saturating_add),
        known_stack: ends(unit, behind),
    }
}

/// Whether no function of a unit can run twice in one chain of calls, nor take stack as it runs.
fn ends(unit: &Unit, behind: impl Fn(u32) -> u32) -> bool {
    if unit.needs.iter().any(|needs| needs.indirect || needs.alloca) {
        return false;
    }
    let callees = |needs: &Needs| -> Vec<u32> {
        let functions = needs.functions.iter().map(|f| behind(f.0));
        functions.filter_map(|f| unit.number(f)).collect()
    };
    let calls: Vec<Vec<u32>> = unit.needs.iter().map(callees).collect();
    // Functions that call none but those already taken away are taken away, until none is left.
    let mut left: BTreeSet<u32> = (0..calls.len() as u32).collect();
    loop {
        let is_leaf = |f: &u32| !calls[*f as usize].iter().any(|to| left.contains(to));
        let leaves: Vec<u32> = left.iter().copied().filter(is_leaf).collect();
        if leaves.is_empty() {
            return left.is_empty();
        }
        leaves.iter().for_each(|f| {
            left.remove(f);
        });
    }
}
