//! Buffers: allocations of linear device memory, and copies between them and the host.

use crate::device::Device;
use crate::error::Error;
use crate::linear::Linear;
use bytemuck::NoUninit;
use std::ops::Deref;
use std::sync::Arc;
use texunit_memory::{Block, Placement};
use texunit_unit::Resource;

/// An allocation of global memory (`cuMemAlloc`), with all functions of a [`Linear`]. It is freed
/// when the last clone is dropped. Its address is a multiple of 512, of 4096 for sizes from 4096
/// bytes on, and of 2 MiB from 1 MiB on.
#[derive(Clone, Debug)]
pub struct Buffer {
    inner: Arc<Allocation>,
}

#[derive(Debug)]
struct Allocation {
    device: Device,
    memory: Linear,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.device.inner.memory.free(self.memory.address());
    }
}

impl Device {
    /// Allocates `size` zero bytes of global memory. `name` is the buffer's name in messages.
    ///
    /// # Errors
    /// [`Error::Memory`] if the device has not enough memory.
    pub fn alloc(&self, size: u64, name: &str) -> Result<Buffer, Error> {
        let memory = self.memory().allocate(size, name);
        let (address, block) =
            memory.map_err(|source| Error::Memory { name: name.to_owned(), source })?;
        self.memory().apply_initial_contents(&block);
        Ok(self.buffer(address, block))
    }

    fn buffer(&self, address: u64, block: Arc<Block>) -> Buffer {
        let memory = Linear::of_block(block, address);
        Buffer { inner: Arc::new(Allocation { device: self.clone(), memory }) }
    }

    /// As [`Self::alloc`], at a given address.
    ///
    /// # Errors
    /// [`Error::Taken`] if the address is in use, [`Error::Memory`] if the device has not enough
    /// memory.
    pub fn alloc_at(&self, place: &Placement<'_>) -> Result<Buffer, Error> {
        let block = self.memory().allocate_at(place);
        let block = block.map_err(|error| Error::placement(place.name, error))?;
        Ok(self.buffer(place.address, block))
    }

    /// As [`Self::alloc`], at the address of a freed buffer. `None` if there is not enough memory,
    /// or the address is in use.
    pub fn alloc_at_freed(&self, address: u64, size: u64, name: &str) -> Option<Buffer> {
        let block = self.memory().allocate_again(address, size, name)?;
        self.memory().apply_initial_contents(&block);
        Some(self.buffer(address, block))
    }

    /// Makes a buffer of existing memory, at an address. If `counts` is true, it counts as the
    /// device's memory.
    ///
    /// # Errors
    /// The address range is in use, or the device has not enough memory.
    pub fn adopt(&self, address: u64, block: Arc<Block>, counts: bool) -> Result<Buffer, Error> {
        let adopted = self.memory().adopt(address, &block, counts);
        adopted.map_err(|error| Error::placement(block.name(), error))?;
        Ok(self.buffer(address, block))
    }

    /// Allocates global memory and fills it with numbers or structures.
    ///
    /// # Errors
    /// [`Error::Memory`] if the device has not enough memory, or `values` is empty.
    pub fn alloc_from<T: NoUninit>(&self, values: &[T], name: &str) -> Result<Buffer, Error> {
        let bytes = bytemuck::cast_slice::<T, u8>(values);
        let buffer = self.alloc(bytes.len() as u64, name)?;
        buffer.write(0, bytes)?;
        Ok(buffer)
    }
}

impl Deref for Buffer {
    type Target = Linear;

    fn deref(&self) -> &Linear {
        &self.inner.memory
    }
}

impl Buffer {
    /// The buffer's pages as a file that can be passed to other processes, with a message for them
    /// of at most 1024 bytes.
    ///
    /// # Errors
    /// The operating system cannot share the pages as a file.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub fn share_pages(&self, note: &[u8]) -> std::io::Result<Arc<texunit_memory::Pages>> {
        self.block().share_pages(note)
    }

    /// Sets all bytes to zero, whatever the initial contents of memory are
    /// ([`crate::DeviceOptions::initial_contents`]). Must not be called for memory that has been
    /// written.
    pub fn clear(&self) {
        self.inner.device.inner.memory.clear(self.block());
    }

    /// Whether the texels of a resource are in this buffer.
    pub fn holds(&self, resource: &Resource) -> bool {
        Arc::ptr_eq(self.block(), resource.block())
    }

    pub(crate) fn device(&self) -> &Device {
        &self.inner.device
    }
}
