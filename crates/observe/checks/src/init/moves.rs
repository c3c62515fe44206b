//! Where undefined bytes come from that stores have brought elsewhere.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use texunit_simt::{Described, SpaceKind};

/// Words of memory of which it is remembered what has been stored there; of others it is said that nobody has written
/// them.
const MAX: usize = 1 << 18;

/// What a store of undefined bytes has brought to a place.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    /// How, and where: `copied at stencil.cu:74`.
    pub(super) how: Arc<str>,
    /// From what: ``4 bytes of `cudaMalloc+0x64` (256 bytes, allocation 1) that were never written``.
    pub(super) from: Arc<str>,
    /// The object that these lie in.
    pub(super) object: Option<Arc<Described>>,
    /// The operation that has loaded them first, of the launch that has stored them.
    pub(super) op: u32,
    /// The allocation that they were brought to.
    pub(super) allocation: u64,
}

/// What has been stored in global memory, by words.
#[derive(Debug, Default)]
pub(crate) struct Moves(Mutex<HashMap<u64, Moved>>);

fn words(bytes: &Range<u64>) -> RangeInclusive<u64> {
    bytes.start / 4..=bytes.end.saturating_sub(1) / 4
}

impl Moves {
    fn all(&self) -> MutexGuard<'_, HashMap<u64, Moved>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn put(&self, bytes: Range<u64>, moved: &Moved) {
        let mut all = self.all();
        for word in words(&bytes) {
            if all.len() < MAX || all.contains_key(&word) {
                all.insert(word, moved.clone());
            }
        }
    }

    pub(super) fn at(&self, address: u64, allocation: u64) -> Option<Moved> {
        self.all().get(&(address / 4)).filter(|moved| moved.allocation == allocation).cloned()
    }

    /// In words, what bytes of an allocation that nobody has written were stored from: `copied at stencil.cu:74 from ...`.
    pub(crate) fn words(&self, address: u64, allocation: u64) -> Option<String> {
        self.at(address, allocation).map(|moved| format!("{} from {}", moved.how, moved.from))
    }
}

/// What undefined bytes are at first: in words, the object that they lie in, the operation that has loaded them.
pub(super) type Root = (Arc<str>, Option<Arc<Described>>, u32);

/// What has been stored in the memory of a CTA, by words: shared memory, and that of each thread.
#[derive(Default)]
pub(super) struct Own {
    shared: HashMap<u64, Moved>,
    local: HashMap<(u32, u64), Moved>,
    /// Where operations store, in words.
    pub(super) how: HashMap<u32, Arc<str>>,
    /// What the first lane of a store has stored that had loaded it by an operation.
    pub(super) words: HashMap<(u32, u32), Root>,
}

impl Own {
    /// A CTA begins. The code stays the same.
    pub(super) fn clear(&mut self) {
        self.shared.clear();
        self.local.clear();
    }

    pub(super) fn put(
        &mut self,
        space: SpaceKind,
        (thread, bytes): (u32, Range<u64>),
        moved: &Moved,
    ) {
        for word in words(&bytes) {
            match space {
                SpaceKind::Shared if self.shared.len() < MAX => {
                    self.shared.insert(word, moved.clone());
                }
                SpaceKind::Local if self.local.len() < MAX => {
                    self.local.insert((thread, word), moved.clone());
                }
                _ => {}
            }
        }
    }

    pub(super) fn at(&self, space: SpaceKind, (thread, address): (u32, u64)) -> Option<Moved> {
        match space {
            SpaceKind::Shared => self.shared.get(&(address / 4)).cloned(),
            SpaceKind::Local => self.local.get(&(thread, address / 4)).cloned(),
            _ => None,
        }
    }
}
