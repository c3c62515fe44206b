//! Resources of a multiprocessor that a kernel needs.

use super::Requirements;
use super::builder::LoweringInput;
use super::unit::Unit;
use texunit_check::ir::Storage;

/// Maximum number of registers of a thread.
const MAX_REGISTERS: u32 = 255;

/// Resources that a thread of a kernel needs, as far as they are known without an assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Number of 32-bit registers in the kernel's PTX, at most 255. No registers are allocated, so
    /// the number is an upper bound: that of a kernel whose registers are all live at the same
    /// time.
    pub registers: u32,
    /// Bytes of local memory of the kernel, without its callees.
    pub local: u32,
    /// Bytes of the module's `.const` variables.
    pub constant: u64,
    /// Bytes of local memory of the kernel and all functions that it can call, each counted once.
    pub reached: u64,
    /// Whether `reached` bounds the stack of a thread, because there is no recursion, no indirect
    /// call and no `alloca`. An assembler knows the stack size of such a kernel, and a driver
    /// allocates it; the stack of other kernels has the size `CU_LIMIT_STACK_SIZE`.
    pub known_stack: bool,
}

/// Counts the resources of a unit's kernel.
pub(super) fn count(parts: LoweringInput<'_>, unit: &Unit) -> Resources {
    let func = &unit.code.funcs[0];
    // The temporaries of compiled code are not counted.
    let own = func.temporaries();
    let registers = own.narrow.saturating_add(own.wide.saturating_mul(2));
    let frames = unit.code.funcs.iter().map(|f| u64::from(f.frame));
    let constants = parts.module.variables.iter().filter(|v| v.storage == Storage::Const);
    Resources {
        registers: registers.min(MAX_REGISTERS),
        local: func.frame - func.passed,
        constant: constants.map(|v| v.size).fold(0, u64::saturating_add),
        reached: frames.fold(0, u64::saturating_add),
        known_stack: ends(parts, unit),
    }
}

/// Whether no function of a unit is recursive or uses `alloca`.
fn ends(parts: LoweringInput<'_>, unit: &Unit) -> bool {
    if unit.needs.iter().any(|needs| needs.indirect || needs.alloca) {
        return false;
    }
    let callees = |needs: &Requirements| -> Vec<u32> {
        let functions = needs.functions.iter().map(|f| parts.resolve_alias(f.0));
        functions.filter_map(|f| unit.number(f)).collect()
    };
    let calls: Vec<Vec<u32>> = unit.needs.iter().map(callees).collect();
    // Functions whose callees are all removed are removed in turn. The functions of a recursion
    // remain.
    let mut is_left = vec![true; calls.len()];
    loop {
        let is_leaf = |&f: &usize| is_left[f] && !calls[f].iter().any(|&to| is_left[to as usize]);
        let leaves: Vec<usize> = (0..calls.len()).filter(is_leaf).collect();
        if leaves.is_empty() {
            return !is_left.contains(&true);
        }
        leaves.iter().for_each(|&f| is_left[f] = false);
    }
}
