//! Device memory by address, on which the driver API's copies and memory sets work. The address may
//! belong to a buffer, a module variable, or host memory that is mapped into the device.

use crate::buffer::copy_in;
use crate::device::Device;
use crate::error::Error;
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

/// Bytes that a fill writes at a time.
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
    /// The address range of the allocation.
    pub fn allocation(&self) -> Range<u64> {
        self.base..self.base + self.block.size() as u64
    }

    /// The block of memory, and the offset of the first byte in it.
    pub(crate) fn place_in_block(&self) -> (&Arc<Block>, u64) {
        (&self.block, self.offset)
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

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
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

    /// Copies bytes from `offset` on into `out`.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if the range is out of bounds, [`Error::Freed`] if the memory has
    /// been freed or unmapped.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
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
        match self.block.gone(Some(self.base)) {
            Some(gone) => Err(Error::Freed(gone)),
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
