//! The descriptor tables behind handles (docs/numerics.md 12).

use crate::error::Error;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use texunit_simt::Descriptors;
use texunit_unit::{Sampler, Surface, Texture};

/// Handles hold 20 bits of header index and 12 bits of sampler index.
const HEADERS: usize = 1 << 20;
const SAMPLERS: usize = 1 << 12;

/// Freed slots that wait before the first of them is used again.
const RESTING: usize = 1024;

/// One table. Slot 0 is never given out, so that a handle of zero is always wrong; a freed slot
/// rests, so that a stale handle is found for long.
#[derive(Debug)]
struct Slots<T> {
    entries: Vec<Option<Arc<T>>>,
    /// Longest free first.
    free: VecDeque<usize>,
    limit: usize,
    kind: &'static str,
}

impl<T> Slots<T> {
    fn new(limit: usize, kind: &'static str) -> Self {
        Self { entries: vec![None], free: VecDeque::new(), limit, kind }
    }

    fn reserve(&mut self) -> Result<usize, Error> {
        if self.entries.len() < self.limit && self.free.len() <= RESTING {
            self.entries.push(None);
            return Ok(self.entries.len() - 1);
        }
        self.free.pop_front().ok_or(Error::TooMany { kind: self.kind, limit: self.limit - 1 })
    }

    /// Takes a slot that is free; false if it is not, or if there is no such slot.
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

    /// Those that hold something.
    fn filled(&self) -> impl Iterator<Item = (usize, &Arc<T>)> {
        let all = self.entries.iter().enumerate();
        all.filter_map(|(slot, entry)| Some((slot, entry.as_ref()?)))
    }

    fn release(&mut self, slot: usize) {
        self.entries[slot] = None;
        self.free.push_back(slot);
    }
}

/// All tables of a device.
#[derive(Debug)]
pub(crate) struct Tables {
    textures: Slots<Texture>,
    samplers: Slots<Sampler>,
    surfaces: Slots<Surface>,
    /// Users of each sampler slot that texture objects share.
    sampler_users: Vec<u32>,
    /// The sampler slot of each texture slot that was given out with one.
    pairs: HashMap<usize, usize>,
}

macro_rules! table {
    ($reserve:ident, $claim:ident, $set:ident, $release:ident, $all:ident, $field:ident, $t:ty) => {
        pub(crate) fn $reserve(&mut self) -> Result<usize, Error> {
            self.$field.reserve()
        }
        pub(crate) fn $claim(&mut self, slot: usize) -> bool {
            self.$field.claim(slot)
        }
        pub(crate) fn $all(&self) -> Vec<(usize, Arc<$t>)> {
            self.$field.filled().map(|(slot, entry)| (slot, Arc::clone(entry))).collect()
        }
        pub(crate) fn $set(&mut self, slot: usize, value: Option<Arc<$t>>) {
            self.$field.entries[slot] = value;
        }
        pub(crate) fn $release(&mut self, slot: usize) {
            self.$field.release(slot);
        }
    };
}

impl Tables {
    pub(crate) fn new() -> Self {
        Self {
            textures: Slots::new(HEADERS, "texture"),
            samplers: Slots::new(SAMPLERS, "sampler"),
            surfaces: Slots::new(HEADERS, "surface"),
            sampler_users: Vec::new(),
            pairs: HashMap::new(),
        }
    }

    table!(
        reserve_texture,
        claim_texture,
        set_texture,
        free_texture,
        all_textures,
        textures,
        Texture
    );
    table!(
        reserve_sampler,
        claim_sampler,
        set_sampler,
        release_sampler,
        all_samplers,
        samplers,
        Sampler
    );
    table!(
        reserve_surface,
        claim_surface,
        set_surface,
        release_surface,
        all_surfaces,
        surfaces,
        Surface
    );

    pub(crate) fn release_texture(&mut self, slot: usize) {
        self.pairs.remove(&slot);
        self.free_texture(slot);
    }

    /// Remembers which sampler a texture was given out with.
    pub(crate) fn pair(&mut self, texture: usize, sampler: usize) {
        self.pairs.insert(texture, sampler);
    }

    /// The sampler that a texture was given out with.
    pub(crate) fn pair_of(&self, texture: usize) -> Option<usize> {
        self.pairs.get(&texture).copied()
    }

    /// A user more of a slot with this state, or its first; false if the slot is used otherwise.
    pub(crate) fn share_sampler_at(&mut self, slot: usize, sampler: &Sampler) -> bool {
        let users = self.sampler_users.get(slot).copied().unwrap_or(0);
        let same = users > 0 && self.samplers.entries[slot].as_deref() == Some(sampler);
        if !same && !self.samplers.claim(slot) {
            return false;
        }
        self.add_user(slot);
        self.samplers.entries[slot] = Some(Arc::new(*sampler));
        true
    }

    fn add_user(&mut self, slot: usize) {
        if self.sampler_users.len() <= slot {
            self.sampler_users.resize(slot + 1, 0);
        }
        self.sampler_users[slot] += 1;
    }

    /// A slot with this state: one already there for another texture object, or a new one. There
    /// are only 4095 samplers, so texture objects share equal ones.
    pub(crate) fn share_sampler(&mut self, sampler: &Sampler) -> Result<usize, Error> {
        let shared = self.sampler_users.iter().enumerate().find(|&(slot, &users)| {
            users > 0 && self.samplers.entries[slot].as_deref() == Some(sampler)
        });
        let slot = match shared {
            Some((slot, _)) => slot,
            None => self.samplers.reserve()?,
        };
        self.add_user(slot);
        self.samplers.entries[slot] = Some(Arc::new(*sampler));
        Ok(slot)
    }

    pub(crate) fn unshare_sampler(&mut self, slot: usize) {
        self.sampler_users[slot] -= 1;
        if self.sampler_users[slot] == 0 {
            self.samplers.release(slot);
        }
    }

    pub(crate) fn texture(&self, slot: usize) -> Option<Arc<Texture>> {
        self.textures.entries.get(slot)?.clone()
    }

    pub(crate) fn sampler(&self, slot: usize) -> Option<Arc<Sampler>> {
        self.samplers.entries.get(slot)?.clone()
    }

    pub(crate) fn surface(&self, slot: usize) -> Option<Arc<Surface>> {
        self.surfaces.entries.get(slot)?.clone()
    }

    /// The tables as a launch reads them.
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn freed_slots_rest_and_tables_stay_small() {
        let mut slots = Slots::<Sampler>::new(1 << 20, "sampler");
        let first = slots.reserve().unwrap();
        slots.release(first);
        for _ in 0..RESTING {
            let slot = slots.reserve().unwrap();
            assert_ne!(slot, first);
            slots.release(slot);
        }
        assert_eq!(slots.reserve().unwrap(), first);
        for _ in 0..10_000 {
            let slot = slots.reserve().unwrap();
            slots.release(slot);
        }
        assert!(slots.entries.len() < 2 * RESTING);
    }

    #[test]
    fn a_slot_that_is_asked_for_is_had_once() {
        let mut slots = Slots::<Sampler>::new(8, "sampler");
        assert!(slots.claim(3) && !slots.claim(3) && !slots.claim(0) && !slots.claim(8));
        assert!(slots.claim(1));
        // What was passed over is free, but rests until the table is full.
        assert_eq!(slots.reserve().unwrap(), 4);
        slots.release(4);
        assert!(slots.claim(4) && slots.claim(7));
        assert_eq!([slots.reserve().unwrap(), slots.reserve().unwrap()], [2, 5]);
    }

    #[test]
    fn a_full_table_uses_what_is_free() {
        let mut slots = Slots::<Sampler>::new(4, "sampler");
        let all = [slots.reserve().unwrap(), slots.reserve().unwrap(), slots.reserve().unwrap()];
        assert_eq!(all, [1, 2, 3]);
        assert!(matches!(slots.reserve(), Err(Error::TooMany { limit: 3, .. })));
        slots.release(2);
        assert_eq!(slots.reserve().unwrap(), 2);
    }
}
