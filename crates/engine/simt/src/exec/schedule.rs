//! What is drawn in launches in a random order that can be repeated (`LaunchConfig::schedule`): CTAs begin in the order of the
//! grid, as on hardware, and take turns; so do the warps of each. All of them get turns, but which one is next and for how
//! long is drawn from a seed. What a race does shows in such an order, and a program that waits for others goes on.
//!
//! One worker does it all, and everything is interpreted: a turn may end behind any instruction that accesses memory.

/// Numbers that follow from a seed (splitmix64).
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

    /// Below a number that is not 0.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i as u64 + 1) as usize);
        }
    }

    /// Steps of a turn: often a few, now and then many.
    pub(super) fn budget(&mut self) -> u64 {
        let most = [4, 32, 256, 4096][self.below(4) as usize];
        1 + self.below(most)
    }
}
