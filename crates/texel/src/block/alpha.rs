//! The blocks of eight values of one channel: BC3's alpha (8-bit codes), BC4 and BC5 (16-bit
//! codes). The arithmetic is the hardware's, measured with every pair of endpoints (published by
//! the pantheonsim project).

use super::Texels;

/// How far from a0 to a1 the values between them are: six of them if a0 > a1, else four. The unit
/// is that of the format's own arithmetic.
struct Steps {
    eight: [i32; 6],
    six: [i32; 4],
}

const BC3: Steps = Steps { eight: [289, 578, 892, 1156, 1470, 1759], six: [385, 770, 1278, 1663] };
const UNSIGNED: Steps = Steps { eight: [36, 72, 113, 144, 185, 221], six: [48, 96, 161, 209] };
const SIGNED: Steps = Steps {
    eight: [4572, 9144, 14_479, 18_288, 23_623, 28_195],
    six: [6096, 12_192, 20_575, 26_671],
};

/// The eight values that indices choose: the `ends`, those `between` them by their steps, and
/// the `extremes` where there is room for them.
fn palette(
    a: [i32; 2],
    ends: [i32; 2],
    steps: &Steps,
    between: impl Fn(i32) -> i32,
    extremes: [i32; 2],
) -> [i32; 8] {
    let mut values = [0; 8];
    values[..2].copy_from_slice(&ends);
    if a[0] > a[1] {
        values[2..].copy_from_slice(&steps.eight.map(between));
    } else {
        values[2..6].copy_from_slice(&steps.six.map(between));
        values[6..].copy_from_slice(&extremes);
    }
    values
}

/// Three bits a texel choose the value.
fn paint(block: u64, palette: [i32; 8], mask: i32) -> [u16; 16] {
    let codes = palette.map(|value| (value & mask) as u16);
    let mut all = [0; 16];
    let mut indices = block >> 16;
    for code in &mut all {
        *code = codes[(indices & 7) as usize];
        indices >>= 3;
    }
    all
}

fn unsigned_ends(block: u64) -> [i32; 2] {
    [block as i32 & 0xff, block as i32 >> 8 & 0xff]
}

/// BC3's alpha, in 8 bits.
pub(super) fn bc3(block: u64) -> [u16; 16] {
    let a = unsigned_ends(block);
    let between = |n| (a[0] * 2048 + (a[1] - a[0]) * n + 1024) >> 11;
    paint(block, palette(a, a, &BC3, between, [0, 255]), 0xff)
}

/// A channel of BC4 and BC5, in 16 bits.
pub(super) fn unsigned(block: u64) -> [u16; 16] {
    let a = unsigned_ends(block);
    let between = |n| a[0] * (257 - n) + a[1] * n;
    paint(block, palette(a, a.map(|a| a * 257), &UNSIGNED, between, [0, 65_535]), 0xffff)
}

/// A channel of signed BC4 and BC5, in 16 bits. -128 acts as -127.
pub(super) fn signed(block: u64) -> [u16; 16] {
    let a = [block as u8, (block >> 8) as u8].map(|a| i32::from(a as i8).max(-127));
    // In 1/127, rounded half up.
    let rounded = |n: i32| (2 * n + 127).div_euclid(254);
    let between = |m| rounded(a[0] * 32_767 + (a[1] - a[0]) * m);
    let ends = a.map(|a| rounded(a * 32_767));
    paint(block, palette(a, ends, &SIGNED, between, [-32_767, 32_767]), 0xffff)
}

/// One or two such blocks as texels.
pub(super) fn channels(blocks: &[[u16; 16]]) -> Texels {
    let mut texels = [0; 16];
    for (c, block) in blocks.iter().enumerate() {
        for (texel, &code) in texels.iter_mut().zip(block) {
            *texel |= u64::from(code) << (16 * c);
        }
    }
    texels
}
