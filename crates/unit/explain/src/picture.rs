//! A minimal SVG writer: rectangles, lines, circles, text, and groups with tooltips.

use std::fmt::Write;

/// Width of the left margin in pixels.
pub(crate) const MARGIN: f64 = 16.0;

/// A drawing under construction; positions are in pixels from the top left.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    body: String,
    width: f64,
    height: f64,
}

/// Position and size of a rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Which point of a text is at the given position: its start, middle or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The paint of a shape: a theme colour, which has a dark variant, or a fixed colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint<'a> {
    /// The shape is not painted.
    None,
    /// Colour of text and strong lines.
    Ink,
    /// Colour of thin lines.
    Faint,
    /// Colour of the background.
    Paper,
    /// Fill of a face, level or byte for which no texel colour is drawn.
    Empty,
    /// Hatching of cells outside the texture, which looks unlike any texel.
    Outside,
    /// Colour of values that the hardware uses.
    Mark,
    /// Colour of values without rounding, and of requested values, such as coordinates.
    Exact,
    /// A fixed colour, of a texel or of marks on it.
    Of(&'a str),
}

/// Name, light colour and dark colour of each theme colour. Ink, mark and exact have a contrast of
/// at least 4.5 on paper, so that text in them is readable.
const THEME: [(Paint<'static>, &str, &str, &str); 6] = [
    (Paint::Ink, "ink", "#202020", "#e6e6e6"),
    (Paint::Faint, "faint", "#b0b0b0", "#5c626a"),
    (Paint::Paper, "paper", "#ffffff", "#16181c"),
    (Paint::Empty, "empty", "#f4f4f4", "#282b30"),
    (Paint::Mark, "mark", "#d02020", "#ff6b6b"),
    (Paint::Exact, "exact", "#2f6fb0", "#6fb1f0"),
];

/// Colour of the hatching of cells outside a texture, in the light and the dark theme.
const HATCH: [&str; 2] = ["#c8c8c8", "#4a4f57"];

impl Paint<'_> {
    /// An SVG attribute, such as `fill`, with this colour, and the class by which the style sheet
    /// replaces it in the dark theme.
    fn attribute(self, name: &str) -> (String, Option<String>) {
        let plain = |value: &str| (format!("{name}=\"{value}\""), None);
        match self {
            Paint::None => plain("none"),
            Paint::Outside => plain("url(#texunit-outside)"),
            Paint::Of(colour) => plain(colour),
            _ => THEME.iter().find(|row| row.0 == self).map_or_else(
                || plain("none"),
                |(_, word, light, _)| {
                    (format!("{name}=\"{light}\""), Some(format!("{}-{word}", &name[..1])))
                },
            ),
        }
    }
}

/// The attributes of a shape: `fill="#ffffff" stroke="#202020" class="f-paper s-ink"`.
fn painted(fill: Option<Paint<'_>>, stroke: Option<Paint<'_>>) -> String {
    let parts = [("fill", fill), ("stroke", stroke)];
    let parts: Vec<_> =
        parts.iter().filter_map(|(name, paint)| Some(paint.as_ref()?.attribute(name))).collect();
    let mut text = parts.iter().map(|p| p.0.as_str()).collect::<Vec<_>>().join(" ");
    let classes: Vec<&str> = parts.iter().filter_map(|p| p.1.as_deref()).collect();
    if !classes.is_empty() {
        text += &format!(" class=\"{}\"", classes.join(" "));
    }
    text
}

/// The style sheet of the dark theme, for stand-alone pictures; a page that embeds the picture has
/// its own. Renderers without style sheets use the colours of the attributes.
fn dark() -> String {
    let mut css = "@media (prefers-color-scheme: dark) {".to_owned();
    for (_, word, _, dark) in THEME {
        let _ = write!(css, "\n.texunit-picture .f-{word} {{ fill: {dark} }}");
        let _ = write!(css, " .texunit-picture .s-{word} {{ stroke: {dark} }}");
    }
    let _ = write!(css, "\n.texunit-picture .s-hatch {{ stroke: {} }}\n}}", HATCH[1]);
    css
}

impl Picture {
    fn grow(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    /// The lower edge of what has been drawn.
    pub(crate) fn bottom(&self) -> f64 {
        self.height
    }

    /// The right edge of what has been drawn.
    pub(crate) fn right(&self) -> f64 {
        self.width
    }

    pub(crate) fn rect(&mut self, r: Rect, fill: Paint<'_>, stroke: Paint<'_>, stroke_width: f64) {
        let Rect { x, y, width, height } = r;
        let paint = painted(Some(fill), Some(stroke));
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             {paint} stroke-width=\"{stroke_width}\"/>"
        );
        self.grow(x + width, y + height);
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Paint<'_>, width: f64) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {} stroke-width=\"{width}\"/>",
            from.0,
            from.1,
            to.0,
            to.1,
            painted(None, Some(stroke))
        );
        self.grow(from.0.max(to.0), from.1.max(to.1));
    }

    pub(crate) fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: Paint, stroke: Paint) {
        let paint = painted(Some(fill), Some(stroke));
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" {paint} stroke-width=\"2\"/>"
        );
        self.grow(x + radius, y + radius);
    }

    /// Text that begins at x, with its baseline at y; sizes are in pixels.
    pub(crate) fn text(&mut self, x: f64, y: f64, size: f64, fill: Paint<'_>, text: &str) {
        self.anchored(x, y, size, Anchor::Start, fill, text);
    }

    /// Text at the left margin, with its baseline at a distance below what has been drawn.
    pub(crate) fn below(&mut self, distance: f64, size: f64, fill: Paint<'_>, text: &str) {
        self.text(MARGIN, self.height + distance, size, fill, text);
    }

    /// Text as of [`Self::text`], of which the given point is at x.
    pub(crate) fn anchored(
        &mut self,
        x: f64,
        y: f64,
        size: f64,
        anchor: Anchor,
        fill: Paint<'_>,
        text: &str,
    ) {
        let length = text_width(text, size);
        let (word, right) = match anchor {
            Anchor::Start => ("start", x + length),
            Anchor::Middle => ("middle", x + length / 2.0),
            Anchor::End => ("end", x),
        };
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{word}\" {}>{}</text>",
            painted(Some(fill), None),
            escape(text)
        );
        self.grow(right, y + size * 0.3);
    }

    /// Draws a group with a tooltip, which screen readers also read.
    pub(crate) fn group(&mut self, says: &str, draw: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.body, "<g pointer-events=\"all\"><title>{}</title>", escape(says));
        draw(self);
        self.body += "</g>\n";
    }

    /// Draws a group that links to an anchor in the same document.
    pub(crate) fn link(&mut self, to: &str, draw: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.body, "<a href=\"#{}\">", escape(to));
        draw(self);
        self.body += "</a>\n";
    }

    /// Embeds another picture with its upper left corner at x, y, under an id to which links can
    /// refer.
    pub(crate) fn place(&mut self, other: &Picture, x: f64, y: f64, id: &str) {
        let (id, at, body) = (escape(id), format!("translate({x:.1},{y:.1})"), &other.body);
        let _ = writeln!(self.body, "<g id=\"{id}\" transform=\"{at}\">\n{body}</g>");
        self.grow(x + other.width, y + other.height);
    }

    /// The drawing as an SVG document; the description is an alternative text for screen readers.
    pub(crate) fn finish(self, title: &str, description: &str) -> String {
        let (width, height) = ((self.width + 16.0).ceil(), (self.height + 16.0).ceil());
        let paper = painted(Some(Paint::Paper), None);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" class=\"texunit-picture\">\n\
             <title>{}</title>\n\
             <desc>{}</desc>\n\
             <style>{}</style>\n\
             <defs><pattern id=\"texunit-outside\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"8\" height=\"8\" {paper}/>\
             <path d=\"M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4\" stroke=\"{}\" stroke-width=\"1\" class=\"s-hatch\"/></pattern></defs>\n\
             <rect width=\"{width}\" height=\"{height}\" {paper}/>\n{}</svg>\n",
            escape(title),
            escape(description),
            dark(),
            HATCH[0],
            self.body
        )
    }
}

/// The maximum width of a text: monospaced characters are 0.6 of their size wide, but may be
/// rounded up to whole pixels.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.65
}

/// Escapes characters that have a meaning in XML or are not allowed in it.
fn escape(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => " ".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_the_page_holds_everything() {
        let mut picture = Picture::default();
        picture.text(10.0, 20.0, 10.0, Paint::Ink, "a<b & \u{1}\u{ffff}c");
        let rect = Rect { x: 50.0, y: 5.0, width: 50.0, height: 95.0 };
        picture.group("a \"hint\"", |p| p.rect(rect, Paint::None, Paint::Of("#000"), 1.0));
        assert_eq!((picture.width, picture.height), (100.0, 100.0));
        let mut page = Picture::default();
        page.place(&picture, 10.0, 20.0, "one");
        assert_eq!((page.width, page.height), (110.0, 120.0));
        let svg = page.finish("\"t\"", "a & b");
        assert!(svg.contains("a&lt;b &amp;   c") && svg.contains("width=\"126\""), "{svg}");
        assert!(svg.contains("<title>&quot;t&quot;</title>\n<desc>a &amp; b</desc>"));
        assert!(svg.contains("<title>a &quot;hint&quot;</title>\n<rect"));
    }

    #[test]
    fn colours_have_a_value_of_their_own_and_a_class() {
        let both = painted(Some(Paint::Paper), Some(Paint::Ink));
        assert_eq!(both, "fill=\"#ffffff\" stroke=\"#202020\" class=\"f-paper s-ink\"");
        assert_eq!(painted(None, Some(Paint::Of("#102030"))), "stroke=\"#102030\"");
        // The style sheet of the dark theme must have a rule for every class of a shape.
        for (paint, ..) in THEME {
            let (_, class) = paint.attribute("stroke");
            assert!(class.is_some_and(|class| dark().contains(&format!(".{class} {{ stroke"))));
        }
    }

    /// The WCAG contrast of text is sufficient in the light and the dark theme.
    #[test]
    fn text_can_be_read_in_both_schemes() {
        let luminance = |colour: &str| -> f64 {
            let part = |at: usize| {
                let byte = u8::from_str_radix(&colour[at..at + 2], 16).map_or(0.0, f64::from);
                let c = byte / 255.0;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let of = |paint| THEME.iter().find(|row| row.0 == paint).map(|row| [row.2, row.3]);
        for ground in [Paint::Paper, Paint::Empty] {
            for ink in [Paint::Ink, Paint::Mark, Paint::Exact] {
                let (Some(a), Some(b)) = (of(ground), of(ink)) else { panic!("{ink:?}") };
                for (a, b) in a.into_iter().zip(b) {
                    let (a, b) = (luminance(a), luminance(b));
                    let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                    assert!(contrast >= 4.5, "{ink:?} on {ground:?}: {contrast}");
                }
            }
        }
    }
}
