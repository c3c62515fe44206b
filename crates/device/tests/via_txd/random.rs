//! Numbers for random kernels and textures: the same ones for the same seed (splitmix64).

/// A source of numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Any number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below another.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n.max(1))) as u32
    }

    /// Whether something rare happens.
    pub(crate) fn once_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub(crate) fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize].clone()
    }

    /// From -scale to scale.
    pub(crate) fn float(&mut self, scale: f32) -> f32 {
        (self.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0) * scale
    }
}
