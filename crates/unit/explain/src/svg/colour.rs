//! Colours of texels in pictures.

use super::{MARGIN, SMALL};
use crate::Explanation;
use crate::picture::{Paint, Picture, Rect};
use texunit_texel::Reading;
use texunit_unit::TexelIndex;

/// The mapping from texel values to colours: black is 0 and white is 1. If values outside that
/// range are read, black is the smallest and white the largest value.
pub(super) struct Scale {
    low: f64,
    high: f64,
    readings: [Reading; 4],
}

impl Scale {
    pub(super) fn new(e: &Explanation<'_>) -> Self {
        let readings = e.trace.readings;
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for texel in e.trace.footprints.iter().flat_map(|f| &f.texels) {
            for (c, &value) in texel.values.iter().enumerate() {
                let x = number(readings[c], value);
                if x.is_finite() && !lacks(readings[c]) {
                    (low, high) = (low.min(x), high.max(x));
                }
            }
        }
        Self { low, high, readings }
    }

    pub(super) fn colour(&self, values: [u32; 4]) -> String {
        let channel = |c: usize| {
            let x = (number(self.readings[c], values[c]) - self.low) / (self.high - self.low);
            // A NaN becomes 0 (black), because `as` converts it to 0.
            (x.clamp(0.0, 1.0) * 255.0) as u8
        };
        let [r, g, b] = match (lacks(self.readings[1]), lacks(self.readings[2])) {
            // A format with a single channel is drawn in grey.
            (true, _) => [channel(0); 3],
            (false, true) => [channel(0), channel(1), 0],
            (false, false) => [channel(0), channel(1), channel(2)],
        };
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// Draws the values at the ends of the scale, if it is not 0 to 1.
    pub(super) fn legend(&self, p: &mut Picture) {
        if (self.low, self.high) == (0.0, 1.0) {
            return;
        }
        const STEPS: u32 = 16;
        let (top, step) = (p.bottom() + SMALL, 8.0);
        let number = |x: f64| crate::value::float((x as f32).to_bits());
        let low = format!("scale of colours: {}", number(self.low));
        let left = MARGIN + 8.0 + low.chars().count() as f64 * SMALL * 0.65;
        p.text(MARGIN, top + SMALL, SMALL, Paint::Ink, &low);
        for n in 0..STEPS {
            let grey = n * 255 / (STEPS - 1);
            let cell = Rect { x: left + f64::from(n) * step, y: top, width: step, height: 14.0 };
            let fill = format!("#{grey:02x}{grey:02x}{grey:02x}");
            p.rect(cell, Paint::Of(&fill), Paint::None, 0.0);
        }
        let right = left + f64::from(STEPS) * step;
        let frame = Rect { x: left, y: top, width: right - left, height: 14.0 };
        p.rect(frame, Paint::None, Paint::Faint, 1.0);
        p.text(right + 8.0, top + SMALL, SMALL, Paint::Ink, &number(self.high));
    }

    /// The colour of the texel at an index of the texture; `None` outside the texture.
    pub(super) fn of_texel(&self, e: &Explanation<'_>, index: TexelIndex) -> Option<String> {
        Some(self.of_codes(e.texture.resource.texel(index)?))
    }

    /// The colour of a texel with the given channel codes.
    pub(super) fn of_codes(&self, codes: [u32; 4]) -> String {
        self.colour(std::array::from_fn(|c| self.readings[c].point(codes[c])))
    }
}

fn lacks(reading: Reading) -> bool {
    matches!(reading, Reading::Missing | Reading::One)
}

/// The contents of a register as a number, interpreted by the type of the channel.
fn number(reading: Reading, bits: u32) -> f64 {
    match reading {
        Reading::Uint { .. } => bits.into(),
        Reading::Sint { .. } => f64::from(bits as i32),
        _ => f32::from_bits(bits).into(),
    }
}

/// A text colour that is readable on this fill in both themes.
pub(super) fn ink_on(fill: &str) -> Paint<'static> {
    let part =
        |at: usize| u32::from_str_radix(fill.get(at..at + 2).unwrap_or("ff"), 16).unwrap_or(0xff);
    let light = 3 * part(1) + 6 * part(3) + part(5);
    if light > 1300 { Paint::Of("#202020") } else { Paint::Of("#ffffff") }
}
