//! What can go wrong with allocations and addresses.

use crate::block::{Block, Gone};
use std::sync::Arc;
use texunit_forms::Count;

/// Why memory could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllocError {
    /// The device's limit would be passed.
    #[error("{} {} more than the {available} that the device has left", Count(size, "byte"), Count(size, "byte").are())]
    Limit {
        /// Bytes asked for.
        size: u64,
        /// Bytes left under the limit.
        available: u64,
    },
    /// The host has no such memory.
    #[error("the host does not have {} of memory", Count(size, "byte"))]
    Host {
        /// Bytes asked for.
        size: u64,
    },
}

/// Why memory could not be had at an address that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// There is no memory.
    #[error(transparent)]
    Alloc(#[from] AllocError),
    /// Something else is there.
    #[error(transparent)]
    Taken(#[from] AttachError),
}

/// An access outside every block, with the block that is nearest to the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    /// Device address of the access.
    pub address: u64,
    /// Its size in bytes.
    pub len: u64,
    /// The nearest block, if there is any.
    pub nearest: Option<Near>,
    /// What was there before, where that is known: only [`crate::Memory::find`] looks;
    /// [`crate::MemoryMap::gone`] tells of a launch.
    pub gone: Option<Box<Gone>>,
    /// The nearest block holds the bytes, but they cannot be written.
    pub read_only: bool,
}

/// A block near an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// What messages call it.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Number of the allocation ([`Block::number`]).
    pub number: u64,
}

/// A block that cannot have the address it was to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} at {address:#x} {} not free: {}", Count(len, "byte"), Count(len, "byte").are(), other_text(.other))]
pub struct AttachError {
    /// Wanted address.
    pub address: u64,
    /// Size in bytes.
    pub len: u64,
    /// Address and size of a block that is there already; `None`: addresses end before.
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
    /// For an access of which the blocks around are known: the last that begins at or below its
    /// address, and the first above.
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
        let nearest = nearest.map(|(address, block)| Near {
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
        if let Some(Near { name, address: base, size, number }) = &self.nearest {
            write!(
                f,
                "; the nearest is {name} ({} at {base:#x}, allocation {number}), ",
                Count(size, "byte")
            )?;
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
