//! The special function unit (`MUFU`) of NVIDIA GPUs, bit for bit: docs/numerics.md, section 13.
//!
//! `MUFU.RCP` is what a cube fetch divides by, so the texture unit and the engine both need it.
//! Tables and rule were found from what an NVIDIA H200 (sm_90, driver 580.159.04) answered to all
//! 2^32 operands.

/// `MUFU.RCP`: 1/x of an f32, as bits. The mantissa's top seven bits choose a segment, whose
/// quadratic polynomial is evaluated in fixed point (units of 2^-41) and cut to 24 bits.
///
/// Subnormal operands count as zero, and subnormal results are zero.
pub fn rcp(bits: u32) -> u32 {
    let (sign, exponent) = (bits & 0x8000_0000, bits >> 23 & 0xff);
    let mantissa = bits & 0x007f_ffff;
    match (exponent, mantissa) {
        (0, _) => return sign | 0x7f80_0000,
        (0xff, 0) => return sign,
        (0xff, _) => return 0x7fff_ffff,
        _ => {}
    }
    let segment = (mantissa >> 16) as usize;
    let (constant, both) = (RCP_CONSTANT[segment] as u32, RCP_LINEAR_SQUARE[segment] as u32);
    let below = mantissa & 0xffff;
    let linear = u64::from(both & 0xffff) * u64::from(below);
    let square = u64::from(both >> 16) * u64::from(square(below << 1));
    let value = (u64::from(constant) << 13) + u64::from(RCP_BIAS) + square - linear;
    // In 2^-24: 2^23 to 2^24 - 1, or 2^24 for a power of two.
    let fraction = (value >> 15) as u32;
    let is_one = fraction >> 24;
    let exponent = 253 - exponent as i32 + is_one as i32;
    if exponent <= 0 {
        sign
    } else {
        sign | (exponent as u32) << 23 | fraction & 0x007f_ffff & (is_one.wrapping_sub(1))
    }
}

/// The square of 17 bits over 2^19, as the unit's folded squarer has it: partial products of
/// columns below 2^19 do not exist.
pub fn square(x: u32) -> u32 {
    let high = x >> 9;
    // Products of the bits 9 and above; the lowest one's square is below the last column.
    let mut sum = (high * high) >> 1;
    for bit in 2..9 {
        sum += (x >> bit & 1) * (x >> (18 - bit));
    }
    sum
}

/// Added to the polynomial of [`rcp`] before the cut.
pub const RCP_BIAS: u32 = 8092 / 4;

/// Constant terms of [`rcp`] by segment, in units of 2^-26.
#[rustfmt::skip]
pub static RCP_CONSTANT: [i32; 128] = [
    67108864, 66588642, 66076422, 65572021, 65075262, 64585976, 64103992, 63629146,
    63161284, 62700254, 62245905, 61798091, 61356677, 60921524, 60492499, 60069474,
    59652325, 59240930, 58835170, 58434930, 58040099, 57650569, 57266231, 56886986,
    56512729, 56143366, 55778798, 55418934, 55063686, 54712961, 54366677, 54024747,
    53687093, 53353633, 53024288, 52698987, 52377651, 52060212, 51746596, 51436737,
    51130565, 50828017, 50529029, 50233538, 49941482, 49652803, 49367442, 49085342,
    48806449, 48530705, 48258060, 47988464, 47721861, 47458204, 47197444, 46939534,
    46684429, 46432082, 46182446, 45935480, 45691143, 45449392, 45210185, 44973481,
    44739244, 44507436, 44278016, 44050948, 43826199, 43603730, 43383510, 43165503,
    42949675, 42735995, 42524430, 42314950, 42107525, 41902122, 41698714, 41497270,
    41297764, 41100168, 40904453, 40710593, 40518561, 40328333, 40139883, 39953186,
    39768218, 39584955, 39403371, 39223448, 39045159, 38868484, 38693401, 38519888,
    38347924, 38177489, 38008563, 37841123, 37675154, 37510633, 37347543, 37185866,
    37025582, 36866673, 36709124, 36552915, 36398030, 36244452, 36092164, 35941151,
    35791396, 35642884, 35495599, 35349528, 35204652, 35060959, 34918436, 34777064,
    34636835, 34497732, 34359741, 34222849, 34087044, 33952313, 33818641, 33686019,
];

/// Coefficients of [`rcp`] by segment: the linear one, which is negative, in the low half, and the
/// quadratic one in the high half.
#[rustfmt::skip]
pub static RCP_LINEAR_SQUARE: [i32; 128] = [
    0x03f5fffe, 0x03ddfc0a, 0x03c6f82d, 0x03b1f467, 0x039bf0b6, 0x0386ed1b, 0x0373e995, 0x035fe622,
    0x034de2c3, 0x033bdf77, 0x0329dc3d, 0x0317d914, 0x0306d5fd, 0x02f6d2f7, 0x02e6d001, 0x02d7cd1b,
    0x02c7ca44, 0x02b8c77c, 0x02aac4c3, 0x029dc218, 0x0290bf7b, 0x0282bceb, 0x0277ba69, 0x026ab7f3,
    0x025db589, 0x0252b32c, 0x0246b0da, 0x023cae94, 0x0231ac59, 0x0225aa28, 0x021ca803, 0x0211a5e7,
    0x0207a3d6, 0x01fea1cf, 0x01f59fd1, 0x01ea9ddc, 0x01e29bf1, 0x01da9a0f, 0x01d19835, 0x01c99664,
    0x01c1949b, 0x01b992da, 0x01b19121, 0x01aa8f70, 0x01a28dc6, 0x019c8c24, 0x01938a88, 0x018d88f4,
    0x01868767, 0x017f85e0, 0x01798460, 0x017382e7, 0x016e8174, 0x01668006, 0x01617e9f, 0x015c7d3e,
    0x01557be2, 0x01517a8d, 0x014b793c, 0x014677f1, 0x014076ab, 0x013c756b, 0x0136742f, 0x013172f8,
    0x012e71c7, 0x0129709a, 0x01236f71, 0x011f6e4d, 0x011b6d2e, 0x01176c13, 0x01126afc, 0x010f69ea,
    0x010a68db, 0x010767d1, 0x010266ca, 0x010065c8, 0x00fb64c9, 0x00f863ce, 0x00f362d6, 0x00f061e2,
    0x00ed60f2, 0x00e96005, 0x00e75f1c, 0x00e25e35, 0x00df5d52, 0x00de5c73, 0x00da5b96, 0x00d65abc,
    0x00d459e6, 0x00d05912, 0x00cd5841, 0x00cc5774, 0x00c756a8, 0x00c555e0, 0x00c4551b, 0x00c15458,
    0x00bd5397, 0x00ba52d9, 0x00b8521e, 0x00b65165, 0x00b450af, 0x00b24ffb, 0x00af4f49, 0x00ad4e9a,
    0x00ab4ded, 0x00a94d42, 0x00a64c99, 0x00a54bf3, 0x00a14b4e, 0x00a04aac, 0x009f4a0c, 0x009b496d,
    0x009a48d1, 0x00994837, 0x0096479e, 0x00954708, 0x00934673, 0x009145e0, 0x008f454f, 0x008f44c0,
    0x008c4432, 0x008a43a6, 0x0089431c, 0x00874293, 0x0085420c, 0x00844187, 0x00834103, 0x00824081,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_squarer_has_no_columns_below_the_last() {
        for x in (0..1 << 17).step_by(7) {
            let bit = |i: u32| u64::from(x >> i & 1);
            let mut sum = 0;
            for i in 0..17 {
                sum += if 2 * i >= 19 { bit(i) << (2 * i) } else { 0 };
                for j in i + 1..17 {
                    sum += if i + j + 1 >= 19 { (bit(i) & bit(j)) << (i + j + 1) } else { 0 };
                }
            }
            assert_eq!(u64::from(square(x)), sum >> 19, "{x:#x}");
        }
    }

    #[test]
    fn reciprocals_of_the_card() {
        for (x, wanted) in [
            (0x3f80_0000, 0x3f80_0000),
            (0x4000_0000, 0x3f00_0000),
            // Correctly rounded this would be 0x7c088814.
            (0x02f0_00cc, 0x7c08_8815),
            (0xbf80_0000, 0xbf80_0000),
            (0, 0x7f80_0000),
            (0x8000_0001, 0xff80_0000),
            (0x7f80_0000, 0),
            (0xff80_0000, 0x8000_0000),
            (0xffc0_0001, 0x7fff_ffff),
            (0x7f00_0000, 0),
            (0x7e80_0000, 0x0080_0000),
        ] {
            assert_eq!(rcp(x), wanted, "{x:#x}");
        }
    }

    #[test]
    fn mantissas_are_off_by_one_unit_at_most() {
        let mut off = 0;
        for mantissa in 0..1 << 23 {
            let x = f32::from_bits(0x3f80_0000 | mantissa);
            let difference = rcp(x.to_bits()).abs_diff((1.0 / x).to_bits());
            assert!(difference <= 1, "{mantissa:#x}");
            off += difference;
        }
        // 13.21 %, which a GeForce RTX 3060's published statistic fits.
        assert_eq!((u64::from(off) * 10_000) >> 23, 1321);
    }
}
