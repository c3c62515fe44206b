//! Records the origin of undefined bytes that kernels store, so that a later use is attributed to
//! the load that first read the undefined bytes.

use crate::lock;
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex};
use texunit_simt::{Described, SpaceKind};

/// Maximum number of memory words with a recorded origin. Undefined bytes of further words are
/// reported as never written.
const MAX: usize = 1 << 18;

/// The origin of undefined bytes that a kernel stored.
#[derive(Clone, Debug)]
pub(crate) struct StoredOrigin {
    /// The store as text, for example `copied at stencil.cu:74`.
    pub(super) how: Arc<str>,
    /// The undefined bytes that the kernel loaded, as text, for example ``4 bytes of
    /// `cudaMalloc+0x64` (256 bytes, allocation 1) that were never written``.
    pub(super) from: Arc<str>,
    /// The variable or allocation from which the undefined bytes were first loaded.
    pub(super) object: Option<Arc<Described>>,
    /// The operation that first loaded the undefined bytes, in the launch that stored them.
    pub(super) op: u32,
    /// The number of the allocation to which the bytes were stored. If the allocation was freed
    /// since and its address used again, the record does not apply.
    pub(super) allocation: u64,
}

/// Origins of undefined 4-byte words in global memory, by address.
#[derive(Debug, Default)]
pub(crate) struct StoredOrigins(Mutex<HashMap<u64, StoredOrigin>>);

fn words(bytes: &Range<u64>) -> RangeInclusive<u64> {
    bytes.start / 4..=bytes.end.saturating_sub(1) / 4
}

impl StoredOrigins {
    pub(super) fn put(&self, bytes: Range<u64>, moved: &StoredOrigin) {
        let mut all = lock(&self.0);
        for word in words(&bytes) {
            if all.len() < MAX || all.contains_key(&word) {
                all.insert(word, moved.clone());
            }
        }
    }

    pub(super) fn at(&self, address: u64, allocation: u64) -> Option<StoredOrigin> {
        lock(&self.0).get(&(address / 4)).filter(|moved| moved.allocation == allocation).cloned()
    }

    /// The origin of undefined bytes of an allocation as text: `copied at stencil.cu:74 from ...`.
    pub(crate) fn words(&self, address: u64, allocation: u64) -> Option<String> {
        self.at(address, allocation).map(|moved| format!("{} from {}", moved.how, moved.from))
    }
}

/// The load that first returned the undefined bytes: their description, the object that contains
/// them, and the operation.
pub(super) type Root = (Arc<str>, Option<Arc<Described>>, u32);

/// Origins of undefined 4-byte words in a CTA's shared memory and its threads' local memory.
#[derive(Default)]
pub(super) struct CtaStoredOrigins {
    /// The origins, by state space, thread (for local memory) and address of the word.
    stored: HashMap<(SpaceKind, u32, u64), StoredOrigin>,
    /// For each store operation, its text, for example `copied at stencil.cu:74`.
    pub(super) how: HashMap<u32, Arc<str>>,
    /// For each pair of a store operation and the load operation that its value came from, the
    /// origin of the bytes that the first lane stored.
    pub(super) words: HashMap<(u32, u32), Root>,
}

impl CtaStoredOrigins {
    /// Removes the origins of the previous CTA when a CTA begins. The texts of operations are the
    /// same in all CTAs and remain.
    pub(super) fn clear(&mut self) {
        self.stored.clear();
    }

    pub(super) fn put(
        &mut self,
        space: SpaceKind,
        (thread, bytes): (u32, Range<u64>),
        moved: &StoredOrigin,
    ) {
        for word in words(&bytes) {
            if self.stored.len() < MAX {
                self.stored.insert(key(space, thread, word), moved.clone());
            }
        }
    }

    pub(super) fn at(&self, space: SpaceKind, of: (u32, u64)) -> Option<StoredOrigin> {
        let (thread, address) = of;
        self.stored.get(&key(space, thread, address / 4)).cloned()
    }
}

/// The key of a word, which all threads of a CTA share in shared memory.
fn key(space: SpaceKind, thread: u32, word: u64) -> (SpaceKind, u32, u64) {
    (space, if space == SpaceKind::Local { thread } else { 0 }, word)
}
