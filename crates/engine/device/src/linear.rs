//! Memory by address: what copies and memory sets of the driver API work on. Buffers, module variables
//! and host memory that is mapped into the device are found alike.

use crate::device::Device;
use crate::error::Error;
use std::ops::Range;
use std::sync::Arc;
use texunit_memory::{AttachError, Block, EndedMemory};

/// Bytes in one block of memory, from a device address on. Once the allocation is freed, copies are refused,
/// and a fetch of a texture of them is a fault.
#[derive(Clone, Debug)]
pub struct Linear {
    block: Arc<Block>,
    offset: u64,
    len: u64,
    /// Device address of the block.
    base: u64,
}

/// Bytes that a fill writes at a time.
const PIECE: usize = 4096;

impl Device {
    /// The `len` bytes at a device address, which must lie in one allocation, variable, or mapped
    /// piece of host memory. Memory that somebody else has allocated ([`Block::foreign`]) must be there still;
    /// if it cannot be written any more, it is only read.
    ///
    /// # Errors
    /// [`Error::Address`] if nothing is there, [`Error::Ended`] if it is not there any more.
    pub fn linear(&self, address: u64, len: u64) -> Result<Linear, Error> {
        let (block, offset) = self.inner.memory.find(address, len)?;
        Ok(Linear { block, offset, len, base: address - offset })
    }

    /// Makes a block of host memory part of the device's memory, at the address that it has in the
    /// program (unified addressing). It takes none of the device's own memory.
    ///
    /// # Errors
    /// Something else is there.
    pub fn map_host(&self, block: &Arc<Block>) -> Result<(), AttachError> {
        self.inner.memory.attach(block.host_address(), block)
    }

    /// Takes out host memory that begins at this address; false if there is none. Textures and surfaces of it
    /// can be used no more, here and on every other device that it was mapped into.
    pub fn unmap_host(&self, address: u64) -> bool {
        self.inner.memory.free(address)
    }

    /// Memory of somebody else ([`Block::foreign`]) that a launch or [`Device::linear`] has found not to be
    /// there any more, since this was last asked. It is as if it had been taken out.
    pub fn take_unmapped(&self) -> Vec<EndedMemory> {
        self.inner.memory.take_unmapped()
    }

    /// Bytes of the device's memory that are in use.
    pub fn memory_used(&self) -> u64 {
        self.inner.memory.used()
    }

    /// Bytes of the device's memory ([`crate::DeviceOptions::memory_limit`]).
    pub fn memory_limit(&self) -> u64 {
        self.inner.memory.limit()
    }

    /// Whether an address is one that this device gives out, be there an allocation or not.
    pub fn gives_out(&self, address: u64) -> bool {
        let windows = self.inner.memory.windows();
        windows.global.contains(&address) || windows.constant.contains(&address)
    }
}

impl Linear {
    /// Device addresses of the whole allocation that the bytes are in.
    pub fn allocation(&self) -> Range<u64> {
        self.base..self.base + self.block.size() as u64
    }

    /// The memory behind it, and its first byte there.
    pub(crate) fn place_in_block(&self) -> (&Arc<Block>, u64) {
        (&self.block, self.offset)
    }

    /// What messages call the allocation.
    pub fn name(&self) -> &str {
        self.block.name()
    }

    /// Device address of the first byte.
    pub fn address(&self) -> u64 {
        self.base + self.offset
    }

    /// Whether it is memory that the program can use at the same address.
    pub fn is_of_host(&self) -> bool {
        self.base == self.block.host_address()
    }

    /// Whether the device that was asked for it may not write it.
    pub fn is_read_only(&self) -> bool {
        self.block.is_read_only()
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies bytes from `offset` on out of it.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if they are not all inside, [`Error::Ended`] if the memory is not there any more.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        self.check()?;
        let at = self.place(offset, out.len() as u64)?;
        self.block.read(at, out).map_err(|e| self.outside(e.offset, e.len))
    }

    /// Copies bytes to `offset` and on.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if they do not all fit, [`Error::ReadOnly`], or [`Error::Ended`] if the memory is not
    /// there any more.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.check()?;
        if self.block.is_read_only() {
            return Err(Error::ReadOnly(self.name().to_owned()));
        }
        let at = self.place(offset, bytes.len() as u64)?;
        self.block.write(at, bytes).map_err(|e| self.outside(e.offset, e.len))?;
        self.block.define(at, bytes.len() as u64);
        Ok(())
    }

    /// Whether some bytes from `offset` on are undefined; then `out` says which ([`Block::undefined_mask`]).
    pub fn undefined_mask(&self, offset: u64, out: &mut [u8]) -> bool {
        self.place(offset, out.len() as u64).is_ok_and(|at| self.block.undefined_mask(at, out))
    }

    /// What has been written from `offset` on was as undefined as that.
    pub fn set_states(&self, offset: u64, states: &[u8]) {
        if let Ok(at) = self.place(offset, states.len() as u64) {
            self.block.set_states(at, states);
        }
    }

    /// Number of the allocation, counted in the whole program.
    pub fn number(&self) -> u64 {
        self.block.number()
    }

    /// Repeats `pattern` `count` times from `offset` on.
    ///
    /// # Errors
    /// Those of [`Linear::write`].
    pub fn fill(&self, offset: u64, pattern: &[u8], count: u64) -> Result<(), Error> {
        let size = pattern.len() as u64;
        let len = size.checked_mul(count).ok_or_else(|| self.outside(offset, u64::MAX))?;
        self.place(offset, len)?;
        if len == 0 {
            return Ok(());
        }
        let most = (PIECE / pattern.len()).max(1) as u64;
        let piece = pattern.repeat(count.min(most) as usize);
        let mut done = 0;
        while done < len {
            let part = (piece.len() as u64).min(len - done);
            self.write(offset + done, &piece[..part as usize])?;
            done += part;
        }
        Ok(())
    }

    /// Whether the memory is still to be used.
    fn check(&self) -> Result<(), Error> {
        match self.block.gone(Some(self.base)) {
            Some(gone) => Err(Error::Ended(gone)),
            None => Ok(()),
        }
    }

    fn place(&self, offset: u64, len: u64) -> Result<u64, Error> {
        match offset.checked_add(len) {
            Some(end) if end <= self.len => Ok(self.offset + offset),
            _ => Err(self.outside(offset, len)),
        }
    }

    fn outside(&self, offset: u64, len: u64) -> Error {
        Error::CopyOutside { name: self.block.name().to_owned(), offset, len, size: self.len }
    }
}
