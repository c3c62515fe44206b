//! The table of blocks that a launch searches.

use super::peers::{self, PeerDevice};
use crate::block::{Block, FreedBlock};
use crate::error::AddressError;
use crate::freed::FreedMemory;
use crate::space::{SpaceKind, space_of};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use texunit_forms::{lock, sort_by_key};

/// Blocks sorted by address, frozen for a launch.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    blocks: Vec<(u64, Arc<Block>)>,
    /// Freed allocations, for messages.
    freed: Arc<Mutex<FreedMemory>>,
    /// Memory of other devices, for messages.
    peers: Arc<OnceLock<Vec<PeerDevice>>>,
}

impl MemoryMap {
    pub(super) fn new(
        blocks: Vec<(u64, Arc<Block>)>,
        (freed, peers): (&Arc<Mutex<FreedMemory>>, &Arc<OnceLock<Vec<PeerDevice>>>),
    ) -> Self {
        Self { blocks, freed: Arc::clone(freed), peers: Arc::clone(peers) }
    }

    /// Adds blocks at addresses that the table does not have yet.
    pub(super) fn add(&mut self, blocks: impl Iterator<Item = (u64, Arc<Block>)>) {
        self.blocks.extend(blocks);
        sort_by_key(&mut self.blocks, |(base, _)| *base);
        self.blocks.dedup_by_key(|(base, _)| *base);
    }

    /// Index of the block that holds `len` bytes at `address`, trying `hint` (an index returned
    /// earlier) first, and the offset in it.
    ///
    /// # Errors
    /// The bytes are not all in one block.
    #[inline]
    pub fn find(&self, address: u64, len: u64, hint: usize) -> Result<(usize, u64), AddressError> {
        if let Some((base, block)) = self.blocks.get(hint) {
            let offset = address.wrapping_sub(*base);
            if block.contains(offset, len) {
                return Ok((hint, offset));
            }
        }
        self.search(address, len, Block::contains)
    }

    /// Index of the block that holds `len` bytes at `address` for a write, and the offset in it, as
    /// [`Self::find`] returns them. Read-only blocks are not found.
    ///
    /// # Errors
    /// The bytes are not all in one writable block.
    #[inline]
    pub fn find_writable(
        &self,
        address: u64,
        len: u64,
        hint: usize,
    ) -> Result<(usize, u64), AddressError> {
        if let Some((base, block)) = self.blocks.get(hint) {
            let offset = address.wrapping_sub(*base);
            if block.accepts(offset, len) {
                return Ok((hint, offset));
            }
        }
        self.search(address, len, Block::accepts)
    }

    #[cold]
    fn search(
        &self,
        address: u64,
        len: u64,
        holds: fn(&Block, u64, u64) -> bool,
    ) -> Result<(usize, u64), AddressError> {
        let above = self.blocks.partition_point(|(base, _)| *base <= address);
        let nearest = above.checked_sub(1).map(|i| (i, &self.blocks[i]));
        if let Some((i, (base, block))) = nearest
            && holds(block, address - base, len)
        {
            return Ok((i, address - base));
        }
        let below = nearest.map(|(_, (base, block))| (*base, block));
        let next = self.blocks.get(above).map(|(base, block)| (*base, block));
        let read_only = below.is_some_and(|(base, block)| block.contains(address - base, len));
        Err(AddressError { read_only, ..AddressError::of(address, len, below, next) })
    }

    /// The block that holds `len` bytes of global memory at `address` if its end is rounded up as a
    /// GPU rounds it ([`Block::rounded`]), and the offset in it. `None` if a GPU would also fault.
    #[cold]
    pub fn find_rounded(&self, address: u64, len: u64) -> Option<(Block, u64)> {
        if space_of(address) != SpaceKind::Global {
            return None;
        }
        let above = self.blocks.partition_point(|(base, _)| *base <= address);
        let (base, block) = self.blocks.get(above.checked_sub(1)?)?;
        let (rounded, offset) = (block.rounded(), address - base);
        // If the bytes are inside the unrounded block, the access was refused for another reason.
        (!block.contains(offset, len) && rounded.contains(offset, len)).then_some((rounded, offset))
    }

    /// The memory that was at an address before the launch, or that only other devices can access
    /// there. `None` if unknown.
    #[cold]
    pub fn freed_block(&self, address: u64) -> Option<FreedBlock> {
        let gone = lock(&self.freed).find(address).cloned();
        gone.or_else(|| peers::find(&self.peers, address))
    }

    /// All blocks with their addresses, lowest first.
    pub fn blocks(&self) -> &[(u64, Arc<Block>)] {
        &self.blocks
    }

    /// Addresses of two blocks that map the same pages, if there are any.
    pub fn shared_pages(&self) -> Option<(u64, u64)> {
        let mut known = HashMap::new();
        self.blocks.iter().find_map(|(base, block)| {
            let mut pages = block.pages().into_iter();
            pages.find_map(|pages| Some((known.insert(pages, *base)?, *base)))
        })
    }

    /// Recorded freed allocations, by address, lowest first.
    pub fn freed(&self) -> Vec<(u64, FreedBlock)> {
        let freed = lock(&self.freed);
        freed.all().map(|(address, gone)| (address, gone.clone())).collect()
    }

    /// The block at an index that [`Self::find`] returned.
    #[inline]
    pub fn block(&self, index: usize) -> &Arc<Block> {
        &self.blocks[index].1
    }

    /// The shadows of the blocks ([`Block::shadow`]) at the addresses of their blocks, as a map to
    /// store to. Blocks without a shadow are left out.
    pub fn shadows(&self) -> Self {
        let of = |(base, block): &(u64, Arc<Block>)| {
            block.look_again();
            Some((*base, Arc::clone(block.shadow()?)))
        };
        let blocks = self.blocks.iter().filter_map(of).collect();
        Self { blocks, freed: Arc::clone(&self.freed), peers: Arc::clone(&self.peers) }
    }

    /// Address of the block at an index.
    pub fn base(&self, index: usize) -> u64 {
        self.blocks[index].0
    }
}
