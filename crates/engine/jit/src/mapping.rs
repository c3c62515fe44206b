//! Memory of compiled code where there are no arenas: a mapping for each function.

use memmap2::{Mmap, MmapMut};
use std::io;

/// Executable bytes, as long as it lives.
#[derive(Debug)]
pub(crate) struct Code(Mmap);

impl Code {
    /// Makes these bytes executable.
    pub(crate) fn new(bytes: &[u8]) -> io::Result<Self> {
        let mut map = MmapMut::map_anon(bytes.len())?;
        map.copy_from_slice(bytes);
        map.make_exec().map(Self)
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Bytes that it takes of memory.
    pub(crate) fn size(&self) -> usize {
        self.0.len().next_multiple_of(1 << 12)
    }
}
