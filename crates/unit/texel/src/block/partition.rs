//! Partition tables of BC6H and BC7, from the Khronos Data Format Specification, section "BPTC":
//! how the texels of a block are split into subsets, and which texel of a subset is its anchor,
//! whose index is stored without its top bit. Also the interpolation weights of indices.

/// A partition of the 16 texels into one, two or three subsets.
#[derive(Clone, Copy)]
pub(super) struct Partition {
    /// The subset of each texel, in two bits, the first texel lowest.
    subsets: u32,
    /// Mask of the anchor texels.
    anchors: u16,
}

impl Partition {
    /// The partition with all texels of a block in one subset.
    pub(super) const ONE: Self = Self { subsets: 0, anchors: 1 };

    /// Row 0 to 63 of the table for 1, 2 or 3 subsets.
    pub(super) fn new(subsets: u32, row: u32) -> Self {
        let row = row as usize & 63;
        match subsets {
            2 => Self { subsets: TWO_SPREAD[row], anchors: 1 | 1 << TWO_ANCHORS[row] },
            3 => {
                let (second, third) = THREE_ANCHORS[row];
                Self { subsets: THREE[row], anchors: 1 | 1 << second | 1 << third }
            }
            _ => Self::ONE,
        }
    }

    /// The subset of a texel.
    pub(super) fn subset(self, texel: usize) -> usize {
        (self.subsets >> (2 * texel) & 3) as usize
    }

    /// Inserts the missing top bits of anchors into packed indices of `bits` bits each, the first
    /// texel lowest; the inserted bits are 0.
    #[inline(always)]
    pub(super) fn spread(self, indices: u64, bits: u32) -> u64 {
        if bits == 0 {
            return 0;
        }
        let (mut spread, mut anchors) = (indices, self.anchors);
        while anchors != 0 {
            let texel = anchors.trailing_zeros();
            let below = (1_u64 << (texel * bits + bits - 1)) - 1;
            spread = spread & below | (spread & !below) << 1;
            anchors &= anchors - 1;
        }
        spread
    }
}

/// The weight of a texel's index in 1/64; indices have 2, 3 or 4 bits.
#[inline(always)]
pub(super) fn weight(indices: u64, bits: u32, texel: usize) -> u64 {
    const TWO: [u64; 4] = [0, 21, 43, 64];
    const THREE: [u64; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
    const FOUR: [u64; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let index = (indices >> (texel as u32 * bits)) as usize;
    match bits {
        2 => TWO[index & 3],
        3 => THREE[index & 7],
        _ => FOUR[index & 15],
    }
}

/// Spreads one bit per texel to two bits per texel.
const fn spread(mask: u16) -> u32 {
    let (mut all, mut texel) = (0, 0);
    while texel < 16 {
        all |= (mask as u32 >> texel & 1) << (2 * texel);
        texel += 1;
    }
    all
}

/// [`TWO`] with two bits per texel.
const TWO_SPREAD: [u32; 64] = {
    let (mut all, mut row) = ([0; 64], 0);
    while row < 64 {
        all[row] = spread(TWO[row]);
        row += 1;
    }
    all
};

/// Partitions into two subsets: one bit per texel, the first texel lowest.
#[rustfmt::skip]
const TWO: [u16; 64] = [
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80,
    0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
    0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce,
    0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
    0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a,
    0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
    0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
    0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
];

/// The anchor of the second of two subsets.
#[rustfmt::skip]
const TWO_ANCHORS: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15,  2,  8,  2,  2,  8,  8, 15,  2,  8,  2,  2,  8,  8,  2,  2,
    15, 15,  6,  8,  2,  8, 15, 15,  2,  8,  2,  2,  2, 15, 15,  6,
     6,  2,  6,  8, 15, 15,  2,  2, 15, 15, 15, 15, 15,  2,  2, 15,
];

/// Partitions into three subsets: two bits per texel, the first texel lowest.
#[rustfmt::skip]
const THREE: [u32; 64] = [
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
];

/// The anchors of the second and third of three subsets.
#[rustfmt::skip]
const THREE_ANCHORS: [(u8, u8); 64] = [
    ( 3, 15), ( 3,  8), (15,  8), (15,  3), ( 8, 15), ( 3, 15), (15,  3), (15,  8),
    ( 8, 15), ( 8, 15), ( 6, 15), ( 6, 15), ( 6, 15), ( 5, 15), ( 3, 15), ( 3,  8),
    ( 3, 15), ( 3,  8), ( 8, 15), (15,  3), ( 3, 15), ( 3,  8), ( 6, 15), (10,  8),
    ( 5,  3), ( 8, 15), ( 8,  6), ( 6, 10), ( 8, 15), ( 5, 15), (15, 10), (15,  8),
    ( 8, 15), (15,  3), ( 3, 15), ( 5, 10), ( 6, 10), (10,  8), ( 8,  9), (15, 10),
    (15,  6), ( 3, 15), (15,  8), ( 5, 15), (15,  3), (15,  6), (15,  6), (15,  8),
    ( 3, 15), (15,  3), ( 5, 15), ( 5, 15), ( 5, 15), ( 8, 15), ( 5, 15), (10, 15),
    ( 5, 15), (10, 15), ( 8, 15), (13, 15), (15,  3), (12, 15), ( 3, 15), ( 3,  8),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_lie_in_their_subsets_and_every_subset_has_texels() {
        for row in 0..64 {
            assert_eq!(Partition::new(2, row).subset(0), 0);
            assert_eq!(Partition::new(2, row).subset(TWO_ANCHORS[row as usize].into()), 1);
            let (second, third) = THREE_ANCHORS[row as usize];
            let three = Partition::new(3, row);
            assert_eq!([0, second, third].map(|t| three.subset(t.into())), [0, 1, 2]);
            assert!((0..16).all(|texel| three.subset(texel) < 3));
            assert_eq!(three.anchors.count_ones(), 3);
        }
        assert!((0..16).all(|texel| Partition::ONE.subset(texel) == 0));
    }
}
