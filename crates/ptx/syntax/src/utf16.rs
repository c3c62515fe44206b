//! Offsets in UTF-16 code units, in which SARIF and the language server protocol count columns.

/// Converts byte offsets to code unit offsets. The offsets of every `STEP`th byte are stored, and
/// counting starts there, so that a lookup takes constant time even in long lines.
#[derive(Clone, Debug)]
pub struct Utf16<'t> {
    text: &'t str,
    /// Number of code units before every `STEP`th byte; empty if the text is ASCII.
    steps: Vec<u32>,
}

const STEP: usize = 4096;

impl<'t> Utf16<'t> {
    /// Counts the code units of a text.
    pub fn new(text: &'t str) -> Self {
        if text.is_ascii() {
            return Self { text, steps: Vec::new() };
        }
        let mut units = 0;
        let step = |bytes: &[u8]| {
            let before = units;
            units += count(bytes);
            before
        };
        Self { text, steps: text.as_bytes().chunks(STEP).map(step).collect() }
    }

    /// Number of code units before a byte offset; past the end, of the whole text.
    pub fn before(&self, offset: usize) -> u32 {
        let offset = offset.min(self.text.len());
        if self.steps.is_empty() {
            return offset as u32;
        }
        let step = (offset / STEP).min(self.steps.len() - 1);
        self.steps[step] + count(&self.text.as_bytes()[step * STEP..offset])
    }
}

/// Number of code units of characters, each counted at its first byte.
fn count(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&b| u32::from(b & 0xc0 != 0x80) + u32::from(b >= 0xf0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected number is that of code units in the encoded text before the position.
    #[test]
    fn units_before_a_place() {
        let text =
            "a\u{e4}\u{20ac}\u{1f600}\n".repeat(3) + &"x\u{1f600}\u{e4}".repeat(5000) + "\nz";
        for text in [text.as_str(), "", "ab", &"\u{20ac}".repeat(STEP)] {
            let units = Utf16::new(text);
            let end = text.len();
            for at in text.char_indices().map(|c| c.0).filter(|at| at % 7 == 0).chain([end]) {
                let expected = text[..at].encode_utf16().count() as u32;
                assert_eq!(units.before(at), expected, "{at}");
            }
            assert_eq!(units.before(end + 9), units.before(end));
        }
    }
}
