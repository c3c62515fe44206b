//! Draws the six faces of a cube, unfolded, with the texels that are read and the point of the
//! direction.

use super::colour::Scale;
use super::{GAP, MARGIN, NORMAL, SMALL, hover};
use crate::Explanation;
use crate::picture::{Paint, Picture, Rect};
use crate::value::{FACES, face, float, list};
use texunit_unit::TexelIndex;
use texunit_unit::reference::trace::CubeStep;

const FACE: f64 = 96.0;
/// Column and row of +x, -x, +y, -y, +z, -z: on each face s runs to the right and t downwards, and
/// adjacent faces meet at their common edge on the cube.
const CROSS: [(f64, f64); 6] =
    [(2.0, 1.0), (0.0, 1.0), (1.0, 0.0), (1.0, 2.0), (1.0, 1.0), (3.0, 1.0)];
/// Maximum edge length in texels of a face that is drawn texel by texel.
const MAX: u32 = 8;

pub(super) fn draw(p: &mut Picture, e: &Explanation<'_>, cube: &CubeStep, scale: &Scale) {
    let top = p.bottom() + GAP;
    let corner = |face: usize| {
        let (column, row) = CROSS[face % 6];
        (MARGIN + column * FACE, top + row * FACE)
    };
    let first_plane = e.trace.footprints.first().map_or(0, |f| f.plane / 6 * 6);
    for face in 0..6 {
        let (x, y) = corner(face);
        p.rect(Rect { x, y, width: FACE, height: FACE }, Paint::Empty, Paint::Faint, 1.0);
        draw_texels(p, e, scale, first_plane + face as u32, (x, y));
    }
    // Marks the texels that the fetch reads on the faces to which they belong.
    for f in &e.trace.footprints {
        let edge = FACE / f64::from(f.extent.width.max(1));
        for (n, at) in f.texels.iter().enumerate().filter_map(|(n, t)| Some((n, t.at?))) {
            let (x, y) = corner(at.plane as usize);
            let (s, t) = (f64::from(at.at[0]) * edge, f64::from(at.at[1]) * edge);
            let size = edge.max(2.0);
            let cell = Rect { x: x + s, y: y + t, width: size, height: size };
            p.group(&hover::texel(&e.trace, f, n), |p| {
                p.rect(cell, Paint::None, Paint::Mark, 1.5);
            });
        }
    }
    for (face, name) in FACES.into_iter().enumerate() {
        let (x, y) = corner(face);
        let label = Rect { x: x + 3.0, y: y + 4.0, width: 20.0, height: 14.0 };
        p.rect(label, Paint::Paper, Paint::None, 0.0);
        p.text(x + 6.0, y + 15.0, SMALL, Paint::Ink, name);
    }
    let (x, y) = corner(cube.face as usize);
    p.rect(Rect { x, y, width: FACE, height: FACE }, Paint::None, Paint::Exact, 2.5);
    let inside = |c: f32| (0.0..=1.0).contains(&c);
    if inside(cube.s) && inside(cube.t) {
        let at = (x + f64::from(cube.s) * FACE, y + f64::from(cube.t) * FACE);
        p.circle(at, 6.0, Paint::None, Paint::Of("#ffffff"));
        p.circle(at, 4.0, Paint::None, Paint::Exact);
    }
    let bits = |c: f32| float(c.to_bits());
    let lines = [
        format!("direction ({})", list(cube.direction.map(bits))),
        format!("sc = {}, tc = {}, ma = {}", bits(cube.sc), bits(cube.tc), bits(cube.ma)),
        format!("face {}: s = {}, t = {}", face(cube.face), bits(cube.s), bits(cube.t)),
    ];
    for (n, line) in lines.iter().enumerate() {
        let at = (MARGIN + 2.0 * FACE + 12.0, top + 20.0 + n as f64 * 20.0);
        p.text(at.0, at.1, NORMAL, Paint::Ink, line);
    }
}

/// Draws the texels of level 0 of a face, if the face has few texels.
fn draw_texels(
    p: &mut Picture,
    e: &Explanation<'_>,
    scale: &Scale,
    plane: u32,
    (left, top): (f64, f64),
) {
    let n = e.texture.resource.extent().width;
    if n > MAX {
        return;
    }
    let edge = FACE / f64::from(n);
    for (y, x) in (0..n).flat_map(|y| (0..n).map(move |x| (y, x))) {
        let index = TexelIndex { level: 0, plane, sample: 0, at: [x, y, 0] };
        if let Some(fill) = scale.of_texel(e, index) {
            let (x, y) = (left + f64::from(x) * edge, top + f64::from(y) * edge);
            p.rect(Rect { x, y, width: edge, height: edge }, Paint::Of(&fill), Paint::None, 0.0);
        }
    }
}
