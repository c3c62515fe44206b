//! The share of an allocation in its pool's accounts, and the memory that a pool keeps after it was
//! freed, for reuse.

use super::shared::Range;
use super::*;

/// Bytes of a pool that an allocation uses. When it is dropped, after the memory itself, the pool
/// keeps the bytes.
#[derive(Debug)]
pub(crate) struct PoolShare {
    pub(crate) pool: Arc<Pool>,
    size: u64,
    /// Address and size of the device memory, once allocated.
    place: OnceLock<(u64, u64)>,
    /// Range in a pool that can be exported.
    range: OnceLock<Range>,
    /// For an imported allocation, its range in the pool.
    found: Option<(u64, u64)>,
}

impl PoolShare {
    /// A share of a pool; `found` is the range of an imported allocation.
    pub(super) fn new(pool: Arc<Pool>, size: u64, found: Option<(u64, u64)>) -> Self {
        Self { pool, size, place: OnceLock::new(), range: OnceLock::new(), found }
    }

    /// Allocates the device memory, reusing kept memory that fits.
    pub(crate) fn buffer(&self, device: &Device) -> Answer<Buffer> {
        let name = crate::current_call::maker().unwrap_or(MADE_BY);
        if let Some(shared) = &self.pool.shared {
            self.pool.state().lend(device);
            let (buffer, range) = match self.found {
                Some(found) => shared.found(device, found, name)?,
                None => shared.allocate(device, self.size, name)?,
            };
            let _ = self.range.set(range);
            return Ok(buffer);
        }
        let mut state = self.pool.state();
        state.lend(device);
        let again = state.kept.take(self.size).and_then(|(address, room)| {
            Some((device.alloc_at_freed(address, self.size, name)?, room))
        });
        let (buffer, room) = match again {
            Some(found) => found,
            None => {
                let made = device.alloc(self.size, name);
                (made.map_err(|error| memory::no_room(device, self.size, error))?, self.size)
            }
        };
        let _ = self.place.set((buffer.address(), room));
        Ok(buffer)
    }
}

impl Drop for PoolShare {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.used = state.used.saturating_sub(self.size);
        if let Some(&(address, room)) = self.place.get() {
            state.kept.put(address, room);
        }
        if state.ended {
            state.trim(0);
        }
        state.settle(self.pool.device());
    }
}

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
