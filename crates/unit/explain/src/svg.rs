//! Draws an explanation of a fetch: the texels around each footprint with their weights, the sample
//! point, the exact weights beside the 8-bit ones, the level chain, the cube face.

mod cells;
mod colour;
mod cube;
mod hover;
mod levels;
mod taps;

use crate::Explanation;
pub(crate) use crate::picture::MARGIN;
use crate::picture::{Paint, Picture, Rect};
use crate::text::{self, effective, headline};
use crate::value::results;
use colour::Scale;
use texunit_forms::Count;
use texunit_unit::reference::trace::{Footprint, Trace};
use texunit_unit::{FetchKind, ResultType};

pub(crate) const SMALL: f64 = 11.0;
pub(crate) const NORMAL: f64 = 14.0;
/// Space between the parts of the picture, in pixels.
pub(crate) const GAP: f64 = 22.0;
/// Maximum number of characters of a line at the top of the picture; longer lines, such as source
/// locations of a caller, are truncated.
const MAX_CHARACTERS: usize = 200;

pub(crate) fn svg(e: &Explanation<'_>) -> String {
    picture(e).finish(&headline(&e.trace), &description(e))
}

pub(crate) fn picture(e: &Explanation<'_>) -> Picture {
    let trace = &e.trace;
    let mut p = Picture::default();
    let title = headline(trace);
    let mut lines = vec![e.texture.resource.describe(), effective(e)];
    lines.extend(e.place.clone());
    head(&mut p, &title, &lines);
    let scale = Scale::new(e);
    scale.legend(&mut p);
    if let Some(cube) = &trace.cube {
        cube::draw(&mut p, e, cube, &scale);
    }
    if trace.effective.mip_filter.is_some() {
        levels::draw(&mut p, e);
    }
    draw_footprints(&mut p, e, &scale);
    draw_result(&mut p, e, &scale);
    p
}

/// A description of the picture in words, for screen readers.
fn description(e: &Explanation<'_>) -> String {
    let trace = &e.trace;
    let texture = e.texture.resource.describe();
    let read: usize = trace.footprints.iter().map(|f| f.texels.len()).sum();
    let answer = results(trace.form.result, trace.answer.values).into_iter();
    let answer: Vec<String> = answer.map(|(name, _, value)| format!("{name} = {value}")).collect();
    let (headline, effective, answer) = (headline(trace), effective(e), answer.join(", "));
    let (read, are) = (Count(read, "texel"), Count(read, "texel").are());
    format!(
        "{headline} on {texture}; {effective}. {read} {are} read; hatched cells are outside. \
         Result: {answer}"
    )
}

/// Draws the heading and the lines of text at the top of a picture.
pub(crate) fn head(p: &mut Picture, title: &str, lines: &[String]) {
    let cut = |text: &str| text.chars().take(MAX_CHARACTERS).collect::<String>();
    p.text(MARGIN, 28.0, NORMAL, Paint::Ink, &cut(title));
    for line in lines {
        p.below(SMALL, SMALL, Paint::Ink, &cut(line));
    }
}

fn draw_footprints(p: &mut Picture, e: &Explanation<'_>, scale: &Scale) {
    let footprints = &e.trace.footprints;
    if footprints.iter().all(|f| f.tap.0 == 0) {
        for footprint in footprints {
            cells::draw(p, e, footprint, scale);
        }
        return;
    }
    // The footprints are grouped by level, because the taps of a level are consecutive.
    for taps in footprints.chunk_by(|a, b| a.level == b.level) {
        taps::draw(p, e, taps, scale);
        taps::draw_each(p, e, taps, scale);
    }
}

/// Lowest texel index that is drawn along an axis: one before the lowest index of the footprint.
fn first(f: &Footprint, axis: usize) -> i64 {
    f.axes.get(axis).map_or(0, |a| a.index) - 1
}

/// Positions of the edges of a level along an axis, in cells, as far as they are among `cells`
/// cells from index `first` on.
fn edges(size: u32, first: i64, cells: i64) -> impl Iterator<Item = f64> {
    let edges = [0, i64::from(size)].into_iter().map(move |edge| edge.saturating_sub(first));
    edges.filter(move |edge| (0..=cells).contains(edge)).map(|edge| edge as f64)
}

/// Position of the sample along an axis, in texels. An integer coordinate is the centre of its
/// texel.
fn position(f: &Footprint, axis: usize) -> Option<f64> {
    let a = f.axes.get(axis)?;
    Some(if a.mode.is_none() { a.texels + 0.5 } else { a.texels })
}

/// Draws a ring at the sample point; the ring is visible on dark and on light texels.
fn sample_point(p: &mut Picture, x: f64, y: f64) {
    p.circle((x, y), 6.0, Paint::None, Paint::Of("#ffffff"));
    p.circle((x, y), 4.0, Paint::None, Paint::Of("#d02020"));
}

/// The bits of the four components of a result, with pairs of f16 values unpacked.
fn components(trace: &Trace) -> [u32; 4] {
    let values = trace.answer.values;
    match trace.form.result {
        ResultType::F16 => values.map(|v| texunit_texel::f16_to_f32(v as u16)),
        ResultType::F16x2 => {
            let [xy, zw, ..] = values;
            [xy, xy >> 16, zw, zw >> 16].map(|v| texunit_texel::f16_to_f32(v as u16))
        }
        _ => values,
    }
}

/// The colour of the fetch's result. `None` for gathers, whose results are components of four
/// texels, and for depth compares, whose results are shares of texels.
pub(crate) fn result_colour(e: &Explanation<'_>) -> Option<String> {
    coloured(&e.trace).then(|| Scale::new(e).colour(components(&e.trace)))
}

fn coloured(trace: &Trace) -> bool {
    !matches!(trace.form.kind, FetchKind::Gather(_)) && trace.effective.compare.is_none()
}

fn draw_result(p: &mut Picture, e: &Explanation<'_>, scale: &Scale) {
    let trace = &e.trace;
    let mut y = p.bottom() + GAP;
    let lines = results(trace.form.result, trace.answer.values);
    let mut left = MARGIN;
    if coloured(trace) {
        let edge = 20.0 * lines.len() as f64 - 6.0;
        let swatch = Rect { x: MARGIN, y: y - NORMAL, width: edge, height: edge };
        p.rect(swatch, Paint::Of(&scale.colour(components(trace))), Paint::Ink, 1.0);
        left += edge + 12.0;
    }
    for (n, (name, bits, value)) in lines.into_iter().enumerate() {
        let mut text = format!("{name} = {value} ({bits:08x})");
        if let Some(exact) = text::without_rounding(trace, n) {
            text += &format!(", with unrounded weights {exact:.7}");
            // For values from -1 to 1, the difference is shown in 1/256, the unit of the weights.
            if exact.abs() <= 1.0 {
                let apart = (f64::from(f32::from_bits(bits)) - exact) * 256.0;
                text += &format!(", {apart:+.3}/256 apart");
            }
        }
        p.text(left, y, NORMAL, Paint::Ink, &text);
        y += 20.0;
    }
    if !trace.answer.resident {
        let text = "not all texels are resident: the predicate is false";
        p.text(MARGIN, y, NORMAL, Paint::Mark, text);
        y += 20.0;
    }
    if e.agrees() == Some(false) {
        p.text(MARGIN, y, NORMAL, Paint::Mark, "this is not the known result");
    }
}
