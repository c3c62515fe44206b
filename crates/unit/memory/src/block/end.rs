//! Memory whose use has become an error: the reason ([`End`]), and the description for messages
//! ([`FreedBlock`]).

use super::{Block, Storage};
use std::sync::atomic::Ordering::Relaxed;
use texunit_forms::{Count, words};

words! {
    /// Why memory must not be used any more. The names are verb phrases, which follow the name of
    /// the memory in a message.
    End {
        /// The memory was freed (`cuMemFree`, `cuMemFreeHost`, unloading a module).
        Freed(1) = "was freed",
        /// The CUDA array whose texels the memory holds was destroyed.
        Destroyed = "was destroyed",
        /// The memory was unregistered (`cuMemHostUnregister`).
        Unregistered = "was unregistered",
        /// The program has unmapped registered memory, or lost the right to read it, without
        /// unregistering it.
        Unmapped = "was unmapped while it was registered",
        /// The memory was unmapped (`cuMemUnmap`); its addresses stay reserved.
        Removed = "was unmapped",
        /// The addresses are reserved (`cuMemAddressReserve`), but no memory is mapped at them.
        Reserved = "is reserved, and no memory is mapped at this address",
        /// Memory is mapped at the addresses (`cuMemMap`), but the device was given no access to
        /// it.
        NoAccess = "is mapped, and the device was given no access to it",
        /// The memory belongs to another device, and this device has no access to it.
        Peer = "is memory of another device, to which this one has no access",
    }
}

impl End {
    /// Whether the memory or its address range still exists, so that only the access is not
    /// allowed.
    pub fn still_exists(self) -> bool {
        matches!(self, Self::Reserved | Self::NoAccess | Self::Peer)
    }
}

/// Describes memory that must not be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreedBlock {
    /// Name of the memory in messages.
    pub name: String,
    /// Device address of the memory, if it had an address and the address is known.
    pub address: Option<u64>,
    /// Size in bytes.
    pub size: u64,
    /// Number of the allocation ([`Block::number`]).
    pub number: u64,
    /// Why the memory must not be used.
    pub how: End,
}

impl std::fmt::Display for FreedBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, address, size, number, how } = self;
        write!(f, "`{name}` ({}", Count(size, "byte"))?;
        if let Some(address) = address {
            write!(f, " at {address:#x}")?;
        }
        write!(f, ", allocation {number}) {how}")
    }
}

impl Block {
    /// Number of the allocation, counted across the process and never reused.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Ends the block: from now on a use of it is an error. Running kernels are not stopped, and
    /// the bytes stay readable for them. Returns false if the block had ended before.
    pub fn end(&self, how: End) -> bool {
        match &self.storage {
            Storage::Part(other) => other.end(how),
            _ => self.end.compare_exchange(0, how as u8, Relaxed, Relaxed).is_ok(),
        }
    }

    /// Why the memory must not be used any more; `None` if the block is in use.
    pub fn ended(&self) -> Option<End> {
        match &self.storage {
            Storage::Part(other) => other.ended(),
            Storage::Slice(other) if other.ended().is_some() => other.ended(),
            #[cfg(all(target_os = "linux", not(miri)))]
            Storage::Mapped(parts) => {
                parts.iter().any(|part| part.has_ended()).then_some(End::Removed)
            }
            _ => {
                let number = self.end.load(Relaxed);
                End::ALL.iter().copied().find(|how| *how as u8 == number)
            }
        }
    }

    /// Describes the block for messages, if it has ended.
    pub fn freed_block(&self, address: Option<u64>) -> Option<FreedBlock> {
        let how = self.ended()?;
        let (name, size) = (self.name.clone(), self.size as u64);
        Some(FreedBlock { name, address, size, number: self.number, how })
    }
}
