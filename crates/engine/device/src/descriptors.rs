//! The descriptor tables that texture, sampler and surface handles index (docs/numerics.md 12).
//! Objects and references of modules allocate slots here; a launch takes a snapshot.

use crate::error::Error;
use crate::handles::{OpaqueKind, Slots, taken};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use texunit_simt::Descriptors;
use texunit_unit::{Sampler, Surface, Texture};

/// Numbers of slots of the descriptor tables: a handle has 20 bits for the header's index and 12
/// bits for the sampler's.
const HEADERS: usize = 1 << 20;
const SAMPLERS: usize = 1 << 12;

/// The number of freed slots that are kept unused before the first of them is reused.
const REUSE_DELAY: usize = 1024;

/// One descriptor table. Slot 0 is never allocated, so that a handle of zero is always invalid. A
/// freed slot is not reused for a long time, so that stale handles are detected.
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
    fn take(&mut self, name: &str, wanted: Option<(usize, u64)>) -> Result<usize, Error> {
        match wanted {
            None => self.reserve(),
            Some((slot, _)) if self.claim(slot) => Ok(slot),
            Some((_, handle)) => Err(taken(name, handle)),
        }
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
    pub(crate) pairs: HashMap<usize, usize>,
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

    /// Allocates the slots of a handle, or free ones. A sampler with a state is shared with other
    /// objects if possible, because there are only 4095 slots.
    pub(crate) fn take(
        &mut self,
        kind: OpaqueKind,
        name: &str,
        handle: Option<u64>,
        sampler: Option<&Sampler>,
    ) -> Result<Slots, Error> {
        let slots = |of| kind.slots(of).map(|slots| (slots, of)).ok_or_else(|| taken(name, of));
        let wanted = handle.map(slots).transpose()?;
        let header = wanted.map(|((header, _), handle)| (header, handle));
        let header = match kind {
            OpaqueKind::Texture => self.textures.take(name, header)?,
            OpaqueKind::Sampler => 0,
            OpaqueKind::Surface => return Ok((self.surfaces.take(name, header)?, 0)),
        };
        let wanted = wanted.map(|((_, sampler), handle)| (sampler, handle));
        let slot = match sampler {
            Some(state) => self.share(state, kind, wanted),
            None => self.samplers.take(name, wanted),
        };
        match slot {
            Ok(slot) if kind == OpaqueKind::Texture => drop(self.pairs.insert(header, slot)),
            Err(_) if kind == OpaqueKind::Texture => self.textures.release(header),
            _ => {}
        }
        Ok((header, slot?))
    }

    /// Frees the slots of an object or reference.
    pub(crate) fn release(&mut self, kind: OpaqueKind, (header, sampler): Slots) {
        match kind {
            OpaqueKind::Texture => {
                self.pairs.remove(&header);
                self.textures.release(header);
            }
            OpaqueKind::Sampler => {}
            OpaqueKind::Surface => return self.surfaces.release(header),
        }
        if let Some(users) = self.sampler_users.get_mut(sampler) {
            *users = users.saturating_sub(1);
            if *users > 0 {
                return;
            }
        }
        self.samplers.release(sampler);
    }

    /// The slot of a handle, or any slot with this state.
    fn share(
        &mut self,
        sampler: &Sampler,
        kind: OpaqueKind,
        wanted: Option<(usize, u64)>,
    ) -> Result<usize, Error> {
        let users = &mut self.sampler_users;
        let entries = &self.samplers.entries;
        let is_same = |&slot: &usize| {
            users.get(slot).is_some_and(|&users| users > 0)
                && entries[slot].as_deref() == Some(sampler)
        };
        let shared = match wanted {
            Some((slot, _)) => Some(slot).filter(is_same),
            None => (0..users.len()).find(is_same),
        };
        let slot = match shared {
            Some(slot) => slot,
            None => {
                let of_texture = kind == OpaqueKind::Texture;
                let name = if of_texture { "the sampler of a texture" } else { "a sampler" };
                self.samplers.take(name, wanted)?
            }
        };
        if users.len() <= slot {
            users.resize(slot + 1, 0);
        }
        users[slot] += 1;
        self.samplers.set(slot, Some(Arc::new(*sampler)));
        Ok(slot)
    }

    /// A copy of the descriptor tables for a launch.
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
