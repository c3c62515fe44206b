//! BC6H (BPTC float) decoding. The arithmetic is that of the Khronos Data Format Specification, bit
//! for bit, except where the hardware differs (docs/numerics.md 11): a negative zero is +0, and the
//! reserved modes are black.
//!
//! Red and blue of a texel are computed together, in the halves of a `u64`.

use super::Texels;
use super::partition::{Partition, weight};

/// A field of the block header: a channel of one of the endpoints w, x, y, z, and its first and
/// last bit in the specification's order, which may be reversed.
type Field = (Name, u8, u8);

#[derive(Clone, Copy)]
#[rustfmt::skip]
enum Name { RW, GW, BW, RX, GX, BX, RY, GY, BY, RZ, GZ, BZ }
use Name::*;

struct Mode {
    /// The mode bits at the start of a block.
    code: u32,
    /// Whether x, y and z are stored as differences from w.
    transformed: bool,
    regions: u32,
    /// Number of bits of w, and of the r, g and b channels of the other endpoints.
    base: u8,
    other: [u8; 3],
    fields: &'static [Field],
}

#[rustfmt::skip]
static MODES: [Mode; 14] = [
    Mode { code: 0x00, transformed: true,  regions: 2, base: 10, other: [5, 5, 5], fields: &[
        (GY,4,4),(BY,4,4),(BZ,4,4),(RW,9,0),(GW,9,0),(BW,9,0),(RX,4,0),(GZ,4,4),(GY,3,0),(GX,4,0),(BZ,0,0),(GZ,3,0),(BX,4,0),(BZ,1,1),(BY,3,0),(RY,4,0),(BZ,2,2),(RZ,4,0),(BZ,3,3)] },
    Mode { code: 0x01, transformed: true,  regions: 2, base: 7,  other: [6, 6, 6], fields: &[
        (GY,5,5),(GZ,4,4),(GZ,5,5),(RW,6,0),(BZ,0,0),(BZ,1,1),(BY,4,4),(GW,6,0),(BY,5,5),(BZ,2,2),(GY,4,4),(BW,6,0),(BZ,3,3),(BZ,5,5),(BZ,4,4),(RX,5,0),(GY,3,0),(GX,5,0),(GZ,3,0),(BX,5,0),(BY,3,0),(RY,5,0),(RZ,5,0)] },
    Mode { code: 0x02, transformed: true,  regions: 2, base: 11, other: [5, 4, 4], fields: &[
        (RW,9,0),(GW,9,0),(BW,9,0),(RX,4,0),(RW,10,10),(GY,3,0),(GX,3,0),(GW,10,10),(BZ,0,0),(GZ,3,0),(BX,3,0),(BW,10,10),(BZ,1,1),(BY,3,0),(RY,4,0),(BZ,2,2),(RZ,4,0),(BZ,3,3)] },
    Mode { code: 0x06, transformed: true,  regions: 2, base: 11, other: [4, 5, 4], fields: &[
        (RW,9,0),(GW,9,0),(BW,9,0),(RX,3,0),(RW,10,10),(GZ,4,4),(GY,3,0),(GX,4,0),(GW,10,10),(GZ,3,0),(BX,3,0),(BW,10,10),(BZ,1,1),(BY,3,0),(RY,3,0),(BZ,0,0),(BZ,2,2),(RZ,3,0),(GY,4,4),(BZ,3,3)] },
    Mode { code: 0x0a, transformed: true,  regions: 2, base: 11, other: [4, 4, 5], fields: &[
        (RW,9,0),(GW,9,0),(BW,9,0),(RX,3,0),(RW,10,10),(BY,4,4),(GY,3,0),(GX,3,0),(GW,10,10),(BZ,0,0),(GZ,3,0),(BX,4,0),(BW,10,10),(BY,3,0),(RY,3,0),(BZ,1,1),(BZ,2,2),(RZ,3,0),(BZ,4,4),(BZ,3,3)] },
    Mode { code: 0x0e, transformed: true,  regions: 2, base: 9,  other: [5, 5, 5], fields: &[
        (RW,8,0),(BY,4,4),(GW,8,0),(GY,4,4),(BW,8,0),(BZ,4,4),(RX,4,0),(GZ,4,4),(GY,3,0),(GX,4,0),(BZ,0,0),(GZ,3,0),(BX,4,0),(BZ,1,1),(BY,3,0),(RY,4,0),(BZ,2,2),(RZ,4,0),(BZ,3,3)] },
    Mode { code: 0x12, transformed: true,  regions: 2, base: 8,  other: [6, 5, 5], fields: &[
        (RW,7,0),(GZ,4,4),(BY,4,4),(GW,7,0),(BZ,2,2),(GY,4,4),(BW,7,0),(BZ,3,3),(BZ,4,4),(RX,5,0),(GY,3,0),(GX,4,0),(BZ,0,0),(GZ,3,0),(BX,4,0),(BZ,1,1),(BY,3,0),(RY,5,0),(RZ,5,0)] },
    Mode { code: 0x16, transformed: true,  regions: 2, base: 8,  other: [5, 6, 5], fields: &[
        (RW,7,0),(BZ,0,0),(BY,4,4),(GW,7,0),(GY,5,5),(GY,4,4),(BW,7,0),(GZ,5,5),(BZ,4,4),(RX,4,0),(GZ,4,4),(GY,3,0),(GX,5,0),(GZ,3,0),(BX,4,0),(BZ,1,1),(BY,3,0),(RY,4,0),(BZ,2,2),(RZ,4,0),(BZ,3,3)] },
    Mode { code: 0x1a, transformed: true,  regions: 2, base: 8,  other: [5, 5, 6], fields: &[
        (RW,7,0),(BZ,1,1),(BY,4,4),(GW,7,0),(BY,5,5),(GY,4,4),(BW,7,0),(BZ,5,5),(BZ,4,4),(RX,4,0),(GZ,4,4),(GY,3,0),(GX,4,0),(BZ,0,0),(GZ,3,0),(BX,5,0),(BY,3,0),(RY,4,0),(BZ,2,2),(RZ,4,0),(BZ,3,3)] },
    Mode { code: 0x1e, transformed: false, regions: 2, base: 6,  other: [6, 6, 6], fields: &[
        (RW,5,0),(GZ,4,4),(BZ,0,0),(BZ,1,1),(BY,4,4),(GW,5,0),(GY,5,5),(BY,5,5),(BZ,2,2),(GY,4,4),(BW,5,0),(GZ,5,5),(BZ,3,3),(BZ,5,5),(BZ,4,4),(RX,5,0),(GY,3,0),(GX,5,0),(GZ,3,0),(BX,5,0),(BY,3,0),(RY,5,0),(RZ,5,0)] },
    Mode { code: 0x03, transformed: false, regions: 1, base: 10, other: [10, 10, 10], fields: &[
        (RW,9,0),(GW,9,0),(BW,9,0),(RX,9,0),(GX,9,0),(BX,9,0)] },
    Mode { code: 0x07, transformed: true,  regions: 1, base: 11, other: [9, 9, 9], fields: &[
        (RW,9,0),(GW,9,0),(BW,9,0),(RX,8,0),(RW,10,10),(GX,8,0),(GW,10,10),(BX,8,0),(BW,10,10)] },
    Mode { code: 0x0b, transformed: true,  regions: 1, base: 12, other: [8, 8, 8], fields: &[
        (RW,9,0),(GW,9,0),(BW,9,0),(RX,7,0),(RW,10,11),(GX,7,0),(GW,10,11),(BX,7,0),(BW,10,11)] },
    Mode { code: 0x0f, transformed: true,  regions: 1, base: 16, other: [4, 4, 4], fields: &[
        (RW,9,0),(GW,9,0),(BW,9,0),(RX,3,0),(RW,10,15),(GX,3,0),(GW,10,15),(BX,3,0),(BW,10,15)] },
];

/// A group of block bits that are part of a value.
#[derive(Clone, Copy)]
struct Part {
    /// Index of the first bit, and a mask for the number of bits.
    from: u8,
    mask: u16,
    /// Which of the twelve values they belong to, and at which bit.
    name: u8,
    at: u8,
}

/// Converts a mode's fields to parts; each reversed bit is a part of its own.
const fn parts(mode: &Mode) -> ([Part; 24], usize) {
    let mut all = [Part { from: 0, mask: 0, name: 0, at: 0 }; 24];
    let mut from = if mode.code < 2 { 2 } else { 5 };
    let (mut count, mut field) = (0, 0);
    while field < mode.fields.len() {
        let (name, first, last) = mode.fields[field];
        let (mut at, bits) = if first >= last { (last, first - last + 1) } else { (last, 1) };
        loop {
            all[count] = Part { from, mask: (1 << bits) - 1, name: name as u8, at };
            count += 1;
            from += bits;
            if first >= last || at == first {
                break;
            }
            at -= 1;
        }
        field += 1;
    }
    (all, count)
}

/// The parts of each mode.
static PARTS: [([Part; 24], usize); 14] = {
    let (mut all, mut mode) = ([([Part { from: 0, mask: 0, name: 0, at: 0 }; 24], 0); 14], 0);
    while mode < 14 {
        all[mode] = parts(&MODES[mode]);
        mode += 1;
    }
    all
};

/// The mode for each value of the low five bits; modes 0 and 1 use only two of them. 14 stands for
/// reserved modes.
const MODE_OF: [u8; 32] = {
    let (mut all, mut code) = ([14; 32], 0);
    while code < 32 {
        let mut mode = 0;
        while mode < 14 {
            let bits = if MODES[mode].code < 2 { 3 } else { 31 };
            if code & bits == MODES[mode].code {
                all[code as usize] = mode as u8;
            }
            mode += 1;
        }
        code += 1;
    }
    all
};

/// Endpoints w, x, y, z, each with r, g, b.
type Values = [i32; 12];

pub(super) fn decode<const SIGNED: bool>(block: u128) -> Texels {
    let number = usize::from(MODE_OF[block as usize & 31]);
    let Some(mode) = MODES.get(number) else { return [0; 16] };
    let mut values = stored(block, number);
    restore::<SIGNED>(&mut values, mode);
    let ends = [Ends::of::<SIGNED>(&values, 0), Ends::of::<SIGNED>(&values, 6)];
    if mode.regions == 2 {
        let partition = Partition::new(2, (block >> 77) as u32 & 31);
        paint::<SIGNED, 3>(partition, (block >> 82) as u64, ends)
    } else {
        paint::<SIGNED, 4>(Partition::ONE, (block >> 65) as u64, ends)
    }
}

/// Extracts the stored values of a block.
#[inline(always)]
fn stored(block: u128, mode: usize) -> Values {
    // No part has more than ten bits, so it is within one of two overlapping words.
    let words = [block as u64, (block >> 48) as u64];
    let mut values = [0; 16];
    let (parts, count) = &PARTS[mode];
    for part in parts.iter().take(*count) {
        let upper = part.from / 48;
        let bits = (words[usize::from(upper & 1)] >> (part.from - 48 * upper)) as u16 & part.mask;
        values[usize::from(part.name & 15)] |= i32::from(bits) << part.at;
    }
    let [values @ .., _, _, _, _] = values;
    values
}

/// Undoes the differences, extends signs, and widens the endpoints to 16 bits (signed: 15 bits and
/// the sign).
#[inline(always)]
fn restore<const SIGNED: bool>(values: &mut Values, mode: &Mode) {
    let mut base = [0; 3];
    for (i, value) in values.iter_mut().enumerate() {
        let (c, x) = (i % 3, *value);
        let x = if i >= 3 && mode.transformed {
            (base[c] + extend(x, mode.other[c])) & ((1 << mode.base) - 1)
        } else {
            x
        };
        let x = if SIGNED { extend(x, mode.base) } else { x };
        if i < 3 {
            base[c] = x;
        }
        *value = unquantize::<SIGNED>(x, mode.base);
    }
}

#[inline(always)]
fn extend(x: i32, bits: u8) -> i32 {
    x << (32 - bits) >> (32 - bits)
}

/// Widens an endpoint of `bits` bits to 16 (signed: 15 bits and the sign).
#[inline(always)]
fn unquantize<const SIGNED: bool>(x: i32, bits: u8) -> i32 {
    if !SIGNED {
        return match x {
            _ if bits >= 15 => x,
            0 => 0,
            _ if x == (1 << bits) - 1 => 0xffff,
            _ => ((x << 16) + 0x8000) >> bits,
        };
    }
    let magnitude = x.abs();
    let widened = match magnitude {
        _ if bits >= 16 => return x,
        0 => 0,
        _ if magnitude >= (1 << (bits - 1)) - 1 => 0x7fff,
        _ => ((magnitude << 15) + 0x4000) >> (bits - 1),
    };
    if x < 0 { -widened } else { widened }
}

/// Two endpoints prepared for interpolation: red and blue in one word, green in another.
/// Differences borrow from the neighbouring channel, which the addition of the product undoes.
#[derive(Clone, Copy)]
struct Ends {
    /// The lower endpoint in 1/64, plus one half for rounding.
    start: [u64; 2],
    difference: [u64; 2],
}

/// Offset that makes signed numbers positive.
const OFFSET: i32 = 0x8000;

/// Mask of the two 16-bit numbers in a word.
const HALVES: u64 = 0x0000_ffff_0000_ffff;

impl Ends {
    /// Makes the endpoints from the six values beginning at `first`.
    #[inline(always)]
    fn of<const SIGNED: bool>(values: &Values, first: usize) -> Self {
        let offset = if SIGNED { OFFSET } else { 0 };
        let value = |i: usize| (values[first + i] + offset) as u64;
        let low = [value(0) | value(2) << 32, value(1)];
        let high = [value(3) | value(5) << 32, value(4)];
        let half = 0x0000_0020_0000_0020;
        Self {
            start: [low[0] * 64 + half, low[1] * 64 + half],
            difference: [high[0].wrapping_sub(low[0]), high[1].wrapping_sub(low[1])],
        }
    }

    /// Interpolates with a weight in 1/64, rounding halves up.
    #[inline(always)]
    fn at(&self, weight: u64) -> [u64; 2] {
        let sum = |i: usize| self.start[i].wrapping_add(self.difference[i].wrapping_mul(weight));
        [sum(0) >> 6 & HALVES, sum(1) >> 6 & 0xffff]
    }
}

#[inline(always)]
fn paint<const SIGNED: bool, const BITS: u32>(
    partition: Partition,
    indices: u64,
    ends: [Ends; 2],
) -> Texels {
    let indices = partition.spread(indices, BITS);
    let mut texels = [0; 16];
    for (i, texel) in texels.iter_mut().enumerate() {
        let [red_blue, green] = ends[partition.subset(i) & 1].at(weight(indices, BITS, i));
        *texel = if SIGNED {
            let [red, blue] = [red_blue & 0xffff, red_blue >> 32];
            signed_half(red) | signed_half(green) << 16 | signed_half(blue) << 32
        } else {
            // Scaled so that the f16 results stay finite.
            (red_blue * 31) >> 6 & HALVES | ((green * 31) >> 6) << 16
        };
    }
    texels
}

/// The f16 bits of a signed number to which [`OFFSET`] was added.
#[inline(always)]
fn signed_half(x: u64) -> u64 {
    let x = x as i32 - OFFSET;
    let magnitude = (x.unsigned_abs() * 31) >> 5;
    // The hardware never returns a negative zero.
    let sign = if x < 0 && magnitude != 0 { 0x8000 } else { 0 };
    (sign | magnitude).into()
}
