//! The share of an allocation in its pool's accounts.

use super::shared::Range;
use super::*;

/// Bytes of a pool that an allocation uses. When it is dropped, after the memory itself, the pool
/// keeps the bytes.
#[derive(Debug)]
pub(crate) struct PoolShare {
    /// The pool.
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
