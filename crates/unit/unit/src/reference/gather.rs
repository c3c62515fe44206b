//! `tld4`: docs/numerics.md, section 8. Gathers one component of each of the four texels of a
//! footprint.

use super::footprint::{Axis, Corner};
use super::weights::{of_missing_corner, share_that_passes};
use texunit_texel::Reading;

/// Positions of the results in the footprint, along x and y: counter-clockwise from the lower left.
#[rustfmt::skip]
pub(crate) const ORDER: [[u8; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];

/// The four texels in the order of the results. They have no weights.
pub(crate) fn corners(axes: &[Axis; 3]) -> [Corner; 4] {
    ORDER.map(|[x, y]| Corner {
        corner: [x, y, 0],
        index: [axes[0].index + i64::from(x), axes[1].index + i64::from(y), 0],
        weight: 0,
        exact: 0.0,
        read: true,
    })
}

/// Rules 8.3 to 8.5: a result is the component of a texel, or the outcome of its depth compare
/// (rule 9.2), which is not filtered. The compare uses the depth, whichever component is requested.
pub(crate) fn value(reading: Reading, code: u32, compared: Option<bool>) -> u32 {
    match compared {
        Some(passes) => share_that_passes(256 * u32::from(passes), 0),
        None => reading.gather(code),
    }
}

/// Rule 8.7: weights of the texels that replace a missing one at a corner of a cube: the texel
/// inside the face, then the ones across its edges.
pub(crate) const MISSING_CORNER: [u32; 3] = {
    let [behind, inside] = of_missing_corner(256);
    [inside, behind, behind]
};
