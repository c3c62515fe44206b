//! BC1, BC2 and BC3: colours between two 5:6:5 endpoints, to 8-bit codes. The arithmetic is the
//! hardware's, measured with every pair of endpoints (published by the pantheonsim project); the
//! descriptions of the formats compute something else.

use super::{Texels, texel};

/// BC1: four colours, or three and transparent black.
pub(super) fn bc1(block: u64) -> Texels {
    let (c0, c1) = endpoints(block);
    paint(block, if c0 > c1 { four_colors(c0, c1) } else { three_colors(c0, c1) })
}

/// The colour half of BC2 and BC3, which is always one of four colours, with alpha.
pub(super) fn with_alpha(block: u64, alpha: [u16; 16]) -> Texels {
    let (c0, c1) = endpoints(block);
    let mut texels = paint(block, four_colors(c0, c1));
    for (texel, alpha) in texels.iter_mut().zip(alpha) {
        *texel = *texel & (u64::MAX >> 16) | u64::from(alpha) << 48;
    }
    texels
}

/// BC2's alpha: four bits a texel.
pub(super) fn bc2_alpha(block: u64) -> [u16; 16] {
    std::array::from_fn(|i| (block >> (4 * i) & 0xf) as u16 * 17)
}

fn endpoints(block: u64) -> (u32, u32) {
    (block as u32 & 0xffff, block as u32 >> 16)
}

/// Two bits a texel choose the colour.
fn paint(block: u64, palette: [[u32; 4]; 4]) -> Texels {
    let palette = palette.map(texel);
    let mut texels = [0; 16];
    let mut indices = block >> 32;
    for texel in &mut texels {
        *texel = palette[(indices & 3) as usize];
        indices >>= 2;
    }
    texels
}

fn red(c: u32) -> u32 {
    c >> 11
}

fn green(c: u32) -> u32 {
    let g = c >> 5 & 0x3f;
    g << 2 | g >> 4
}

fn blue(c: u32) -> u32 {
    c & 0x1f
}

/// Red and blue widen to 16 bits, and are cut to 8 only after they are mixed.
fn widen(q: u32) -> u32 {
    (q * 65_535 + 15) / 31
}

fn four_colors(c0: u32, c1: u32) -> [[u32; 4]; 4] {
    let color = |five: fn(u32, u32) -> u32, weight: u32| {
        let mix = |channel: fn(u32) -> u32| five(widen(channel(c0)), widen(channel(c1))) >> 8;
        [mix(red), mix_green(c0, c1, weight), mix(blue), 255]
    };
    [
        color(|a, _| a, 0),
        color(|_, b| b, 1024),
        color(|a, b| (2 * a + b) / 3, 321),
        color(|a, b| (a + 2 * b) / 3, 703),
    ]
}

fn three_colors(c0: u32, c1: u32) -> [[u32; 4]; 4] {
    let [first, second, ..] = four_colors(c0, c1);
    let mix = |channel: fn(u32) -> u32| (33 * (channel(c0) + channel(c1))) >> 3;
    [first, second, [mix(red), mix_green(c0, c1, 513), mix(blue), 255], [0; 4]]
}

fn mix_green(c0: u32, c1: u32, weight: u32) -> u32 {
    (green(c0) * (1024 - weight) + green(c1) * weight + 512) >> 10
}
