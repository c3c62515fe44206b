//! Random decisions of launches with a random, repeatable order (`ExecutionOptions::schedule`).
//! CTAs begin in grid order, as on hardware, and take turns, as do the warps of each CTA. All get
//! turns, but their order and length are random. Random orders expose races, and CTAs that wait for
//! other CTAs still make progress.
//!
//! A single worker interprets all code, because a turn can end after any instruction that accesses
//! memory.

/// A random generator (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A random number below `n`, which is not 0.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i as u64 + 1) as usize);
        }
    }

    /// Number of steps of a turn: usually few, occasionally many.
    pub(super) fn budget(&mut self) -> u64 {
        let most = [4, 32, 256, 4096][self.below(4) as usize];
        1 + self.below(most)
    }
}
