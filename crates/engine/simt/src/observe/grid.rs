//! Linear indices and coordinates of CTAs in a grid, and of threads in a CTA.

/// The linear index of coordinates, x varying fastest.
#[inline]
pub fn linear_index(at: [u32; 3], size: [u32; 3]) -> u64 {
    let ([x, y, z], [width, height, _]) = (at.map(u64::from), size.map(u64::from));
    x + width * (y + height * z)
}

/// The coordinates of a linear index. Sizes of 0 count as 1.
#[inline]
pub fn coordinates(index: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (x.max(1), y.max(1));
    // A division can take longer than a short warp, and a 64-bit one longer than a 32-bit one.
    match u32::try_from(index) {
        Ok(index) if index < x => [index, 0, 0],
        Ok(index) => [index % x, index / x % y, index / x / y],
        Err(_) => {
            let [x, y] = [x, y].map(u64::from);
            [index % x, index / x % y, index / x / y].map(|n| n as u32)
        }
    }
}
