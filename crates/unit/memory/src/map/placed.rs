//! Blocks at given addresses: the addresses of a recorded launch that is replayed, of freed memory
//! that a memory pool reuses, or of reserved ranges whose mappings change.

use super::{Entry, Memory};
use crate::block::{Block, End, FreedBlock};
use crate::error::{AllocError, PlacementError};
use std::ops::Range;
use std::sync::Arc;
use texunit_forms::lock;

/// The address, size and name that an allocation is to have, such as those that it had in a
/// recorded process.
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
    /// Calls `make` for a block and attaches it at an address. If `counts`, the bytes count against
    /// the limit; if `is_own`, general peer access to this device includes the block.
    fn place_at(
        &self,
        address: u64,
        (size, counts, is_own): (u64, bool, bool),
        make: impl FnOnce() -> Option<Arc<Block>>,
    ) -> Result<Arc<Block>, PlacementError> {
        let counted = if counts { size } else { 0 };
        self.reserve(counted)?;
        let made = make().ok_or(PlacementError::Alloc(AllocError::Host { size }));
        let placed = made.and_then(|block| {
            self.attach(address, &block)?;
            Ok(block)
        });
        let block = placed.inspect_err(|_| self.release_opaque(counted))?;
        // `attach` takes the block for host memory, which does not count against the limit.
        if let Some(entry) = lock(&self.state).blocks.get_mut(&address) {
            (entry.counted, entry.is_own) = (counts, is_own);
        }
        if self.initial_contents.is_tracked {
            block.track();
        }
        Ok(block)
    }

    /// Allocates zero bytes at an address; they count against the limit.
    ///
    /// # Errors
    /// The limit would be exceeded, or another block is at the address.
    pub fn allocate_at(&self, place: &Placement<'_>) -> Result<Arc<Block>, PlacementError> {
        let Placement { address, size, name, number } = *place;
        self.place_at(address, (size, true, true), || {
            Block::for_address(usize::try_from(size).ok()?, address, number, name).map(Arc::new)
        })
    }

    /// Allocates `size` zero bytes as [`Memory::allocate`] does, but at an address that was
    /// allocated and freed before. `None` if there is not enough memory, or if another block is at
    /// the address.
    pub fn allocate_again(&self, address: u64, size: u64, name: &str) -> Option<Arc<Block>> {
        let window = &self.windows.global;
        let end = address.checked_add(size).filter(|end| *end <= window.end);
        let make = || Block::new(usize::try_from(size).ok()?, name).map(Arc::new);
        end.filter(|_| window.contains(&address))?;
        self.place_at(address, (size, true, true), make).ok()
    }

    /// Attaches a block as if it had been allocated at the address. If `counts` is true, the block
    /// counts against the limit.
    ///
    /// # Errors
    /// The limit would be exceeded, or another block is at the address.
    pub fn adopt(
        &self,
        address: u64,
        block: &Arc<Block>,
        counts: bool,
    ) -> Result<(), PlacementError> {
        let how = (block.size() as u64, counts, false);
        self.place_at(address, how, || Some(Arc::clone(block))).map(drop)
    }

    /// Makes the allocation at an address read-only; false if there is none.
    pub fn make_read_only(&self, address: u64) -> bool {
        let mut state = lock(&self.state);
        let entry = state.blocks.get_mut(&address);
        entry.map(|entry| entry.block = Arc::new(entry.block.read_only())).is_some()
    }

    /// Ends the allocation at an address for a given reason; false if there is none.
    pub fn end_at(&self, address: u64, how: End) -> bool {
        let mut state = lock(&self.state);
        self.take_out(&mut state, address, how).is_some()
    }

    /// Replaces the blocks that this device can access in a reserved range, without ending the old
    /// blocks, and the descriptions for messages of the parts of the range without access. The
    /// range must hold only blocks that this function has put there.
    pub fn set_range(
        &self,
        range: Range<u64>,
        blocks: Vec<(u64, Arc<Block>)>,
        said: Vec<(Range<u64>, FreedBlock)>,
    ) {
        let mut state = lock(&self.state);
        let old: Vec<u64> = state.blocks.range(range.clone()).map(|(&base, _)| base).collect();
        old.iter().for_each(|base| _ = state.blocks.remove(base));
        let entry = |(base, block)| (base, Entry { block, counted: false, is_own: false });
        state.blocks.extend(blocks.into_iter().map(entry));
        let mut freed = lock(&self.freed);
        freed.forget(range.clone());
        freed.describe(range, said);
    }

    /// Records freed memory whose address is available again.
    pub fn record_freed(&self, address: u64, gone: FreedBlock) {
        lock(&self.freed).add(address, gone);
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
            assert_eq!((block.number(), block.name()), (77, "placed"));
            assert_eq!(block.to_vec(), vec![0; 1000]);
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

    #[test]
    fn an_address_is_used_again_if_it_is_free() {
        let memory = Memory::new(1000);
        let (address, _) = memory.allocate(600, "first").unwrap();
        assert!(memory.allocate_again(address, 100, "taken").is_none());
        assert_eq!(memory.used(), 600);
        memory.free(address);
        let block = memory.allocate_again(address, 500, "again").unwrap();
        assert_eq!((memory.used(), block.to_vec()), (500, vec![0; 500]));
        assert!(memory.find(address, 500).is_ok() && memory.find(address, 501).is_err());
        // Freeing the block subtracts its size from the used bytes.
        assert!(memory.free(address));
        assert_eq!(memory.used(), 0);
        // The size exceeds the limit, and the address is outside the window.
        assert!(memory.allocate_again(address, 1001, "large").is_none());
        for foreign in [0, 4096, u64::MAX - 99] {
            assert!(memory.allocate_again(foreign, 100, "foreign").is_none());
        }
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn adopted_and_reserved_bytes_count() {
        let memory = Memory::new(1000);
        let block = Arc::new(Block::new(600, "own").unwrap());
        memory.adopt(4096, &block, true).unwrap();
        assert_eq!(memory.used(), 600);
        let refused = [(4100, false), (9000, true)];
        assert!(refused.iter().all(|(at, counts)| memory.adopt(*at, &block, *counts).is_err()));
        memory.adopt(9000, &block, false).unwrap();
        assert!(memory.free(4096) && memory.used() == 0);
        memory.reserve(900).unwrap();
        assert!(memory.reserve(101).is_err() && memory.allocate(101, "more").is_err());
        assert_eq!(memory.used(), 900);
        memory.release_opaque(900);
        memory.allocate(1000, "all").unwrap();
    }

    #[test]
    fn a_range_has_what_was_put_there_last() {
        let memory = Memory::new(1000);
        let gone =
            |how| FreedBlock { name: "n".into(), address: None, size: 0x3000, number: 9, how };
        let block = || Arc::new(Block::new(0x1000, "part").unwrap());
        let said =
            vec![(0x1000..0x2000, gone(End::Reserved)), (0x3000..0x4000, gone(End::NoAccess))];
        memory.set_range(0x1000..0x4000, vec![(0x2000, block())], said);
        let how = |at| memory.find(at, 1).unwrap_err().gone.map(|gone| gone.how);
        assert!(memory.find(0x2fff, 1).is_ok() && memory.used() == 0);
        let (reserved, denied) = (Some(End::Reserved), Some(End::NoAccess));
        let found = [0xfff, 0x1000, 0x1fff, 0x3000, 0x3fff, 0x4000].map(how);
        assert_eq!(found, [None, reserved, reserved, denied, denied, None]);
        assert_eq!(memory.map().freed_block(0x1000).unwrap().how, End::Reserved);
        memory.set_range(0x1000..0x4000, vec![(0x1000, block())], Vec::new());
        assert!(memory.find(0x1000, 0x1000).is_ok());
        assert_eq!([0x2000, 0x3000].map(how), [None, None]);
    }
}
