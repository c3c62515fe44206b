//! A surface access as a picture: the rows of a slice or layer, and the bytes of the access.

use super::text::{conversion_lines, element_text, headline, way};
use super::{Kind, SurfaceExplanation, kind_of, verb};
use crate::picture::{Anchor, Picture, Rect};
use crate::svg::{EMPTY, EXACT, GAP, INK, MARGIN, MARK, SMALL, head};
use texunit_unit::SurfaceOutcome;

/// Size of the surface in the picture.
const SIZE: (f64, f64) = (360.0, 200.0);
const BYTE: f64 = 30.0;

pub(super) fn svg(e: &SurfaceExplanation) -> String {
    let mut p = Picture::default();
    let title = headline(e);
    let mut lines = vec![e.surface.resource.describe()];
    lines.extend(e.place.clone());
    head(&mut p, &title, &lines);
    let top = p.bottom() + GAP;
    draw_surface(&mut p, e, top);
    text(&mut p, &way(e));
    text(&mut p, &conversion_lines(e));
    draw_bytes(&mut p, e);
    let way = way(e).join(". ");
    p.finish(&title, &format!("{title} on {}. {way}", e.surface.resource.describe()))
}

fn text(p: &mut Picture, lines: &[String]) {
    let top = p.bottom() + GAP;
    for (n, line) in lines.iter().enumerate() {
        let ink = if line.starts_with("FAULT") { MARK } else { INK };
        p.text(MARGIN, top + n as f64 * 15.0, SMALL, Anchor::Start, ink, line);
    }
}

/// A slice of the surface, where the coordinates are (blue) and where the access went (red).
fn draw_surface(p: &mut Picture, e: &SurfaceExplanation, top: f64) {
    // Room around, for coordinates outside.
    const AROUND: f64 = 40.0;
    let resource = &e.surface.resource;
    let extent = resource.extent();
    let block = resource.format().block_extent();
    let bytes = resource.row_bytes(0) as f64;
    let rows = f64::from(extent.height.div_ceil(block));
    let unit = (SIZE.0 / bytes, (SIZE.1 / rows).min(24.0));
    let (left, top) = (MARGIN + AROUND, top + AROUND / 2.0);
    let sheet = Rect { x: left, y: top, width: SIZE.0, height: rows * unit.1 };
    p.rect(sheet, EMPTY, INK, 1.5);
    let label = format!("{bytes} bytes wide, {rows} rows");
    p.text(left, top - 6.0, SMALL, Anchor::Start, INK, &label);
    // The place of the coordinates is drawn around that of the access, which is mostly the same.
    let mut mark = |x: f64, y: f64, colour: &str, around: f64| {
        // An access may be larger than a row.
        let width = (f64::from(e.trace.size) * unit.0).clamp(3.0, SIZE.0 + AROUND);
        let height = unit.1.max(3.0);
        let limit = |v: f64, most: f64| v.clamp(-AROUND / 2.0, most + AROUND / 2.0 - 3.0);
        let x = left + limit(x * unit.0, SIZE.0);
        let y = top + limit(y * unit.1, sheet.height);
        let (x, y) = (x - around, y - around);
        let (width, height) = (width + 2.0 * around, height + 2.0 * around);
        p.rect(Rect { x, y, width, height }, "none", colour, 2.0);
    };
    mark(e.trace.byte_x as f64, f64::from(e.trace.at[1]), EXACT, 3.0);
    if let SurfaceOutcome::Made(at) | SurfaceOutcome::NotResident(at) = e.trace.outcome {
        mark(at.x as f64, at.y as f64, MARK, 0.0);
    }
    let y = p.bottom() + GAP;
    p.text(MARGIN, y, SMALL, Anchor::Start, EXACT, "as the coordinates say");
    p.text(MARGIN + 180.0, y, SMALL, Anchor::Start, MARK, "where the access is made");
}

fn draw_bytes(p: &mut Picture, e: &SurfaceExplanation) {
    let word = if kind_of(e.form) == Kind::Load { "memory" } else { "before" };
    let rows = [(word, &e.before), ("after", &e.after)];
    for (name, bytes) in rows.into_iter().filter_map(|(name, b)| Some((name, b.as_ref()?))) {
        let top = p.bottom() + GAP / 2.0;
        p.text(MARGIN, top + 18.0, SMALL, Anchor::Start, INK, name);
        for (n, byte) in bytes.iter().enumerate() {
            let changed = e.before.as_ref().and_then(|b| b.get(n)) != Some(byte);
            let (x, ink) = (MARGIN + 64.0 + n as f64 * BYTE, if changed { MARK } else { INK });
            p.rect(Rect { x, y: top, width: BYTE, height: BYTE }, EMPTY, ink, 1.0);
            let middle = (x + BYTE / 2.0, top + 19.0);
            p.text(middle.0, middle.1, SMALL, Anchor::Middle, ink, &format!("{byte:02x}"));
        }
    }
    // Registers of `sust.p` are in the lines of the conversion.
    if e.trace.fault.is_none() && e.codes().is_none() {
        let text = format!("{} {}", verb(e.form), element_text(e));
        let y = p.bottom() + GAP;
        p.text(MARGIN, y, SMALL, Anchor::Start, INK, &text);
    }
    if e.agrees() == Some(false) {
        let y = p.bottom() + GAP;
        p.text(MARGIN, y, SMALL, Anchor::Start, MARK, "this is not what the case expects");
    }
}
