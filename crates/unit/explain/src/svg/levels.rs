//! Draws the chain of mip levels; the levels that are read are framed, and an arrow points at the
//! level of detail.

use super::{GAP, MARGIN, NORMAL, SMALL};
use crate::Explanation;
use crate::picture::{Anchor, Paint, Picture, Rect};

/// Distance between levels, in pixels.
const STEP: f64 = 88.0;
/// Maximum edge of a level, in pixels.
const LARGEST: f64 = 72.0;

pub(super) fn draw(p: &mut Picture, e: &Explanation<'_>) {
    let top = p.bottom() + GAP;
    let (trace, levels) = (&e.trace, e.texture.resource.levels());
    let q = trace.level.q;
    p.text(MARGIN, top, NORMAL, Paint::Ink, &format!("level {} ({q}/256)", q as f64 / 256.0));
    let base = levels[0].extent;
    let longest = f64::from(base.width.max(base.height));
    let (boxes, axis) = (top + 12.0, top + 12.0 + LARGEST + 10.0);
    let middle = |n: f64| MARGIN + LARGEST / 2.0 + n * STEP;
    let last = (levels.len() - 1) as f64;
    p.line((middle(0.0), axis), (middle(last), axis), Paint::Faint, 1.0);
    for (n, level) in levels.iter().enumerate() {
        let share = trace.level.levels.iter().find(|l| l.0 as usize == n).map(|l| l.1);
        let edge = |texels: u32| (f64::from(texels) / longest * LARGEST).max(3.0);
        let (width, height) = (edge(level.extent.width), edge(level.extent.height));
        let x = middle(n as f64);
        let cell = Rect { x: x - width / 2.0, y: boxes + LARGEST - height, width, height };
        let (stroke, stroke_width) =
            if share.is_some() { (Paint::Mark, 3.0) } else { (Paint::Faint, 1.0) };
        p.rect(cell, Paint::Empty, stroke, stroke_width);
        p.line((x, axis - 3.0), (x, axis + 3.0), Paint::Ink, 1.0);
        p.anchored(x, axis + 16.0, SMALL, Anchor::Middle, Paint::Ink, &n.to_string());
        if let Some(share) = share {
            p.anchored(x, axis + 30.0, SMALL, Anchor::Middle, Paint::Mark, &format!("{share}/256"));
        }
    }
    let at = middle((q as f64 / 256.0).clamp(0.0, last));
    p.circle((at, axis), 4.0, Paint::Exact, Paint::Of("#ffffff"));
    // One line of text for each step in which the level was computed: bias, clamps, rounding.
    for step in &trace.level.steps {
        p.below(SMALL, SMALL, Paint::Ink, &format!("[{}] {}", step.rule, step.text));
    }
}
