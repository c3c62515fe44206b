//! Formatted surface stores: from register values to codes (`sust.p`, docs/numerics.md 10).

use crate::format::{Channel, Format, Kind};
use crate::half::f32_to_f16_toward_zero;
use crate::reading::mask;

/// The codes that `sust.p` writes for the first `supplied` (1, 2 or 4) of four registers; a
/// channel that is not supplied is written 0, and one the format lacks is not written.
///
/// `None` for formats that have no formatted store: block-compressed and depth formats.
pub fn store_codes(format: Format, values: [u32; 4], supplied: u8) -> Option<[u32; 4]> {
    let code: fn(u32, usize) -> u32 = match format.kind() {
        Kind::Plain(channel) => match channel {
            Channel::U8 => |value, _| value.min(0xff),
            Channel::U16 => |value, _| value.min(0xffff),
            Channel::S8 => |value, _| (value as i32).clamp(-0x80, 0x7f) as u32 & 0xff,
            Channel::S16 => |value, _| (value as i32).clamp(-0x8000, 0x7fff) as u32 & 0xffff,
            Channel::U32 | Channel::S32 | Channel::F32 => |value, _| value,
            Channel::F16 => |value, _| f32_to_f16_toward_zero(value).into(),
        },
        Kind::Normalized(channel) => match channel {
            Channel::U8 => |value, _| normalized_store(8, 0.0, value),
            Channel::U16 => |value, _| normalized_store(16, 0.0, value),
            Channel::S8 => |value, _| normalized_store(7, -1.0, value) & 0xff,
            Channel::S16 => |value, _| normalized_store(15, -1.0, value) & 0xffff,
            Channel::U32 | Channel::S32 | Channel::F16 | Channel::F32 => return None,
        },
        Kind::Rgb10a2 => |value, c| normalized_store(if c == 3 { 2 } else { 10 }, 0.0, value),
        Kind::Block(_) | Kind::Depth(_) | Kind::DepthFloat => return None,
    };
    let count = supplied.min(format.channels()).into();
    Some(std::array::from_fn(|c| if c < count { code(values[c], c) } else { 0 }))
}

/// An f32 as a code of `m` magnitude bits: clamped, NaN 0, scaled. **Assumed** (open in
/// docs/numerics.md 10): rounded to nearest, ties to even.
fn normalized_store(m: u8, low: f64, bits: u32) -> u32 {
    let x = f64::from(f32::from_bits(bits));
    let x = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) };
    // At most 24 + 16 bits: exact.
    (x * f64::from(mask(m))).round_ties_even() as i32 as u32
}
