//! Conversion of the codes that texels store to values: how a texture of a format reads its
//! channels, and the result of a point-sampled fetch or a gather.

use crate::format::{Block, Channel, Encoding, Format};
use crate::half::{f16_to_f32, f32_to_f16_toward_zero};
use crate::srgb;

/// How the code of a channel is converted to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// The format lacks the channel, which reads as 0, also if it is w (alpha).
    Missing,
    /// Alpha of block-compressed formats without alpha, which reads as 1.
    One,
    /// An unsigned integer.
    Uint {
        /// Number of bits: 8, 16 or 32.
        bits: u8,
    },
    /// A signed integer.
    Sint {
        /// Number of bits: 8, 16 or 32.
        bits: u8,
    },
    /// An unsigned normalized number, 0 to 1.
    Unorm {
        /// Number of bits: 2, 8, 10, 16 or 24.
        bits: u8,
    },
    /// A signed normalized number, -1 to 1.
    Snorm {
        /// Number of bits: 8 or 16.
        bits: u8,
    },
    /// Eight bits, decoded by the sRGB table.
    Srgb,
    /// Half precision.
    F16,
    /// Single precision.
    F32,
}

/// How a texture of this format reads its four channels, as elements or as normalized floats, with
/// or without the sRGB flag; `None` if the combination is not valid (docs/numerics.md 8.1).
///
/// The sRGB flag affects 8-bit unsigned channels read as normalized floats (x, y, z of four, x of
/// one or two; section 5) and the colours of BC1, BC2, BC3 and BC7, whose sRGB kinds require it; it
/// has no effect on other formats. Depth formats are read the same with and without `normalized`.
pub fn readings(format: Format, normalized: bool, srgb: bool) -> Option<[Reading; 4]> {
    use Reading::{F16, F32, Missing, One, Srgb, Unorm};
    let n = usize::from(format.channels());
    let first = |n, reading| {
        let mut all = [Missing; 4];
        all[..n].fill(reading);
        all
    };
    match format.kind() {
        Encoding::Plain(channel) if !normalized => Some(first(n, element(channel))),
        Encoding::Plain(channel) | Encoding::Normalized(channel) => {
            if !normalized {
                return None;
            }
            let mut all = first(n, fraction(channel)?);
            if srgb && channel == Channel::U8 {
                all[..if n == 4 { 3 } else { 1 }].fill(Srgb);
            }
            Some(all)
        }
        Encoding::Rgb10a2 => {
            let ten = Unorm { bits: 10 };
            (!normalized).then_some([ten, ten, ten, Unorm { bits: 2 }])
        }
        Encoding::Depth(bits) => Some(first(1, Unorm { bits })),
        Encoding::DepthFloat => Some(first(1, F32)),
        Encoding::Block(Block::Bc6h | Block::Bc6hSnorm) => {
            (!normalized).then_some([F16, F16, F16, One])
        }
        Encoding::Block(_) if !normalized || format.is_srgb_block() && !srgb => None,
        Encoding::Block(block) => Some(of_block(block, srgb, n)),
    }
}

/// Block-compressed formats are filtered in the format of their decoded texels (docs/numerics.md
/// 11).
fn of_block(block: Block, srgb: bool, channels: usize) -> [Reading; 4] {
    let reading = match block {
        Block::Bc4 | Block::Bc5 => Reading::Unorm { bits: 16 },
        Block::Bc4Snorm | Block::Bc5Snorm => Reading::Snorm { bits: 16 },
        _ => {
            let eight = Reading::Unorm { bits: 8 };
            let colour = if srgb { Reading::Srgb } else { eight };
            return [colour, colour, colour, eight];
        }
    };
    let mut all = [reading, Reading::Missing, Reading::Missing, Reading::One];
    all[..channels].fill(reading);
    all
}

fn element(channel: Channel) -> Reading {
    let bits = 8 * channel.size() as u8;
    match channel {
        Channel::U8 | Channel::U16 | Channel::U32 => Reading::Uint { bits },
        Channel::S8 | Channel::S16 | Channel::S32 => Reading::Sint { bits },
        Channel::F16 => Reading::F16,
        Channel::F32 => Reading::F32,
    }
}

fn fraction(channel: Channel) -> Option<Reading> {
    let bits = 8 * channel.size() as u8;
    match channel {
        Channel::U8 | Channel::U16 => Some(Reading::Unorm { bits }),
        Channel::S8 | Channel::S16 => Some(Reading::Snorm { bits }),
        Channel::U32 | Channel::S32 | Channel::F16 | Channel::F32 => None,
    }
}

const ONE: u32 = 0x3f80_0000;

/// Flag in the code of a border colour: the code has 16 bits although the texels' codes have fewer.
/// Set for all channels of 10:10:10:2 (docs/numerics.md 6).
pub const WIDE: u32 = 1 << 31;

/// Widens a code of an unsigned normalized channel to the bits that the filter sums: 2, 8, 10 or 16
/// bits become 16 by repetition; 24 bits are unchanged. Bits above the channel, which an inactive
/// lane may have from an earlier fetch, give an unspecified result.
pub fn widen_unorm(bits: u8, code: u32) -> u32 {
    match bits {
        _ if code & WIDE != 0 => code & 0xffff,
        2 => code.wrapping_mul(0x5555),
        8 => code.wrapping_mul(0x0101),
        10 => code << 6 | code >> 4,
        _ => code,
    }
}

impl Reading {
    /// The result of a point-sampled fetch for a code, as register bits (docs/numerics.md 2,
    /// "Point-sampled values"). Bits of the code above the channel's width are ignored.
    pub fn point(self, code: u32) -> u32 {
        match self {
            Reading::Missing => 0,
            Reading::One => ONE,
            Reading::Uint { bits } => code & mask(bits),
            Reading::Sint { bits } => sign_extend(bits, code) as u32,
            Reading::Unorm { bits: 10 } if code & WIDE != 0 => {
                quotient((code >> 6 & 0x3ff) as i32, 0x3ff)
            }
            Reading::Unorm { .. } if code & WIDE != 0 => quotient((code & 0xffff) as i32, 65_535),
            Reading::Unorm { bits } => quotient((code & mask(bits)) as i32, mask(bits) as i32),
            Reading::Snorm { bits } => {
                let max = mask(bits - 1) as i32;
                quotient(sign_extend(bits, code).max(-max), max)
            }
            Reading::Srgb => srgb::decode(code),
            Reading::F16 => f16_to_f32(code as u16),
            Reading::F32 => code,
        }
    }

    /// The result of a gather for a code (docs/numerics.md 8): as [`Self::point`], except that NaNs
    /// are all ones, subnormal f32 are zeros, and 8-bit snorm and 10-bit unorm have 16 bits, as in
    /// the linear filter.
    pub fn gather(self, code: u32) -> u32 {
        match self {
            Reading::Snorm { bits: 8 } => quotient(snorm8_to_16(sign_extend(8, code)), 32_767),
            Reading::Unorm { bits: 10 } => {
                quotient(widen_unorm(10, code & (WIDE | 0xffff)) as i32, 65_535)
            }
            Reading::F16 if code & 0x7fff > 0x7c00 => 0x7fff_e000,
            Reading::F32 if code & 0x7fff_ffff > 0x7f80_0000 => 0x7fff_ffff,
            Reading::F32 if code & 0x7f80_0000 == 0 => code & 0x8000_0000,
            _ => self.point(code),
        }
    }

    /// Converts a component of a border colour, given as f32 bits, to a code (docs/numerics.md 6,
    /// and 5 for sRGB).
    pub fn border_code(self, bits: u32) -> u32 {
        match self {
            Reading::Missing | Reading::One => 0,
            // A channel that is read as an integer takes the low bits of the f32 without
            // conversion.
            Reading::Uint { bits: width } | Reading::Sint { bits: width } => bits & mask(width),
            Reading::Unorm { bits: 2 | 10 } => WIDE | normalized_code(16, 0.0, bits),
            Reading::Unorm { bits: 24 } => depth_code(bits),
            Reading::Unorm { bits: width } => normalized_code(width, 0.0, bits) & mask(width),
            Reading::Snorm { bits: width } => normalized_code(width - 1, -1.0, bits) & mask(width),
            Reading::Srgb => srgb::encode_border(bits),
            Reading::F16 => f32_to_f16_toward_zero(bits).into(),
            Reading::F32 => bits,
        }
    }

    /// Whether codes are converted to floats, so that they can be filtered; integers are not.
    pub fn can_filter(self) -> bool {
        !matches!(self, Reading::Uint { .. } | Reading::Sint { .. })
    }
}

/// [`Reading::border_code`] of the four channels of a border colour.
pub fn border_codes(readings: [Reading; 4], border: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|c| readings[c].border_code(border[c]))
}

/// Converts an f32 to a code of `m` magnitude bits: clamped, with NaN as 0, truncated to `m + 4`
/// fractional bits, and scaled with a rounding that is not quite to nearest, so that 0.5 at 8 bits
/// is 127. Used for border colours and formatted stores (docs/numerics.md 6, 10.8).
#[inline(always)]
pub fn normalized_code(m: u8, low: f32, bits: u32) -> u32 {
    let x = f32::from_bits(bits);
    let x = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) };
    // Scaling by a power of two is exact, `as` truncates.
    let v = (x * (1_u32 << (m + 4)) as f32) as i64;
    let code = (v.abs() * ((1 << m) - 1) + (1 << (m + 3)) - 1) >> (m + 4);
    (if v < 0 { -code } else { code }) as u32
}

/// Converts an f32 to the nearest code of 24 bits, ties up (docs/numerics.md 6).
pub fn depth_code(bits: u32) -> u32 {
    let x = f64::from(f32::from_bits(bits));
    let x = if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
    // At most 48 significant bits: exact, and so is the sum.
    (x * f64::from(mask(24)) + 0.5) as u32
}

/// A mask of the lowest bits.
pub(crate) fn mask(bits: u8) -> u32 {
    u32::MAX >> (32 - bits)
}

/// Sign-extends a code of `bits` bits (1 to 32).
pub fn sign_extend(bits: u8, code: u32) -> i32 {
    (code << (32 - bits)) as i32 >> (32 - bits)
}

/// f32(k/max), rounded once, because both are integers of at most 24 bits.
fn quotient(k: i32, max: i32) -> u32 {
    (k as f32 / max as f32).to_bits()
}

/// The linear filter's conversion of an 8-bit snorm code to 15 magnitude bits, for a single texel
/// with the whole weight.
fn snorm8_to_16(code: i32) -> i32 {
    let sum = 256 * code;
    (sum + ((257 * (sum >> 4) + 1024) >> 11)).max(-32_767)
}

#[cfg(test)]
mod tests;
