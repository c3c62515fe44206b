//! Errors of allocations and of addresses.

use crate::block::{Block, FreedBlock};
use std::sync::Arc;
use texunit_forms::Count;

/// Why an allocation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllocError {
    /// The allocation would exceed the device's limit.
    #[error("{} {} more than the {available} that the device has left", Count(size, "byte"), Count(size, "byte").are())]
    Limit {
        /// Requested bytes.
        size: u64,
        /// Bytes left under the limit.
        available: u64,
    },
    /// The host has not enough memory.
    #[error("the host does not have {} of memory", Count(size, "byte"))]
    Host {
        /// Requested bytes.
        size: u64,
    },
}

/// Why an allocation at a given address failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// The device or the host has not enough memory.
    #[error(transparent)]
    Alloc(#[from] AllocError),
    /// Another block occupies a part of the address range.
    #[error(transparent)]
    Taken(#[from] AttachError),
}

/// An access outside every block, with the block nearest to the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    /// Device address of the access.
    pub address: u64,
    /// Size of the access in bytes.
    pub len: u64,
    /// The nearest block; `None` if there are no blocks.
    pub nearest: Option<NearestBlock>,
    /// Memory that was at the address before, if known. Only [`crate::Memory::find`] sets it;
    /// during a launch, ask [`crate::MemoryMap::freed_block`].
    pub gone: Option<Box<FreedBlock>>,
    /// Whether the nearest block holds the bytes, but they cannot be written.
    pub read_only: bool,
}

/// A block near an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearestBlock {
    /// Name of the block in messages.
    pub name: String,
    /// Device address of the block.
    pub address: u64,
    /// Size of the block in bytes.
    pub size: u64,
    /// Number of the allocation ([`Block::number`]).
    pub number: u64,
}

/// Why a block could not be attached at its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} at {address:#x} {} not free: {}", Count(len, "byte"), Count(len, "byte").are(), other_text(.other))]
pub struct AttachError {
    /// Requested address.
    pub address: u64,
    /// Size of the block in bytes.
    pub len: u64,
    /// Address and size of the existing block that overlaps the requested range; `None` if the
    /// range exceeds the address space.
    pub other: Option<(u64, u64)>,
}

fn other_text(other: &Option<(u64, u64)>) -> String {
    match other {
        Some((base, size)) => {
            let bytes = Count(size, "byte");
            format!("{bytes} at {base:#x} {} in use", bytes.are())
        }
        None => "they pass the end of the address space".to_owned(),
    }
}

impl AddressError {
    /// Makes the error for an access from the neighbouring blocks: the last one at or below its
    /// address, and the first one above.
    pub(crate) fn of(
        address: u64,
        len: u64,
        below: Option<(u64, &Arc<Block>)>,
        next: Option<(u64, &Arc<Block>)>,
    ) -> Self {
        let before =
            |base: u64, block: &Block| (address - base).saturating_sub(block.size() as u64);
        let nearest = match (below, next) {
            (Some((base, block)), Some(next)) if next.0 - address < before(base, block) => {
                Some(next)
            }
            (Some(below), _) => Some(below),
            (None, next) => next,
        };
        let nearest = nearest.map(|(address, block)| NearestBlock {
            name: block.name().to_owned(),
            address,
            size: block.size() as u64,
            number: block.number(),
        });
        Self { address, len, nearest, gone: None, read_only: false }
    }
}

impl std::fmt::Display for AddressError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(gone) = &self.gone {
            return write!(f, "{} at {:#x}: {gone}", Count(self.len, "byte"), self.address);
        }
        let bytes = Count(self.len, "byte");
        write!(f, "{bytes} at {:#x} {} in no allocation", self.address, bytes.are())?;
        if let Some(NearestBlock { name, address: base, size, number }) = &self.nearest {
            let bytes = Count(size, "byte");
            write!(f, "; the nearest is {name} ({bytes} at {base:#x}, allocation {number}), ")?;
            match self.address.checked_sub(*base) {
                None => write!(f, "{} after this address", Count(base - self.address, "byte"))?,
                Some(offset) if offset >= *size => {
                    write!(f, "{} before this address", Count(offset - size, "byte"))?;
                }
                Some(_) => write!(f, "whose end the access crosses")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for AddressError {}
