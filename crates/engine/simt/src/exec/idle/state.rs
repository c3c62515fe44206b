//! Trace of a CTA while it is checked for waiting.

/// Maximum number of traced addresses.
const MAX_LOOKS: usize = 8;

/// Trace of a CTA while it is checked for waiting.
#[derive(Debug, Default)]
pub(crate) struct WaitTrace {
    /// Whether the CTA had a side effect outside its own state.
    pub(in crate::exec) acts: bool,
    /// Addresses and sizes of loads from global memory, and of a CTA in a cluster also from shared
    /// memory.
    pub(super) looks: Vec<(u64, u32)>,
}

impl WaitTrace {
    pub(in crate::exec) fn look(&mut self, address: u64, size: u32) {
        if self.looks.len() < MAX_LOOKS && !self.looks.contains(&(address, size)) {
            self.looks.push((address, size));
        }
    }
}
