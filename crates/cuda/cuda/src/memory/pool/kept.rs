//! What a pool keeps of memory that was freed.

use std::collections::BTreeSet;

/// Device memory that was freed: room and address. It is used again for what needs at least half of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    rooms: BTreeSet<(u64, u64)>,
    /// Sum of the rooms, in units of allocations.
    sum: u64,
}

impl Kept {
    /// Units in which memory is kept.
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

    /// Address and room of the smallest that fits.
    pub(super) fn take(&mut self, size: u64) -> Option<(u64, u64)> {
        let most = size.max(Self::UNIT).saturating_mul(2);
        let found = *self.rooms.range((size, 0)..=(most, u64::MAX)).next()?;
        self.remove(found);
        Some((found.1, found.0))
    }

    /// Forgets the largest, until all together have so many bytes.
    pub(super) fn shrink(&mut self, bytes: u64) {
        while self.sum > bytes
            && let Some(&largest) = self.rooms.last()
        {
            self.remove(largest);
        }
    }
}
