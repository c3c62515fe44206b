//! Allocation at addresses that were used before, for owners such as memory pools that keep freed
//! addresses for reuse.

use super::Memory;
use crate::block::Block;
use crate::error::PlacementError;
use std::sync::Arc;

impl Memory {
    /// Allocates `size` zero bytes as [`Memory::allocate`] does, but at an address that was
    /// allocated and freed before. `None` if there is not enough memory, or if another block is at
    /// the address.
    pub fn allocate_again(&self, address: u64, size: u64, name: &str) -> Option<Arc<Block>> {
        let block = self.allocate_opaque(size, name).ok()?;
        let inside = self.windows().global.contains(&address)
            && address.checked_add(size).is_some_and(|end| end <= self.windows().global.end);
        if !inside || self.attach(address, &block).is_err() {
            self.release_opaque(size);
            return None;
        }
        // `attach` takes the block for host memory, which does not count against the limit; this
        // block does.
        if let Some(entry) = self.state().blocks.get_mut(&address) {
            (entry.counted, entry.is_own) = (true, true);
        }
        Some(block)
    }
}

impl Memory {
    /// Attaches a block as if it had been allocated at the address. If it `counts`, it counts
    /// against the limit.
    ///
    /// # Errors
    /// The limit would be exceeded, or another block is at the address.
    pub fn adopt(
        &self,
        address: u64,
        block: &Arc<Block>,
        counts: bool,
    ) -> Result<(), PlacementError> {
        let size = if counts { block.size() as u64 } else { 0 };
        self.reserve(size)?;
        if let Err(error) = self.attach(address, block) {
            self.release_opaque(size);
            return Err(error.into());
        }
        if let Some(entry) = self.state().blocks.get_mut(&address) {
            entry.counted = counts;
        }
        if self.initial_contents.is_tracked {
            block.track();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_block_is_taken_in() {
        let memory = Memory::new(1000);
        let block = Arc::new(Block::new(600, "own").unwrap());
        memory.adopt(4096, &block, true).unwrap();
        assert_eq!(memory.used(), 600);
        assert!(
            memory.adopt(4100, &block, false).is_err() && memory.adopt(9000, &block, true).is_err()
        );
        memory.adopt(9000, &block, false).unwrap();
        assert!(memory.free(4096) && memory.used() == 0);
    }

    #[test]
    fn reserved_bytes_count() {
        let memory = Memory::new(1000);
        memory.reserve(900).unwrap();
        assert!(memory.reserve(101).is_err() && memory.allocate(101, "more").is_err());
        assert_eq!(memory.used(), 900);
        memory.release_opaque(900);
        memory.allocate(1000, "all").unwrap();
    }
}
