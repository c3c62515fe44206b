//! Blocks that share their bytes with another block: with other limits (a rounded end, no right to
//! write, or a part of the range), or as mapped pages (`cuMemMap`).

use super::{Block, NUMBERS, Storage};
#[cfg(all(target_os = "linux", not(miri)))]
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

impl Block {
    /// The block with its end rounded up to a multiple of [`Block::ALIGN`], as a GPU's memory
    /// management rounds it: the padding is accessible but belongs to no allocation. Memory of the
    /// host program is not rounded.
    pub fn rounded(self: &Arc<Self>) -> Self {
        let size = match self.storage {
            Storage::Foreign | Storage::Part(_) | Storage::Slice(_) => self.size,
            _ => self.size.next_multiple_of(Self::ALIGN),
        };
        self.part(size, if self.is_read_only() { 0 } else { size })
    }

    /// The block without the right to write.
    pub fn read_only(self: &Arc<Self>) -> Self {
        self.part(self.size, 0)
    }

    /// A range of the block's bytes as a separate block, which ends by itself ([`Block::end`]) or
    /// with this block. `None` if the range is not inside the block.
    pub fn slice(self: &Arc<Self>, offset: u64, size: u64, name: &str) -> Option<Self> {
        if !self.accepts(offset, size) {
            return None;
        }
        // SAFETY: the range is inside the block.
        let data = unsafe { self.data.add(offset as usize) };
        let (storage, size) = (Storage::Slice(Arc::clone(self)), size as usize);
        Some(Self::with(data, storage, size, size, name.to_owned()))
    }

    /// A block of the first `size` bytes of this block; `size` is at most the rounded size if
    /// texunit allocated the block, else at most its size.
    fn part(self: &Arc<Self>, size: usize, writable: usize) -> Self {
        Self {
            data: self.data,
            storage: Storage::Part(Arc::clone(self)),
            size,
            writable,
            name: self.name.clone(),
            number: self.number,
            end: AtomicU8::new(0),
            // The new block has no separate shadow, because the shadow of the original block is
            // used.
            shadow: OnceLock::new(),
            undefined_at: AtomicU64::new(0),
        }
    }

    /// Whether the block consists of mapped pages ([`Block::of_mapped`]), which may also be mapped
    /// in another block.
    pub fn is_mapped(&self) -> bool {
        match &self.storage {
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Mapped(_) => true,
            Storage::Part(other) | Storage::Slice(other) => other.is_mapped(),
            _ => false,
        }
    }

    /// Identities of the pages that the block maps ([`Block::of_mapped`]), or an empty list for
    /// other blocks. Two mappings with the same identity are the same memory.
    pub(crate) fn pages(&self) -> Vec<(u64, u64)> {
        match &self.storage {
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Mapped(parts) => parts.iter().map(|part| part.pages().identity()).collect(),
            Storage::Part(other) | Storage::Slice(other) => other.pages(),
            _ => Vec::new(),
        }
    }

    /// Makes one block of adjacent mappings. `name` and `number` identify it in messages. Returns
    /// `None` if `parts` is empty or the mappings are not adjacent.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub fn of_mapped(
        parts: Vec<Arc<crate::Mapped>>,
        writable: bool,
        (name, number): (&str, u64),
    ) -> Option<Self> {
        let follow = |pair: &[Arc<crate::Mapped>]| pair[0].range().end == pair[1].range().start;
        let (first, last) = (parts.first()?, parts.last()?);
        if !parts.windows(2).all(follow) {
            return None;
        }
        let data = NonNull::new(first.place())?;
        let size = usize::try_from(last.range().end - first.range().start).ok()?;
        let (writable, storage) = (if writable { size } else { 0 }, Storage::Mapped(parts.into()));
        let mut block = Self::with(data, storage, size, writable, name.to_owned());
        block.number = number;
        Some(block)
    }

    /// A new allocation number, for an object that messages number like an allocation.
    pub fn next_number() -> u64 {
        NUMBERS.fetch_add(1, Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;

    #[test]
    fn a_rounded_block_has_the_bytes_behind_its_end() {
        let block = Arc::new(Block::new(100, "short").unwrap());
        assert!(block.load_u8(100).is_err() && block.store_u8(100, 1).is_err());
        let rounded = block.rounded();
        assert_eq!((rounded.size(), rounded.host_address()), (512, block.host_address()));
        rounded.store_u32(508, 7).unwrap();
        assert_eq!(block.rounded().load_u32(508).unwrap(), 7);
        assert!(rounded.load_u8(512).is_err());
        assert_eq!(Arc::new(Block::new(1024, "whole").unwrap()).rounded().size(), 1024);
        drop(block);
        assert_eq!(rounded.load_u32(508).unwrap(), 7, "it keeps the bytes");
    }

    #[test]
    fn a_slice_ends_by_itself_or_with_the_block() {
        let block = Arc::new(Block::new(100, "whole").unwrap());
        let slices = [(10, 20), (30, 70)].map(|(at, size)| block.slice(at, size, "part").unwrap());
        slices[0].store_u32(0, 7).unwrap();
        assert_eq!((block.load_u32(10).unwrap(), slices[1].size()), (7, 70));
        assert!(slices[0].load_u8(20).is_err() && block.slice(31, 70, "part").is_none());
        assert!(slices[0].end(End::Freed) && block.ended().is_none());
        assert!(slices[1].ended().is_none() && block.end(End::Destroyed));
        assert_eq!([0, 1].map(|i| slices[i].ended()), [Some(End::Destroyed); 2]);
        assert_ne!(slices[0].number(), block.number());
    }

    #[test]
    fn a_part_without_the_right_to_write_shares_bytes_and_end() {
        let block = Arc::new(Block::new(8, "data").unwrap());
        block.store_u32(0, 5).unwrap();
        let part = Arc::new(block.read_only());
        assert!(part.is_read_only() && !block.is_read_only());
        assert_eq!((part.load_u32(0).unwrap(), part.number()), (5, block.number()));
        assert!(part.store_u8(0, 1).is_err() && part.write(0, &[1]).is_err());
        assert!(part.update_u32(4, |v| v + 1).is_err());
        assert!(part.rounded().store_u8(0, 1).is_err());
        assert_eq!(block.load_u64(0).unwrap(), 5);
        assert!(part.ended().is_none() && part.end(End::Freed) && !block.end(End::Destroyed));
        assert_eq!((block.ended(), part.ended()), (Some(End::Freed), Some(End::Freed)));
        let text = block.freed_block(Some(0x700)).unwrap().to_string();
        let number = block.number();
        assert_eq!(text, format!("`data` (8 bytes at 0x700, allocation {number}) was freed"));
    }
}
