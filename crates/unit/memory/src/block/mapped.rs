//! Blocks that are made of mapped pages (`cuMemMap`).

use super::{Block, NUMBERS, Storage};
use std::sync::atomic::Ordering::Relaxed;
#[cfg(all(target_os = "linux", not(miri)))]
use std::{ptr::NonNull, sync::Arc};

impl Block {
    /// Whether the block consists of mapped pages ([`Block::of_mapped`]), which another block may
    /// have, too.
    pub fn is_mapped(&self) -> bool {
        match &self.storage {
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Mapped(_) => true,
            Storage::Part(other) | Storage::Slice(other) => other.is_mapped(),
            _ => false,
        }
    }

    /// Identities of the pages that the block maps ([`Block::of_mapped`]), else nothing. Two
    /// mappings with the same identity are the same memory.
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
