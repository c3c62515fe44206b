//! Formats objects, sizes and coordinates for messages.

use texunit_simt::Described;
use texunit_unit::Resource;

/// A texture or surface as text: ``texture `image` (a 2D array of 64 x 32 texels of u8x4)``.
pub(super) fn object(what: &str, resource: &Resource) -> Described {
    let text = format!("{what} {}", resource.describe());
    Described { text, allocation: Some(resource.block().number()) }
}

/// The size of an image as text: `64 x 32`.
pub(super) fn size(extent: [u32; 3], axes: usize) -> String {
    let all: Vec<String> = extent[..axes.clamp(1, 3)].iter().map(u32::to_string).collect();
    all.join(" x ")
}

/// The coordinates of a point as text: `(1.5, 2)`.
pub(super) fn point(point: &[f64]) -> String {
    let all: Vec<String> = point.iter().map(|c| format!("{c}")).collect();
    format!("({})", all.join(", "))
}
