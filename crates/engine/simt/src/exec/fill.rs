//! Fills shared and local memory with a pattern at the start of a CTA (`--fill`).

use super::context::Context;
use super::warp::Warp;
use texunit_memory::Fill;

impl Context<'_> {
    /// The fill pattern and a number that is different for each CTA of a device.
    fn fill_of(&self, cta: u64) -> Option<(Fill, u64)> {
        let config = &self.launch.config;
        Some((config.fill?, config.grid_id.rotate_left(40) ^ cta))
    }

    /// Fills the shared memory of a CTA, given its number in the grid.
    #[inline]
    pub(super) fn fill_shared(&mut self, index: u64) {
        if let Some((fill, number)) = self.fill_of(index) {
            fill.bytes(number, 0, &mut self.cta.shared);
        }
    }

    /// Fills the local memory of a warp's threads, beginning with a word.
    #[inline]
    pub(super) fn fill_local(&self, warp: &mut Warp, from: usize) {
        let Some((fill, number)) = self.fill_of(self.cta_number()) else { return };
        let first = u64::from(warp.index) * 32 + 1;
        for (at, row) in (0..).zip(&mut warp.local).skip(from) {
            for (thread, word) in (first..).zip(row) {
                *word = fill.word(number ^ thread.rotate_right(12), 4 * at);
            }
        }
    }
}
