//! The device's memory before a launch, and the changes that the launch makes.

use crate::Refused;
use crate::bytes::{Budget, Pieces};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_device::{Block, MemoryMap};

/// An allocation or variable, with its contents before the launch.
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

/// Copies all memory of the device.
pub(crate) fn hold(map: &MemoryMap, budget: &mut Budget) -> Result<Vec<SavedBlock>, Refused> {
    let hold = |(address, block): &(u64, Arc<Block>)| {
        let before = Pieces::not_zero(&**block, block.size() as u64, budget)?;
        Ok(SavedBlock { address: *address, block: Arc::clone(block), before })
    };
    map.blocks().iter().map(hold).collect()
}

/// The changed bytes of each allocation.
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
            let why = "the program freed memory while the kernel ran".to_owned();
            return Err(Refused::Launch(why));
        }
        held.before.changed(&*held.block, held.size(), budget)
    };
    held.iter().map(change).collect()
}
