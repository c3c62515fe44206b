//! What a texture fetch returns for each texel of some formats.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_texel::{Format, readings, unpack};

/// The channels of a texel, as a point-sampled fetch with normalized reads returns them.
fn channels(format: &str, bytes: &[u8]) -> Option<[f32; 4]> {
    let format = Format::from_name(format)?;
    let codes = unpack(format, bytes)?;
    let readings = readings(format, true, false)?;
    Some(std::array::from_fn(|i| f32::from_bits(readings[i].point(codes[i]))))
}

fn main() {
    for (format, bytes) in [("u8x4", &[0, 51, 102, 255][..]), ("s8x2", &[0x80, 0x7f])] {
        println!("{format}: {:?}", channels(format, bytes));
    }
    assert_eq!(channels("u8x4", &[0, 51, 102, 255]), Some([0.0, 0.2, 0.4, 1.0]));
    // Both of the smallest signed codes are -1.
    assert_eq!(channels("s8x2", &[0x80, 0x7f]), Some([-1.0, 1.0, 0.0, 0.0]));
}
