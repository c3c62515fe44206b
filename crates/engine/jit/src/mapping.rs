//! Executable memory for compiled code: each function has a mapping of its own, which is writable
//! or executable, never both. All compiled functions together take at most 64 MiB, and thus few
//! mappings.

use memmap2::{Mmap, MmapMut};
use std::io;

/// Executable code, which is unmapped when this is dropped.
#[derive(Debug)]
pub(crate) struct Code(Mmap);

impl Code {
    /// Copies machine code to executable memory.
    pub(crate) fn new(bytes: &[u8]) -> io::Result<Self> {
        let mut map = MmapMut::map_anon(bytes.len())?;
        map.copy_from_slice(bytes);
        map.make_exec().map(Self)
    }

    /// The machine code.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Bytes of memory that the mapping occupies, in whole pages.
    pub(crate) fn size(&self) -> usize {
        self.0.len().next_multiple_of(1 << 12)
    }
}
