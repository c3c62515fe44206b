//! A picture of a surface access: the texels around it with their bytes, and the bytes of the
//! access.

use super::text::{address_steps, conversion_lines, element_text, headline};
use super::{Kind, SurfaceExplanation, hex_bytes, kind_of, verb};
use crate::picture::{Anchor, Paint, Picture, Rect};
use crate::svg::{GAP, MARGIN, SMALL, head};
use texunit_unit::{SurfaceOutcome, TexelIndex};

/// Width and height in pixels of the cell in which a byte is drawn.
const BYTE: f64 = 30.0;
/// Size in pixels of the text in a cell.
const TINY: f64 = 10.0;

pub(super) fn svg(e: &SurfaceExplanation) -> String {
    let (title, way) = (headline(e), address_steps(e).join(". "));
    picture(e).finish(&title, &format!("{title} on {}. {way}", e.surface.resource.describe()))
}

pub(super) fn picture(e: &SurfaceExplanation) -> Picture {
    let mut p = Picture::default();
    let title = headline(e);
    let mut lines = vec![e.surface.resource.describe()];
    lines.extend(e.place.clone());
    head(&mut p, &title, &lines);
    draw_places(&mut p, e);
    text(&mut p, &address_steps(e));
    text(&mut p, &conversion_lines(e));
    draw_bytes(&mut p, e);
    p
}

fn text(p: &mut Picture, lines: &[String]) {
    let top = p.bottom() + GAP;
    for (n, line) in lines.iter().enumerate() {
        let ink = if line.starts_with("FAULT") { Paint::Mark } else { Paint::Ink };
        p.text(MARGIN, top + n as f64 * 15.0, SMALL, ink, line);
    }
}

/// Location in a surface at which an access begins; x is in bytes, other coordinates are in texels.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Location {
    x: i64,
    y: i64,
    z: i64,
    layer: u32,
}

/// Draws the texels around the requested coordinates (blue) and, if `.clamp` moved the access,
/// around its actual location (red).
fn draw_places(p: &mut Picture, e: &SurfaceExplanation) {
    let [_, y, z] = e.trace.at.map(i64::from);
    let asked = Location { x: e.trace.byte_x, y, z, layer: e.trace.layer.unwrap_or(0) };
    // Locations inside a surface are far below 2^63.
    let whole = |v: u64| i64::try_from(v).unwrap_or(i64::MAX);
    let made = match e.trace.outcome {
        SurfaceOutcome::Made(at) | SurfaceOutcome::NotResident(at) => {
            Some(Location { x: whole(at.x), y: whole(at.y), z: whole(at.z), layer: at.layer })
        }
        SurfaceOutcome::Dropped | SurfaceOutcome::Outside | SurfaceOutcome::Misaligned => None,
    };
    if made != Some(asked) {
        draw_window(p, e, asked, Paint::Exact, "where the coordinates point");
    }
    if let Some(made) = made {
        draw_window(p, e, made, Paint::Mark, "where the access goes");
    }
}

/// Draws the texels (for compressed formats, the blocks) of an access and their neighbours, each
/// with its bytes in memory. Cells outside the surface are hatched.
fn draw_window(p: &mut Picture, e: &SurfaceExplanation, at: Location, colour: Paint, title: &str) {
    let format = e.surface.resource.format();
    let size = i64::from(format.texel_size());
    let axes = e.form.geometry.axes();
    let unit = if format.is_block() { "blocks" } else { "texels" };
    let bytes = if size == 1 { "byte" } else { "bytes" };
    let mut heading = format!("{title}: {unit} of {size} {bytes}");
    if axes == 3 {
        heading += &format!(", slice {}", at.z);
    }
    if e.trace.layer.is_some() {
        heading += &format!(", layer {}", at.layer);
    }
    let y = p.bottom() + GAP;
    p.text(MARGIN, y, SMALL, colour, &heading);
    let first = at.x.div_euclid(size) - 1;
    let last = (at.x + i64::from(e.trace.size) - 1).div_euclid(size) + 1;
    let rows = if axes == 1 { 0..=0 } else { at.y - 1..=at.y + 1 };
    let width = size as f64 * BYTE;
    let label = |y: i64| if axes == 1 { String::new() } else { format!("row {y}") };
    let longest = rows.clone().map(|y| label(y).len()).max().unwrap_or(0);
    let (left, top) = (MARGIN + longest as f64 * TINY * 0.65 + 6.0, y + 24.0);
    let corner = |x: i64, y: i64| {
        (left + (x - first) as f64 * width, top + (y - rows.start()) as f64 * BYTE)
    };
    for x in first..=last {
        let name = x.to_string();
        // Long indices above narrow columns would overlap, so that only the first index is drawn.
        if x == first || name.len() as f64 * TINY * 0.65 < width {
            p.text(corner(x, 0).0 + 4.0, top - 4.0, TINY, Paint::Ink, &name);
        }
    }
    for y in rows.clone() {
        p.text(MARGIN, corner(first, y).1 + 19.0, TINY, Paint::Ink, &label(y));
        for x in first..=last {
            let bytes = texel_bytes(e, at, [x, y]);
            let place = if axes == 1 { x.to_string() } else { format!("{x}, {y}") };
            let says = match &bytes {
                Some(bytes) => format!("({place}): bytes {}", hex_bytes(bytes)),
                None => format!("({place}) is outside"),
            };
            let (x, y) = corner(x, y);
            let fill = if bytes.is_some() { Paint::Empty } else { Paint::Outside };
            p.group(&says, |p| {
                p.rect(Rect { x, y, width, height: BYTE }, fill, Paint::Faint, 1.0);
                for (n, byte) in bytes.iter().flatten().enumerate() {
                    let (middle, byte) = (x + (n as f64 + 0.5) * BYTE, format!("{byte:02x}"));
                    p.anchored(middle, y + 19.0, TINY, Anchor::Middle, Paint::Ink, &byte);
                }
            });
        }
    }
    let (x, y) = corner(first, at.y.max(*rows.start()));
    let x = x + (at.x - first * size) as f64 * BYTE;
    let width = f64::from(e.trace.size) * BYTE;
    p.rect(Rect { x, y, width, height: BYTE }, Paint::None, colour, 3.0);
}

/// The bytes of a texel or block in the slice and layer of a location; `None` outside.
fn texel_bytes(e: &SurfaceExplanation, place: Location, [x, y]: [i64; 2]) -> Option<Vec<u8>> {
    let resource = &e.surface.resource;
    let block = i64::from(resource.format().block_extent());
    let mut at = [0; 3];
    for (to, from) in at.iter_mut().zip([x.checked_mul(block)?, y.checked_mul(block)?, place.z]) {
        *to = u32::try_from(from).ok()?;
    }
    let index = TexelIndex { level: 0, plane: place.layer, sample: 0, at };
    let offset = resource.texel_offset(index)?;
    let mut bytes = vec![0; resource.format().texel_size() as usize];
    resource.block().read(offset, &mut bytes).ok()?;
    Some(bytes)
}

fn draw_bytes(p: &mut Picture, e: &SurfaceExplanation) {
    let word = if kind_of(e.form) == Kind::Load { "memory" } else { "before" };
    let rows = [(word, &e.before), ("after", &e.after)];
    for (name, bytes) in rows.into_iter().filter_map(|(name, b)| Some((name, b.as_ref()?))) {
        let top = p.bottom() + GAP / 2.0;
        p.text(MARGIN, top + 18.0, SMALL, Paint::Ink, name);
        for (n, byte) in bytes.iter().enumerate() {
            let changed = e.before.as_ref().and_then(|b| b.get(n)) != Some(byte);
            let (x, ink) =
                (MARGIN + 64.0 + n as f64 * BYTE, if changed { Paint::Mark } else { Paint::Ink });
            p.rect(Rect { x, y: top, width: BYTE, height: BYTE }, Paint::Empty, ink, 1.0);
            let middle = (x + BYTE / 2.0, top + 19.0);
            p.anchored(middle.0, middle.1, SMALL, Anchor::Middle, ink, &format!("{byte:02x}"));
        }
    }
    // For `sust.p`, the registers are not drawn here, because the lines of text on the conversion
    // show them.
    if e.trace.fault.is_none() && e.codes().is_none() {
        let text = format!("{} {}", verb(e.form), element_text(e));
        p.below(GAP, SMALL, Paint::Ink, &text);
    }
    if e.agrees() == Some(false) {
        p.below(GAP, SMALL, Paint::Mark, "this is not what the case expects");
    }
}
