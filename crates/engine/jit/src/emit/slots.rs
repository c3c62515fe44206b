//! Allocation of the frame slots of base groups, each live from the first to the last access of its
//! group.

/// The slots of all blocks.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// For each block, its slots with the first and last step of their groups.
    open: Vec<Vec<(usize, usize, usize)>>,
}

impl Slots {
    /// Begins the next block.
    pub(super) fn begin_block(&mut self) {
        self.open.push(Vec::new());
    }

    /// Allocates one of `count` slots for a group of the current block; `None` if all are in use.
    /// Groups come in the order of their first steps.
    pub(super) fn take(&mut self, count: usize, (first, last): (usize, usize)) -> Option<usize> {
        let open = self.open.last_mut()?;
        let is_free = |slot: &usize| open.iter().all(|o| o.0 != *slot || o.2 < first);
        let slot = (0..count).find(is_free)?;
        open.push((slot, first, last));
        Some(slot)
    }

    /// The slots that steps after `step` read, as bits.
    pub(super) fn open(&self, block: usize, step: usize) -> u8 {
        let all = self.open.get(block).into_iter().flatten();
        let open = all.filter(|&&(_, first, last)| first <= step && step < last);
        open.fold(0, |bits, &(slot, ..)| bits | 1 << slot)
    }
}
