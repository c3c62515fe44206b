//! Buffers: allocations of linear device memory, and copies between them and the host.

use crate::device::Device;
use crate::error::Error;
use bytemuck::{NoUninit, Pod};
use std::sync::Arc;
use texunit_memory::{Block, Placement};
use texunit_unit::Resource;

/// An allocation of global memory (`cuMemAlloc`), freed when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Buffer {
    inner: Arc<Allocation>,
}

#[derive(Debug)]
struct Allocation {
    device: Device,
    address: u64,
    block: Arc<Block>,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.device.inner.memory.free(self.address);
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
        Buffer { inner: Arc::new(Allocation { device: self.clone(), address, block }) }
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
    pub fn alloc_from<T: bytemuck::NoUninit>(
        &self,
        values: &[T],
        name: &str,
    ) -> Result<Buffer, Error> {
        let bytes = bytemuck::cast_slice::<T, u8>(values);
        let buffer = self.alloc(bytes.len() as u64, name)?;
        buffer.write(0, bytes)?;
        Ok(buffer)
    }
}

impl Buffer {
    /// Device address of the first byte: a multiple of 512, of 4096 for sizes from 4096 bytes on,
    /// and of 2 MiB from 1 MiB on.
    pub fn address(&self) -> u64 {
        self.inner.address
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.inner.block.size() as u64
    }

    /// Number of the allocation, unique in the program, by which faults name it.
    pub fn number(&self) -> u64 {
        self.inner.block.number()
    }

    /// The name given when the buffer was created.
    pub fn name(&self) -> &str {
        self.inner.block.name()
    }

    /// A copy of all bytes.
    pub fn read(&self) -> Vec<u8> {
        self.inner.block.to_vec()
    }

    /// A copy of the buffer as numbers or structures. Trailing bytes that do not make up a whole
    /// one are left out.
    pub fn read_as<T: Pod>(&self) -> Vec<T> {
        let (bytes, size) = (self.read(), size_of::<T>());
        match bytes.len().checked_div(size) {
            Some(count) => bytemuck::pod_collect_to_vec(&bytes[..count * size]),
            // Types of size zero have no count.
            None => Vec::new(),
        }
    }

    /// The buffer's pages as a file that can be passed to other processes, with a message for them
    /// of at most 1024 bytes.
    ///
    /// # Errors
    /// The operating system cannot share the pages as a file.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub fn share_pages(&self, note: &[u8]) -> std::io::Result<Arc<texunit_memory::Pages>> {
        self.inner.block.share_pages(note)
    }

    /// Copies numbers or structures into the buffer, starting at the element with this index.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if they do not fit.
    pub fn write_from<T: NoUninit>(&self, index: u64, values: &[T]) -> Result<(), Error> {
        self.write(index.saturating_mul(size_of::<T>() as u64), bytemuck::cast_slice(values))
    }

    /// Copies bytes from `offset` on into `out`.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if the range is not inside the buffer.
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        self.block().read(offset, out).map_err(|error| Error::outside(self.block(), error))
    }

    /// Copies bytes into the buffer, from `offset` on.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if the bytes do not fit.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        copy_in(&self.inner.block, offset, bytes)
    }

    /// Sets all bytes to zero, whatever the initial contents of memory are
    /// ([`crate::DeviceOptions::initial_contents`]). Must not be called for memory that has been
    /// written.
    pub fn clear(&self) {
        self.inner.device.inner.memory.clear(&self.inner.block);
    }

    /// Whether some bytes from `offset` on are uninitialised; if so, `out` receives the masks
    /// ([`Block::undefined_mask`]).
    pub fn undefined_mask(&self, offset: u64, out: &mut [u8]) -> bool {
        self.inner.block.undefined_mask(offset, out)
    }

    /// Whether the texels of a resource are in this buffer.
    pub fn holds(&self, resource: &Resource) -> bool {
        Arc::ptr_eq(self.block(), resource.block())
    }

    pub(crate) fn block(&self) -> &Arc<Block> {
        &self.inner.block
    }

    pub(crate) fn device(&self) -> &Device {
        &self.inner.device
    }
}

/// Copies bytes into a block, and converts the error.
pub(crate) fn copy_in(block: &Block, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    block.write(offset, bytes).map_err(|error| Error::outside(block, error))?;
    block.define(offset, bytes.len() as u64);
    Ok(())
}
