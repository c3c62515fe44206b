//! Reserved address ranges whose mappings change: the blocks that this device can access there, and
//! descriptions for messages of the rest.

use super::{Entry, Memory};
use crate::block::{Block, FreedBlock};
use std::ops::Range;
use std::sync::Arc;

impl Memory {
    /// Replaces the blocks in a reserved range, without ending the old ones, and the descriptions
    /// of its other parts. The range must hold only blocks that this function has put there.
    pub fn set_range(
        &self,
        range: Range<u64>,
        blocks: Vec<(u64, Arc<Block>)>,
        said: Vec<(Range<u64>, FreedBlock)>,
    ) {
        let mut state = self.state();
        let old: Vec<u64> = state.blocks.range(range.clone()).map(|(&base, _)| base).collect();
        old.iter().for_each(|base| _ = state.blocks.remove(base));
        let entry = |(base, block)| (base, Entry { block, counted: false, is_own: false });
        state.blocks.extend(blocks.into_iter().map(entry));
        let mut freed = self.freed();
        freed.forget(range.clone());
        freed.describe(range, said);
    }
}

impl Memory {
    /// Records freed memory whose address is available again.
    pub fn record_freed(&self, address: u64, gone: FreedBlock) {
        self.freed().add(address, gone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;

    #[test]
    fn a_range_has_what_was_put_there_last() {
        let memory = Memory::new(1000);
        let gone =
            |how| FreedBlock { name: "n".into(), address: None, size: 0x3000, number: 9, how };
        let block = || Arc::new(Block::new(0x1000, "part").unwrap());
        memory.set_range(
            0x1000..0x4000,
            vec![(0x2000, block())],
            vec![(0x1000..0x2000, gone(End::Reserved)), (0x3000..0x4000, gone(End::NoAccess))],
        );
        let how = |at| memory.find(at, 1).unwrap_err().gone.map(|gone| gone.how);
        assert!(memory.find(0x2fff, 1).is_ok() && memory.used() == 0);
        assert_eq!(
            [0xfff, 0x1000, 0x1fff, 0x3000, 0x3fff, 0x4000].map(how),
            [
                None,
                Some(End::Reserved),
                Some(End::Reserved),
                Some(End::NoAccess),
                Some(End::NoAccess),
                None
            ]
        );
        let map = memory.map();
        assert_eq!(map.gone(0x1000).unwrap().how, End::Reserved);
        memory.set_range(0x1000..0x4000, vec![(0x1000, block())], Vec::new());
        assert!(memory.find(0x1000, 0x1000).is_ok());
        assert_eq!([0x2000, 0x3000].map(how), [None, None]);
    }
}
