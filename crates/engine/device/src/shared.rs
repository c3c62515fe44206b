//! Memory of a device that buffers and arrays alone do not manage: reserved bytes, and memory of
//! other devices.

use crate::array::{Array, ArrayDescriptor, MipmappedArray};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use std::sync::{Arc, PoisonError};
use texunit_memory::{AttachError, Block};

impl Device {
    /// Creates an array with mip levels whose texels are the first bytes of existing memory.
    /// Devices that create the same array in the same memory share the texels.
    ///
    /// # Errors
    /// As [`Self::create_mipmapped_array`], and [`Error::Create`] if the memory is too small.
    pub fn create_mipmapped_array_in(
        &self,
        memory: &Arc<Block>,
        descriptor: &ArrayDescriptor,
        levels: u32,
    ) -> Result<MipmappedArray, Error> {
        Ok(MipmappedArray { whole: Array::new(self, descriptor, Some(levels), Some(memory))? })
    }

    /// Counts bytes as used without allocating them ([`texunit_memory::Memory::used`]).
    ///
    /// # Errors
    /// [`Error::Memory`] if the device has not enough memory.
    pub fn reserve(&self, size: u64) -> Result<(), Error> {
        let name = "reserved memory".to_owned();
        self.inner.memory.reserve(size).map_err(|source| Error::Memory { name, source })
    }

    /// Lets this device access a buffer of another device, at the same address, until
    /// [`texunit_memory::Memory::detach`].
    ///
    /// # Errors
    /// The address range is in use.
    pub fn reach(&self, buffer: &Buffer) -> Result<(), AttachError> {
        self.inner.memory.attach(buffer.address(), buffer.block())
    }

    /// Lets textures and surfaces of this device access arrays of another device.
    pub fn use_arrays_of(&self, other: &Device) {
        let mut peers = self.inner.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.push(Arc::downgrade(&other.inner));
    }

    /// Whether `other` is this device, or one whose arrays it may access.
    pub(crate) fn uses_arrays_of(&self, other: &Device) -> bool {
        let peers = self.inner.peers.lock().unwrap_or_else(PoisonError::into_inner);
        self.is(other) || peers.iter().any(|peer| peer.as_ptr() == Arc::as_ptr(&other.inner))
    }
}
