//! Accesses slightly past the end of an object that a GPU would not detect. With the bounds
//! [`Bounds::Hardware`] a launch permits and counts them.
//!
//! This code runs only after an access has failed, so it costs other accesses nothing.

use super::context::Context;
use crate::launch::Bounds;
use texunit_memory::Block;

impl Context<'_> {
    /// Whether a failed access to global memory is permitted.
    #[cold]
    pub(super) fn may_pass(&self, address: u64, len: u64) -> bool {
        let config = self.launch.config;
        config.bounds == Bounds::Hardware && config.memory.find_rounded(address, len).is_some()
    }

    /// The allocation and offset of a failed access to global memory that is permitted; `None`: the
    /// access is a fault.
    #[cold]
    pub(super) fn past_end(&mut self, address: u64, len: u64) -> Option<(Block, u64)> {
        let config = self.launch.config;
        let hardware = config.bounds == Bounds::Hardware;
        let found = hardware.then(|| config.memory.find_rounded(address, len)).flatten()?;
        self.counters.past_end += 1;
        Some(found)
    }

    /// Whether a failed access at the end of shared memory is permitted.
    fn may_pass_shared(&mut self, at: u64, size: u32) -> bool {
        let all = (self.cta.shared.len() + self.cta.tail.len()) as u64;
        let passes =
            !self.cta.tail.is_empty() && at.checked_add(size.into()).is_some_and(|end| end <= all);
        // The memory after the rounded size is reserved for the system, so accesses to it are not
        // past an end.
        self.counters.past_end += u64::from(passes && at < self.launch.shared_rounded);
        passes
    }

    /// The byte of shared memory at an address, which may be past the end.
    fn shared_byte(&mut self, at: usize) -> Option<&mut u8> {
        let size = self.cta.shared.len();
        match at.checked_sub(size) {
            None => self.cta.shared.get_mut(at),
            Some(behind) => self.cta.tail.get_mut(behind),
        }
    }

    /// Updates a value that extends past the end of shared memory, and returns the old one; `None`:
    /// the access is a fault.
    #[cold]
    pub(super) fn update_past_shared(
        &mut self,
        at: u64,
        size: u32,
        new: impl FnOnce(u64) -> u64,
    ) -> Option<u64> {
        if !self.may_pass_shared(at, size) {
            return None;
        }
        let mut old = [0; 8];
        let bytes = size.min(8) as usize;
        for (i, byte) in old.iter_mut().enumerate().take(bytes) {
            *byte = *self.shared_byte(at as usize + i)?;
        }
        let old = u64::from_le_bytes(old);
        let new = new(old).to_le_bytes();
        for (i, &byte) in new.iter().enumerate().take(bytes) {
            *self.shared_byte(at as usize + i)? = byte;
        }
        Some(old)
    }

    /// Whether a GPU would not detect an access to shared memory that is a fault here.
    pub(super) fn is_unnoticed_in_shared(&self, at: u64, size: u32) -> bool {
        let end = at.checked_add(size.into());
        self.launch.config.bounds == Bounds::Exact
            && end.is_some_and(|end| end <= self.launch.shared_rounded)
    }
}
