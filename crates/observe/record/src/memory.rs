//! Memory of the device, before and after.

use crate::Refused;
use crate::bytes::{Budget, Pieces};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_device::{Block, MemoryMap};

/// An allocation or variable, and what it held.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) address: u64,
    pub(crate) block: Arc<Block>,
    pub(crate) before: Pieces,
}

impl Held {
    pub(crate) fn size(&self) -> u64 {
        self.block.size() as u64
    }
}

/// Keeps all of it.
pub(crate) fn hold(map: &MemoryMap, budget: &mut Budget) -> Result<Vec<Held>, Refused> {
    let hold = |(address, block): &(u64, Arc<Block>)| {
        let before = Pieces::not_zero(&**block, block.size() as u64, budget)?;
        Ok(Held { address: *address, block: Arc::clone(block), before })
    };
    map.blocks().iter().map(hold).collect()
}

/// What the launch has changed, of each.
pub(crate) fn changes(
    held: &[Held],
    now: &MemoryMap,
    budget: &mut Budget,
) -> Result<Vec<Pieces>, Refused> {
    // Of what the program has taken away since, the bytes may not be there any more.
    let there: HashMap<u64, u64> =
        now.blocks().iter().map(|(address, block)| (*address, block.number())).collect();
    let change = |held: &Held| {
        if there.get(&held.address) != Some(&held.block.number()) {
            let why = "the program freed memory while the kernel ran".to_owned();
            return Err(Refused::Launch(why));
        }
        held.before.changed(&*held.block, held.size(), budget)
    };
    held.iter().map(change).collect()
}
