//! Device memory by address, on which the driver API's copies and memory sets work. The address may
//! belong to a buffer, a module variable, or host memory that is mapped into the device.

use crate::device::Device;
use crate::error::Error;
use bytemuck::{NoUninit, Pod};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_memory::Block;

/// A range of device memory inside one allocation. Once the allocation is freed, copies fail, and
/// fetches of textures on this memory are faults.
#[derive(Clone, Debug)]
pub struct Linear {
    block: Arc<Block>,
    offset: u64,
    len: u64,
    /// Device address of the allocation.
    base: u64,
}

/// Number of bytes that a fill writes at a time.
const PIECE: usize = 4096;

impl Device {
    /// The `len` bytes at a device address, which must be in one allocation, variable, or mapped
    /// range of host memory. Memory that the program has allocated itself ([`Block::foreign`]) must
    /// still be mapped; if it has become read-only, so is the result.
    ///
    /// # Errors
    /// [`Error::Address`] if the address is in no allocation, [`Error::Freed`] if the memory has
    /// been unmapped.
    pub fn linear(&self, address: u64, len: u64) -> Result<Linear, Error> {
        let (block, offset) = self.inner.memory.find(address, len)?;
        Ok(Linear { block, offset, len, base: address - offset })
    }
}

impl Linear {
    /// The whole memory of an allocation.
    pub(crate) fn of_block(block: Arc<Block>, base: u64) -> Self {
        Self { offset: 0, len: block.size() as u64, block, base }
    }

    /// The address range of the allocation.
    pub fn allocation(&self) -> Range<u64> {
        self.base..self.base + self.block.size() as u64
    }

    /// The allocation.
    pub(crate) fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// Offset of the first byte in the allocation.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The allocation's name in messages.
    pub fn name(&self) -> &str {
        self.block.name()
    }

    /// Device address of the first byte.
    pub fn address(&self) -> u64 {
        self.base + self.offset
    }

    /// Whether the memory is host memory, which the program can access at the same address.
    pub fn is_of_host(&self) -> bool {
        self.base == self.block.host_address()
    }

    /// Whether this device may only read the memory.
    pub fn is_read_only(&self) -> bool {
        self.block.is_read_only()
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.len
    }

    /// Host address of a range of bytes, for code of a library that writes them directly. `None` if
    /// the range is out of bounds, or the memory has been freed, is read-only, is the program's
    /// too, or may have several addresses.
    pub fn direct(&self, offset: u64, len: u64) -> Option<NonNull<u8>> {
        let at = self.place(offset, len).ok()?;
        if self.check().is_err()
            || self.is_read_only()
            || self.is_of_host()
            || self.block.is_mapped()
        {
            return None;
        }
        let host = self.block.reach(self.base).host().as_ptr();
        NonNull::new(host.wrapping_add(usize::try_from(at).ok()?))
    }

    /// A copy of all bytes.
    pub fn read(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len as usize];
        let read = self.block.read(self.offset, &mut bytes);
        debug_assert!(read.is_ok(), "the range is inside the block");
        bytes
    }

    /// A copy of the memory as numbers or structures. Trailing bytes that do not make up a whole
    /// number or structure are left out.
    pub fn read_as<T: Pod>(&self) -> Vec<T> {
        let (bytes, size) = (self.read(), size_of::<T>());
        match bytes.len().checked_div(size) {
            Some(count) => bytemuck::pod_collect_to_vec(&bytes[..count * size]),
            // Types of size zero have no count.
            None => Vec::new(),
        }
    }

    /// Copies numbers or structures to the memory, from the element with this index on.
    ///
    /// # Errors
    /// The errors of [`Linear::write`].
    pub fn write_from<T: NoUninit>(&self, index: u64, values: &[T]) -> Result<(), Error> {
        self.write(index.saturating_mul(size_of::<T>() as u64), bytemuck::cast_slice(values))
    }

    /// Copies bytes from `offset` on into `out`.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if the range is out of bounds, [`Error::Freed`] if the memory has
    /// been freed or unmapped.
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        self.check()?;
        let at = self.place(offset, out.len() as u64)?;
        self.block.read(at, out).map_err(|e| self.outside(e.offset, e.len))
    }

    /// Copies bytes to the memory, from `offset` on.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if the bytes do not fit, [`Error::ReadOnly`], or [`Error::Freed`] if
    /// the memory has been freed or unmapped.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.check()?;
        if self.block.is_read_only() {
            return Err(Error::ReadOnly(self.name().to_owned()));
        }
        let at = self.place(offset, bytes.len() as u64)?;
        copy_in(&self.block, at, bytes)
    }

    /// Whether some bytes from `offset` on are uninitialised; if so, `out` receives the masks
    /// ([`Block::undefined_mask`]).
    pub fn undefined_mask(&self, offset: u64, out: &mut [u8]) -> bool {
        self.place(offset, out.len() as u64).is_ok_and(|at| self.block.undefined_mask(at, out))
    }

    /// Sets which bits from `offset` on are uninitialised, after a copy of data with these states.
    pub fn set_states(&self, offset: u64, states: &[u8]) {
        if let Ok(at) = self.place(offset, states.len() as u64) {
            self.block.set_states(at, states);
        }
    }

    /// The allocation in messages: "allocation 3 (64 bytes of `cuMemAlloc`)".
    pub fn allocation_name(&self) -> String {
        let (range, number) = (self.allocation(), self.number());
        let size = Count(range.end - range.start, "byte");
        format!("allocation {number} ({size} of `{}`)", self.name())
    }

    /// Number of the allocation, unique in the program.
    pub fn number(&self) -> u64 {
        self.block.number()
    }

    /// Fills the memory with `count` copies of `pattern`, from `offset` on.
    ///
    /// # Errors
    /// The errors of [`Linear::write`].
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

    /// Checks that the memory has not been freed or unmapped.
    fn check(&self) -> Result<(), Error> {
        self.block.freed_block(Some(self.base)).map_or(Ok(()), |gone| Err(Error::Freed(gone)))
    }

    fn place(&self, offset: u64, len: u64) -> Result<u64, Error> {
        let end = offset.checked_add(len).filter(|&end| end <= self.len);
        end.map(|_| self.offset + offset).ok_or_else(|| self.outside(offset, len))
    }

    fn outside(&self, offset: u64, len: u64) -> Error {
        Error::CopyOutside { name: self.block.name().to_owned(), offset, len, size: self.len }
    }
}

/// Copies bytes into a block, and converts the error.
pub(crate) fn copy_in(block: &Block, offset: u64, bytes: &[u8]) -> Result<(), Error> {
    block.write(offset, bytes).map_err(|error| Error::outside(block, error))?;
    block.define(offset, bytes.len() as u64);
    Ok(())
}
