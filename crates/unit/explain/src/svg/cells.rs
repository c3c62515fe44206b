//! Draws a footprint: its texels and their neighbours, slices side by side, and the weights.

use super::colour::{Scale, ink_on};
use super::{GAP, MARGIN, NORMAL, SMALL, edges, first, hover, position};
use crate::Explanation;
use crate::picture::{Anchor, Paint, Picture, Rect};
use crate::text::{footprint_title, is_weighted, weight_sum, whereabouts};
use crate::value::{COMPONENTS, channel, list, unrounded};
use texunit_unit::reference::trace::{Footprint, TexelTrace};
use texunit_unit::{FetchKind, Filter, TexelIndex};

/// Edge in pixels of a cell, the square drawn for a texel. Half a cell has room for the ring of the
/// sample point and ten characters.
const CELL: f64 = 144.0;
/// Size in pixels of the text in a cell; its line spacing is `LINE`.
const TINY: f64 = 10.0;
const LINE: f64 = 13.0;
/// Number of characters per line, and number of lines, that fit the square drawn for a texel.
const CELL_CHARACTERS: usize = 22;
const CELL_LINES: usize = 10;

pub(super) fn draw(p: &mut Picture, e: &Explanation<'_>, f: &Footprint, scale: &Scale) {
    let trace = &e.trace;
    let axes = trace.form.geometry.axes();
    let mut top = p.bottom() + GAP;
    p.text(MARGIN, top, NORMAL, Paint::Ink, &footprint_title(trace, f));
    top += GAP / 2.0;
    if f.texels.is_empty() {
        p.text(MARGIN, top + SMALL, SMALL, Paint::Ink, "no texel is read");
        return;
    }
    let gather = matches!(trace.form.kind, FetchKind::Gather(_));
    let count = if trace.effective.filter == Filter::Linear || gather { 4 } else { 3 };
    let rows = if axes == 1 { 1 } else { count };
    let mut slices: Vec<i64> = f.texels.iter().map(|t| t.index[2]).collect();
    slices.sort_unstable();
    slices.dedup();
    let mut left = MARGIN;
    if axes == 3 {
        top += LINE;
    }
    for z in slices {
        let grid = Grid { f, axes, columns: count, rows, z, left, top };
        if axes == 3 {
            p.text(left, top - 4.0, SMALL, Paint::Ink, &format!("z = {z}"));
        }
        grid.draw(p, e, scale);
        left += count as f64 * CELL + MARGIN;
    }
    if is_weighted(trace, f) {
        draw_weights(p, f, axes, left, top);
    }
}

/// The cells in which one slice of a footprint is drawn, and their position in the picture.
struct Grid<'a> {
    f: &'a Footprint,
    axes: usize,
    columns: i64,
    rows: i64,
    z: i64,
    left: f64,
    top: f64,
}

impl Grid<'_> {
    fn first_row(&self) -> i64 {
        if self.axes == 1 { 0 } else { first(self.f, 1) }
    }

    fn draw(&self, p: &mut Picture, e: &Explanation<'_>, scale: &Scale) {
        let cells = (0..self.rows).flat_map(|row| (0..self.columns).map(move |c| (row, c)));
        let placed = |(row, column)| {
            let z = if self.axes == 3 { self.z } else { 0 };
            let index = [first(self.f, 0) + column, self.first_row() + row, z];
            let (x, y) = (self.left + column as f64 * CELL, self.top + row as f64 * CELL);
            (index, Rect { x, y, width: CELL, height: CELL })
        };
        let cells: Vec<([i64; 3], Rect)> = cells.map(placed).collect();
        let texel = |index: [i64; 3]| self.f.texels.iter().position(|t| self.is_at(t, index));
        // Cells of the footprint are drawn last, so that their frames are on top.
        for &(index, cell) in cells.iter().filter(|c| texel(c.0).is_none()) {
            let codes = self.neighbour(e, index);
            let fill = codes.map(|codes| scale.of_codes(codes));
            let fill = fill.as_deref().map_or(Paint::Outside, Paint::Of);
            p.group(&hover::neighbour(&e.trace, self.axes, index, codes), |p| {
                p.rect(cell, fill, Paint::Faint, 1.0);
            });
        }
        self.draw_edges(p);
        for &(index, cell) in &cells {
            if let Some(n) = texel(index) {
                self.draw_texel(p, e, n, cell, scale);
            }
        }
        if let Some((x, y)) = self.point() {
            super::sample_point(p, x, y);
        }
    }

    /// Whether a texel of the footprint is drawn in the cell with this index. Rows are ignored for
    /// a 1D texture, which is drawn as one row.
    fn is_at(&self, texel: &TexelTrace, index: [i64; 3]) -> bool {
        texel.index[..self.axes] == index[..self.axes]
    }

    /// The channel codes of a texel beside the footprint; `None` outside the level.
    fn neighbour(&self, e: &Explanation<'_>, index: [i64; 3]) -> Option<[u32; 4]> {
        let mut at = [0; 3];
        for (to, from) in at.iter_mut().zip(index) {
            *to = u32::try_from(from).ok()?;
        }
        let Footprint { level, plane, sample, .. } = *self.f;
        e.texture.resource.texel(TexelIndex { level, plane, sample, at })
    }

    /// Draws the edges of the mip level, as far as they are within the drawn cells.
    fn draw_edges(&self, p: &mut Picture) {
        let extent = self.f.extent.axes();
        let (right, bottom) = (self.columns as f64 * CELL, self.rows as f64 * CELL);
        for edge in edges(extent[0], first(self.f, 0), self.columns) {
            let x = self.left + edge * CELL;
            p.line((x, self.top), (x, self.top + bottom), Paint::Ink, 3.0);
        }
        let across = edges(extent[1], self.first_row(), self.rows);
        for edge in across.filter(|_| self.axes > 1) {
            let y = self.top + edge * CELL;
            p.line((self.left, y), (self.left + right, y), Paint::Ink, 3.0);
        }
    }

    /// Position of the sample point in the picture. For a 1D texture, it is drawn near the bottom
    /// of the row.
    fn point(&self) -> Option<(f64, f64)> {
        let at = |axis: usize| Some((position(self.f, axis)? - first(self.f, axis) as f64) * CELL);
        let (x, y) = (at(0)?, if self.axes == 1 { CELL - 12.0 } else { at(1)? });
        let inside = |v: f64, cells: i64| (0.0..=cells as f64 * CELL).contains(&v);
        (inside(x, self.columns) && inside(y, self.rows)).then_some((self.left + x, self.top + y))
    }

    /// Draws the cell of a texel of the footprint. Its text is placed so that it does not cover the
    /// sample point.
    fn draw_texel(
        &self,
        p: &mut Picture,
        e: &Explanation<'_>,
        number: usize,
        cell: Rect,
        scale: &Scale,
    ) {
        let texel = &self.f.texels[number];
        let fill = scale.colour(texel.values);
        let ink = ink_on(&fill);
        let lines = texel_lines(e, self.f, number);
        let (middle_x, middle_y) = (cell.x + CELL / 2.0, cell.y + CELL / 2.0);
        let (x, y) = self.point().unwrap_or((middle_x, cell.y + CELL));
        let (at, anchor) = if x > middle_x {
            (cell.x + 4.0, Anchor::Start)
        } else {
            (cell.x + CELL - 4.0, Anchor::End)
        };
        let height = lines.len() as f64 * LINE;
        let mut line =
            if y > middle_y { cell.y + LINE + 2.0 } else { cell.y + CELL - height + 6.0 };
        p.group(&hover::texel(&e.trace, self.f, number), |p| {
            p.rect(cell, Paint::Of(&fill), Paint::Mark, 2.0);
            for text in lines {
                p.anchored(at, line, TINY, anchor, ink, &text);
                line += LINE;
            }
        });
    }
}

fn texel_lines(e: &Explanation<'_>, f: &Footprint, number: usize) -> Vec<String> {
    let (trace, texel) = (&e.trace, &f.texels[number]);
    let axes = trace.form.geometry.axes();
    let mut lines = fitting(&format!("({})", list(&texel.index[..axes])));
    if let Some(text) = whereabouts(trace, f, texel) {
        lines.extend(fitting(text.trim_start_matches("is the ")));
    }
    if let FetchKind::Gather(_) = trace.form.kind {
        lines.push(format!("result {}", COMPONENTS[number % 4]));
    } else if is_weighted(trace, f) {
        lines.push(format!("{}/{}", texel.weight, weight_sum(f)));
    }
    if !texel.resident {
        lines.push("NOT RESIDENT".to_owned());
    }
    if let Some(passed) = texel.compared {
        lines.push(if passed { "passes" } else { "fails" }.to_owned());
    }
    let gathered = match trace.form.kind {
        FetchKind::Gather(component) => Some(usize::from(component)),
        _ => None,
    };
    for (c, (&reading, &value)) in trace.readings.iter().zip(&texel.values).enumerate() {
        // An arrow marks the channel that is gathered.
        let mark = if gathered == Some(c) { "> " } else { "" };
        lines.extend(
            channel(reading, value).iter().flat_map(|text| fitting(&format!("{mark}{text}"))),
        );
    }
    lines.truncate(CELL_LINES);
    lines
}

/// Breaks a text after commas into lines that fit a cell; lines that are still too long are
/// truncated.
fn fitting(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in text.split_inclusive([',', ' ']) {
        match lines.last_mut() {
            Some(line) if line.len() + part.trim_end().len() <= CELL_CHARACTERS => *line += part,
            _ => lines.push(part.to_owned()),
        }
    }
    let cut = |line: String| line.trim_end().chars().take(CELL_CHARACTERS).collect();
    lines.into_iter().map(cut).collect()
}

/// Draws a bar chart that compares the hardware's 8-bit weights with the exact weights.
fn draw_weights(p: &mut Picture, f: &Footprint, axes: usize, left: f64, top: f64) {
    const LENGTH: f64 = 256.0;
    p.text(left, top + SMALL, SMALL, Paint::Mark, &format!("weight of {}", weight_sum(f)));
    p.text(left + 120.0, top + SMALL, SMALL, Paint::Exact, "unrounded");
    for (i, texel) in f.texels.iter().enumerate() {
        let y = top + 20.0 + i as f64 * 40.0;
        let bar =
            |y, part: f64| Rect { x: left, y, width: part.clamp(0.0, 1.0) * LENGTH, height: 10.0 };
        let part = f64::from(texel.weight) / f64::from(weight_sum(f));
        p.rect(bar(y, part), Paint::Mark, Paint::None, 0.0);
        p.rect(bar(y + 11.0, texel.exact), Paint::Exact, Paint::None, 0.0);
        let (index, exact) = (list(&texel.index[..axes]), unrounded(texel.exact, weight_sum(f)));
        let text = format!("({index}): {}, unrounded {exact}", texel.weight);
        p.text(left, y + 32.0, SMALL, Paint::Ink, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken() {
        assert_eq!(fitting("(1, 2)"), ["(1, 2)"]);
        assert_eq!(fitting("(-2147483648, 2147483647)"), ["(-2147483648,", "2147483647)"]);
        assert_eq!(fitting("-> (16383, 16383) on +x"), ["-> (16383, 16383) on", "+x"]);
        assert_eq!(fitting(&"9".repeat(40)), ["9".repeat(CELL_CHARACTERS)]);
    }
}
