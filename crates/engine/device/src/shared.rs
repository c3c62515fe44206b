//! Memory that several devices can access: peer memory, and memory that is mapped for some of them.

use crate::array::{ArrayDescriptor, MipmappedArray};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use std::ops::Range;
use std::sync::{Arc, PoisonError};
use texunit_memory::{AttachError, Block, FreedBlock};

impl Device {
    /// Sets the other devices that exist, so that faults can name the device whose memory an access
    /// hits.
    pub fn set_other_devices(&self, others: &[Device]) {
        self.inner.memory.set_peers(others.iter().map(|other| &other.inner.memory));
    }

    /// Excludes the memory that begins at an address from what peers can access; false if there is
    /// none.
    pub fn exclude_from_peers(&self, address: u64) -> bool {
        self.inner.memory.exclude_from_peers(address)
    }

    /// Sets which memory is mapped in a range for this device, by address, and how accesses to the
    /// rest of the range fail ([`texunit_memory::Memory::set_range`]).
    pub fn set_range(
        &self,
        range: Range<u64>,
        blocks: Vec<(u64, Arc<Block>)>,
        said: Vec<(Range<u64>, FreedBlock)>,
    ) {
        self.inner.memory.set_range(range, blocks, said);
    }

    /// Records which memory was at an address that is free now, so that faults can name it.
    pub fn record_freed(&self, address: u64, gone: FreedBlock) {
        self.inner.memory.record_freed(address, gone);
    }

    /// Makes a buffer of existing memory, at an address. If `counts` is true, it counts as the
    /// device's memory.
    ///
    /// # Errors
    /// The address range is in use, or the device has not enough memory.
    pub fn adopt(&self, address: u64, block: Arc<Block>, counts: bool) -> Result<Buffer, Error> {
        Buffer::of(self, address, block, counts)
    }

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
        MipmappedArray::new(self, descriptor, levels, Some(memory))
    }

    /// Lets this device access a buffer of another device, at the same address.
    ///
    /// # Errors
    /// The address range is in use.
    pub fn reach(&self, buffer: &Buffer) -> Result<(), AttachError> {
        self.inner.memory.attach(buffer.address(), buffer.block())
    }

    /// Ends the access that [`Self::reach`] has enabled to the memory at an address; false if there
    /// is none.
    pub fn end_reach(&self, address: u64) -> bool {
        self.inner.memory.detach(address)
    }

    /// Lets textures and surfaces of this device access arrays of another device.
    pub fn use_arrays_of(&self, other: &Device) {
        self.inner
            .peers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::downgrade(&other.inner));
    }

    /// Whether `other` is this device, or one whose arrays it may access.
    pub(crate) fn uses_arrays_of(&self, other: &Device) -> bool {
        let peers = self.inner.peers.lock().unwrap_or_else(PoisonError::into_inner);
        self.is(other) || peers.iter().any(|peer| peer.as_ptr() == Arc::as_ptr(&other.inner))
    }
}
