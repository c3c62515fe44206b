//! The bits of a 16-byte block, lowest first.

/// What is left of a block.
pub(super) struct Bits(pub(super) u128);

impl Bits {
    /// The next `count` (0 to 8) bits, the first one lowest.
    pub(super) fn take(&mut self, count: u8) -> u32 {
        let taken = self.0 as u32 & ((1 << count) - 1);
        self.0 >>= count;
        taken
    }
}

/// Weights of interpolation in 1/64, by index.
pub(super) fn weights(index_bits: u8) -> &'static [i32] {
    match index_bits {
        2 => &[0, 21, 43, 64],
        3 => &[0, 9, 18, 27, 37, 46, 55, 64],
        _ => &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
    }
}

/// Between `a` and `b`, rounded half up; negative numbers (of signed BC6H) too.
pub(super) fn interpolate(a: i32, b: i32, weight: i32) -> i32 {
    (a * (64 - weight) + b * weight + 32) >> 6
}
