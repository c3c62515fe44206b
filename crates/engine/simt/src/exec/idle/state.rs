//! What a CTA does while it is looked at closely.

/// Places that are noted.
const MAX_LOOKS: usize = 8;

/// What a CTA does while it is looked at closely.
#[derive(Debug, Default)]
pub(crate) struct WaitTrace {
    /// Whether it has changed anything but its own state.
    pub(in crate::exec) acts: bool,
    /// Addresses that it has loaded from, and bytes: global memory, and in a cluster the window of shared memory.
    pub(super) looks: Vec<(u64, u32)>,
}

impl WaitTrace {
    pub(in crate::exec) fn look(&mut self, address: u64, size: u32) {
        if self.looks.len() < MAX_LOOKS && !self.looks.contains(&(address, size)) {
            self.looks.push((address, size));
        }
    }
}
