//! Functions for memory pools: reserved memory, which counts as used, and allocation at the address
//! of a freed buffer.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;

impl Device {
    /// Counts bytes as used without allocating them ([`Self::memory_used`]).
    ///
    /// # Errors
    /// [`Error::Memory`] if the device has not enough memory.
    pub fn reserve(&self, size: u64) -> Result<(), Error> {
        let name = "reserved memory".to_owned();
        self.inner.memory.reserve(size).map_err(|source| Error::Memory { name, source })
    }

    /// Ends the reservation of bytes by [`Self::reserve`].
    pub fn release_reserved(&self, size: u64) {
        self.inner.memory.release_opaque(size);
    }

    /// As [`Self::alloc`], at the address of a freed buffer. `None` if there is not enough memory,
    /// or the address is in use.
    pub fn alloc_at_freed(&self, address: u64, size: u64, name: &str) -> Option<Buffer> {
        Buffer::again(self, address, size, name)
    }
}
