//! The device's memory and CUDA arrays before a launch, and the changes that the launch makes.

use crate::Refused;
use crate::bytes::{Budget, Pieces, freed_during_launch};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_device::{Array, Block, MemoryMap};
use texunit_forms::Count;

/// Maximum size in bytes of an array that is recorded; every file of a job has this limit.
const MAX_BYTES: u64 = 2 << 30;

/// An allocation or variable of the device, with its contents before the launch.
#[derive(Debug)]
pub(crate) struct SavedBlock {
    pub(crate) address: u64,
    pub(crate) block: Arc<Block>,
    pub(crate) before: Pieces,
}

impl SavedBlock {
    pub(crate) fn size(&self) -> u64 {
        self.block.size() as u64
    }
}

/// Copies all allocations and variables of the device.
pub(crate) fn hold(map: &MemoryMap, budget: &mut Budget) -> Result<Vec<SavedBlock>, Refused> {
    let hold = |(address, block): &(u64, Arc<Block>)| {
        let before = Pieces::not_zero(&**block, block.size() as u64, budget)?;
        Ok(SavedBlock { address: *address, block: Arc::clone(block), before })
    };
    map.blocks().iter().map(hold).collect()
}

/// The bytes of each allocation that the launch has changed.
pub(crate) fn changes(
    held: &[SavedBlock],
    now: &MemoryMap,
    budget: &mut Budget,
) -> Result<Vec<Pieces>, Refused> {
    // An allocation that the program has freed since may be inaccessible.
    let there: HashMap<u64, u64> =
        now.blocks().iter().map(|(address, block)| (*address, block.number())).collect();
    let change = |held: &SavedBlock| {
        if there.get(&held.address) != Some(&held.block.number()) {
            return Err(freed_during_launch());
        }
        held.before.changed(&*held.block, held.size(), budget)
    };
    held.iter().map(change).collect()
}

/// A CUDA array, and the texels of all its levels before the launch, packed.
#[derive(Debug)]
pub(crate) struct Texels {
    pub(crate) array: Array,
    pub(crate) before: Vec<u8>,
}

/// Copies the texels of all CUDA arrays.
pub(crate) fn hold_arrays(arrays: &[Array], budget: &mut Budget) -> Result<Vec<Texels>, Refused> {
    let hold = |array: &Array| {
        if array.size() > MAX_BYTES {
            let why = format!(
                "an array has {}, and a file at most {MAX_BYTES}",
                Count(array.size(), "byte")
            );
            return Err(Refused::Launch(why));
        }
        budget.take(array.size())?;
        Ok(Texels { array: array.clone(), before: array.read() })
    };
    arrays.iter().map(hold).collect()
}

impl Texels {
    /// The texels that the launch has changed in the array.
    pub(crate) fn changes(&self, budget: &mut Budget) -> Result<Pieces, Refused> {
        let (now, size) = (self.array.read(), self.before.len() as u64);
        // The contents of the array are compared as a whole, including zeros.
        let before = Pieces::from_bytes(&self.before);
        before.changed(&now.as_slice(), size, budget)
    }
}
