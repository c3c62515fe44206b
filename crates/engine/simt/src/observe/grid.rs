//! Linear indices and coordinates of CTAs in a grid, and of threads in a CTA.

/// The linear index of coordinates, x varying fastest.
#[inline]
pub fn linear_index(at: [u32; 3], size: [u32; 3]) -> u64 {
    let ([x, y, z], [width, height, _]) = (at.map(u64::from), size.map(u64::from));
    x + width * (y + height * z)
}

/// The coordinates of a linear index. Sizes of 0 count as 1.
pub fn coordinates(index: u64, size: [u32; 3]) -> [u32; 3] {
    let [width, height, _] = size.map(|n| u64::from(n.max(1)));
    [index % width, index / width % height, index / width / height].map(|n| n as u32)
}
