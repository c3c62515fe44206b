//! Single-channel blocks of eight interpolated values: BC3's alpha (8-bit codes), BC4 and BC5
//! (16-bit codes). The arithmetic is the hardware's, measured with every pair of endpoints
//! (published by the pantheonsim project).

use super::Texels;

/// Interpolation weights of the values between the endpoints a0 and a1: six values if a0 > a1, else
/// four. The unit of the weights depends on the format.
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

/// A block and its decoded palette of eight codes. Three bits of the block per texel select a code.
pub(super) struct Values {
    block: u64,
    codes: [u16; 8],
}

impl Values {
    /// Builds the palette: the endpoints `ends`, the values `between` them for the given steps, and
    /// the `extremes` if there is room for them.
    fn new(
        block: u64,
        a: [i32; 2],
        ends: [i32; 2],
        steps: &Steps,
        between: impl Fn(i32) -> i32,
        extremes: [i32; 2],
    ) -> Self {
        let mut codes = [0; 8];
        (codes[0], codes[1]) = (ends[0] as u16, ends[1] as u16);
        if a[0] > a[1] {
            for (code, &step) in codes[2..].iter_mut().zip(&steps.eight) {
                *code = between(step) as u16;
            }
        } else {
            for (code, &step) in codes[2..].iter_mut().zip(&steps.six) {
                *code = between(step) as u16;
            }
            (codes[6], codes[7]) = (extremes[0] as u16, extremes[1] as u16);
        }
        Self { block, codes }
    }

    /// The code of a texel.
    #[inline(always)]
    pub(super) fn of(&self, texel: usize) -> u64 {
        self.codes[(self.block >> (16 + 3 * texel) & 7) as usize].into()
    }
}

fn unsigned_ends(block: u64) -> [i32; 2] {
    [block as i32 & 0xff, block as i32 >> 8 & 0xff]
}

/// Decodes BC3's alpha, to 8 bits.
pub(super) fn bc3(block: u64) -> Values {
    let a = unsigned_ends(block);
    let between = |n| (a[0] * 2048 + (a[1] - a[0]) * n + 1024) >> 11;
    Values::new(block, a, a, &BC3, between, [0, 255])
}

/// Decodes a channel of BC4 and BC5, to 16 bits.
pub(super) fn unsigned(block: u64) -> Values {
    let a = unsigned_ends(block);
    let between = |n| a[0] * (257 - n) + a[1] * n;
    Values::new(block, a, [a[0] * 257, a[1] * 257], &UNSIGNED, between, [0, 65_535])
}

/// Decodes a channel of signed BC4 and BC5, to 16 bits. -128 acts as -127.
pub(super) fn signed(block: u64) -> Values {
    let end = |byte: u8| i32::from(byte as i8).max(-127);
    let a = [end(block as u8), end((block >> 8) as u8)];
    // Divides by 127, rounding halves up.
    let rounded = |n: i32| (2 * n + 127).div_euclid(254);
    let between = |m| rounded(a[0] * 32_767 + (a[1] - a[0]) * m);
    let ends = [rounded(a[0] * 32_767), rounded(a[1] * 32_767)];
    Values::new(block, a, ends, &SIGNED, between, [-32_767, 32_767])
}

/// Texels with one channel.
pub(super) fn one_channel(red: &Values) -> Texels {
    let mut texels = [0; 16];
    for (i, texel) in texels.iter_mut().enumerate() {
        *texel = red.of(i);
    }
    texels
}

/// Texels with two channels.
pub(super) fn two_channels(red: &Values, green: &Values) -> Texels {
    let mut texels = [0; 16];
    for (i, texel) in texels.iter_mut().enumerate() {
        *texel = red.of(i) | green.of(i) << 16;
    }
    texels
}
