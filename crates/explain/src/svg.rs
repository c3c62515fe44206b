//! An explanation as a picture: the texels around each footprint with their weights, the sample
//! point, the exact weights beside the 8-bit ones, the level chain, the cube face.

use crate::picture::{Anchor, Picture, Rect};
use crate::text::headline;
use crate::value::{FACES, float, register};
use crate::Explanation;
use texunit_texel::Reading;
use texunit_unit::reference::trace::{CubeStep, Footprint, TexelTrace, Trace};
use texunit_unit::{FetchKind, ResultType, TexelIndex, Texture};

const CELL: f64 = 96.0;
const SMALL: f64 = 11.0;
const NORMAL: f64 = 14.0;
const MARGIN: f64 = 16.0;
const INK: &str = "#202020";
const FAINT: &str = "#b0b0b0";
const MARK: &str = "#d02020";
const EXACT: &str = "#4080c0";
/// Footprints that are drawn; many anisotropic taps would make a picture that nobody reads.
const MOST_FOOTPRINTS: usize = 8;

/// The explanation as an SVG document.
pub fn svg(e: &Explanation<'_>) -> String {
    let trace = &e.trace;
    let mut p = Picture::default();
    let title = headline(trace);
    p.text(MARGIN, 28.0, NORMAL, Anchor::Start, INK, &title);
    p.text(MARGIN, 46.0, SMALL, Anchor::Start, INK, &e.texture.resource.describe());
    if let Some(place) = &e.place {
        p.text(MARGIN, 60.0, SMALL, Anchor::Start, INK, place);
    }
    let mut top = p.bottom() + MARGIN;
    if let Some(cube) = &trace.cube {
        draw_cube(&mut p, cube, top);
        top = p.bottom() + MARGIN;
    }
    if trace.effective.mip_filter.is_some() {
        draw_levels(&mut p, e.texture, trace, top);
        top = p.bottom() + MARGIN;
    }
    let scale = Scale::new(e);
    for footprint in trace.footprints.iter().take(MOST_FOOTPRINTS) {
        draw_footprint(&mut p, e, footprint, &scale, top);
        top = p.bottom() + MARGIN;
    }
    if let Some(more @ 1..) = trace.footprints.len().checked_sub(MOST_FOOTPRINTS) {
        let text = format!("{more} more footprints are not drawn");
        p.text(MARGIN, top, SMALL, Anchor::Start, INK, &text);
        top = p.bottom() + MARGIN;
    }
    draw_result(&mut p, trace, top);
    p.finish(&title)
}

/// From texel values to colours: the range of what the footprint holds is black to white, unless
/// it lies in 0 to 1.
struct Scale {
    low: f64,
    high: f64,
    readings: [Reading; 4],
}

impl Scale {
    fn new(e: &Explanation<'_>) -> Self {
        let readings = e.trace.readings;
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for texel in e.trace.footprints.iter().flat_map(|f| &f.texels) {
            for (c, &value) in texel.values.iter().enumerate() {
                let x = number(readings[c], value);
                if x.is_finite() && !matches!(readings[c], Reading::Missing | Reading::One) {
                    (low, high) = (low.min(x), high.max(x));
                }
            }
        }
        Self { low, high, readings }
    }

    fn colour(&self, values: [u32; 4]) -> String {
        let channel = |c: usize| {
            let x = (number(self.readings[c], values[c]) - self.low) / (self.high - self.low);
            // NaN becomes 0.
            (x.clamp(0.0, 1.0) * 255.0) as u8
        };
        let lacks = |c: usize| matches!(self.readings[c], Reading::Missing | Reading::One);
        let [r, g, b] = match (lacks(1), lacks(2)) {
            // One channel is a grey.
            (true, _) => [channel(0); 3],
            (false, true) => [channel(0), channel(1), 0],
            (false, false) => [channel(0), channel(1), channel(2)],
        };
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// A register as a number, by what the channel holds.
fn number(reading: Reading, bits: u32) -> f64 {
    match reading {
        Reading::Uint { .. } => bits.into(),
        Reading::Sint { .. } => f64::from(bits as i32),
        _ => f32::from_bits(bits).into(),
    }
}

/// A text that is read on this fill.
fn ink_on(fill: &str) -> &'static str {
    let part = |at: usize| u32::from_str_radix(&fill[at..at + 2], 16).unwrap_or(0);
    let light = 3 * part(1) + 6 * part(3) + part(5);
    if light > 1300 { INK } else { "#ffffff" }
}

/// The texels of a footprint with one more around, a slice beside the other, and the weights.
fn draw_footprint(p: &mut Picture, e: &Explanation<'_>, f: &Footprint, scale: &Scale, top: f64) {
    let trace = &e.trace;
    let axes = trace.form.geometry.axes();
    let mut title = format!("level {}, {} texels", f.level, size_text(f, axes));
    if trace.form.geometry.is_cube() {
        title += &format!(", face {}", FACES[f.plane as usize % 6]);
    } else if trace.form.geometry.is_array() {
        title += &format!(", layer {}", f.plane);
    }
    if f.share != 256 {
        title += &format!(", counts {}/256", f.share);
    }
    if f.tap.1 != 1024 {
        title += &format!(", tap {} counts {}/1024", f.tap.0, f.tap.1);
    }
    p.text(MARGIN, top + SMALL, NORMAL, Anchor::Start, INK, &title);
    let top = top + SMALL + 12.0;
    if f.axes.is_empty() {
        p.text(MARGIN, top + SMALL, SMALL, Anchor::Start, INK, "outside: no texel is read");
        return;
    }
    let first = |axis: usize| f.axes.get(axis).map_or(0, |a| a.index) - 1;
    let wide = trace.effective.filter == texunit_unit::Filter::Linear
        || matches!(trace.form.kind, FetchKind::Gather(_));
    let count = if wide { 4 } else { 3 };
    let rows = if axes == 1 { 1 } else { count };
    let mut slices: Vec<i64> = f.texels.iter().map(|t| t.index[2]).collect();
    slices.sort_unstable();
    slices.dedup();
    if slices.is_empty() {
        slices.push(f.axes.get(2).map_or(0, |a| a.index));
    }
    let mut left = MARGIN;
    for z in slices {
        for row in 0..rows {
            for column in 0..count {
                let y = if axes == 1 { 0 } else { first(1) + row };
                let index = [first(0) + column, y, if axes == 3 { z } else { 0 }];
                let corner = (left + column as f64 * CELL, top + row as f64 * CELL);
                draw_texel(p, e, f, scale, index, corner);
            }
        }
        let at = |axis: usize| {
            let a = f.axes.get(axis)?;
            Some((a.texels - first(axis) as f64) * CELL)
        };
        if let Some(x) = at(0) {
            let y = if axes == 1 { CELL / 2.0 } else { at(1).unwrap_or(0.0) };
            let inside = |v: f64, cells: i64| (0.0..=cells as f64 * CELL).contains(&v);
            if inside(x, count) && inside(y, rows) {
                p.circle(left + x, top + y, 5.0, "none", "#ffffff");
                p.circle(left + x, top + y, 4.0, MARK, "#ffffff");
            }
        }
        left += count as f64 * CELL + MARGIN;
    }
    draw_weights(p, f, left, top);
}

fn size_text(f: &Footprint, axes: usize) -> String {
    let parts: Vec<String> = f.extent.axes()[..axes].iter().map(u32::to_string).collect();
    parts.join(" x ")
}

/// One cell: a texel of the footprint, a neighbour, or nothing.
fn draw_texel(
    p: &mut Picture,
    e: &Explanation<'_>,
    f: &Footprint,
    scale: &Scale,
    index: [i64; 3],
    (x, y): (f64, f64),
) {
    let cell = Rect { x, y, width: CELL, height: CELL };
    let Some(texel) = f.texels.iter().find(|t| t.index == index) else {
        let neighbour = neighbour(e, f, index);
        let fill = neighbour.map_or_else(|| "#f4f4f4".to_owned(), |values| scale.colour(values));
        p.rect(cell, &fill, FAINT, 1.0);
        return;
    };
    let fill = scale.colour(texel.values);
    let ink = ink_on(&fill);
    p.rect(cell, &fill, MARK, 2.0);
    let middle = x + CELL / 2.0;
    let mut line = y + 16.0;
    for text in texel_lines(e, texel) {
        p.text(middle, line, SMALL, Anchor::Middle, ink, &text);
        line += 14.0;
    }
}

fn texel_lines(e: &Explanation<'_>, texel: &TexelTrace) -> Vec<String> {
    let axes = e.trace.form.geometry.axes();
    let parts: Vec<String> = texel.index[..axes].iter().map(i64::to_string).collect();
    let mut lines = vec![format!("({})", parts.join(", "))];
    match texel.at {
        None => lines.push("border".to_owned()),
        Some(at) if at.at.map(i64::from)[..axes] != texel.index[..axes] => {
            let parts: Vec<String> = at.at[..axes].iter().map(u32::to_string).collect();
            lines.push(format!("= ({})", parts.join(", ")));
        }
        Some(_) => {}
    }
    if !matches!(e.trace.form.kind, FetchKind::Gather(_)) {
        lines.push(format!("{}/256", texel.weight));
    }
    let readings = e.trace.readings;
    for (c, &value) in texel.values.iter().enumerate() {
        let text = match readings[c] {
            Reading::Missing | Reading::One => continue,
            Reading::Uint { .. } => value.to_string(),
            Reading::Sint { .. } => (value as i32).to_string(),
            _ => float(value),
        };
        lines.push(text);
    }
    lines.truncate(6);
    lines
}

/// The values of a texel beside the footprint, if there is one.
fn neighbour(e: &Explanation<'_>, f: &Footprint, index: [i64; 3]) -> Option<[u32; 4]> {
    let mut at = [0; 3];
    for (to, from) in at.iter_mut().zip(index) {
        *to = u32::try_from(from).ok()?;
    }
    let resource = &e.texture.resource;
    let index = TexelIndex { level: f.level, plane: f.plane, sample: f.sample, at };
    let codes = resource.texel(index)?;
    let readings = e.trace.readings;
    Some(std::array::from_fn(|c| readings[c].point(codes[c])))
}

/// Bars of the weights: what the hardware takes, and what it would be without rounding.
fn draw_weights(p: &mut Picture, f: &Footprint, left: f64, top: f64) {
    const LENGTH: f64 = 256.0;
    let weighted: Vec<&TexelTrace> = f.texels.iter().filter(|t| t.weight > 0).collect();
    if weighted.len() < 2 {
        return;
    }
    p.text(left, top + SMALL, SMALL, Anchor::Start, MARK, "weight of 256");
    p.text(left + 120.0, top + SMALL, SMALL, Anchor::Start, EXACT, "unrounded");
    for (i, texel) in weighted.iter().enumerate() {
        let y = top + 22.0 + i as f64 * 40.0;
        let bar = |y, width| Rect { x: left, y, width, height: 10.0 };
        p.rect(bar(y, f64::from(texel.weight) / 256.0 * LENGTH), MARK, "none", 0.0);
        p.rect(bar(y + 11.0, texel.exact * LENGTH), EXACT, "none", 0.0);
        let [x_side, y_side, z_side] = texel.corner;
        let text = format!(
            "corner {x_side}{y_side}{z_side}: {} of 256, unrounded {:.4}",
            texel.weight,
            texel.exact * 256.0
        );
        p.text(left, y + 32.0, SMALL, Anchor::Start, INK, &text);
    }
}

/// The chain of levels; those that are read are framed.
fn draw_levels(p: &mut Picture, texture: &Texture, trace: &Trace, top: f64) {
    let levels = texture.resource.levels();
    let q = trace.level.q;
    let title = format!("level {} ({q}/256)", q as f64 / 256.0);
    p.text(MARGIN, top + SMALL, NORMAL, Anchor::Start, INK, &title);
    let mut x = MARGIN;
    for n in 0..levels.len() as u32 {
        let size = (72.0 / f64::from(1_u32 << n.min(5))).max(6.0);
        let share = trace.level.levels.iter().find(|(level, _)| *level == n).map(|l| l.1);
        let cell = Rect { x, y: top + 20.0, width: size, height: size };
        let (stroke, width) = if share.is_some() { (MARK, 3.0) } else { (FAINT, 1.0) };
        p.rect(cell, "#f4f4f4", stroke, width);
        p.text(x, top + 106.0, SMALL, Anchor::Start, INK, &n.to_string());
        if let Some(share) = share {
            p.text(x, top + 120.0, SMALL, Anchor::Start, MARK, &format!("{share}/256"));
        }
        x += size.max(58.0) + 6.0;
    }
}

/// The six faces unfolded, and where on one of them the direction points.
fn draw_cube(p: &mut Picture, cube: &CubeStep, top: f64) {
    const FACE: f64 = 72.0;
    /// Column and row of +x, -x, +y, -y, +z, -z in the cross.
    const CROSS: [(f64, f64); 6] =
        [(2.0, 1.0), (0.0, 1.0), (1.0, 0.0), (1.0, 2.0), (1.0, 1.0), (3.0, 1.0)];
    for (face, (column, row)) in CROSS.into_iter().enumerate() {
        let (x, y) = (MARGIN + column * FACE, top + row * FACE);
        let chosen = face == cube.face as usize % 6;
        let (fill, stroke) = if chosen { ("#fff0e0", MARK) } else { ("#f4f4f4", FAINT) };
        p.rect(Rect { x, y, width: FACE, height: FACE }, fill, stroke, 1.0);
        p.text(x + 6.0, y + 16.0, SMALL, Anchor::Start, INK, FACES[face]);
        let inside = |c: f32| (0.0..=1.0).contains(&c);
        if chosen && inside(cube.s) && inside(cube.t) {
            let at = (x + f64::from(cube.s) * FACE, y + f64::from(cube.t) * FACE);
            p.line((at.0, y), (at.0, y + FACE), EXACT);
            p.line((x, at.1), (x + FACE, at.1), EXACT);
            p.circle(at.0, at.1, 4.0, MARK, "#ffffff");
        }
    }
    let text = format!("s = {}, t = {}", float(cube.s.to_bits()), float(cube.t.to_bits()));
    p.text(MARGIN + 4.4 * FACE, top + 1.5 * FACE, NORMAL, Anchor::Start, INK, &text);
}

fn draw_result(p: &mut Picture, trace: &Trace, top: f64) {
    let registers = if trace.form.result == ResultType::F16x2 { 2 } else { 4 };
    let mut y = top + NORMAL;
    for (i, &bits) in trace.answer.values.iter().take(registers).enumerate() {
        let value = register(trace.form.result, bits);
        let text = format!("{} = {value} ({bits:08x})", ["x", "y", "z", "w"][i]);
        p.text(MARGIN, y, NORMAL, Anchor::Start, INK, &text);
        y += 20.0;
    }
    if !trace.answer.resident {
        p.text(MARGIN, y, NORMAL, Anchor::Start, MARK, "not resident: all zeros");
    }
}
