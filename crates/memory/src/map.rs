//! The blocks of a device and their addresses.

use crate::block::Block;
use crate::space::{CONST_BASE, CONST_END, GLOBAL_BASE, SHARED_WINDOW};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Why memory could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllocError {
    /// The device's limit would be passed.
    #[error("{size} bytes are more than the {available} that the device has left")]
    Limit {
        /// Bytes asked for.
        size: u64,
        /// Bytes left under the limit.
        available: u64,
    },
    /// The host has no such memory.
    #[error("the host has no {size} bytes of memory")]
    Host {
        /// Bytes asked for.
        size: u64,
    },
}

/// An access outside every block, with the block that is nearest to the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    /// Device address of the access.
    pub address: u64,
    /// Its size in bytes.
    pub len: u64,
    /// Name, address and size of the nearest block, if there is any.
    pub nearest: Option<(String, u64, u64)>,
}

impl std::fmt::Display for AddressError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes at {:#x} are in no allocation", self.len, self.address)?;
        if let Some((name, base, size)) = &self.nearest {
            write!(f, "; the nearest is {name} ({size} bytes at {base:#x}), ")?;
            match self.address.checked_sub(*base) {
                None => write!(f, "{} bytes after this address", base - self.address)?,
                Some(offset) if offset >= *size => {
                    write!(f, "{} bytes before this address", offset - size)?;
                }
                Some(_) => write!(f, "whose end the access crosses")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for AddressError {}

/// Device memory: gives out addresses and blocks, up to a limit.
#[derive(Debug)]
pub struct Memory {
    limit: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    next_global: u64,
    next_const: u64,
    blocks: BTreeMap<u64, Arc<Block>>,
}

impl State {
    /// The lowest address in a window at which `size` bytes are free. Addresses are used a second
    /// time only when all have been used once, so that stale pointers are found for long.
    fn gap(&self, window: Range<u64>, size: u64) -> Option<u64> {
        let mut at = window.start;
        for (&base, block) in self.blocks.range(window.clone()) {
            if base.checked_sub(at).is_some_and(|room| room >= size + GUARD) {
                return Some(at);
            }
            at = after(base, block.size() as u64);
        }
        (at <= window.end - size).then_some(at)
    }
}

/// The next address that may be given out behind a block.
fn after(base: u64, size: u64) -> u64 {
    (base + size + GUARD).next_multiple_of(Block::ALIGN as u64)
}

/// Room left between blocks, so that an index past the end of one does not reach the next.
const GUARD: u64 = 64 * 1024;

impl Memory {
    /// Memory of at most `limit` bytes.
    pub fn new(limit: u64) -> Self {
        let state = State { next_global: GLOBAL_BASE, next_const: CONST_BASE, ..State::default() };
        Self { limit, state: Mutex::new(state) }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts `size` bytes against the limit and allocates them without an address: the storage
    /// of arrays, which only texture and surface instructions reach.
    pub fn allocate_opaque(&self, size: u64, name: &str) -> Result<Arc<Block>, AllocError> {
        self.reserve(size)?;
        let block = usize::try_from(size).ok().and_then(|s| Block::new(s, name)).map(Arc::new);
        block.ok_or_else(|| {
            self.state().used -= size;
            AllocError::Host { size }
        })
    }

    fn reserve(&self, size: u64) -> Result<(), AllocError> {
        let mut state = self.state();
        let available = self.limit - state.used;
        if size > available {
            return Err(AllocError::Limit { size, available });
        }
        state.used += size;
        Ok(())
    }

    /// Gives `size` bytes of opaque storage back to the limit.
    pub fn release_opaque(&self, size: u64) {
        let mut state = self.state();
        state.used = state.used.saturating_sub(size);
    }

    /// Allocates `size` zero bytes of global memory; returns their address and block.
    pub fn allocate(&self, size: u64, name: &str) -> Result<(u64, Arc<Block>), AllocError> {
        self.place(size, name, GLOBAL_BASE..SHARED_WINDOW, |s| &mut s.next_global)
    }

    /// Allocates `size` zero bytes in the range of constant memory.
    pub fn allocate_const(&self, size: u64, name: &str) -> Result<(u64, Arc<Block>), AllocError> {
        self.place(size, name, CONST_BASE..CONST_END, |s| &mut s.next_const)
    }

    fn place(
        &self,
        size: u64,
        name: &str,
        window: Range<u64>,
        next: fn(&mut State) -> &mut u64,
    ) -> Result<(u64, Arc<Block>), AllocError> {
        let available = window.end - window.start;
        if size > available {
            return Err(AllocError::Limit { size, available });
        }
        let block = self.allocate_opaque(size, name)?;
        let mut state = self.state();
        let base = *next(&mut state);
        let base = if base <= window.end - size {
            *next(&mut state) = after(base, size);
            base
        } else if let Some(base) = state.gap(window, size) {
            base
        } else {
            state.used -= size;
            return Err(AllocError::Limit { size, available: 0 });
        };
        state.blocks.insert(base, Arc::clone(&block));
        Ok((base, block))
    }

    /// Frees the allocation that begins at `address`; false if there is none.
    pub fn free(&self, address: u64) -> bool {
        let mut state = self.state();
        match state.blocks.remove(&address) {
            Some(block) => {
                state.used -= block.size() as u64;
                true
            }
            None => false,
        }
    }

    /// The table of all addressed blocks, as it is now.
    pub fn map(&self) -> MemoryMap {
        let blocks = self.state().blocks.iter().map(|(&a, b)| (a, Arc::clone(b))).collect();
        MemoryMap { blocks }
    }
}

/// Blocks sorted by address, frozen for a launch.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    blocks: Vec<(u64, Arc<Block>)>,
}

impl MemoryMap {
    /// Index of the block that holds `len` bytes at `address`, trying `hint` (an index returned
    /// earlier) first, and the offset in it.
    #[inline]
    pub fn find(&self, address: u64, len: u64, hint: usize) -> Result<(usize, u64), AddressError> {
        if let Some((base, block)) = self.blocks.get(hint) {
            let offset = address.wrapping_sub(*base);
            if block.contains(offset, len) {
                return Ok((hint, offset));
            }
        }
        self.search(address, len)
    }

    #[cold]
    fn search(&self, address: u64, len: u64) -> Result<(usize, u64), AddressError> {
        let above = self.blocks.partition_point(|(base, _)| *base <= address);
        let nearest = above.checked_sub(1).map(|i| (i, &self.blocks[i]));
        if let Some((i, (base, block))) = nearest
            && block.contains(address - base, len)
        {
            return Ok((i, address - base));
        }
        let before = |(base, block): &(u64, Arc<Block>)| {
            (address - base).saturating_sub(block.size() as u64)
        };
        let nearest = match (nearest, self.blocks.get(above)) {
            (Some((_, below)), Some(next)) if next.0 - address < before(below) => Some(next),
            (Some((_, below)), _) => Some(below),
            (None, next) => next,
        };
        let nearest = nearest.map(|(a, b)| (b.name().to_owned(), *a, b.size() as u64));
        Err(AddressError { address, len, nearest })
    }

    /// The block with an index that [`Self::find`] returned.
    #[inline]
    pub fn block(&self, index: usize) -> &Arc<Block> {
        &self.blocks[index].1
    }

    /// Address of the block with that index.
    pub fn base(&self, index: usize) -> u64 {
        self.blocks[index].0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::space::{SpaceKind, space_of};

    #[test]
    fn finds_inside_and_names_outside() {
        let memory = Memory::new(1 << 20);
        let (a, block) = memory.allocate(100, "a").unwrap();
        let (b, _) = memory.allocate(16, "b").unwrap();
        block.store_u32(96, 7).unwrap();
        let map = memory.map();
        let (i, offset) = map.find(a + 96, 4, 5).unwrap();
        assert_eq!(map.block(i).load_u32(offset).unwrap(), 7);
        assert_eq!(map.find(b, 16, i).unwrap(), (1, 0));
        let crossing = map.find(a + 98, 4, 0).unwrap_err();
        assert!(crossing.to_string().contains("whose end the access crosses"), "{crossing}");
        let past = map.find(a + 100, 4, 0).unwrap_err();
        assert!(past.to_string().contains("a (100 bytes"), "{past}");
        assert!(map.find(u64::MAX - 1, 8, 0).is_err());
        let below = map.find(a - 4, 4, 0).unwrap_err();
        assert!(below.to_string().contains("a (100 bytes at 0x700000000000), 4 bytes after"));
        let between = map.find(b - 8, 4, 0).unwrap_err();
        assert!(between.to_string().contains("b (16 bytes"), "{between}");
        assert_eq!(Memory::new(1).map().find(0, 1, 0).unwrap_err().nearest, None);
    }

    #[test]
    fn constant_memory_has_its_window() {
        let memory = Memory::new(1 << 40);
        let (a, _) = memory.allocate_const(16, "c").unwrap();
        assert_eq!(space_of(a), SpaceKind::Const);
        assert_eq!(space_of(GLOBAL_BASE - 4), SpaceKind::Global);
        assert!(memory.allocate_const(CONST_END - CONST_BASE, "d").is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "a hundred thousand allocations")]
    fn freed_addresses_are_used_again_when_a_window_is_used_up() {
        let memory = Memory::new(1 << 20);
        let (first, _) = memory.allocate_const(16, "kept").unwrap();
        let mut reused = 0;
        for _ in 0..2 * (CONST_END - CONST_BASE) / GUARD {
            let (address, _) = memory.allocate_const(16, "c").unwrap();
            assert_eq!(space_of(address), SpaceKind::Const);
            assert!(address >= after(first, 16));
            reused += u64::from(address == after(first, 16));
            assert!(memory.free(address));
        }
        assert!(reused > 2, "{reused}");
    }

    #[test]
    fn limit_and_free() {
        let memory = Memory::new(1000);
        let (a, _) = memory.allocate(600, "a").unwrap();
        assert_eq!(
            memory.allocate(600, "b").unwrap_err(),
            AllocError::Limit { size: 600, available: 400 }
        );
        assert!(memory.free(a) && !memory.free(a));
        assert!(memory.allocate(1000, "b").is_ok());
        assert!(memory.allocate(u64::MAX, "c").is_err());
    }

    #[test]
    fn blocks_are_aligned_and_zero() {
        for size in [0, 1, 511, 512, 513, 5000] {
            let block = Block::new(size, "x").unwrap();
            assert_eq!(block.to_vec(), vec![0; size]);
            block.write(0, &vec![0xff; size]).unwrap();
            // Only an aligned number can be updated.
            if size >= 8 {
                assert_eq!(block.update_u64(0, |_| 1).unwrap(), u64::MAX);
            }
        }
        assert!(Block::new(usize::MAX, "x").is_none() && Block::new(usize::MAX / 2, "x").is_none());
    }

    #[test]
    fn unaligned_access_and_bulk_copies() {
        let block = Block::new(64, "x").unwrap();
        let bytes: Vec<u8> = (0..50).collect();
        block.write(3, &bytes).unwrap();
        let mut back = vec![0; 50];
        block.read(3, &mut back).unwrap();
        assert_eq!(back, bytes);
        assert_eq!(block.load_u32(5).unwrap(), 0x0504_0302);
        block.store_u64(9, 0x1122_3344_5566_7788).unwrap();
        assert_eq!(block.load_u8(9).unwrap(), 0x88);
        assert_eq!(block.load_u64(9).unwrap(), 0x1122_3344_5566_7788);
        assert!(block.load_u64(57).is_err() && block.load_u8(u64::MAX).is_err());
        assert!(block.write(64, &[]).is_ok() && block.write(65, &[]).is_err());
        assert_eq!(block.update_u32(60, |x| x + 5).unwrap(), 0);
        assert_eq!(block.update_u32(60, |x| x * 3).unwrap(), 5);
        assert_eq!(block.load_u32(60).unwrap(), 15);
        assert!(block.update_u32(61, |x| x).is_err());
    }
}
