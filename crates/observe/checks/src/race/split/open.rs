//! The cache of a split line: which of its words have recorded accesses that can still race.

use super::Split;
use crate::race::fasttrack::View;

/// Which words of a line have recorded accesses that can still race with a later access. The masks
/// are cached for one synchronisation interval, in which they do not grow except by new accesses.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenAccesses {
    /// Number of the synchronisation interval of the masks; 0 if nothing is cached.
    pub(super) interval: u64,
    /// A mask of the words whose state is cached.
    pub(super) known: u32,
    /// A mask that contains at least the words with stores that can still race.
    pub(super) stored: u32,
    /// A mask that contains at least the words with other accesses that can still race.
    pub(super) others: u32,
    /// A mask of the words of which further weak loads need not be recorded.
    pub(super) full: u32,
    /// CTA and time of the latest recorded access of the line; [`NEVER`] if they are not known.
    pub(super) last: (u32, u32),
    /// CTA and time of the latest recorded access to the words whose state is cached.
    pub(super) newest: (u32, u32),
}

/// A time later than that of every access.
pub(super) const NEVER: u32 = u32::MAX;

impl Split {
    /// Computes the cached state of the words in a mask, as far as it is not cached for this
    /// synchronisation interval.
    #[inline]
    pub(super) fn refresh(&mut self, view: &View<'_>, interval: u64, words: u32) {
        if self.open.interval != interval {
            let last = self.open.last;
            let past =
                last.0 < view.below || (view.near && last.0 == view.serial && last.1 <= view.all);
            let (known, newest) = if past { (u32::MAX, last) } else { (0, (0, 0)) };
            self.open = OpenAccesses { interval, known, last, newest, ..OpenAccesses::default() };
        }
        if words & !self.open.known != 0 {
            self.refresh_words(view, words & !self.open.known);
        }
    }

    fn refresh_words(&mut self, view: &View<'_>, words: u32) {
        let (mut rest, open) = (words, &mut self.open);
        while rest != 0 {
            let i = rest.trailing_zeros();
            rest &= rest - 1;
            let Some(cell) = self.cells.get(i as usize) else { break };
            let [stored, others] = cell.is_open(view);
            open.stored |= u32::from(stored) << i;
            open.others |= u32::from(others) << i;
            for stamp in cell.stamps() {
                let time = if stamp.kind().is_async() { NEVER } else { stamp.time() };
                open.newest = open.newest.max((stamp.serial, time));
            }
        }
        open.known |= words;
        if open.known == u32::MAX {
            open.last = open.newest;
        }
    }

    /// Updates the cached times after an access is recorded.
    #[inline(always)]
    pub(super) fn update_times(&mut self, view: &View<'_>) {
        let (now, open) = ((view.serial, view.now), &mut self.open);
        (open.last, open.newest) = (open.last.max(now), open.newest.max(now));
    }
}
