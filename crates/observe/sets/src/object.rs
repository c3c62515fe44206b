//! The objects of a launch: everything with bytes that it can access.

use std::collections::HashMap;
use std::sync::Arc;
use texunit_device::State;
use texunit_memory::Block;

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

/// The host address, which parts and copies of a block share.
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
