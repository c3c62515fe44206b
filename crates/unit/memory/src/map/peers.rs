//! Memory of peer devices, which this device may or may not access.

use super::{Memory, MemoryMap, State};
use crate::block::{End, FreedBlock};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use texunit_forms::lock;

/// The memory of another device.
#[derive(Debug)]
pub(super) struct PeerDevice {
    state: Weak<Mutex<State>>,
    window: Range<u64>,
}

/// Describes, for a message, the memory of another device at an address.
#[cold]
pub(super) fn find(peers: &OnceLock<Vec<PeerDevice>>, address: u64) -> Option<FreedBlock> {
    let other = peers.get()?.iter().find(|other| other.window.contains(&address))?;
    let state = other.state.upgrade()?;
    let state = lock(&state);
    let (&base, entry) = state.blocks.range(..=address).next_back()?;
    // Memory excluded from general peer access belongs to a pool, whose access is granted
    // separately.
    let how = if entry.is_own { End::Peer } else { End::NoAccess };
    let block = &entry.block;
    let (name, size, number) = (block.name().to_owned(), block.size() as u64, block.number());
    let gone = FreedBlock { name, address: Some(base), size, number, how };
    block.contains(address - base, 1).then_some(gone)
}

impl Memory {
    /// Registers the other devices, so that an access to the memory of a device without peer access
    /// is reported as such. Only the first call has an effect.
    pub fn set_peers<'a>(&self, peers: impl Iterator<Item = &'a Memory>) {
        let peers = peers.filter(|other| !Arc::ptr_eq(&other.state, &self.state));
        let other = |memory: &Memory| PeerDevice {
            state: Arc::downgrade(&memory.state),
            window: memory.windows.global.clone(),
        };
        let _ = self.peers.set(peers.map(other).collect());
    }

    /// Excludes the allocation at an address from general peer access. Returns false if there is no
    /// allocation.
    pub fn exclude_from_peers(&self, address: u64) -> bool {
        let mut state = lock(&self.state);
        state.blocks.get_mut(&address).map(|entry| entry.is_own = false).is_some()
    }

    /// Removes an attached block without ending it, because other devices still use it. Returns
    /// false if there is no block.
    pub fn detach(&self, address: u64) -> bool {
        let mut state = lock(&self.state);
        let is_attached = state.blocks.get(&address).is_some_and(|entry| !entry.counted);
        is_attached && state.blocks.remove(&address).is_some()
    }

    /// The table of all blocks, as by [`Self::map`], together with the memory of peer devices that
    /// this device can access: all but constant memory and allocations that are excluded from peer
    /// access.
    pub fn map_with_peers<'a>(&self, peers: impl Iterator<Item = &'a Memory>) -> MemoryMap {
        let mut map = self.map();
        for other in peers.filter(|other| !Arc::ptr_eq(&other.state, &self.state)) {
            let state = lock(&other.state);
            let window = state.blocks.range(other.windows.global.clone());
            let own = window.filter(|(_, entry)| entry.is_own);
            map.add(own.map(|(&base, entry)| (base, Arc::clone(&entry.block))));
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GLOBAL_BASE, Windows};

    #[test]
    fn memory_of_others_is_told_or_reached() {
        let memory = |i: u64| {
            let start = GLOBAL_BASE + (i << 32);
            let global = start..start + (1 << 32);
            Memory::with_windows(1 << 20, Windows { global, ..Windows::default() })
        };
        let (one, two) = (memory(0), memory(1));
        one.set_peers([&one, &two].into_iter());
        let (open, block) = two.allocate(1000, "open").unwrap();
        let (own, _) = two.allocate(1000, "own").unwrap();
        assert!(two.exclude_from_peers(own) && !two.exclude_from_peers(own + 1));
        let gone = one.find(open + 999, 1).unwrap_err().gone.unwrap();
        assert_eq!((gone.how, gone.number, gone.address), (End::Peer, block.number(), Some(open)));
        let ending = "is memory of another device, to which this one has no access";
        assert!(gone.to_string().ends_with(ending));
        assert!(one.find(open + 1000, 1).unwrap_err().gone.is_none());
        assert_eq!(one.find(own, 1).unwrap_err().gone.unwrap().how, End::NoAccess);
        let (block, _) = two.find(own, 1).unwrap();
        one.attach(own, &block).unwrap();
        assert!(one.find(own, 1000).is_ok() && one.detach(own) && !one.detach(own));
        assert!(block.ended().is_none() && one.find(own, 1).is_err() && !two.detach(own));
        assert_eq!(one.map().freed_block(open).unwrap().how, End::Peer);
        let (mine, _) = one.allocate(10, "mine").unwrap();
        let map = one.map_with_peers([&two, &one].into_iter());
        assert!(map.find(open, 1000, 0).is_ok() && map.find(mine, 10, 0).is_ok());
        assert!(map.find(own, 1, 0).is_err() && map.blocks().len() == 2);
        assert!(map.blocks().is_sorted_by_key(|(base, _)| *base));
        drop(two);
        assert!(one.find(open, 1).unwrap_err().gone.is_none());
    }
}
