//! Converts between linear indices and coordinates of threads and CTAs.

/// %tid of a thread, given its linear index in the CTA.
pub(crate) fn thread_of(linear: u32, block: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = block.map(|n| n.max(1));
    [linear % x, linear / x % y, linear / x / y]
}

/// %ctaid of a CTA, given its linear index in the grid.
pub(crate) fn cta_of(index: u64, grid: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = grid.map(|n| u64::from(n.max(1)));
    [index % x, index / x % y, index / x / y].map(|n| n as u32)
}

/// The linear index of coordinates; `None` if they are out of range.
pub(crate) fn index_of(at: [u32; 3], size: [u32; 3]) -> Option<u64> {
    let inside = at.iter().zip(size).all(|(&at, size)| at < size);
    let ([x, y, z], [w, h, _]) = (at.map(u64::from), size.map(u64::from));
    inside.then_some(x + w * (y + h * z))
}

/// `(1,0,0)`
pub(crate) fn shown([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}
