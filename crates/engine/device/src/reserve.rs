//! What pools of memory need of a device: memory that is counted and not used, and addresses that are used
//! again.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;

impl Device {
    /// Counts bytes as used that nobody uses yet ([`Self::memory_used`]).
    ///
    /// # Errors
    /// [`Error::Memory`] if the device has no room for them.
    pub fn reserve(&self, size: u64) -> Result<(), Error> {
        let name = "reserved memory".to_owned();
        self.inner.memory.reserve(size).map_err(|source| Error::Memory { name, source })
    }

    /// Gives back what [`Self::reserve`] has counted.
    pub fn release_reserved(&self, size: u64) {
        self.inner.memory.release_opaque(size);
    }

    /// As [`Self::alloc`], at the address of a buffer that is freed. `None` if there is no memory, or if
    /// something else has the address by now.
    pub fn alloc_again(&self, address: u64, size: u64, name: &str) -> Option<Buffer> {
        Buffer::again(self, address, size, name)
    }
}
