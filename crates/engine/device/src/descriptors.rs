//! The descriptor tables that texture, sampler and surface handles index (docs/numerics.md 12).
//! Objects and references of modules allocate slots here; a launch takes a snapshot.

use crate::error::Error;
use crate::handles::{sampler_slot, surface_slot, taken, texture_slots};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use texunit_simt::Descriptors;
use texunit_unit::{Sampler, Surface, Texture};

/// Sizes of the tables: a handle has 20 bits for the header's index and 12 bits for the sampler's.
const HEADERS: usize = 1 << 20;
const SAMPLERS: usize = 1 << 12;

/// The number of freed slots that are kept unused before the first of them is reused.
const REUSE_DELAY: usize = 1024;

/// One table. Slot 0 is never allocated, so that a handle of zero is always invalid. A freed slot
/// is not reused for a long time, so that stale handles are detected.
#[derive(Debug)]
pub(crate) struct DescriptorTable<T> {
    entries: Vec<Option<Arc<T>>>,
    /// Free slots; those that have been free longest come first.
    free: VecDeque<usize>,
    limit: usize,
    kind: &'static str,
}

impl<T> DescriptorTable<T> {
    fn new(limit: usize, kind: &'static str) -> Self {
        Self { entries: vec![None], free: VecDeque::new(), limit, kind }
    }

    fn reserve(&mut self) -> Result<usize, Error> {
        if self.entries.len() < self.limit && self.free.len() <= REUSE_DELAY {
            self.entries.push(None);
            return Ok(self.entries.len() - 1);
        }
        self.free.pop_front().ok_or(Error::TooMany { kind: self.kind, limit: self.limit - 1 })
    }

    /// Allocates a given slot; false if it is in use or out of range.
    fn claim(&mut self, slot: usize) -> bool {
        if slot == 0 || slot >= self.limit {
            return false;
        }
        if slot >= self.entries.len() {
            self.free.extend(self.entries.len()..slot);
            self.entries.resize(slot + 1, None);
            return true;
        }
        let at = self.free.iter().position(|&free| free == slot);
        at.and_then(|at| self.free.remove(at)).is_some()
    }

    /// Allocates the slot of a handle, or a free one.
    fn take(
        &mut self,
        name: &str,
        handle: Option<u64>,
        slot_of: fn(u64) -> Option<usize>,
    ) -> Result<usize, Error> {
        let Some(handle) = handle else { return self.reserve() };
        slot_of(handle).filter(|&slot| self.claim(slot)).ok_or_else(|| taken(name, handle))
    }

    pub(crate) fn get(&self, slot: usize) -> Option<Arc<T>> {
        self.entries.get(slot)?.clone()
    }

    pub(crate) fn set(&mut self, slot: usize, value: Option<Arc<T>>) {
        self.entries[slot] = value;
    }

    /// All slots in use, with their contents.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (usize, &Arc<T>)> {
        let all = self.entries.iter().enumerate();
        all.filter_map(|(slot, entry)| Some((slot, entry.as_ref()?)))
    }

    pub(crate) fn release(&mut self, slot: usize) {
        self.entries[slot] = None;
        self.free.push_back(slot);
    }
}

/// The descriptor tables of a device.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) textures: DescriptorTable<Texture>,
    pub(crate) samplers: DescriptorTable<Sampler>,
    pub(crate) surfaces: DescriptorTable<Surface>,
    /// For each sampler slot, the number of texture objects that share it.
    sampler_users: Vec<u32>,
    /// For each texture slot that was allocated with a sampler, the sampler's slot.
    pairs: HashMap<usize, usize>,
}

impl Tables {
    pub(crate) fn new() -> Self {
        Self {
            textures: DescriptorTable::new(HEADERS, "texture"),
            samplers: DescriptorTable::new(SAMPLERS, "sampler"),
            surfaces: DescriptorTable::new(HEADERS, "surface"),
            sampler_users: Vec::new(),
            pairs: HashMap::new(),
        }
    }

    /// Allocates the slot of a surface's handle, or a free one.
    pub(crate) fn take_surface(&mut self, name: &str, handle: Option<u64>) -> Result<usize, Error> {
        self.surfaces.take(name, handle, surface_slot)
    }

    /// Allocates the slot of a sampler's handle, or a free one.
    pub(crate) fn take_sampler(&mut self, name: &str, handle: Option<u64>) -> Result<usize, Error> {
        self.samplers.take(name, handle, sampler_slot)
    }

    /// Allocates the slots of a texture's handle, or free ones. A sampler with a state is shared.
    pub(crate) fn take_texture(
        &mut self,
        name: &str,
        handle: Option<u64>,
        sampler: Option<&Sampler>,
    ) -> Result<(usize, usize), Error> {
        let header = self.textures.take(name, handle, |handle| Some(texture_slots(handle)?.0))?;
        let sampler_of = |handle| Some(texture_slots(handle)?.1);
        let slot = match sampler {
            Some(state) => self.share(state, "the sampler of a texture", handle, sampler_of),
            None => self.samplers.take(name, handle, sampler_of),
        };
        match slot {
            Ok(slot) => drop(self.pairs.insert(header, slot)),
            Err(_) => self.textures.release(header),
        }
        Ok((header, slot?))
    }

    pub(crate) fn release_texture(&mut self, slot: usize) {
        self.pairs.remove(&slot);
        self.textures.release(slot);
    }

    /// The sampler with which a texture's handle was made.
    pub(crate) fn pair_of(&self, texture: usize) -> Option<usize> {
        self.pairs.get(&texture).copied()
    }

    /// The slot of a sampler's handle, or any slot with this state, shared with other objects if
    /// possible, because there are only 4095 slots.
    pub(crate) fn share_sampler(
        &mut self,
        sampler: &Sampler,
        handle: Option<u64>,
    ) -> Result<usize, Error> {
        self.share(sampler, "a sampler", handle, sampler_slot)
    }

    fn share(
        &mut self,
        sampler: &Sampler,
        name: &str,
        handle: Option<u64>,
        slot_of: fn(u64) -> Option<usize>,
    ) -> Result<usize, Error> {
        let users = &mut self.sampler_users;
        let entries = &self.samplers.entries;
        let is_same = |&slot: &usize| {
            users.get(slot).is_some_and(|&users| users > 0)
                && entries[slot].as_deref() == Some(sampler)
        };
        let shared = match handle {
            Some(handle) => slot_of(handle).filter(is_same),
            None => (0..users.len()).find(is_same),
        };
        let slot = match shared {
            Some(slot) => slot,
            None => self.samplers.take(name, handle, slot_of)?,
        };
        if users.len() <= slot {
            users.resize(slot + 1, 0);
        }
        users[slot] += 1;
        self.samplers.set(slot, Some(Arc::new(*sampler)));
        Ok(slot)
    }

    pub(crate) fn unshare_sampler(&mut self, slot: usize) {
        self.sampler_users[slot] -= 1;
        if self.sampler_users[slot] == 0 {
            self.samplers.release(slot);
        }
    }

    /// A copy of the tables for a launch.
    pub(crate) fn snapshot(&self) -> Descriptors {
        Descriptors {
            textures: self.textures.entries.clone(),
            samplers: self.samplers.entries.clone(),
            surfaces: self.surfaces.entries.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_slots_rest_and_tables_stay_small() {
        let mut slots = DescriptorTable::<Sampler>::new(1 << 20, "sampler");
        let first = slots.reserve().unwrap();
        slots.release(first);
        for _ in 0..REUSE_DELAY {
            let slot = slots.reserve().unwrap();
            assert_ne!(slot, first);
            slots.release(slot);
        }
        assert_eq!(slots.reserve().unwrap(), first);
        for _ in 0..10_000 {
            let slot = slots.reserve().unwrap();
            slots.release(slot);
        }
        assert!(slots.entries.len() < 2 * REUSE_DELAY);
    }

    #[test]
    fn a_slot_that_is_asked_for_is_had_once() {
        let mut slots = DescriptorTable::<Sampler>::new(8, "sampler");
        assert!(slots.claim(3) && !slots.claim(3) && !slots.claim(0) && !slots.claim(8));
        assert!(slots.claim(1));
        // Slots that were skipped are free, but are only reused when the table is full.
        assert_eq!(slots.reserve().unwrap(), 4);
        slots.release(4);
        assert!(slots.claim(4) && slots.claim(7));
        assert_eq!([slots.reserve().unwrap(), slots.reserve().unwrap()], [2, 5]);
    }

    #[test]
    fn a_full_table_uses_what_is_free() {
        let mut slots = DescriptorTable::<Sampler>::new(4, "sampler");
        let all = [slots.reserve().unwrap(), slots.reserve().unwrap(), slots.reserve().unwrap()];
        assert_eq!(all, [1, 2, 3]);
        assert!(matches!(slots.reserve(), Err(Error::TooMany { limit: 3, .. })));
        slots.release(2);
        assert_eq!(slots.reserve().unwrap(), 2);
    }
}
