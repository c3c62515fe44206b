//! Draws the taps of an anisotropic fetch on the texels of a level.

use super::colour::Scale;
use super::{GAP, MARGIN, NORMAL, SMALL, first, position};
use crate::Explanation;
use crate::picture::{Anchor, Paint, Picture, Rect};
use crate::text::whole;
use texunit_unit::TexelIndex;
use texunit_unit::reference::trace::Footprint;

/// Maximum number of texels that are drawn along an axis. It suffices for the at most 16 taps,
/// which are about one texel apart.
const MAX: i64 = 32;

pub(super) fn draw(
    p: &mut Picture,
    e: &Explanation<'_>,
    taps: &[Footprint],
    scale: &Scale,
    top: f64,
) {
    let level = taps[0].level;
    let title = format!("{} taps on level {level}", taps.len());
    p.text(MARGIN, top, NORMAL, Paint::Ink, &title);
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
            let index = (left_texel + column, top_texel + row);
            let fill = colour(e, taps, scale, index);
            let fill = fill.as_deref().map_or(Paint::Outside, Paint::Of);
            let (x, y) = (MARGIN + column as f64 * cell, top + row as f64 * cell);
            p.rect(Rect { x, y, width: cell, height: cell }, fill, Paint::Faint, 0.5);
        }
    }
    let right = MARGIN + columns as f64 * cell + MARGIN;
    for (n, f) in taps.iter().enumerate() {
        let (Some(x), Some(y)) = (position(f, 0), position(f, 1)) else { continue };
        let weight = format!("{}/{}", f.share, whole(f));
        let text = format!("tap {}: {weight} at ({x:.3}, {y:.3})", f.tap.0);
        let (column, row) = (x - left_texel as f64, y - top_texel as f64);
        if (0.0..=columns as f64).contains(&column) && (0.0..=rows as f64).contains(&row) {
            let at = (MARGIN + column * cell, top + row * cell);
            p.group(&format!("{text} [4.12]"), |p| {
                p.circle(at.0, at.1, 7.5, Paint::Paper, Paint::Mark);
                p.anchored(at.0, at.1 + 3.0, 9.0, Anchor::Middle, Paint::Ink, &f.tap.0.to_string());
            });
        }
        let y = top + SMALL + n as f64 * 15.0;
        p.text(right, y, SMALL, Paint::Ink, &text);
    }
}

/// The colour at an index: that of the texel which a tap reads there (it may be far away, or the
/// border colour), else that of the texel at the index.
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
