//! BC6H (BPTC float): the Khronos Data Format Specification's arithmetic, bit for bit, but for
//! what the hardware does otherwise (docs/numerics.md 11): a negative zero is +0, and the reserved
//! modes are black.

use super::bits::{Bits, interpolate, weights};
use super::partition::Partition;
use super::{Texels, texel};

/// Some bits of the header: a channel of one of the endpoints w, x, y, z, and its first and last
/// bit as the specification lists them: from the top one to the lowest, or reversed.
type Field = (Name, u8, u8);

#[derive(Clone, Copy)]
enum Name {
    RW,
    GW,
    BW,
    RX,
    GX,
    BX,
    RY,
    GY,
    BY,
    RZ,
    GZ,
    BZ,
}
use Name::*;

struct Mode {
    /// The mode's bits.
    code: u32,
    /// Whether x, y and z are differences to w.
    transformed: bool,
    regions: u32,
    /// Bits of w, and of the others in r, g and b.
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

/// Endpoints w, x, y, z, each r, g, b.
type Ends = [[i32; 3]; 4];

pub(super) fn decode(block: u128, signed: bool) -> Texels {
    let mut bits = Bits(block);
    // Two bits, or five if the second is set.
    let code = match bits.take(2) {
        short @ (0 | 1) => short,
        low => low | bits.take(3) << 2,
    };
    let Some(mode) = MODES.iter().find(|mode| mode.code == code) else { return [0; 16] };
    let mut ends = [[0; 3]; 4];
    for &(name, first, last) in mode.fields {
        take_field(&mut bits, &mut ends[name as usize / 3][name as usize % 3], first, last);
    }
    let (partition, index_bits) = match mode.regions {
        2 => (Partition::new(2, bits.take(5)), 3),
        _ => (Partition::ONE, 4),
    };
    restore(&mut ends, mode, signed);
    let ends = ends.map(|end| end.map(|x| unquantize(x, mode.base, signed)));
    let weights = weights(index_bits);
    std::array::from_fn(|i| {
        let index = bits.take(index_bits - u8::from(partition.is_anchor(i)));
        let weight = weights[index as usize];
        let region = 2 * partition.subset(i);
        let channel =
            |c: usize| finish(interpolate(ends[region][c], ends[region + 1][c], weight), signed);
        texel([channel(0), channel(1), channel(2), 0])
    })
}

/// Reads a field's bits: lowest first if the first named is the top one.
fn take_field(bits: &mut Bits, value: &mut i32, first: u8, last: u8) {
    if first >= last {
        for bit in last..=first {
            *value |= (bits.take(1) as i32) << bit;
        }
    } else {
        for bit in (first..=last).rev() {
            *value |= (bits.take(1) as i32) << bit;
        }
    }
}

/// Undoes the differences and extends signs.
fn restore(ends: &mut Ends, mode: &Mode, signed: bool) {
    let [base, others @ ..] = ends;
    if signed {
        *base = base.map(|x| extend(x, mode.base));
    }
    for end in others {
        for (c, x) in end.iter_mut().enumerate() {
            if mode.transformed {
                let sum = base[c] + extend(*x, mode.other[c]);
                *x = sum & ((1 << mode.base) - 1);
            }
            if signed {
                *x = extend(*x, mode.base);
            }
        }
    }
}

fn extend(x: i32, bits: u8) -> i32 {
    x << (32 - bits) >> (32 - bits)
}

/// An endpoint of `bits` bits in 16 (signed: in 15 and the sign).
fn unquantize(x: i32, bits: u8, signed: bool) -> i32 {
    if !signed {
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

/// The half of an interpolated value: scaled so that it stays finite.
fn finish(x: i32, signed: bool) -> u32 {
    if !signed {
        return ((x * 31) >> 6) as u32;
    }
    let magnitude = ((x.abs() * 31) >> 5) as u32;
    // The hardware has no negative zero.
    if x < 0 && magnitude != 0 { 0x8000 | magnitude } else { magnitude }
}
