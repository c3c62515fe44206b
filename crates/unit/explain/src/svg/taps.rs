//! Draws the taps of an anisotropic fetch: all taps on the texels of a level, and the footprint of
//! each as a small picture of four texels, their weights and the sample point.

use super::colour::{Scale, ink_on};
use super::{GAP, MARGIN, NORMAL, SMALL, edges, first, hover, position, sample_point};
use crate::Explanation;
use crate::picture::{Anchor, Paint, Picture, Rect, text_width};
use crate::text::weight_sum;
use texunit_unit::TexelIndex;
use texunit_unit::reference::trace::Footprint;

/// Maximum number of texels that are drawn along an axis. It suffices for the at most 16 taps,
/// which are about one texel apart.
const MAX: i64 = 32;

pub(super) fn draw(p: &mut Picture, e: &Explanation<'_>, taps: &[Footprint], scale: &Scale) {
    let (level, top) = (taps[0].level, p.bottom() + GAP);
    p.text(MARGIN, top, NORMAL, Paint::Ink, &format!("{} taps on level {level}", taps.len()));
    let top = top + GAP / 2.0;
    let range = |axis: usize| {
        let low = taps.iter().map(|f| first(f, axis)).min().unwrap_or(0);
        let high = taps.iter().map(|f| first(f, axis) + 4).max().unwrap_or(4);
        (low, (high - low).min(MAX))
    };
    let ((left_texel, columns), (top_texel, rows)) = (range(0), range(1));
    let cell = (512.0 / columns.max(rows) as f64).clamp(16.0, 40.0);
    for row in 0..rows {
        for column in 0..columns {
            let fill = colour(e, taps, scale, (left_texel + column, top_texel + row));
            let fill = fill.as_deref().map_or(Paint::Outside, Paint::Of);
            let (x, y) = (MARGIN + column as f64 * cell, top + row as f64 * cell);
            p.rect(Rect { x, y, width: cell, height: cell }, fill, Paint::Faint, 0.5);
        }
    }
    let right = MARGIN + columns as f64 * cell + MARGIN;
    for (n, f) in taps.iter().enumerate() {
        let (Some(x), Some(y)) = (position(f, 0), position(f, 1)) else { continue };
        let weight = format!("{}/{}", f.share, weight_sum(f));
        let text = format!("tap {}: {weight} at ({x:.3}, {y:.3})", f.tap.0);
        let (column, row) = (x - left_texel as f64, y - top_texel as f64);
        if (0.0..=columns as f64).contains(&column) && (0.0..=rows as f64).contains(&row) {
            let at = (MARGIN + column * cell, top + row * cell);
            p.group(&format!("{text} [4.12]"), |p| {
                p.circle(at, 7.5, Paint::Paper, Paint::Mark);
                p.anchored(at.0, at.1 + 3.0, 9.0, Anchor::Middle, Paint::Ink, &f.tap.0.to_string());
            });
        }
        p.text(right, top + SMALL + n as f64 * 15.0, SMALL, Paint::Ink, &text);
    }
}

/// The colour at an index: of the texel that a tap reads for this index (which the address mode may
/// replace by another texel or the border colour), else of the texel at the index.
fn colour(
    e: &Explanation<'_>,
    taps: &[Footprint],
    scale: &Scale,
    (x, y): (i64, i64),
) -> Option<String> {
    let mut read = taps.iter().flat_map(|f| &f.texels);
    if let Some(texel) = read.find(|t| t.index[..2] == [x, y]) {
        return Some(scale.colour(texel.values));
    }
    let at = [u32::try_from(x).ok()?, u32::try_from(y).ok()?, 0];
    let Footprint { level, plane, sample, .. } = taps[0];
    scale.of_texel(e, TexelIndex { level, plane, sample, at })
}

/// Edge of a texel's cell in pixels, which has room for its weight.
const CELL: f64 = 46.0;
const TINY: f64 = 10.0;
/// Number of pictures per row; 16 taps take three rows.
const ROW: usize = 6;

pub(super) fn draw_each(p: &mut Picture, e: &Explanation<'_>, taps: &[Footprint], scale: &Scale) {
    let (unit, top) = (taps.first().map_or(256, weight_sum), p.bottom() + GAP);
    let text =
        format!("texels and weights of each tap, in 1/{unit}; point at a texel for its value");
    p.text(MARGIN, top, SMALL, Paint::Ink, &text);
    let caption = |f: &Footprint| format!("tap {}: {}/{}", f.tap.0, f.share, weight_sum(f));
    // Reserves room for the longest row index beside the cells.
    let labels = taps.iter().flat_map(|f| &f.texels).map(|t| t.index[1].to_string());
    let label = labels.map(|text| text_width(&text, TINY)).fold(0.0, f64::max) + 6.0;
    let captions = taps.iter().map(|f| text_width(&caption(f), SMALL));
    let width = captions.fold(label + 2.0 * CELL, f64::max) + GAP;
    let mut y = top + GAP;
    for row in taps.chunks(ROW) {
        for (n, f) in row.iter().enumerate() {
            let left = MARGIN + n as f64 * width;
            p.text(left, y, SMALL, Paint::Ink, &caption(f));
            draw_tap(p, e, f, scale, (left + label, y + 20.0));
        }
        y = p.bottom() + GAP;
    }
}

fn draw_tap(
    p: &mut Picture,
    e: &Explanation<'_>,
    f: &Footprint,
    scale: &Scale,
    (left, top): (f64, f64),
) {
    let first = |axis: usize| f.texels.iter().map(|t| t.index[axis]).min().unwrap_or(0);
    let (x0, y0) = (first(0), first(1));
    // The texels of a footprint are adjacent: their distances are 0 and 1.
    let corner = |x: i64, y: i64| {
        (left + x.saturating_sub(x0) as f64 * CELL, top + y.saturating_sub(y0) as f64 * CELL)
    };
    for (number, texel) in f.texels.iter().enumerate() {
        let [column, row, _] = texel.index;
        let (x, y) = corner(column, row);
        let name = column.to_string();
        // Two long indices would overlap, so only the first index is drawn.
        if row == y0 && (column == x0 || text_width(&name, TINY) < CELL) {
            p.text(x + 2.0, top - 4.0, TINY, Paint::Ink, &name);
        }
        if column == x0 {
            let y = y + CELL / 2.0 + 4.0;
            p.anchored(left - 4.0, y, TINY, Anchor::End, Paint::Ink, &row.to_string());
        }
        let fill = scale.colour(texel.values);
        let cell = Rect { x, y, width: CELL, height: CELL };
        p.group(&hover::texel(&e.trace, f, number), |p| {
            p.rect(cell, Paint::Of(&fill), Paint::Mark, 1.0);
            // The sample point is between the centres of the cells, so weights are drawn at the
            // outer corners.
            let y = if row == y0 { y + 12.0 } else { y + CELL - 5.0 };
            let (x, anchor) =
                if column == x0 { (x + 4.0, Anchor::Start) } else { (x + CELL - 4.0, Anchor::End) };
            p.anchored(x, y, TINY, anchor, ink_on(&fill), &texel.weight.to_string());
        });
    }
    draw_edges(p, f, (x0, y0), (left, top));
    if let (Some(x), Some(y)) = (position(f, 0), position(f, 1)) {
        let (x, y) = (x - x0 as f64, y - y0 as f64);
        if (0.0..=2.0).contains(&x) && (0.0..=2.0).contains(&y) {
            sample_point(p, left + x * CELL, top + y * CELL);
        }
    }
}

/// Draws the edges of the mip level, as far as they are within the four drawn texels.
fn draw_edges(p: &mut Picture, f: &Footprint, first: (i64, i64), (left, top): (f64, f64)) {
    let extent = f.extent.axes();
    for x in edges(extent[0], first.0, 2).map(|edge| left + edge * CELL) {
        p.line((x, top), (x, top + 2.0 * CELL), Paint::Ink, 3.0);
    }
    for y in edges(extent[1], first.1, 2).map(|edge| top + edge * CELL) {
        p.line((left, y), (left + 2.0 * CELL, y), Paint::Ink, 3.0);
    }
}
