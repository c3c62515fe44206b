//! Addresses of variables and functions, as assigned by the loader.

use texunit_check::ir::{FuncId, VarId};

/// Addresses of variables and handles of opaque variables, as assigned by the loader.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// By variable number: address of `.global` and `.const` variables, handle of opaque ones; the
    /// entries of `.shared` variables are unused.
    pub addresses: Vec<u64>,
}

impl Symbols {
    /// Address or handle of a variable; 0 if it has none.
    pub fn address(&self, variable: VarId) -> u64 {
        self.addresses.get(variable.0 as usize).copied().unwrap_or(0)
    }
}

const FUNCTION_BASE: u64 = 0x1000;
const FUNCTION_STEP: u64 = 16;

/// The value of a pointer to a function, for initialisers with relocations.
pub fn function_address(function: FuncId) -> u64 {
    FUNCTION_BASE + u64::from(function.0) * FUNCTION_STEP
}

/// The function that a pointer refers to, if [`function_address`] returned the pointer.
pub fn function_of_address(address: u64) -> Option<FuncId> {
    let offset = address.checked_sub(FUNCTION_BASE)?;
    let index = u32::try_from(offset / FUNCTION_STEP).ok()?;
    (offset % FUNCTION_STEP == 0).then_some(FuncId(index))
}
