//! Copies out of a block and into it.

use super::{Block, OutOfBounds};
use crate::cell;

impl Block {
    /// Copies `out.len()` bytes from `offset` on.
    ///
    /// # Errors
    /// The bytes are not all in the block.
    pub fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), OutOfBounds> {
        let p = self.pointer(offset, out.len())?;
        // SAFETY: `pointer` has checked all of `out.len()` bytes, which are never behind a reference, and so not
        // those of `out`.
        unsafe { cell::copy(p, out.as_mut_ptr(), out.len(), p) };
        Ok(())
    }

    /// Copies `bytes` to `offset` and on.
    ///
    /// # Errors
    /// The bytes are not all in the block.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), OutOfBounds> {
        let p = self.target(offset, bytes.len())?;
        // SAFETY: as above; they can be written.
        unsafe { cell::copy(bytes.as_ptr(), p, bytes.len(), p) };
        Ok(())
    }

    /// All bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = vec![0; self.size];
        self.read(0, &mut out).expect("the whole block is inside itself");
        out
    }
}
