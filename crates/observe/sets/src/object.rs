//! The objects of a launch (all memory that the launch can access), and the identity of the launch:
//! a hash of the objects, by which sets of different launches can be told apart.

use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_device::State;
use texunit_memory::Block;

/// Number of bytes that are hashed at a time.
const PIECE: u64 = 1 << 20;

/// An allocation, a variable, or the texels of an array.
#[derive(Clone, Debug)]
pub struct Object {
    /// The device address; `None` if only texture and surface instructions can access it.
    pub address: Option<u64>,
    /// The memory block of the object.
    pub block: Arc<Block>,
}

impl Object {
    /// The object's size in bytes.
    pub fn size(&self) -> u64 {
        self.block.size() as u64
    }
}

/// All objects of a device: memory in the order of addresses, then arrays in the order of their
/// creation. Two devices that were set up for the same job number their objects in the same way.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    list: Vec<Object>,
    /// Object numbers by host address.
    numbers: HashMap<usize, u32>,
}

/// The host address of a block's bytes, which parts and copies of the block share.
fn place(block: &Block) -> usize {
    block.reach(0).host().as_ptr().addr()
}

impl Objects {
    /// The objects of a device in its current state.
    pub fn of(state: &State) -> Self {
        let mut objects = Self::default();
        for (address, block) in state.memory.blocks() {
            objects.push(Some(*address), block);
        }
        let mut arrays: Vec<&Arc<Block>> =
            state.arrays.iter().map(|array| array.texels().block()).collect();
        arrays.sort_by_key(|block| block.number());
        arrays.into_iter().for_each(|block| objects.push(None, block));
        objects
    }

    fn push(&mut self, address: Option<u64>, block: &Arc<Block>) {
        // An empty block has no address of its own and no bytes to record.
        if block.size() == 0 {
            return;
        }
        let next = self.list.len() as u32;
        if let std::collections::hash_map::Entry::Vacant(entry) = self.numbers.entry(place(block)) {
            entry.insert(next);
            self.list.push(Object { address, block: Arc::clone(block) });
        }
    }

    /// All objects of the launch, in the order in which they were added.
    pub fn list(&self) -> &[Object] {
        &self.list
    }

    /// The number of the object that contains a block's bytes.
    pub(crate) fn number(&self, block: &Block) -> Option<u32> {
        self.numbers.get(&place(block)).copied()
    }
}

/// Hashes everything that determines a launch: texts (job, module, options), and the addresses and
/// contents of all objects. [`crate::Sets`] with different hashes belong to different launches, or
/// to launches with different initial memory.
pub fn identity<'t>(texts: impl IntoIterator<Item = &'t str>, objects: &Objects) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"texunit launch 1");
    hash.update(env!("CARGO_PKG_VERSION"));
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.update(u64::MAX.to_le_bytes());
    let mut bytes = Vec::new();
    for object in objects.list() {
        hash.update(object.address.unwrap_or(u64::MAX).to_le_bytes());
        hash.update(object.size().to_le_bytes());
        let mut at = 0;
        while at < object.size() {
            bytes.resize((object.size() - at).min(PIECE) as usize, 0);
            object.block.read(at, &mut bytes).expect("inside of the block");
            hash.update(&bytes);
            at += bytes.len() as u64;
        }
    }
    hash.finalize().into()
}
