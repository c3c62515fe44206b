//! Memory that several devices reach: that of peers, and what is mapped for some of them.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use std::ops::Range;
use std::sync::{Arc, PoisonError};
use texunit_memory::{AttachError, Block, EndedMemory};

impl Device {
    /// Says which other devices there are: an access to their memory is told so.
    pub fn set_peers(&self, others: &[Device]) {
        self.inner.memory.set_peers(others.iter().map(|other| &other.inner.memory));
    }

    /// The memory that begins at an address is none that peers reach with the rest of this device's memory; false if
    /// there is none.
    pub fn exclude_from_peers(&self, address: u64) -> bool {
        self.inner.memory.exclude_from_peers(address)
    }

    /// What is mapped in a range for this device from now on, at which addresses, and what a use of the rest of it is
    /// ([`texunit_memory::Memory::set_range`]).
    pub fn set_range(
        &self,
        range: Range<u64>,
        blocks: Vec<(u64, Arc<Block>)>,
        said: Vec<(Range<u64>, EndedMemory)>,
    ) {
        self.inner.memory.set_range(range, blocks, said);
    }

    /// Remembers what was at an address, which is free now: a use of it is told so.
    pub fn record_freed(&self, address: u64, gone: EndedMemory) {
        self.inner.memory.record_freed(address, gone);
    }

    /// Makes memory that is there a buffer, at an address. If it `counts`, it counts as the device's.
    ///
    /// # Errors
    /// Something else is there, or the device has no room.
    pub fn adopt(&self, address: u64, block: Arc<Block>, counts: bool) -> Result<Buffer, Error> {
        Buffer::of(self, address, block, counts)
    }

    /// Lets this device reach memory of another one, at its address there.
    ///
    /// # Errors
    /// Something else is there.
    pub fn reach(&self, buffer: &Buffer) -> Result<(), AttachError> {
        self.inner.memory.attach(buffer.address(), buffer.block())
    }

    /// Ends what [`Self::reach`] has begun, for the memory at an address; false if there is none.
    pub fn part_from(&self, address: u64) -> bool {
        self.inner.memory.detach(address)
    }

    /// Arrays of another device may be read and written by textures and surfaces of this one from now on.
    pub fn use_arrays_of(&self, other: &Device) {
        self.inner
            .peers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::downgrade(&other.inner));
    }

    /// Whether it is this device, or one whose arrays it uses.
    pub(crate) fn uses_arrays_of(&self, other: &Device) -> bool {
        let peers = self.inner.peers.lock().unwrap_or_else(PoisonError::into_inner);
        self.is(other) || peers.iter().any(|peer| peer.as_ptr() == Arc::as_ptr(&other.inner))
    }
}
