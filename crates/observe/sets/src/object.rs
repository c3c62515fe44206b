//! Everything with bytes that a launch can reach.

use std::collections::HashMap;
use std::sync::Arc;
use texunit_device::State;
use texunit_memory::Block;

/// An allocation, a variable, or the texels of an array.
#[derive(Clone, Debug)]
pub struct Object {
    /// Where it begins, unless only texture and surface instructions reach it.
    pub address: Option<u64>,
    /// Its bytes.
    pub block: Arc<Block>,
}

impl Object {
    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.block.size() as u64
    }
}

/// All of a device: memory in the order of its addresses, then arrays in the order in which they were made. Two devices
/// on which the same job was bound have the same objects under the same numbers.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    list: Vec<Object>,
    /// By where the first byte is in the host.
    numbers: HashMap<usize, u32>,
}

/// What parts and copies of a block have in common.
fn place(block: &Block) -> usize {
    block.reach(0).host().as_ptr().addr()
}

impl Objects {
    /// Those that are on a device now.
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
        // An empty block has no place of its own, and no bytes to speak of.
        if block.size() == 0 {
            return;
        }
        let next = self.list.len() as u32;
        if let std::collections::hash_map::Entry::Vacant(entry) = self.numbers.entry(place(block)) {
            entry.insert(next);
            self.list.push(Object { address, block: Arc::clone(block) });
        }
    }

    /// All of them.
    pub fn list(&self) -> &[Object] {
        &self.list
    }

    /// The number of the one that has the bytes of a block.
    pub(crate) fn number(&self, block: &Block) -> Option<u32> {
        self.numbers.get(&place(block)).copied()
    }
}
