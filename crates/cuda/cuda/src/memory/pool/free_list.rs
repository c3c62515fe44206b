//! Memory that a pool keeps after it was freed, for reuse.

use std::collections::BTreeSet;

/// Freed device memory, by size and address. An entry is reused for allocations of at least half
/// its size.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeList {
    rooms: BTreeSet<(u64, u64)>,
    /// Sum of the sizes in bytes.
    sum: u64,
}

impl FreeList {
    /// Granularity of sizes.
    const UNIT: u64 = 512;

    pub(super) fn put(&mut self, address: u64, room: u64) {
        if self.rooms.insert((room, address)) {
            self.sum = self.sum.saturating_add(room.next_multiple_of(Self::UNIT));
        }
    }

    fn remove(&mut self, kept: (u64, u64)) {
        if self.rooms.remove(&kept) {
            self.sum = self.sum.saturating_sub(kept.0.next_multiple_of(Self::UNIT));
        }
    }

    /// Removes the smallest entry that fits, and returns its address and size.
    pub(super) fn take(&mut self, size: u64) -> Option<(u64, u64)> {
        let most = size.max(Self::UNIT).saturating_mul(2);
        let found = *self.rooms.range((size, 0)..=(most, u64::MAX)).next()?;
        self.remove(found);
        Some((found.1, found.0))
    }

    /// Removes the largest entries, until the rest has at most this many bytes.
    pub(super) fn shrink(&mut self, bytes: u64) {
        while self.sum > bytes
            && let Some(&largest) = self.rooms.last()
        {
            self.remove(largest);
        }
    }
}
