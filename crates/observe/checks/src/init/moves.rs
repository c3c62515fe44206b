//! Remembers the origin of undefined bytes that kernels store, so that a later use can be
//! attributed to the first load that read them.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use texunit_simt::{Described, SpaceKind};

/// Maximum number of memory words with a remembered origin; bytes of other words are reported as
/// never written.
const MAX: usize = 1 << 18;

/// The origin of undefined bytes that a store wrote.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    /// The store, for example `copied at stencil.cu:74`.
    pub(super) how: Arc<str>,
    /// The source of the bytes, for example ``4 bytes of `cudaMalloc+0x64` (256 bytes, allocation
    /// 1) that were never written``.
    pub(super) from: Arc<str>,
    /// The object that contains the source bytes.
    pub(super) object: Option<Arc<Described>>,
    /// The operation that loaded the source bytes first, in the launch that stored them.
    pub(super) op: u32,
    /// The allocation that the bytes were stored to.
    pub(super) allocation: u64,
}

/// Origins of undefined words in global memory, by address.
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

    /// Describes the origin of unwritten bytes of an allocation: `copied at stencil.cu:74 from
    /// ...`.
    pub(crate) fn words(&self, address: u64, allocation: u64) -> Option<String> {
        self.at(address, allocation).map(|moved| format!("{} from {}", moved.how, moved.from))
    }
}

/// The first origin of undefined bytes: text, the object that contains them, and the operation that
/// loaded them.
pub(super) type Root = (Arc<str>, Option<Arc<Described>>, u32);

/// Origins of undefined words in a CTA's shared memory and its threads' local memory.
#[derive(Default)]
pub(super) struct CtaMoves {
    shared: HashMap<u64, Moved>,
    local: HashMap<(u32, u64), Moved>,
    /// The description of each store operation.
    pub(super) how: HashMap<u32, Arc<str>>,
    /// For each store and load operation, the origin of the first lane's bytes.
    pub(super) words: HashMap<(u32, u32), Root>,
}

impl CtaMoves {
    /// Resets the memory when a CTA begins. Descriptions of operations are kept.
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
