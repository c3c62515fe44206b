//! Mip level generation with a box filter: each texel is the mean of 2, 4 or 8 texels of the level
//! before, rounded to nearest (for integers, halves up). The last row or column of an odd size is
//! ignored, as in most tools.

use crate::container::level_extent;
use crate::convert::{Value, read};
use texunit_texel::{Channel, Dtype, Format, f16_to_f32, f64_to_f16};

/// Generates all levels, packed, from the packed planes (layers, faces) of the base level; `None`
/// if there is not enough memory.
pub fn chain(
    base: &[u8],
    format: Format,
    channel: Channel,
    extent: [u32; 3],
    levels: u32,
) -> Option<Vec<u8>> {
    let texels = |level: u32| -> usize {
        level_extent(extent, level).iter().fold(1, |n, &axis| n.saturating_mul(axis as usize))
    };
    let sizes = (0..levels).map(|level| base.len() / texels(0).max(1) * texels(level));
    let mut all = Vec::new();
    all.try_reserve_exact(sizes.fold(0, usize::saturating_add).max(base.len())).ok()?;
    all.extend_from_slice(base);
    let mut last = 0;
    for level in 1..levels {
        let (from, to) = (level_extent(extent, level - 1), level_extent(extent, level));
        let begin = all.len();
        next(&mut all, last, format, channel, from, to);
        last = begin;
    }
    Some(all)
}

/// Appends the next level, computed from the last level, which begins at offset `last`.
fn next(
    all: &mut Vec<u8>,
    last: usize,
    format: Format,
    channel: Channel,
    from: [u32; 3],
    to: [u32; 3],
) {
    let texel = format.texel_size() as usize;
    let [fw, fh, fd] = from.map(|n| n as usize);
    let [tw, th, td] = to.map(|n| n as usize);
    let pair = |i: usize, n: usize| (2 * i).min(n - 1)..(2 * i + 2).min(n);
    let size = fw * fh * fd * texel;
    let end = all.len();
    for plane in (last..end).step_by(size.max(1)).filter(|at| at + size <= end) {
        for (z, y, x) in
            (0..td).flat_map(|z| (0..th).flat_map(move |y| (0..tw).map(move |x| (z, y, x))))
        {
            for c in 0..usize::from(format.channels()) {
                let (mut sum, mut count) = (0.0, 0.0);
                for k in pair(z, fd) {
                    for j in pair(y, fh) {
                        for i in pair(x, fw) {
                            let at = plane + ((k * fh + j) * fw + i) * texel;
                            sum += value(channel, &all[at + c * channel.size() as usize..]);
                            count += 1.0;
                        }
                    }
                }
                push(all, channel, sum / count);
            }
        }
    }
}

fn value(channel: Channel, bytes: &[u8]) -> f64 {
    match read(Dtype::of_channel(channel), &bytes[..channel.size() as usize]) {
        Value::Int(value) => value as f64,
        Value::F16(bits) => f32::from_bits(f16_to_f32(bits)).into(),
        Value::F32(bits) => f32::from_bits(bits).into(),
        Value::F64(value) => value,
    }
}

fn push(out: &mut Vec<u8>, channel: Channel, mean: f64) {
    let whole = (mean + 0.5).floor() as i64;
    match channel {
        Channel::F32 => out.extend((mean as f32).to_le_bytes()),
        Channel::F16 => out.extend(f64_to_f16(mean).to_le_bytes()),
        integer => out.extend(&whole.to_le_bytes()[..integer.size() as usize]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(format: &str, extent: [u32; 3], levels: u32, base: &[u8]) -> Vec<u8> {
        let format = Format::from_name(format).unwrap();
        chain(base, format, format.plain_channel().unwrap(), extent, levels).unwrap()
    }

    #[test]
    fn means() {
        let picture = [1, 2, 8, 8, 3, 3, 8, 9];
        assert_eq!(made("u8", [4, 2, 1], 3, &picture), [&picture[..], &[2, 8, 5]].concat());
        // Two layers; with an odd width, the last column is ignored.
        let layers = [0, 4, 99, 10, 20, 99];
        assert_eq!(made("u8", [3, 1, 1], 2, &layers), [&layers[..], &[2, 15]].concat());
        assert_eq!(made("s8x2", [2, 1, 1], 2, &[255, 0, 254, 1])[4..], [255, 1]);
        let floats: Vec<u8> = [1.0_f32, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(made("f32", [2, 1, 1], 2, &floats)[8..], 1.5_f32.to_le_bytes());
        let halves: Vec<u8> = [0x3c00_u16, 0x4000].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(made("f16", [1, 1, 2], 2, &halves)[4..], 0x3e00_u16.to_le_bytes());
    }
}
