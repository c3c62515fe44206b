//! Trace of a CTA while it is checked for waiting.

/// Maximum number of traced addresses.
pub(super) const MAX_LOOKS: usize = 8;

/// Trace of a CTA while it is checked for waiting.
#[derive(Debug, Default)]
pub(crate) struct WaitTrace {
    /// Whether the CTA had a side effect outside its own state.
    pub(in crate::exec) has_side_effect: bool,
    /// Addresses and sizes of loads from global memory, and of a CTA in a cluster also from shared
    /// memory.
    pub(super) polls: Vec<(u64, u32)>,
}

impl WaitTrace {
    pub(in crate::exec) fn look(&mut self, address: u64, size: u32) {
        if self.polls.len() < MAX_LOOKS && !self.polls.contains(&(address, size)) {
            self.polls.push((address, size));
        }
    }
}
