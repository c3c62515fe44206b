//! Accesses a little past the end of an object: where a GPU would not notice them, a launch with its bounds
//! ([`Bounds::Hardware`]) lets them pass, and counts them.
//!
//! All of this is asked only once an access has failed, so that it costs others nothing.

use super::context::Context;
use crate::launch::Bounds;
use texunit_memory::Block;

impl Context<'_> {
    /// Whether an access to global memory that has failed may be made.
    #[cold]
    pub(super) fn may_pass(&self, address: u64, len: u64) -> bool {
        let config = self.launch.config;
        config.bounds == Bounds::Hardware && config.memory.find_rounded(address, len).is_some()
    }

    /// The memory of an access to global memory that has failed, and where it is; `None`: it is a fault.
    #[cold]
    pub(super) fn past_end(&mut self, address: u64, len: u64) -> Option<(Block, u64)> {
        let config = self.launch.config;
        let hardware = config.bounds == Bounds::Hardware;
        let found = hardware.then(|| config.memory.find_rounded(address, len)).flatten()?;
        self.counters.past_end += 1;
        Some(found)
    }

    /// Whether an access to shared memory that has failed, at its end, may be made.
    fn may_pass_shared(&mut self, at: u64, size: u32) -> bool {
        let all = (self.cta.shared.len() + self.cta.tail.len()) as u64;
        let passes =
            !self.cta.tail.is_empty() && at.checked_add(size.into()).is_some_and(|end| end <= all);
        // What follows on the rounded size is reserved for the system, and no access past an end.
        self.counters.past_end += u64::from(passes && at < self.launch.shared_rounded);
        passes
    }

    /// The byte of shared memory at an address, or behind its end.
    fn shared_byte(&mut self, at: usize) -> Option<&mut u8> {
        let size = self.cta.shared.len();
        match at.checked_sub(size) {
            None => self.cta.shared.get_mut(at),
            Some(behind) => self.cta.tail.get_mut(behind),
        }
    }

    /// Changes a number whose last byte is behind the end of shared memory; the old one. `None`: it is a fault.
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

    /// Whether a GPU would not notice an access to shared memory that is a fault here.
    pub(super) fn is_unnoticed_in_shared(&self, at: u64, size: u32) -> bool {
        let end = at.checked_add(size.into());
        self.launch.config.bounds == Bounds::Exact
            && end.is_some_and(|end| end <= self.launch.shared_rounded)
    }
}
