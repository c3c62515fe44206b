//! An SVG page with several explanations: a list of all accesses, followed by a picture of each.

use crate::picture::{Paint, Picture, Rect, text_width};
use crate::svg::{GAP, MARGIN, NORMAL, SMALL};
use crate::value::results;
use crate::{Explanation, SurfaceExplanation};

/// Height in pixels of a row of the list of accesses.
const ROW: f64 = 18.0;
/// Maximum number of characters of a text in a row or heading; longer texts are truncated.
const MAX_CHARACTERS: usize = 160;

/// The accesses of a thread as one SVG document, in the order of execution.
#[derive(Debug)]
pub struct Page {
    title: String,
    accesses: Vec<Access>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct Access {
    /// Source location and source text of the access.
    place: Vec<String>,
    /// Description and result of the access.
    what: String,
    result: String,
    colour: Option<String>,
    picture: Option<Picture>,
}

impl Page {
    /// Makes a page without accesses.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), accesses: Vec::new(), notes: Vec::new() }
    }

    /// Adds a fetch to the page. `place` holds the lines that tell its source location, such as
    /// file and line, and the source text.
    pub fn fetch(&mut self, place: Vec<String>, e: &Explanation<'_>) {
        let values = results(e.trace.form.result, e.trace.answer.values);
        let values: Vec<String> = values.into_iter().map(|(_, _, value)| value).collect();
        let mut result = format!("= ({})", values.join(", "));
        if e.agrees() == Some(false) {
            result += ", and not what the kernel got: the texels have changed";
        }
        self.accesses.push(Access {
            place,
            what: crate::text::headline(&e.trace),
            result,
            colour: crate::svg::result_colour(e),
            picture: Some(crate::svg::picture(e)),
        });
    }

    /// Adds a surface access to the page, with its source location.
    pub fn surface(&mut self, place: Vec<String>, e: &SurfaceExplanation) {
        let (what, result, picture) = (e.headline(), e.summary(), Some(e.picture()));
        self.accesses.push(Access { place, what, result, colour: None, picture });
    }

    /// Adds an access that cannot be explained, with the reason.
    pub fn unexplained(&mut self, place: Vec<String>, why: impl Into<String>) {
        let (what, result) = ("not explained".to_owned(), why.into());
        self.accesses.push(Access { place, what, result, colour: None, picture: None });
    }

    /// Adds a line of text to the page, below the list of accesses.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// The page as an SVG document. Its size grows with the number of accesses, not with the size
    /// of their textures.
    pub fn svg(&self) -> String {
        let mut p = Picture::default();
        let all = self.accesses.len();
        p.text(MARGIN, 28.0, NORMAL, Paint::Ink, &cut(&self.title));
        for (n, access) in self.accesses.iter().enumerate() {
            let y = p.bottom() + ROW;
            draw_row(&mut p, n, access, y);
        }
        for note in &self.notes {
            p.below(ROW, SMALL, Paint::Ink, &cut(note));
        }
        let panels = self.accesses.iter().enumerate().filter(|(_, a)| a.picture.is_some());
        let panels: Vec<_> = panels.map(|(n, access)| (n, panel(n, access))).collect();
        let columns = columns(panels.len());
        let of_column = |c| panels.iter().skip(c).step_by(columns).map(|p| p.1.right());
        let widths = (0..columns).map(|c| of_column(c).fold(0.0, f64::max));
        let widths: Vec<f64> = widths.collect();
        for row in panels.chunks(columns) {
            let top = p.bottom() + GAP;
            let mut left = 0.0;
            for ((n, panel), width) in row.iter().zip(&widths) {
                p.place(panel, left, top, &anchor(*n));
                left += width + GAP;
            }
        }
        let words = if all == 1 { "access" } else { "accesses" };
        let list = self.accesses.iter().map(|a| format!("{} {}", a.what, a.result));
        let list: Vec<String> = list.collect();
        let description = format!("{all} {words}, each with a picture below. {}", list.join(". "));
        p.finish(&self.title, &description)
    }
}

/// Number of columns in which the pictures are arranged, so that the page is about as wide as high.
fn columns(pictures: usize) -> usize {
    match pictures {
        0..=2 => 1,
        3..=8 => 2,
        9..=24 => 3,
        _ => 4,
    }
}

/// The id of the picture of access `n`, to which the row of the access links.
fn anchor(n: usize) -> String {
    format!("access-{}", n + 1)
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_CHARACTERS).collect()
}

/// Draws a row such as `2  tex.2d.v4.f32.f32 at (0.3, 0.7)  # = (0.25, 0.5, 0, 1)  blur.cu:12:7`.
fn draw_row(p: &mut Picture, n: usize, access: &Access, y: f64) {
    let number = format!("{:>3}", n + 1);
    let draw = |p: &mut Picture| {
        let mut x = MARGIN;
        let mut write = |p: &mut Picture, text: &str, paint: Paint<'static>| {
            p.text(x, y, SMALL, paint, text);
            x += text_width(text, SMALL) + 8.0;
            x
        };
        write(p, &number, Paint::Ink);
        let after = write(p, &cut(&access.what), Paint::Exact);
        if let Some(colour) = &access.colour {
            let swatch = Rect { x: after, y: y - 10.0, width: 12.0, height: 12.0 };
            p.rect(swatch, Paint::Of(colour), Paint::Ink, 1.0);
        }
        write(p, "  ", Paint::Ink);
        write(p, &cut(&access.result), Paint::Ink);
        if let Some(place) = access.place.first() {
            write(p, &cut(place), Paint::Ink);
        }
    };
    if access.picture.is_some() { p.link(&anchor(n), draw) } else { draw(p) }
}

/// The picture of access `n` with a heading above it.
fn panel(n: usize, access: &Access) -> Picture {
    let mut p = Picture::default();
    p.text(MARGIN, NORMAL, NORMAL, Paint::Exact, &format!("access {}", n + 1));
    for line in &access.place {
        p.below(SMALL + 2.0, SMALL, Paint::Ink, &cut(line));
    }
    let end = (access.picture.as_ref().map_or(0.0, Picture::right)).max(p.right());
    p.line((MARGIN, p.bottom() + 4.0), (end, p.bottom() + 4.0), Paint::Faint, 1.0);
    if let Some(picture) = &access.picture {
        let top = p.bottom();
        p.place(picture, 0.0, top, &format!("picture-{}", n + 1));
    }
    p
}
