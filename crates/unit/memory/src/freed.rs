//! A record of freed allocations, so that a message about a stale pointer can name the allocation
//! and say how it ended.

use crate::block::FreedBlock;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// How many freed allocations are remembered.
const MAX_FREED: usize = 1 << 12;

/// Freed allocations by address: the most recent one at each address, until the address is
/// allocated again.
#[derive(Debug, Default)]
pub(crate) struct FreedMemory {
    by_address: BTreeMap<u64, FreedBlock>,
    /// Addresses and allocation numbers of freed allocations in the order of freeing; some may
    /// already have been dropped from `by_address`.
    order: VecDeque<(u64, u64)>,
    /// Reserved address ranges that this device cannot access, by the start of the range: its end,
    /// and its description for messages.
    reserved: BTreeMap<u64, (u64, FreedBlock)>,
}

impl FreedMemory {
    /// Records a freed allocation.
    pub(crate) fn add(&mut self, address: u64, gone: FreedBlock) {
        self.forget(address..address.saturating_add(gone.size));
        self.order.push_back((address, gone.number));
        self.by_address.insert(address, gone);
        while self.order.len() > MAX_FREED {
            let Some((address, number)) = self.order.pop_front() else { break };
            if self.by_address.get(&address).is_some_and(|gone| gone.number == number) {
                self.by_address.remove(&address);
            }
        }
    }

    /// Drops the records of a range, because the range has been allocated again.
    pub(crate) fn forget(&mut self, range: Range<u64>) {
        let end = range.end.max(range.start.saturating_add(1));
        while let Some((&at, gone)) = self.by_address.range(..end).next_back()
            && at.saturating_add(gone.size.max(1)) > range.start
        {
            self.by_address.remove(&at);
        }
    }

    /// All recorded allocations, by address.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, &FreedBlock)> {
        self.by_address.iter().map(|(&address, gone)| (address, gone))
    }

    /// Replaces the descriptions of reserved ranges within `all`. Parts of `all` that are not in
    /// `said` have no description afterwards.
    pub(crate) fn describe(&mut self, all: Range<u64>, said: Vec<(Range<u64>, FreedBlock)>) {
        if let Some((_, (end, _))) = self.reserved.range_mut(..all.start).next_back() {
            *end = all.start.min(*end);
        }
        let old: Vec<u64> = self.reserved.range(all).map(|(&start, _)| start).collect();
        old.iter().for_each(|start| _ = self.reserved.remove(start));
        self.reserved
            .extend(said.into_iter().map(|(range, gone)| (range.start, (range.end, gone))));
    }

    /// The freed allocation at an address, or the description of a reserved range there.
    pub(crate) fn find(&self, address: u64) -> Option<&FreedBlock> {
        let describe = self.reserved.range(..=address).next_back();
        if let Some((_, (_, gone))) = describe.filter(|(_, (end, _))| address < *end) {
            return Some(gone);
        }
        let (&at, gone) = self.by_address.range(..=address).next_back()?;
        (address - at < gone.size).then_some(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;

    fn gone(number: u64, size: u64) -> FreedBlock {
        FreedBlock { name: String::new(), address: None, size, number, how: End::Freed }
    }

    #[test]
    fn what_was_at_an_address_until_something_else_is() {
        let mut freed = FreedMemory::default();
        freed.add(1000, gone(1, 100));
        freed.add(2000, gone(2, 100));
        let number = |freed: &FreedMemory, at| freed.find(at).map(|gone| gone.number);
        assert_eq!(
            [999, 1000, 1099, 1100, 2050].map(|at| number(&freed, at)),
            [None, Some(1), Some(1), None, Some(2)]
        );
        freed.forget(1099..2000);
        assert_eq!((number(&freed, 1000), number(&freed, 2000)), (None, Some(2)));
        freed.add(2090, gone(3, 10));
        assert_eq!((number(&freed, 2000), number(&freed, 2099)), (None, Some(3)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "thousands of allocations")]
    fn the_oldest_are_forgotten() {
        let mut freed = FreedMemory::default();
        for i in 0..2 * MAX_FREED as u64 {
            freed.add(i % 100 * 64, gone(i, 64));
        }
        assert_eq!(freed.by_address.len(), 100);
        for i in 0..2 * MAX_FREED as u64 {
            freed.add((1 << 20) + i * 64, gone(i, 64));
        }
        assert_eq!((freed.by_address.len(), freed.order.len()), (MAX_FREED, MAX_FREED));
        assert!(freed.find(0).is_none());
    }
}
