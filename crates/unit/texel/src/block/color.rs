//! BC1, BC2 and BC3 colours: decodes blocks with two 5:6:5 endpoints to 8-bit codes. The arithmetic
//! is the hardware's, measured with every pair of endpoints (published by the pantheonsim project);
//! it differs from the descriptions of the formats.
//!
//! Red and blue are computed together, in the same halves of a `u64` in which a texel has them.

use super::Texels;

/// Decodes BC1: four colours, or three colours and transparent black.
pub(super) fn bc1(block: u64) -> Texels {
    let ends = Ends::new(block);
    let four = block as u16 > (block >> 16) as u16;
    paint(block, if four { ends.four() } else { ends.three() }, |_| 0)
}

/// Decodes the colour half of BC2 and BC3, which always has four colours, and adds the alpha codes.
pub(super) fn with_alpha(block: u64, alpha: impl Fn(usize) -> u64) -> Texels {
    paint(block, Ends::new(block).four().map(|color| color & !OPAQUE), |i| alpha(i) << 48)
}

/// Decodes BC2's alpha: four bits per texel.
pub(super) fn bc2_alpha(block: u64) -> impl Fn(usize) -> u64 {
    move |i| (block >> (4 * i) & 0xf) * 17
}

/// Selects a palette colour by two bits per texel, and adds the bits that `others` gives for the
/// texel: its alpha code.
fn paint(block: u64, palette: [u64; 4], others: impl Fn(usize) -> u64) -> Texels {
    let mut texels = [0; 16];
    for (i, texel) in texels.iter_mut().enumerate() {
        *texel = palette[(block >> (32 + 2 * i) & 3) as usize] | others(i);
    }
    texels
}

const OPAQUE: u64 = 255 << 48;

/// Mask of the lowest byte of both halves.
const BYTES: u64 = 0x0000_00ff_0000_00ff;

/// The two endpoints of a block's palette, in several widths.
struct Ends {
    /// Red and blue with five bits each.
    few: [u64; 2],
    /// Red and blue with 16 bits each.
    wide: [u64; 2],
    /// Green with eight bits.
    green: [u64; 2],
}

impl Ends {
    fn new(block: u64) -> Self {
        let few = |c: u64| c >> 11 & 0x1f | (c & 0x1f) << 32;
        // (q * 65535 + 15) / 31, of numbers of five bits.
        let wide = |q: u64| q * 2114 + (q >> 4 & 0x0000_0001_0000_0001);
        let green = |c: u64| (c >> 3 & 0xfc) | c >> 9 & 3;
        let (a, b) = (block, block >> 16);
        let (few, green) = ([few(a), few(b)], [green(a), green(b)]);
        Self { few, wide: [wide(few[0]), wide(few[1])], green }
    }

    fn four(&self) -> [u64; 4] {
        let [a, b] = self.wide;
        // A third of a 16-bit number, truncated to eight bits. Dropping eight bits of the 18-bit
        // sum first does not change the result.
        let third = |sum: u64| ((sum >> 8 & 0x0000_03ff_0000_03ff) * 683) >> 11 & BYTES;
        [
            self.color(a >> 8 & BYTES, 0),
            self.color(b >> 8 & BYTES, 1024),
            self.color(third(2 * a + b), 321),
            self.color(third(a + 2 * b), 703),
        ]
    }

    fn three(&self) -> [u64; 4] {
        let [a, b] = self.wide;
        let middle = ((self.few[0] + self.few[1]) * 33) >> 3 & BYTES;
        [
            self.color(a >> 8 & BYTES, 0),
            self.color(b >> 8 & BYTES, 1024),
            self.color(middle, 513),
            0,
        ]
    }

    /// Adds green, interpolated with a weight in 1/1024.
    fn color(&self, red_blue: u64, weight: u64) -> u64 {
        let green = (self.green[0] * (1024 - weight) + self.green[1] * weight + 512) >> 10;
        OPAQUE | red_blue | green << 16
    }
}
