//! A little SVG: rectangles, lines, circles and text. Nothing else is needed.

use std::fmt::Write;

/// A drawing under construction; positions in pixels from the top left.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    body: String,
    width: f64,
    height: f64,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Where text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
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

    pub(crate) fn rect(&mut self, r: Rect, fill: &str, stroke: &str, stroke_width: f64) {
        let Rect { x, y, width, height } = r;
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{stroke_width}\"/>"
        );
        self.grow(x + width, y + height);
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str) {
        self.stroke(from, to, stroke, 1.0);
    }

    pub(crate) fn thick_line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str) {
        self.stroke(from, to, stroke, 3.0);
    }

    fn stroke(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str, width: f64) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{stroke}\" \
             stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        );
        self.grow(from.0.max(to.0), from.1.max(to.1));
    }

    pub(crate) fn circle(&mut self, x: f64, y: f64, radius: f64, fill: &str, stroke: &str) {
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" \
             stroke=\"{stroke}\" stroke-width=\"2\"/>"
        );
        self.grow(x + radius, y + radius);
    }

    /// Text whose base line is at y. Sizes in pixels.
    pub(crate) fn text(
        &mut self,
        x: f64,
        y: f64,
        size: f64,
        anchor: Anchor,
        fill: &str,
        text: &str,
    ) {
        let word = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{word}\" \
             fill=\"{fill}\">{}</text>",
            escape(text)
        );
        // Monospaced characters are 0.6 of their size wide, but may be rounded up to whole pixels.
        let length = text.chars().count() as f64 * size * 0.65;
        let right = match anchor {
            Anchor::Start => x + length,
            Anchor::Middle => x + length / 2.0,
            Anchor::End => x,
        };
        self.grow(right, y + size * 0.3);
    }

    /// The document; the description is for those who cannot see the picture.
    pub(crate) fn finish(self, title: &str, description: &str) -> String {
        let (width, height) = ((self.width + 16.0).ceil(), (self.height + 16.0).ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"monospace\">\n\
             <title>{}</title>\n\
             <desc>{}</desc>\n\
             <defs><pattern id=\"outside\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"8\" height=\"8\" fill=\"#ffffff\"/>\
             <path d=\"M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4\" stroke=\"#c8c8c8\" stroke-width=\"1\"/></pattern></defs>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            escape(title),
            escape(description),
            self.body
        )
    }
}

/// Characters that mean something in XML, or that it does not allow.
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
        picture.text(10.0, 20.0, 10.0, Anchor::Start, "#000", "a<b & \u{1}\u{ffff}c");
        picture.rect(Rect { x: 50.0, y: 5.0, width: 50.0, height: 95.0 }, "none", "#000", 1.0);
        assert_eq!((picture.width, picture.height), (100.0, 100.0));
        let svg = picture.finish("\"t\"", "a & b");
        assert!(svg.contains("a&lt;b &amp;   c") && svg.contains("width=\"116\""), "{svg}");
        assert!(svg.contains("<title>&quot;t&quot;</title>\n<desc>a &amp; b</desc>"));
    }
}
