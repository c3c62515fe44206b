//! Converts between linear indices and coordinates of threads and CTAs.

use texunit_simt::observe::{coordinates, linear_index};

/// %tid of a thread, given its linear index in the CTA.
pub(crate) fn thread_of(linear: u32, block: [u32; 3]) -> [u32; 3] {
    coordinates(linear.into(), block)
}

/// %ctaid of a CTA, given its linear index in the grid.
pub(crate) fn cta_of(index: u64, grid: [u32; 3]) -> [u32; 3] {
    coordinates(index, grid)
}

/// The linear index of coordinates; `None` if they are out of range.
pub(crate) fn index_of(at: [u32; 3], size: [u32; 3]) -> Option<u64> {
    let inside = at.iter().zip(size).all(|(&at, size)| at < size);
    inside.then(|| linear_index(at, size))
}

/// `(1,0,0)`
pub(crate) fn shown([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}
