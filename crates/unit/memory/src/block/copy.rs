//! Copies between the bytes of a block and slices of the caller.

use super::{Block, OutOfBounds};
use crate::cell;

impl Block {
    /// Copies `out.len()` bytes of the block, beginning at `offset`, to `out`.
    ///
    /// # Errors
    /// The bytes are not all in the block.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), OutOfBounds> {
        let p = self.pointer(offset, out.len())?;
        // SAFETY: `pointer` has checked all `out.len()` bytes. The bytes of a block are never
        // behind a reference, so `out` does not overlap them.
        unsafe { cell::copy(p, out.as_mut_ptr(), out.len(), p) };
        Ok(())
    }

    /// Copies `bytes` into the block at `offset`.
    ///
    /// # Errors
    /// The bytes are not all in the block.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), OutOfBounds> {
        let p = self.target(offset, bytes.len())?;
        // SAFETY: as in `read`; `target` has checked that the bytes can be written.
        unsafe { cell::copy(bytes.as_ptr(), p, bytes.len(), p) };
        Ok(())
    }

    /// Returns a copy of all bytes of the block.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; self.size];
        self.read(0, &mut out).expect("the whole block is inside itself");
        out
    }
}
