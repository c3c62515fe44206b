//! The descriptor tables behind handles (docs/numerics.md 12).

use crate::device::Error;
use std::sync::Arc;
use texunit_simt::Descriptors;
use texunit_unit::{Sampler, Surface, Texture};

/// Handles hold 20 bits of header index and 12 bits of sampler index.
const HEADERS: usize = 1 << 20;
const SAMPLERS: usize = 1 << 12;

/// One table. Slot 0 is never given out, so that a handle of zero is always wrong; a freed slot
/// is used again only when all others have been, so that a stale handle is found for long.
#[derive(Debug)]
struct Slots<T> {
    entries: Vec<Option<Arc<T>>>,
    taken: Vec<bool>,
    next: usize,
    limit: usize,
    kind: &'static str,
}

impl<T> Slots<T> {
    fn new(limit: usize, kind: &'static str) -> Self {
        Self { entries: vec![None], taken: vec![true], next: 1, limit, kind }
    }

    fn reserve(&mut self) -> Result<usize, Error> {
        if self.entries.len() < self.limit {
            self.entries.push(None);
            self.taken.push(true);
            return Ok(self.entries.len() - 1);
        }
        let free = (self.next..self.limit).chain(1..self.next).find(|&i| !self.taken[i]);
        let slot = free.ok_or(Error::TooMany { kind: self.kind, limit: self.limit - 1 })?;
        self.taken[slot] = true;
        self.next = slot + 1;
        Ok(slot)
    }

    fn release(&mut self, slot: usize) {
        self.entries[slot] = None;
        self.taken[slot] = false;
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
}

macro_rules! table {
    ($reserve:ident, $set:ident, $release:ident, $field:ident, $t:ty) => {
        pub(crate) fn $reserve(&mut self) -> Result<usize, Error> {
            self.$field.reserve()
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
        }
    }

    table!(reserve_texture, set_texture, release_texture, textures, Texture);
    table!(reserve_sampler, set_sampler, release_sampler, samplers, Sampler);
    table!(reserve_surface, set_surface, release_surface, surfaces, Surface);

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
        if self.sampler_users.len() <= slot {
            self.sampler_users.resize(slot + 1, 0);
        }
        self.sampler_users[slot] += 1;
        self.samplers.entries[slot] = Some(Arc::new(*sampler));
        Ok(slot)
    }

    pub(crate) fn unshare_sampler(&mut self, slot: usize) {
        self.sampler_users[slot] -= 1;
        if self.sampler_users[slot] == 0 {
            self.samplers.release(slot);
        }
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
