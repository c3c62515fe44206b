//! When memory is not to be used any more, and what messages say of it then.

use super::{Block, Storage};
use std::sync::atomic::Ordering::Relaxed;
use texunit_forms::Count;

/// Why memory is not to be used any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum End {
    /// It was freed (`cuMemFree`, `cuMemFreeHost`, a module was unloaded).
    Freed = 1,
    /// The array whose texels it holds was destroyed.
    Destroyed,
    /// `cuMemHostUnregister`.
    Unregistered,
    /// The program has unmapped it without that, or may not read it any more.
    Unmapped,
    /// `cuMemUnmap`: its addresses stay reserved.
    Removed,
    /// Addresses that are reserved (`cuMemAddressReserve`), where no memory is mapped.
    Reserved,
    /// Memory is mapped there (`cuMemMap`), to which the device was given no access.
    NoAccess,
    /// Memory of another device, to which this one has no access.
    Peer,
}

impl End {
    const ALL: [Self; 8] = [
        Self::Freed,
        Self::Destroyed,
        Self::Unregistered,
        Self::Unmapped,
        Self::Removed,
        Self::Reserved,
        Self::NoAccess,
        Self::Peer,
    ];

    /// What happened, after the name of the memory: `was freed`.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Freed => "was freed",
            Self::Destroyed => "was destroyed",
            Self::Unregistered => "was unregistered",
            Self::Unmapped => "was unmapped while it was registered",
            Self::Removed => "was unmapped",
            Self::Reserved => "is reserved, and no memory is mapped at this address",
            Self::NoAccess => "is mapped, and the device was given no access to it",
            Self::Peer => "is memory of another device, to which this one has no access",
        }
    }

    /// Whether the memory, or its addresses, are still there: it is this access that has no right to them.
    pub fn is_there(self) -> bool {
        matches!(self, Self::Reserved | Self::NoAccess | Self::Peer)
    }
}

/// Memory that is not to be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// What messages call it.
    pub name: String,
    /// Its device address, if it had one that is known.
    pub address: Option<u64>,
    /// Size in bytes.
    pub size: u64,
    /// Number of the allocation ([`Block::number`]).
    pub number: u64,
    /// Why.
    pub how: End,
}

impl std::fmt::Display for Gone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, address, size, number, how } = self;
        write!(f, "`{name}` ({}", Count(size, "byte"))?;
        if let Some(address) = address {
            write!(f, " at {address:#x}")?;
        }
        write!(f, ", allocation {number}) {}", how.verb())
    }
}

impl Block {
    /// Number of the allocation, counted in the whole program; it is never used again.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Says that the memory is not to be used from now on. What runs is not stopped, and the bytes stay
    /// where they are for it. False if it was said before.
    pub fn end(&self, how: End) -> bool {
        match &self.storage {
            Storage::Of(other) => other.end(how),
            _ => self.end.compare_exchange(0, how as u8, Relaxed, Relaxed).is_ok(),
        }
    }

    /// Why the memory is not to be used any more; `None` if it can be used.
    pub fn ended(&self) -> Option<End> {
        match &self.storage {
            Storage::Of(other) => other.ended(),
            Storage::Slice(other) if other.ended().is_some() => other.ended(),
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Mapped(parts) => {
                parts.iter().any(|part| part.has_ended()).then_some(End::Removed)
            }
            _ => {
                let number = self.end.load(Relaxed);
                End::ALL.into_iter().find(|how| *how as u8 == number)
            }
        }
    }

    /// What messages say of it if it is not to be used any more.
    pub fn gone(&self, address: Option<u64>) -> Option<Gone> {
        let how = self.ended()?;
        let (name, size) = (self.name.clone(), self.size as u64);
        Some(Gone { name, address, size, number: self.number, how })
    }
}
