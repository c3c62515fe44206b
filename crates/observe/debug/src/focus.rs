//! Converts between linear indices and coordinates of threads and CTAs.

use texunit_simt::observe::linear_index;

pub(crate) use texunit_simt::observe::coordinates;

/// The linear index of coordinates; `None` if they are out of range.
pub(crate) fn index_of(at: [u32; 3], size: [u32; 3]) -> Option<u64> {
    let inside = at.iter().zip(size).all(|(&at, size)| at < size);
    inside.then(|| linear_index(at, size))
}

/// Formats coordinates as `(1,0,0)`.
pub(crate) fn shown([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}
