//! The range of a block that JIT-compiled code may access directly.

use crate::block::Block;
use crate::map::MemoryMap;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A range of device addresses and the host address of its first byte, valid for as long as its
/// block lives. Safe code cannot dereference it; the type is the guarantee on which unsafe code
/// relies: the bytes can be read, and written if `writable` says so, by instructions like those of
/// module `cell`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Reach<'a> {
    address: u64,
    len: u64,
    host: NonNull<u8>,
    writable: u64,
    slack: u64,
    block: PhantomData<&'a Block>,
}

// SAFETY: the type acts as a shared reference to a block, which is `Sync`.
unsafe impl Send for Reach<'_> {}
// SAFETY: the type acts as a shared reference to a block, which is `Sync`.
unsafe impl Sync for Reach<'_> {}

impl<'a> Reach<'a> {
    /// Read-only bytes at a device address.
    pub fn of_bytes(address: u64, bytes: &'a [u8]) -> Self {
        // The address of a slice is never null.
        let host = NonNull::new(bytes.as_ptr().cast_mut()).unwrap_or(NonNull::dangling());
        Self { address, len: bytes.len() as u64, host, ..Self::NONE }
    }

    /// An empty range: every bounds check against it fails.
    pub const NONE: Self = Self {
        address: 0,
        len: 0,
        host: NonNull::dangling(),
        writable: 0,
        slack: 0,
        block: PhantomData,
    };

    /// Device address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Number of bytes that can be accessed.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the range is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of bytes that a store or an atomic can access: the length of the range, or 0.
    pub fn writable(&self) -> u64 {
        self.writable
    }

    /// Number of bytes after the end that a longer read may include, and that are never written: 16
    /// or 0.
    pub fn slack(&self) -> u64 {
        self.slack
    }

    /// Host address of the first byte.
    pub fn host(&self) -> NonNull<u8> {
        self.host
    }
}

impl Block {
    /// The range that machine code may access, for this block at a device address.
    pub fn reach(&self, address: u64) -> Reach<'_> {
        Reach {
            address,
            len: self.size as u64,
            host: self.data,
            writable: self.writable as u64,
            slack: self.slack() as u64,
            block: PhantomData,
        }
    }
}

impl MemoryMap {
    /// The range that machine code may access in the block at an index that [`Self::find`]
    /// returned.
    pub fn reach(&self, index: usize) -> Reach<'_> {
        self.block(index).reach(self.base(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;
    use std::sync::Arc;

    #[test]
    fn it_says_where_and_how_far() {
        let memory = Memory::new(1 << 20);
        let (address, block) = memory.allocate(100, "own").unwrap();
        let map = memory.map();
        let (index, _) = map.find(address + 99, 1, 0).unwrap();
        let reach = map.reach(index);
        assert_eq!((reach.address(), reach.len(), reach.writable()), (address, 100, 100));
        assert_eq!((reach.slack(), reach.host().as_ptr() as u64), (16, block.host_address()));
        let read_only = block.read_only();
        let reach = read_only.reach(5);
        assert_eq!((reach.len(), reach.writable(), reach.slack()), (100, 0, 16));
        assert!(Reach::NONE.is_empty() && Reach::NONE.writable() == 0);
    }

    #[test]
    fn memory_of_the_program_ends_where_it_ends() {
        let mut bytes = vec![0_u8; 20].into_boxed_slice();
        let data = NonNull::from(&mut bytes[0]);
        // SAFETY: the box outlives the block and is not used meanwhile.
        let block = Arc::new(unsafe { Block::foreign(data, 20, true, "host") });
        let reach = block.reach(64);
        assert_eq!((reach.len(), reach.writable(), reach.slack()), (20, 20, 0));
        assert_eq!(block.read_only().reach(64).slack(), 0);
        assert_eq!(block.window(4).map(|w| w.last(16)), Some(0));
        assert!(block.window(5).is_none());
    }
}
