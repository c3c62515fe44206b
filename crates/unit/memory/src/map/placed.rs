//! Allocation at given addresses, for replaying a recorded launch.

use super::Memory;
use crate::block::{Block, End};
use crate::error::{AllocError, PlacementError};
use std::sync::Arc;

/// An allocation as it was in another process.
#[derive(Clone, Copy, Debug)]
pub struct Placement<'a> {
    /// Device address of the first byte. Any address is valid, including those of host memory.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Name in messages.
    pub name: &'a str,
    /// Allocation number in messages ([`Block::number`]); `None`: a new number.
    pub number: Option<u64>,
}

impl Memory {
    /// Allocates zero bytes at an address; they count against the limit.
    ///
    /// # Errors
    /// The limit would be exceeded, or another block is at the address.
    pub fn allocate_at(&self, place: &Placement<'_>) -> Result<Arc<Block>, PlacementError> {
        let Placement { address, size, name, number } = *place;
        self.reserve(size)?;
        let attached = self.attach_new(address, size, name, number);
        if attached.is_err() {
            self.release_opaque(size);
        }
        attached
    }

    fn attach_new(
        &self,
        address: u64,
        size: u64,
        name: &str,
        number: Option<u64>,
    ) -> Result<Arc<Block>, PlacementError> {
        let bytes = usize::try_from(size).ok();
        let block = bytes.and_then(|bytes| Block::for_address(bytes, address, number, name));
        let block = Arc::new(block.ok_or(AllocError::Host { size })?);
        if self.initial_contents.is_tracked {
            block.track();
        }
        self.attach(address, &block)?;
        // `attach` takes the block for host memory, which does not count against the limit; this
        // block does.
        if let Some(entry) = self.state().blocks.get_mut(&address) {
            (entry.counted, entry.is_own) = (true, true);
        }
        Ok(block)
    }

    /// Makes the allocation at an address read-only; false if there is none.
    pub fn make_read_only(&self, address: u64) -> bool {
        let mut state = self.state();
        let entry = state.blocks.get_mut(&address);
        entry.map(|entry| entry.block = Arc::new(entry.block.read_only())).is_some()
    }

    /// Ends the allocation at an address for a given reason; false if there is none.
    pub fn end_at(&self, address: u64, how: End) -> bool {
        let mut state = self.state();
        self.take_out(&mut state, address, how).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttachError, Windows};

    fn place(address: u64, size: u64) -> Placement<'static> {
        Placement { address, size, name: "placed", number: Some(77) }
    }

    #[test]
    fn memory_is_where_it_was() {
        let memory = Memory::new(10_000);
        // One address in the device window, one in host memory with odd alignment.
        for address in [Windows::default().global.start, 0x7fff_1234_5678_9abc_u64] {
            let block = memory.allocate_at(&place(address, 1000)).unwrap();
            assert_eq!((block.host_address() ^ address) % 512, 0, "what is aligned stays so");
            assert_eq!(
                (block.number(), block.name(), block.to_vec()),
                (77, "placed", vec![0; 1000])
            );
            block.write(999, &[5]).unwrap();
            let (found, offset) = memory.find(address + 999, 1).unwrap();
            assert_eq!((found.load_u8(offset).unwrap(), offset), (5, 999));
            assert!(block.window(999).is_some());
        }
        assert_eq!(memory.used(), 2000);
        // Later allocations of the device do not overlap the placed block.
        let (other, _) = memory.allocate(100, "other").unwrap();
        assert!(other >= Windows::default().global.start + 1000);
        assert!(memory.free(0x7fff_1234_5678_9abc) && memory.used() == 1100);
    }

    #[test]
    fn two_cannot_be_at_one_place() {
        let memory = Memory::new(1000);
        memory.allocate_at(&place(4096, 500)).unwrap();
        let error = memory.allocate_at(&place(4500, 10)).unwrap_err();
        let other = Some((4096, 500));
        assert_eq!(error, PlacementError::Taken(AttachError { address: 4500, len: 10, other }));
        let error = memory.allocate_at(&place(u64::MAX - 5, 10)).unwrap_err();
        assert!(matches!(error, PlacementError::Taken(AttachError { other: None, .. })));
        let error = memory.allocate_at(&place(9000, 501)).unwrap_err();
        assert_eq!(error, PlacementError::Alloc(AllocError::Limit { size: 501, available: 500 }));
        assert_eq!(memory.used(), 500);
    }

    #[test]
    fn rights_and_ends_are_taken_over() {
        let memory = Memory::new(1000);
        let block = memory.allocate_at(&place(4096, 500)).unwrap();
        block.write(0, &[9]).unwrap();
        assert!(memory.make_read_only(4096) && !memory.make_read_only(4097));
        let (found, _) = memory.find(4096, 1).unwrap();
        assert!(found.is_read_only() && found.load_u8(0).unwrap() == 9 && found.number() == 77);
        assert!(memory.end_at(4096, End::Unregistered) && !memory.end_at(4096, End::Freed));
        let gone = memory.map().freed();
        assert_eq!((gone.len(), gone[0].0, gone[0].1.how), (1, 4096, End::Unregistered));
        assert_eq!((memory.used(), memory.map().blocks().len()), (0, 0));
    }
}
