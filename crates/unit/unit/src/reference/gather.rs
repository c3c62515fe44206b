//! Gathers, the instruction `tld4`: docs/numerics.md, section 8. A gather returns one component of
//! each of the four texels of a footprint.

use super::footprint::{Axis, Corner};
use super::weights::{of_missing_corner, share_that_passes};
use texunit_texel::Reading;

/// Positions in the footprint, along x and y, of the texels that the four results come from:
/// counter-clockwise from the lower left.
#[rustfmt::skip]
pub(crate) const ORDER: [[u8; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];

/// The four texels of a gather's footprint in the order of the results. They have no weights.
pub(crate) fn corners(axes: &[Axis; 3]) -> [Corner; 4] {
    ORDER.map(|[x, y]| Corner {
        corner: [x, y, 0],
        index: [axes[0].index + i64::from(x), axes[1].index + i64::from(y), 0],
        weight: 0,
        exact: 0.0,
        read: true,
    })
}

/// Rules 8.3 to 8.5 of docs/numerics.md: the result for one texel of a gather: the requested
/// component, or the outcome of the texel's depth compare (rule 9.2), which is not filtered. The
/// compare uses the depth, whichever component is requested.
pub(crate) fn value(reading: Reading, code: u32, compared: Option<bool>) -> u32 {
    match compared {
        Some(passes) => share_that_passes(256 * u32::from(passes), 0),
        None => reading.gather(code),
    }
}

/// Rule 8.7 of docs/numerics.md: weights of the three texels from which a gather computes the texel
/// that is missing at a corner of a cube: the texel inside the face, then the two across its edges.
pub(crate) const MISSING_CORNER: [u32; 3] = {
    let [behind, inside] = of_missing_corner(256);
    [inside, behind, behind]
};
